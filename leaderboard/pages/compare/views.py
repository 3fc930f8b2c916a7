"""Two to four models side by side."""

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from leaderboard.pages.cards.links import pair_link
from leaderboard.pages.cards.words import pair_card
from leaderboard.pages.compare.page import CompareRequest, compare_page
from leaderboard.pages.models.former_slugs import leading_to, present_slugs
from leaderboard.pages.rankings.directory import figures_stamp
from leaderboard.pages.shared.warm import warm


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
        slugs = [row.slug for row in page.models]
        card_link = pair_link(pair_card(page), page.ranking.key if page.ranking else "", slugs)
        return render(request, "pages/compare/compare.html", {"page": page, "card_link": card_link})

    return warm(request, figures_stamp(), make)


def moved(request: HttpRequest, present: Mapping[str, str], name: str = "compare", *rest: str) -> HttpResponse:
    """301 to the same comparison under the slugs that the models have now, each once. `name` and `rest` are those of
    its address."""
    query = request.GET.copy()
    query.setlist("m", list(dict.fromkeys(present.get(slug, slug) for slug in query.getlist("m"))))
    return leading_to(f"{reverse(name, args=rest)}?{query.urlencode()}")


urlpatterns = [path("compare/", compare, name="compare")]
