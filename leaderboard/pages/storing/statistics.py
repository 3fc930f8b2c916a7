"""Keeps with each stored section what its page shows, and makes it anew where that is of another release."""

from dataclasses import asdict

from leaderboard.models import StatisticsSection
from leaderboard.pages.statistics.ready import made, made_html, ready_mark
from leaderboard.statistics.versions import VERSIONS


def keep_ready() -> None:
    """One query where all is kept already. A section that was stored anew meanwhile is left to that refresh."""
    columns = StatisticsSection.objects.values_list("pk", "section", "version", "computed_at", "ready_mark")
    for pk, section, version, computed_at, mark in list(columns):
        if VERSIONS.get(section) == version and mark != ready_mark(version, computed_at):
            keep(pk)


def keep(pk: int) -> None:
    row = StatisticsSection.objects.filter(pk=pk).first()
    if row is None:
        return
    ready, mark = asdict(made(row)), ready_mark(row.version, row.computed_at)
    same = StatisticsSection.objects.filter(pk=pk, computed_at=row.computed_at)
    same.update(ready=ready, ready_html=made_html(row), ready_mark=mark)
