"""What the page of a ranking says of all its rows, whatever part of them it shows. No query in here: light rows in."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from evaluation.benchmarks.base import Measure
from evaluation.models import Origin
from leaderboard.drawings.ranks import Held, RankFigure, rank_figure
from leaderboard.drawings.shapes import Axis, Overview, overview
from leaderboard.queries.cells import Field, field_of
from leaderboard.queries.columns import Look
from leaderboard.queries.filters import makers
from leaderboard.queries.rows import RankingRow
from leaderboard.wording import findings

SMALLEST_FIGURE = 3  # models that make a picture


@dataclass(frozen=True, slots=True)
class Board:
    """A ranking before any filter. `makers` are those with most models first. `n_demo` demonstrations are not among the
    `n_rows`, unless they are asked for.
    """

    found: findings.Field
    field: Field
    n_rows: int
    n_demo: int
    origins: tuple[str, ...]
    makers: tuple[str, ...]
    has_ranges: bool
    has_intervals: bool
    has_approximate: bool
    can_compare: bool
    figure: RankFigure | None
    overview: Overview | None

    @property
    def look(self) -> Look:
        return Look(self.has_ranges, self.has_intervals, self.found.only_published)


def board_of(rows: Sequence[RankingRow], n_demo: int, measure: Measure) -> Board:
    field, origins, ranked = field_of(rows, measure), {row.origin for row in rows}, ranked_rows(rows)
    return Board(
        found=findings.field(rows),
        field=field,
        n_rows=len(rows),
        n_demo=n_demo,
        origins=tuple(origin.value for origin in Origin if origin in origins),
        makers=makers(rows),
        has_ranges=any(row.low is not None for row in rows),
        has_intervals=any(row.half is not None for row in rows),
        has_approximate=any(row.approximate for row in rows),
        can_compare=any(row.run_id for row in rows),
        figure=figure_of(ranked, field),
        overview=overview_of(ranked, field.axis),
    )


def ranked_rows(rows: Sequence[RankingRow]) -> list[RankingRow]:
    """The rows with a rank, best first."""
    return sorted((row for row in rows if row.rank is not None), key=attrgetter("rank", "model.name"))


def figure_of(ranked: Sequence[RankingRow], field: Field) -> RankFigure | None:
    """The picture of the ranks left open, or None where they are too few, or not all known."""
    held = [Held(row.rank or 0, row.low, row.high) for row in ranked if row.low is not None and row.high is not None]
    return rank_figure(held, field.tied_with_leader) if len(held) == len(ranked) >= SMALLEST_FIGURE else None


def overview_of(ranked: Sequence[RankingRow], axis: Axis) -> Overview | None:
    """The picture of all ranked scores where no ranges are known; None where they are too few to make one."""
    if len(ranked) < SMALLEST_FIGURE or any(row.low is not None for row in ranked):
        return None
    return overview([(row.score, row.interval_low, row.interval_high) for row in ranked if row.score is not None], axis)
