"""The pages of judges. They show listed runs on open banks alone, and never an address or a key."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.views.decorators.http import conditional_page, require_safe

from evaluation.models import Judge
from leaderboard.study.judges.files import as_csv
from leaderboard.study.judges.page import judge_page, judges_page


@conditional_page
@require_safe
def judges(request: HttpRequest) -> HttpResponse:
    return render(request, "study/judges/judges.html", {"page": judges_page()})


@conditional_page
@require_safe
def judge(request: HttpRequest, slug: str) -> HttpResponse:
    """`bank` chooses the prompts where the judge read replies to several."""
    found = get_object_or_404(Judge, slug=slug)
    return render(request, "study/judges/judge.html", {"page": judge_page(found, request.GET.get("bank", ""))})


@conditional_page
@require_safe
def judge_csv(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(Judge, slug=slug)
    response = HttpResponse(as_csv(found), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="judge-{found.slug}.csv"'
    return response


urlpatterns = [
    path("judges/", judges, name="judges"),
    path("judges/<slug:slug>/", judge, name="judge"),
    path("judges/<slug:slug>/judgements.csv", judge_csv, name="judge-csv"),
]
