"""Who runs this board, what it keeps, and what may be done with its figures."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import conditional_page, require_safe

from leaderboard.pages.about.page import kept_for


@conditional_page
@require_safe
def about(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/about/about.html", {"kept": kept_for()})


urlpatterns = [path("about/", about, name="about")]
