"""How every score is made."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import conditional_page, require_safe

from leaderboard.pages.methodology.page import methodology_page


@conditional_page
@require_safe
def methodology(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/methodology/methodology.html", {"page": methodology_page()})


urlpatterns = [path("methodology/", methodology, name="methodology")]
