"""What the page of a ranking says of all its rows, whatever part of them it shows. No query in here: light rows in."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from evaluation.benchmarks.base import Measure
from evaluation.models import Origin
from leaderboard import rounding
from leaderboard.drawings.knobs import Crowd, Knob, KnobFigure, knob_figure
from leaderboard.drawings.shapes import Axis, zoomed
from leaderboard.pages.rankings.cells import Field, field_of
from leaderboard.pages.rankings.column import Look
from leaderboard.pages.rankings.columns import half_text, ranks_text
from leaderboard.pages.rankings.filters import makers
from leaderboard.pages.rankings.rows import RankingRow, lightened
from leaderboard.standings.ranks import WITH_ANSWERS
from leaderboard.wording import findings

SMALLEST_FIGURE = 3  # models that make a picture


@dataclass(frozen=True, slots=True)
class Board:
    """A ranking before any filter. `makers` are those with most models first. `n_demo` demonstrations are not among the
    `n_rows`, unless they are asked for. `leader` and `best_with_answers` are light rows.
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
    figure: KnobFigure | None
    leader: RankingRow | None
    best_with_answers: RankingRow | None

    @property
    def look(self) -> Look:
        return Look(self.has_ranges, self.has_intervals, self.found.only_published)


def board_of(
    rows: Sequence[RankingRow], n_demo: int, measure: Measure, *, zooms: bool = False, zero: float | None = None
) -> Board:
    """Args: `zooms`: the scores are drawn on the part of the measure's axis where most of them lie. `zero` is where the
    bars of the scores begin; None for 0."""
    origins, ranked = {row.origin for row in rows}, ranked_rows(rows)
    field = field_of(rows, measure, zero)
    figure = figure_of(ranked, rows, field.axis, measure)
    if zooms and figure:
        field = zoomed_field(field, ranked, measure)
    leader = next((row for row in ranked if row.score is not None), None)
    with_answers = next((row for row in ranked if row.origin in WITH_ANSWERS), None)
    return Board(
        found=findings.field(rows, measure),
        field=field,
        n_rows=len(rows),
        n_demo=n_demo,
        origins=tuple(origin.value for origin in Origin if origin in origins),
        makers=makers(rows),
        has_ranges=any(row.low is not None for row in rows),
        has_intervals=any(row.half is not None for row in rows),
        has_approximate=any(row.approximate for row in rows),
        can_compare=any(row.run_id for row in rows),
        figure=figure,
        leader=leader and lightened(leader),
        best_with_answers=with_answers and lightened(with_answers),
    )


def ranked_rows(rows: Sequence[RankingRow]) -> list[RankingRow]:
    """The rows with a rank, best first."""
    return sorted((row for row in rows if row.rank is not None), key=attrgetter("rank", "model.name"))


def zoomed_field(field: Field, ranked: Sequence[RankingRow], measure: Measure) -> Field:
    """The field with the axis that tells the ranked scores from each other."""
    first, scores = ranked[0], [row.score for row in ranked if row.score is not None]
    low = scores[0] if first.interval_low is None else first.interval_low
    high = scores[0] if first.interval_high is None else first.interval_high
    axis = zoomed(field.axis, scores, low if measure.better == "lower" else high)
    return field if axis == field.axis else replace(field, axis=axis, lead=(low, high))


def figure_of(
    ranked: Sequence[RankingRow], rows: Sequence[RankingRow], axis: Axis, measure: Measure
) -> KnobFigure | None:
    """The picture of all ranked scores, or None where they are too few to make one."""
    found = [row for row in ranked if row.score is not None]
    if len(found) < SMALLEST_FIGURE:
        return None
    crowd = crowd_of(found)
    lines = [(row.score, row.model.name) for row in rows if row.origin == Origin.BASELINE and row.score is not None]
    knobs = [knob_of(row, measure) for row in found[:: crowd.step]]
    return knob_figure(knobs, crowd, lines, axis, turned=measure.better == "lower")


def crowd_of(found: Sequence[RankingRow]) -> Crowd:
    scores = [row.score or 0.0 for row in found]
    scored = list(zip(found, scores, strict=True))
    return Crowd(
        n=len(found),
        n_tied=sum(row.ties_with_leader for row in found),
        low=min(score if row.interval_low is None else row.interval_low for row, score in scored),
        high=max(score if row.interval_high is None else row.interval_high for row, score in scored),
        middle=scores[len(scores) // 2],
    )


def knob_of(row: RankingRow, measure: Measure) -> Knob:
    ranks = ranks_text(row)
    words = f"{rounding.figure(row.score, measure)} {half_text(row)}".strip()
    return Knob(
        name=row.model.name,
        slug=row.model.slug,
        score=row.score or 0.0,
        low=row.interval_low,
        high=row.interval_high,
        tied=row.ties_with_leader,
        hollow=row.origin == Origin.PUBLISHED,
        words=f"{words}, {'ranks' if '–' in ranks else 'rank'} {ranks}" if ranks else words,
    )
