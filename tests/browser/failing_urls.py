"""The site's addresses and two that fail, for the pages of errors."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import path

from leaderboard import urls


def forbidden(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("broken on purpose")


urlpatterns = [*urls.urlpatterns, path("forbidden/", forbidden), path("broken/", broken)]
