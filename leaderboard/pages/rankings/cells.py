"""The rows that a page shows, with their drawings and texts. No query in here."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import groupby

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString

from evaluation.baselines import reads_nothing
from evaluation.benchmarks.base import Measure
from evaluation.models import Origin
from leaderboard import rounding
from leaderboard.drawings.shapes import Axis, Ribbon, ScoreBar, ribbon, score_bar
from leaderboard.pages.rankings.asked import RankingRequest
from leaderboard.pages.rankings.column import Column
from leaderboard.pages.rankings.columns import half_text, ranks_text
from leaderboard.pages.rankings.heat import Shades, step_of
from leaderboard.pages.rankings.rows import ModelCells, RankingRow, is_private
from leaderboard.pages.rankings.ties import Tie

NEW = timedelta(days=14)
DEMO_NOTE = "a scripted endpoint, not a model"


@dataclass(frozen=True, slots=True)
class Field:
    """What the drawings of a row are measured against: how many models are ranked, the last rank among those tied with
    the leader (None where no ties are known), the score of the best answer that ignores the items, the axis of scores,
    and the ends of the leader's interval where the axis is a part of the measure's own."""

    n_ranked: int
    tied_with_leader: int | None
    constant: float | None
    axis: Axis
    lead: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a row: a cell with a template of its own, which reads the row, or plain cells side by side.

    A template for each plain cell would double the time of a page.
    """

    template: str = ""
    html: SafeString | None = None


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row as the table shows it; "" and None are what is not there. `pin` is where its pin leads, `note`
    says in a few words what a baseline is. `tied_with` counts the models of the whole ranking that it is tied with;
    `tie` says which of the page these are, None where no ties are known."""

    model: ModelCells
    origin: str
    parts: tuple[Part, ...]
    rank: str
    ranks: str
    tied: bool
    score: str
    half: str
    is_without_error: bool
    bar: ScoreBar | None
    ribbon: Ribbon | None
    can_compare: bool
    reason: str
    other_settings: str
    old_scorer: str
    approximate: bool
    is_new: bool
    marked: bool
    pinned: bool
    pin: str
    note: str
    tied_with: int | None
    tie: Tie | None

    @property
    def is_line(self) -> bool:
        """Whether the row is a line to measure models by, and no model."""
        return self.origin == Origin.BASELINE

    @property
    def outside(self) -> bool:
        return not self.rank


def field_of(rows: Sequence[RankingRow], measure: Measure, zero: float | None = None) -> Field:
    axis = Axis.of(measure, (row.score for row in rows if row.score is not None))
    ranks = [row.rank for row in rows if row.rank is not None]
    baselines = [
        row.score
        for row in rows
        if row.origin == Origin.BASELINE and row.score is not None and reads_nothing(row.model.name)
    ]
    return Field(
        n_ranked=len(ranks),
        tied_with_leader=max((row.rank for row in rows if row.ties_with_leader and row.rank), default=None),
        constant=max(baselines, key=measure.turned, default=None),
        axis=axis if zero is None else replace(axis, zero=zero),
    )


@dataclass(frozen=True, slots=True)
class Pins:
    """Where the pins of the rows lead: `base` is the present address without its page, ready for one more pin."""

    asked: RankingRequest
    base: str

    def query(self, slug: str) -> str:
        if slug not in self.asked.pins:
            return f"{self.base}pin={slug}"
        rest = tuple(pin for pin in self.asked.pins if pin != slug)
        return replaced_pins(self.asked, rest).query


@dataclass(frozen=True, slots=True)
class Showing:
    """Formats the rows of one page on one day: `columns` are those of the table, `sorted_by` the key of one of them,
    `notes` has a baseline's by its run, `computed` the runs of baselines without answers, `ties` those among the rows
    of the page by their model, `shades` are those of a heat map."""

    asked: RankingRequest
    field: Field
    today: date
    columns: tuple[Column, ...]
    sorted_by: str
    notes: Mapping[int, str]
    computed: Collection[int]
    ties: Mapping[int, Tie]
    shades: Shades

    def row(self, row: RankingRow, pins: Pins) -> ShownRow:
        private = is_private(row)
        # Baselines and demonstrations are made again at will, and a published figure is no news of ours.
        scored_here = row.origin in (Origin.MEASURED, Origin.IMPORTED)
        ranking_column = next(column for column in self.columns if column.cell == "score")
        return ShownRow(
            model=row.model,
            origin=row.origin,
            parts=self.parts(row),
            rank="" if row.rank is None else str(row.rank),
            ranks=ranks_text(row),
            tied=row.ties_with_leader,
            score=ranking_column.text(row),
            half=half_text(row),
            is_without_error=row.is_without_error,
            bar=self.bar(row),
            ribbon=ribbon_of(row, self.field),
            can_compare=row.run_id is not None and row.run_id not in self.computed,
            reason=row.reason,
            other_settings=row.other_settings,
            old_scorer=row.old_scorer,
            approximate=row.approximate or row.origin == Origin.PUBLISHED,
            is_new=scored_here and not private and row.measured_on is not None and row.measured_on > self.today - NEW,
            marked=row.model.slug in self.asked.marks,
            pinned=row.model.slug in self.asked.pins,
            pin=pins.query(row.model.slug),
            note=DEMO_NOTE if row.origin == Origin.DEMO else self.notes.get(row.run_id or 0, ""),
            tied_with=row.tied_with,
            tie=self.ties.get(row.model_id),
        )

    def parts(self, row: RankingRow) -> tuple[Part, ...]:
        found: list[Part] = []
        for is_plain, columns in groupby(self.columns, key=lambda column: column.is_plain):
            if is_plain:
                html = "\n".join(self.plain(column, row) for column in columns)
                found.append(Part(html=SafeString(html)))
            else:
                found.extend(Part(column.template) for column in columns)
        return tuple(found)

    def plain(self, column: Column, row: RankingRow) -> SafeString:
        step = step_of(row.figures.get(column.key), self.shades[column.key]) if column.key in self.shades else None
        return plain_cell(column, row, column.key == self.sorted_by, "" if step is None else f" h{step}")

    def bar(self, row: RankingRow) -> ScoreBar | None:
        if row.score is None:
            return None
        field = self.field
        return score_bar(row.score, row.interval_low, row.interval_high, field.constant, field.axis, field.lead)


def plain_cell(column: Column, row: RankingRow, is_sorted: bool, shade: str = "") -> SafeString:
    """The cell with a column's text. Where the table is sorted by it, a narrow screen shows it under the score, and has
    no head that says what it is: so the cell has words for that."""
    text, css = column.text(row), column.cell_classes + shade
    if text == rounding.MISSING and column.cell == "number":
        css += " none"
    if not is_sorted:
        return SafeString(f'<td class="{css}">{escape(text)}</td>')
    after = "" if text == rounding.MISSING else column.after
    return format_html(
        '<td class="{} sorted" data-before="{}" data-after="{}">{}</td>', css, column.before, after, text
    )


def pins_of(asked: RankingRequest) -> Pins:
    query = replaced_pins(asked, asked.pins).query
    return Pins(asked, query if query == "?" else f"{query}&")


def replaced_pins(asked: RankingRequest, pins: tuple[str, ...]) -> RankingRequest:
    return replace(asked, pins=pins, page="")


def ribbon_of(row: RankingRow, field: Field) -> Ribbon | None:
    if row.rank is None or row.low is None or row.high is None:
        return None
    return ribbon(row.rank, row.low, row.high, field.tied_with_leader, field.n_ranked)
