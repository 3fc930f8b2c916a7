"""The field of a ranking: the ranked scores and each item's median, against which one model is shown.

At 2,000 models of 171 items the medians rest on 342,000 scores, so the field is kept in Django's cache until a standing
changes, and the scores of a run until its numbers do: after a new result only that run's items are read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np
from django.core.cache import cache

from evaluation.models import Origin
from evaluation.statistics.arrays import Floats
from leaderboard.models import Standing
from leaderboard.queries.counted import RUN_COLUMNS, CountedRun, score_matrix
from leaderboard.standings.ranks import COMPETING


class Stamp(NamedTuple):
    """What changes whenever a ranking does: its number of rows and when the newest was computed."""

    n_rows: int
    newest: datetime


class Scored(NamedTuple):
    """The newest run behind a standing, with what changes when its replies are scored anew."""

    run: CountedRun
    scorer_version: str
    score: float
    n_scored: int


class Table(NamedTuple):
    """Item scores of runs, runs x items; NaN where there is none."""

    runs: tuple[Scored, ...]
    items: tuple[int, ...]
    scores: Floats


class Ranked(NamedTuple):
    rank: int
    score: float
    group: int | None


@dataclass(frozen=True, slots=True)
class Field:
    """`medians` has an entry for each item (primary key) that one of the `n_runs` runs scored."""

    ranked: tuple[Ranked, ...]
    constant: float | None
    medians: Mapping[int, float]
    n_runs: int

    def group_of(self, group: int | None) -> tuple[int, int] | None:
        """The first and the last rank of a tie group."""
        ranks = [row.rank for row in self.ranked if row.group == group and group is not None]
        return (min(ranks), max(ranks)) if ranks else None


NOBODY = Field((), None, {}, 0)
OWN_COLUMNS = ("origin", "rank", "score", "tie_group", "run__scorer_version", "run__score", "run__n_scored")
COLUMNS = (*OWN_COLUMNS, *(f"run__{name}" for name in RUN_COLUMNS))


def field_key(ranking: str) -> str:
    return f"model-field:{ranking}"


def table_key(ranking: str) -> str:
    return f"model-field-scores:{ranking}"


def field_of(ranking: str, stamp: Stamp, items: Sequence[int]) -> Field:
    """The field of a ranking, `items` being the keys of its bank's items in order. No query while nothing changed,
    else two, three where revisions count."""
    state = (stamp, tuple(items))
    kept = cache.get(field_key(ranking))
    if kept is not None and kept[0] == state:
        found: Field = kept[1]
        return found
    field = read_field(ranking, tuple(items))
    cache.set(field_key(ranking), (state, field), timeout=None)
    return field


def read_field(ranking: str, items: tuple[int, ...]) -> Field:
    rows = list(Standing.objects.filter(ranking=ranking).order_by("rank", "pk").values_list(*COLUMNS))
    at = len(OWN_COLUMNS)
    runs = tuple(Scored(CountedRun(*row[at:]), *row[4:at]) for row in rows if row[at] and row[0] in COMPETING)
    return Field(
        ranked=tuple(Ranked(*row[1:4]) for row in rows if row[1] is not None),
        constant=max((row[2] for row in rows if row[0] == Origin.BASELINE), default=None),
        medians=medians(table_of(ranking, runs, items)) if runs and items else {},
        n_runs=len(runs),
    )


def table_of(ranking: str, runs: tuple[Scored, ...], items: tuple[int, ...]) -> Table:
    """The scores of these runs, at least one; those that the cache holds are not read again."""
    old: Table | None = cache.get(table_key(ranking))
    known = dict(zip(old.runs, old.scores, strict=True)) if old is not None and old.items == items else {}
    missing = [scored for scored in runs if scored not in known]
    if missing:
        rows = {scored.run.pk: row for row, scored in enumerate(missing)}
        known |= zip(missing, score_matrix([scored.run for scored in missing], rows, items), strict=True)
    table = Table(runs, items, np.array([known[scored] for scored in runs]))
    cache.set(table_key(ranking), table, timeout=None)
    return table


def medians(table: Table) -> dict[int, float]:
    """Item -> median over the runs that have it; items without any are left out."""
    scored = ~np.isnan(table.scores).all(axis=0)
    keys = np.array(table.items)[scored].tolist()
    return dict(zip(keys, np.nanmedian(table.scores[:, scored], axis=0).tolist(), strict=True))
