"""What a score means: the overview of the statistics, its sections, and their numbers as files."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from leaderboard.cells import csv_text
from leaderboard.charts import strict_json
from leaderboard.queries import statistics as queries
from leaderboard.views.warm import warm


@require_safe
def statistics(request: HttpRequest) -> HttpResponse:
    def make() -> HttpResponse:
        page = queries.overview(request.GET.get("ranking", ""))
        return render(request, "leaderboard/statistics.html", {"page": page})

    return warm(request, queries.stamp(), make)


def section_or_404(request: HttpRequest, key: str, *, whole: bool = False) -> queries.SectionPage:
    page = queries.section_page(key, request.GET.get("ranking", ""), whole=whole)
    if page is None:
        raise Http404("no such section or ranking")
    return page


@require_safe
def section(request: HttpRequest, key: str) -> HttpResponse:
    def make() -> HttpResponse:
        return render(request, "leaderboard/statistics_section.html", {"page": section_or_404(request, key)})

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


def suffix(page: queries.SectionPage) -> str:
    return f"-{page.ranking.key}" if page.ranking.key else ""


urlpatterns = [
    path("statistics/", statistics, name="statistics"),
    path("statistics/<slug:key>/", section, name="statistics-section"),
    path("statistics/<slug:key>.json", section_json, name="statistics-json"),
    path("statistics/<slug:key>/<slug:name>.csv", part_csv, name="statistics-csv"),
]
