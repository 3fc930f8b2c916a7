"""The ranked tables, as pages and as files."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard.queries.asked import DEFAULT_COLUMNS, NO_COLUMN, RankingRequest
from leaderboard.queries.rankings import rankings_page, rankings_stamp
from leaderboard.queries.selection import selected
from leaderboard.queries.statistics_gap import gap_of, gaps_stamp
from leaderboard.sharing.exports import FORMATS
from leaderboard.views.charts import beside
from leaderboard.views.warm import warm


@require_safe
def rankings(request: HttpRequest, key: str | None = None) -> HttpResponse:
    """A ranking, the fullest one without a key. The form's own parameters lead to the short address of the same view,
    so that what is shared and bookmarked holds nothing but what was chosen."""
    if "apply" in request.GET:
        return redirect(request.path + applied(request).query.removesuffix("?"))
    asked, today = RankingRequest.of(request.GET), timezone.now().date()

    def make() -> HttpResponse:
        page = rankings_page(key, asked, today)
        if page is None:
            raise Http404("no such ranking")
        gap = gap_of(page.ranking.key) if page.ranking else None
        return render(request, "leaderboard/rankings.html", {"page": page, "gap": gap, **beside(page.selection, asked)})

    stamp = rankings_stamp()
    return warm(request, stamp and (*stamp, gaps_stamp(), today), make)


def applied(request: HttpRequest) -> RankingRequest:
    """What the form asks for: no ticked column means none, not the usual ones; all usual ones that the form of this
    ranking offers mean the usual ones."""
    query = request.GET.copy()
    ticked, offered = query.getlist("c"), query.get("columns", "").split()
    if ticked and ticked == [key for key in offered if key in DEFAULT_COLUMNS]:
        del query["c"]
    elif "columns" in query and not ticked:
        query["c"] = NO_COLUMN
    return RankingRequest.of(query)


@require_safe
def ranking_file(request: HttpRequest, key: str, ending: str) -> HttpResponse:
    """All rows that the filters leave, in the order of the page."""

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
