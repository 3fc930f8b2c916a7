"""The ranked tables, as pages and as files."""

from datetime import date

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard.pages.cards.links import link_to
from leaderboard.pages.cards.words import ranking_card
from leaderboard.pages.charts.views import beside
from leaderboard.pages.news.page import news_strip
from leaderboard.pages.rankings.asked import NO_COLUMN, RankingRequest, day
from leaderboard.pages.rankings.columns import every_column
from leaderboard.pages.rankings.orders import order_at
from leaderboard.pages.rankings.page import rankings_page, rankings_stamp
from leaderboard.pages.rankings.selection import selected
from leaderboard.pages.shared.warm import warm
from leaderboard.pages.statistics.gap import gap_of
from leaderboard.sharing.citing import cite_ranking, dataset_of, ranking_entry
from leaderboard.sharing.exports import FORMATS


@require_safe
def rankings(request: HttpRequest, key: str | None = None) -> HttpResponse:
    """A ranking, the fullest one without a key. The form's own parameters lead to the short address of the same view,
    so that what is shared and bookmarked holds nothing but what was chosen."""
    if "apply" in request.GET:
        return redirect(request.path + applied(request).query.removesuffix("?"))
    asked, today = RankingRequest.of(request.GET), timezone.now().date()
    if key and (at := day(request.GET.get("at", ""))):
        return as_of(request, key, min(at, today))

    def make() -> HttpResponse:
        page = rankings_page(key, asked, today)
        if page is None:
            raise Http404("no such ranking")
        gap = gap_of(page.ranking.key, page.ranking.benchmark) if page.ranking else None
        is_plain = not (asked.filters or asked.sort or asked.page or asked.demo)
        card_link = link_to(ranking_card(page), "ranking-card", page.ranking.key) if page.ranking and is_plain else None
        cite = cite_ranking(request, page.ranking, page.computed_at) if page.ranking else ""
        context = {
            "page": page,
            "gap": gap,
            "cite": cite,
            "strip": news_strip(today),
            "card_link": card_link,
            "dataset": dataset_of(request, page) if is_plain else "",
            **beside(page.selection, asked),
        }
        return render(request, "pages/rankings/rankings.html", context)

    stamp = rankings_stamp()
    return warm(request, stamp and (*stamp, today), make)


def as_of(request: HttpRequest, key: str, at: date) -> HttpResponse:
    """The order of a ranking as it was on a day, today at the latest; a later result changes the names in it, and what
    was taken off."""

    def make() -> HttpResponse:
        page = order_at(key, at)
        if page is None:
            raise Http404("no such ranking")
        if page.since is None:
            raise Http404("no order of this ranking is stored")
        cite = ranking_entry(request, page.ranking, max(at, page.since))
        return render(request, "pages/rankings/ranking_at.html", {"page": page, "cite": cite})

    stamp = rankings_stamp()
    return warm(request, stamp and (*stamp, at), make)


def applied(request: HttpRequest) -> RankingRequest:
    """What the form asks for: no ticked column means none, not the usual ones; all usual ones that the form of this
    ranking offers mean the usual ones. The form says which those are, since one key can be usual in one ranking alone;
    a form made before it did says which it offers."""
    query = request.GET.copy()
    ticked, offered = query.getlist("c"), query.get("columns", "").split()
    known = every_column()
    usual = [key for key in offered if key in known and known[key].shown]
    if ticked and ticked == query.get("usual", " ".join(usual)).split():
        del query["c"]
    elif "columns" in query and not ticked:
        query["c"] = NO_COLUMN
    return RankingRequest.of(query)


def refused_day(key: str, at: date) -> HttpResponse:
    page = reverse("ranking", args=[key])
    return HttpResponse(
        f"This file has the rows of today only, those without `at`; the order of {at} is on {page}?at={at}.\n",
        status=400,
        content_type="text/plain; charset=utf-8",
    )


@require_safe
def ranking_file(request: HttpRequest, key: str, ending: str) -> HttpResponse:
    """All rows that the filters leave, in the order of the page. No day but today: of others only the order is kept."""
    at = day(request.GET.get("at", ""))
    if at and at < timezone.now().date():
        return refused_day(key, at)

    def make() -> HttpResponse:
        selection = selected(key, RankingRequest.of(request.GET))
        if selection is None:
            raise Http404("no such ranking")
        write, content_type = FORMATS[ending]
        return HttpResponse(write(selection), content_type=content_type)

    response = warm(request, rankings_stamp(), make)
    response["Content-Disposition"] = f'attachment; filename="{key}.{ending}"'
    return response


urlpatterns = [
    path("", rankings, name="home"),
    path("rankings/<slug:key>/", rankings, name="ranking"),
    *(
        path(f"rankings/<slug:key>.{ending}", ranking_file, {"ending": ending}, name=f"ranking-{ending}")
        for ending in FORMATS
    ),
]
