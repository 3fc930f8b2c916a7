"""The gap between two scores that is usually no tie, as the statistics have it: for pages beside the statistics'."""

from dataclasses import dataclass

from django.db.models import Count, F, Max

from leaderboard.models import StatisticsSection
from leaderboard.queries.directory import Stamp, held_a_moment

SECTION = "scores"


@dataclass(frozen=True, slots=True)
class Gap:
    """Of a ranking, in points: the median over pairs of models of the smallest difference that their paired test calls
    no tie. `n` counts the models."""

    points: float
    n: int


def gap_of(ranking: str) -> Gap | None:
    """None where no paired tests stand behind the ranking. One query, which leaves the models' rows in the database."""
    rows = StatisticsSection.objects.filter(section=SECTION, ranking=ranking, value__kind="items", n__gt=1)
    found = rows.values_list(F("value__gap"), "n").first()
    return Gap(*found) if found and found[0] is not None else None


def gaps_stamp() -> Stamp | None:
    """What changes when a gap does. One query, none within STAMP_SECONDS after another request of the process."""
    return held_a_moment("gaps-stamp", _gaps_stamp)


def _gaps_stamp() -> Stamp:
    found = StatisticsSection.objects.filter(section=SECTION).aggregate(n=Count("pk"), newest=Max("computed_at"))
    return found["n"], found["newest"]
