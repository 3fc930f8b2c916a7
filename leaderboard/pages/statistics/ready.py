"""What a page shows of a section of the statistics: made when the section is stored, so that a page only sends it.

A part's drawing may hold a mark a model, so it is kept as the markup that stands on the page.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.template.loader import render_to_string

from evaluation.disclosure import month_of
from leaderboard.models import StatisticsSection
from leaderboard.pages.statistics.kinds import BY_KEY
from leaderboard.pages.statistics.parts import Claim
from leaderboard.pages.statistics.units import value_with_units
from leaderboard.rounding import day, month
from leaderboard.site_version import SITE_VERSION

ROWS = 25  # of each table on the page; all of them are in its files


@dataclass(frozen=True, slots=True)
class Ready:
    """The first finding of a section, "" where it has none, and its claims."""

    headline: str
    claims: tuple[Claim, ...]


def told_at(row: StatisticsSection) -> datetime:
    """When the section was computed, as everybody may know it: the one that has the gaps of private banks to the
    month."""
    return month_of(row.computed_at) if row.section == "banks" else row.computed_at


def told_words(row: StatisticsSection, words: Callable[[datetime], str] = day) -> str:
    """The same in words, where it is known to the moment in these."""
    return month(row.computed_at) if row.section == "banks" else words(row.computed_at)


def ready_mark(version: int, computed_at: datetime) -> str:
    """Marks what is kept with a section: other code, another version or moment gives another mark."""
    return f"{SITE_VERSION} {version} {computed_at.isoformat()}"


def is_kept(row: StatisticsSection) -> bool:
    return row.ready_mark == ready_mark(row.version, row.computed_at)


def ready_of(row: StatisticsSection) -> Ready:
    """As it is kept with the section, or made anew where that is of other code or another moment."""
    if not is_kept(row):
        return made(row)
    kept: Mapping[str, Any] = row.ready
    return Ready(kept["headline"], tuple(Claim(**claim) for claim in kept["claims"]))


def html_of(row: StatisticsSection) -> str:
    """The markup of the section's parts, in the same way."""
    return row.ready_html if is_kept(row) else made_html(row)


def made(row: StatisticsSection) -> Ready:
    kind, value = BY_KEY[row.section], value_with_units(row)
    parts = kind.parts(value, row.n)
    return Ready(parts[0].title if parts else "", tuple(kind.claims(value, row.n)) if row.n else ())


def made_html(row: StatisticsSection) -> str:
    parts = BY_KEY[row.section].parts(value_with_units(row), row.n)
    shown = [(part, part.table.shown(ROWS), max(0, len(part.table.rows) - ROWS)) for part in parts]
    return render_to_string(
        "pages/statistics/_statistics_parts.html", {"parts": shown, "section": row, "computed": told_words(row)}
    )
