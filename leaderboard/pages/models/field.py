"""The field of a ranking: the ranked scores and each item's median, against which one model is shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from evaluation.baselines import BaselineLine, lines_among, reads_nothing
from evaluation.benchmarks.base import Measure
from evaluation.models import Origin
from leaderboard.models import Standing
from leaderboard.standings.item_figures import item_field, mark_of


class Stamp(NamedTuple):
    """What changes whenever a ranking does: its number of rows and when the newest was computed."""

    n_rows: int
    newest: datetime


class Ranked(NamedTuple):
    rank: int
    score: float
    group: int | None


@dataclass(frozen=True, slots=True)
class Field:
    """`medians` has an entry for each item (primary key) that one of the `n_runs` runs scored. `lines` are
    the baselines that a score is measured by, from the lowest line to the highest; of those that read nothing the best
    alone is among them, and `constant` is its score, as in the rankings."""

    ranked: tuple[Ranked, ...]
    constant: float | None
    medians: Mapping[int, float]
    n_runs: int
    lines: tuple[BaselineLine, ...] = ()

    @property
    def tied_with_leader(self) -> int | None:
        """The last rank among those tied with the leader; None where no ties are known."""
        return max((row.rank for row in self.ranked if row.group == 1), default=None)


NOBODY = Field((), None, {}, 0)
COLUMNS = ("origin", "rank", "score", "tie_group", "model__name")


def field_of(ranking: str, stamp: Stamp, items: Sequence[int], measure: Measure) -> Field:
    """The field of a ranking, `items` being the keys of its bank's items in order and `measure` that of its scores. Two
    queries, up to four where the standings changed without being refreshed."""
    rows = list(Standing.objects.filter(ranking=ranking).order_by("rank", "pk").values_list(*COLUMNS))
    stored = item_field(ranking, items, mark_of(*stamp))
    return Field(
        ranked=tuple(Ranked(*row[1:4]) for row in rows if row[1] is not None),
        constant=max(
            (row[2] for row in rows if row[0] == Origin.BASELINE and reads_nothing(row[4])),
            key=measure.turned,
            default=None,
        ),
        lines=lines_among(((row[4], row[2]) for row in rows if row[0] == Origin.BASELINE), measure),
        medians={item: value for item, value in zip(stored.items, stored.medians, strict=True) if value is not None},
        n_runs=stored.n_models,
    )
