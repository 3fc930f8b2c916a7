"""Two to four models side by side."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from leaderboard.queries.compare import CompareRequest, compare_page
from leaderboard.queries.directory import figures_stamp
from leaderboard.views.warm import warm


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    asked = CompareRequest(
        models=tuple(request.GET.getlist("m")),
        ranking=request.GET.get("ranking", ""),
        search=request.GET.get("q", "")[:120],
    )

    def make() -> HttpResponse:
        return render(request, "leaderboard/compare.html", {"page": compare_page(asked)})

    return warm(request, figures_stamp(), make)


urlpatterns = [path("compare/", compare, name="compare")]
