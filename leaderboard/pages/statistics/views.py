"""What a score means: the overview of the statistics, its sections, and their numbers as files."""

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import path
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from evaluation.importers.official_scores import OFFICIAL_SCORES
from leaderboard.cells import csv_text
from leaderboard.charts import strict_json
from leaderboard.pages.shared.warm import warm
from leaderboard.pages.statistics import page as queries
from leaderboard.pages.statistics.calculator import calculator_of
from leaderboard.pages.statistics.download import stored_file
from leaderboard.statistics.versions import FILES


@require_safe
def statistics(request: HttpRequest) -> HttpResponse:
    def make() -> HttpResponse:
        page = queries.overview(request.GET.get("ranking", ""))
        return render(request, "pages/statistics/statistics.html", {"page": page})

    return warm(request, queries.stamp(), make)


def section_or_404(request: HttpRequest, key: str, *, whole: bool = False) -> queries.SectionPage:
    page = queries.section_page(key, request.GET.get("ranking", ""), whole=whole)
    if page is None:
        raise Http404("no such section or ranking")
    return page


@require_safe
def section(request: HttpRequest, key: str) -> HttpResponse:
    def make() -> HttpResponse:
        page = section_or_404(request, key)
        calculator = calculator_of(page.ranking.key, request.GET) if key == "design" and page.finding else None
        return render(request, "pages/statistics/statistics_section.html", {"page": page, "calculator": calculator})

    return warm(request, queries.stamp(), make)


@require_safe
def section_json(request: HttpRequest, key: str) -> HttpResponse:
    """A section's findings with all rows, its method, date and the hash of its inputs."""
    page = section_or_404(request, key, whole=True)
    response = HttpResponse(strict_json(queries.section_json(page)), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="statistics-{key}{suffix(page)}.json"'
    return response


@require_safe
def part_csv(request: HttpRequest, key: str, name: str) -> HttpResponse:
    """All rows behind a finding, with all stored digits."""
    page = section_or_404(request, key, whole=True)
    part = queries.part_of(page, name)
    if part is None:
        raise Http404("no such finding")
    text = csv_text([column.name for column in part.table.columns], part.table.rows)
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="statistics-{key}-{name}{suffix(page)}.csv"'
    return response


@require_safe
def parquet(request: HttpRequest, ranking: str, name: str) -> HttpResponseBase:
    """A file of a ranking; 304 where the reader has it, without reading its content."""
    found = stored_file(ranking, name)
    if found is None:
        raise Http404("no such file")
    etag = quote_etag(f"{FILES}-{found.inputs_hash}")
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = HttpResponse(bytes(found.content), content_type="application/vnd.apache.parquet")
        response["Content-Disposition"] = f'attachment; filename="{ranking}-{name}.parquet"'
    response["ETag"] = etag
    patch_cache_control(response, no_cache=True)
    return response


@require_safe
def constants(request: HttpRequest) -> HttpResponse:
    """The shipped item scores that the errors of published scores come from."""
    response = HttpResponse(OFFICIAL_SCORES.read_bytes(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{OFFICIAL_SCORES.name}"'
    return response


def suffix(page: queries.SectionPage) -> str:
    return f"-{page.ranking.key}" if page.ranking.key else ""


urlpatterns = [
    path("statistics/", statistics, name="statistics"),
    path("statistics/files/official-item-scores.csv", constants, name="statistics-constants"),
    path("statistics/files/<slug:ranking>/<slug:name>.parquet", parquet, name="statistics-file"),
    path("statistics/<slug:key>/", section, name="statistics-section"),
    path("statistics/<slug:key>.json", section_json, name="statistics-json"),
    path("statistics/<slug:key>/<slug:name>.csv", part_csv, name="statistics-csv"),
]
