"""Two to four models side by side."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from leaderboard.queries.compare import CompareRequest, compare_page


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    asked = CompareRequest(
        models=tuple(request.GET.getlist("m")),
        ranking=request.GET.get("ranking", ""),
        search=request.GET.get("q", "")[:120],
    )
    return render(request, "leaderboard/compare.html", {"page": compare_page(asked)})


urlpatterns = [path("compare/", compare, name="compare")]
