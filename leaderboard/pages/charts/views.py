"""The charts of a ranking: a page of their own, and each chart's figure and numbers under the page's query string."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_safe

from leaderboard.cells import csv_text
from leaderboard.pages.charts.page import charts_beside, charts_page, figure_json, one_chart
from leaderboard.pages.rankings.asked import RankingRequest
from leaderboard.pages.rankings.directory import filled_rankings, rankings_stamp
from leaderboard.pages.rankings.selection import Selection
from leaderboard.pages.shared.warm import warm
from leaderboard.plotly_bundle import bundle

BESIDE_ROWS = 20  # of each table on the ranking's own page


def beside(selection: Selection | None, asked: RankingRequest) -> dict[str, object]:
    """What `_charts.html` needs on the ranking's own page; nothing without a ranking."""
    if selection is None:
        return {}
    charts = charts_beside(selection, asked, table_rows=BESIDE_ROWS)
    return {"charts": charts, "charts_apart": charts is None, "query": query_of(asked), "bundle": bundle()}


def query_of(asked: RankingRequest) -> str:
    return asked.query if asked.params else ""


@require_safe
def charts(request: HttpRequest, key: str) -> HttpResponse:
    """All charts of a ranking, of the rows that the ranking's own address shows with the same parameters."""
    return charts_of(request, key)


@require_safe
def charts_home(request: HttpRequest) -> HttpResponse:
    """The charts of the fullest ranking; on a board without any, the rankings say what to do."""
    key = next(iter(filled_rankings()), None)
    return redirect("home") if key is None else charts_of(request, key)


def charts_of(request: HttpRequest, key: str) -> HttpResponse:
    asked = RankingRequest.of(request.GET)

    def make() -> HttpResponse:
        page = charts_page(key, asked)
        if page is None:
            raise Http404("no such ranking")
        context = {"charts": page, "query": query_of(asked), "bundle": bundle()}
        return render(request, "pages/charts/charts.html", context)

    return warm(request, rankings_stamp(), make)


@require_safe
def chart_json(request: HttpRequest, key: str, name: str) -> HttpResponse:
    """The sentences and the figure of a chart; `figure` is null where there is nothing to draw."""

    def make() -> HttpResponse:
        content = figure_json(key, name, RankingRequest.of(request.GET))
        if content is None:
            raise Http404("no such chart")
        return HttpResponse(content, content_type="application/json")

    return warm(request, rankings_stamp(), make)


@require_safe
def chart_csv(request: HttpRequest, key: str, name: str) -> HttpResponse:
    """All rows behind a chart, with all their digits."""

    def make() -> HttpResponse:
        chart = one_chart(key, name, RankingRequest.of(request.GET))
        if chart is None:
            raise Http404("no such chart")
        table = chart.data
        text = csv_text([column.name for column in table.columns], table.rows)
        return HttpResponse(text, content_type="text/csv; charset=utf-8")

    response = warm(request, rankings_stamp(), make)
    response["Content-Disposition"] = f'attachment; filename="{key}-{name}.csv"'
    return response


urlpatterns = [
    path("charts/", charts_home, name="charts-home"),
    path("charts/<slug:key>/", charts, name="charts"),
    path("charts/<slug:key>/<slug:name>.json", chart_json, name="chart-json"),
    path("charts/<slug:key>/<slug:name>.csv", chart_csv, name="chart-csv"),
]
