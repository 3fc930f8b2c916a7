"""The gap between two scores that is usually no tie, for pages beside the statistics': by band of scores where that is
known."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import F

from leaderboard.models import StatisticsSection
from leaderboard.pages.shared.measures import ranking_measure
from leaderboard.pages.statistics.units import POINTS
from leaderboard.standings.field import FIELDS, N_RUNS
from leaderboard.wording.gaps import Band, leads

SECTION = "scores"


@dataclass(frozen=True, slots=True)
class Gap:
    """Of a ranking: the median over pairs of models of the smallest difference that their paired test calls no tie.

    `points` is over all pairs, None where only the bands are known; `bands` are over pairs of which both scores lie in
    one band. `n` counts the models, which are official runs of the bank where `official`. `unit` is that of the scores.
    """

    points: float | None
    n: int
    bands: tuple[Band, ...] = ()
    official: bool = False
    unit: str = POINTS

    @property
    def words(self) -> str:
        """The gaps by band; "" where fewer than two bands are known, which say no more than the one gap."""
        return leads(self.bands, f" {self.unit}".rstrip()) if len(self.bands) > 1 else ""


def gap_of(ranking: str, benchmark: str) -> Gap | None:
    """None where no paired tests stand behind the ranking. One query, which leaves the models' rows in the database;
    none where the field of the official runs is known."""
    if ranking in FIELDS:
        return Gap(None, N_RUNS, FIELDS[ranking].gap_bands, official=True)
    rows = StatisticsSection.objects.filter(section=SECTION, ranking=ranking, value__kind="items", n__gt=1)
    found = rows.values_list(F("value__gap"), "n", F("value__gap_bands")).first()
    if not found or found[0] is None:
        return None
    points, n, bands = found
    return Gap(points, n, bands_of(bands or ()), unit=ranking_measure(benchmark).unit)


def bands_of(stored: Sequence[Sequence[float | None]]) -> tuple[Band, ...]:
    return tuple((low, high, gap) for low, high, gap, *_ in stored if gap is not None)
