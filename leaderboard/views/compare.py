"""Two to four models side by side."""

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from leaderboard.queries.compare import CompareRequest, compare_page
from leaderboard.queries.directory import figures_stamp
from leaderboard.queries.former_slugs import leading_to, present_slugs
from leaderboard.views.warm import warm


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    asked = CompareRequest(
        models=tuple(request.GET.getlist("m")),
        ranking=request.GET.get("ranking", ""),
        search=request.GET.get("q", "")[:120],
    )

    def make() -> HttpResponse:
        page = compare_page(asked)
        if present := present_slugs(page.unknown):
            return moved(request, present)
        return render(request, "leaderboard/compare.html", {"page": page})

    return warm(request, figures_stamp(), make)


def moved(request: HttpRequest, present: Mapping[str, str]) -> HttpResponse:
    """301 to the same comparison under the slugs that the models have now, each once."""
    query = request.GET.copy()
    query.setlist("m", list(dict.fromkeys(present.get(slug, slug) for slug in query.getlist("m"))))
    return leading_to(f"{reverse('compare')}?{query.urlencode()}")


urlpatterns = [path("compare/", compare, name="compare")]
