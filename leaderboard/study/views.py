"""The studies, and the page of the published one."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import conditional_page, require_safe

from leaderboard.study.files import as_csv, as_json
from leaderboard.study.page import study_page


@conditional_page
@require_safe
def studies(request: HttpRequest) -> HttpResponse:
    return render(request, "study/studies.html", {"page": study_page()})


@conditional_page
@require_safe
def published(request: HttpRequest) -> HttpResponse:
    """`scope` chooses the prompts and `model` whose emotions are shown; any other value is the first one."""
    page = study_page(request.GET.get("scope", ""), request.GET.get("model", ""))
    return render(request, "study/published.html", {"page": page})


@conditional_page
@require_safe
def published_csv(request: HttpRequest) -> HttpResponse:
    return HttpResponse(as_csv(), content_type="text/csv; charset=utf-8")


@conditional_page
@require_safe
def published_json(request: HttpRequest) -> HttpResponse:
    return HttpResponse(as_json(), content_type="application/json")


urlpatterns = [
    path("studies/", studies, name="studies"),
    path("studies/welivita-pu-2024/", published, name="study-published"),
    path("studies/welivita-pu-2024.csv", published_csv, name="study-published-csv"),
    path("studies/welivita-pu-2024.json", published_json, name="study-published-json"),
]
