"""The unit of a stored section's scores: that of the measure that ranks."""

from collections.abc import Mapping
from typing import Any

from leaderboard.models import StatisticsSection
from leaderboard.pages.rankings.directory import described, loaded_banks
from leaderboard.pages.shared.measures import ranking_measure

POINTS = "points"
"""Of the board's own sections, which are about EQ-Bench."""


def value_with_units(row: StatisticsSection) -> Mapping[str, Any]:
    """The stored value with "unit" in it, and in each of its pairs of rankings. One query where it says anything."""
    stored: Mapping[str, Any] = row.value
    return {**stored, "unit": unit_of_ranking(row.ranking), **_pairs(stored)} if stored else stored


def _pairs(value: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    found = {name: value[name] for name in ("languages", "private") if name in value}
    return {name: [{**pair, "unit": unit_of_ranking(pair["first"])} for pair in pairs] for name, pairs in found.items()}


def unit_of_ranking(key: str) -> str:
    """ "points", "EQ", or "" where the scores of a ranking have no unit."""
    return ranking_measure(described(key, loaded_banks()).benchmark).unit if key else POINTS


def in_unit_of(value: Mapping[str, Any], text: str) -> str:
    """A number with the unit of a value from `value_with_units`: "2.3 EQ"; alone where there is none."""
    return f"{text} {value.get('unit', POINTS)}".rstrip()


def axis_of(value: Mapping[str, Any], name: str) -> str:
    """The title of an axis: "score, EQ"; the name alone where there is no unit."""
    return ", ".join(filter(None, [name, value.get("unit", POINTS)]))
