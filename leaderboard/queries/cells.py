"""The rows that a page shows, with their drawings and texts. No query in here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from evaluation.baselines import reads_nothing
from evaluation.models import Origin
from leaderboard import rounding
from leaderboard.drawings.shapes import Ribbon, ScoreBar, ribbon, score_bar
from leaderboard.queries.asked import RankingRequest
from leaderboard.queries.rows import ModelCells, RankingRow, is_private
from leaderboard.queries.ties import Tie

NEW = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class Field:
    """What the drawings of a row are measured against: how many models are ranked, the last rank among those tied with
    the leader (None where no ties are known), and the score of the best answer that reads nothing."""

    n_ranked: int
    tied_with_leader: int | None
    constant: float | None


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row as the table shows it; "" and None are what is not there. `pin` is where its pin leads, `note`
    says in a few words what a baseline is. `tied_with` counts the models of the whole ranking that it is tied with;
    `tie` says which of the page these are, None where no ties are known."""

    model: ModelCells
    origin: str
    rank: str
    ranks: str
    tied: bool
    score: str
    half: str
    is_without_error: bool
    strict: str
    bar: ScoreBar | None
    ribbon: Ribbon | None
    n_scored: str
    passes: str
    references: tuple[str, ...]
    measured_on: str
    run_id: int | None
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


def field_of(rows: Sequence[RankingRow]) -> Field:
    ranks = [row.rank for row in rows if row.rank is not None]
    baselines = [
        row.score
        for row in rows
        if row.origin == Origin.BASELINE and row.score is not None and reads_nothing(row.model.name)
    ]
    return Field(
        n_ranked=len(ranks),
        tied_with_leader=max((row.rank for row in rows if row.ties_with_leader and row.rank), default=None),
        constant=max(baselines, default=None),
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
    """What turns rows into shown rows on one page on one day; `notes` has a baseline's by its run, `ties`
    those among the rows of the page by their model."""

    asked: RankingRequest
    field: Field
    today: date
    notes: Mapping[int, str]
    ties: Mapping[int, Tie]

    def row(self, row: RankingRow, pins: Pins) -> ShownRow:
        about = "≈" if row.approximate else ""
        private = is_private(row)
        bar = None
        # Baselines and demonstrations are made again at will, and a published figure is no news of ours.
        scored_here = row.origin in (Origin.MEASURED, Origin.IMPORTED)
        if row.score is not None:
            bar = score_bar(row.score, row.interval_low, row.interval_high, self.field.constant)
        return ShownRow(
            model=row.model,
            origin=row.origin,
            rank="" if row.rank is None else str(row.rank),
            ranks=about + ranks_of(row) if row.rank is not None else "",
            tied=row.ties_with_leader,
            score=rounding.number(row.score, 0 if private else 2),
            half="" if row.half is None else f"{about or '±'}{rounding.number(row.half, 0 if private else 1)}",
            is_without_error=row.is_without_error,
            strict=rounding.points(row.strict_score),
            bar=bar,
            ribbon=ribbon_of(row, self.field),
            n_scored=rounding.count(row.n_scored),
            passes=passes_of(row),
            references=references_of(row),
            measured_on=rounding.month(row.measured_on) if private else rounding.day(row.measured_on),
            run_id=row.run_id,
            reason=row.reason,
            other_settings=row.other_settings,
            old_scorer=row.old_scorer,
            approximate=row.approximate or row.origin == Origin.PUBLISHED,
            is_new=scored_here and not private and row.measured_on is not None and row.measured_on > self.today - NEW,
            marked=row.model.slug in self.asked.marks,
            pinned=row.model.slug in self.asked.pins,
            pin=pins.query(row.model.slug),
            note=self.notes.get(row.run_id, "") if row.run_id else "",
            tied_with=row.tied_with,
            tie=self.ties.get(row.model_id),
        )


def pins_of(asked: RankingRequest) -> Pins:
    query = replaced_pins(asked, asked.pins).query
    return Pins(asked, query if query == "?" else f"{query}&")


def replaced_pins(asked: RankingRequest, pins: tuple[str, ...]) -> RankingRequest:
    return replace(asked, pins=pins, page="")


def ranks_of(row: RankingRow) -> str:
    """The range of ranks where it is known, else the plain rank."""
    if row.low is None or row.high is None:
        return str(row.rank)
    return rounding.ranks(row.low, row.high)


def ribbon_of(row: RankingRow, field: Field) -> Ribbon | None:
    if row.rank is None or row.low is None or row.high is None:
        return None
    return ribbon(row.rank, row.low, row.high, field.tied_with_leader, field.n_ranked)


def passes_of(row: RankingRow) -> str:
    """The number of passes behind the score and their scatter: "3 · 0.2 %"; the number alone where there is none."""
    if not row.repeats:
        return rounding.MISSING
    scatter = "" if row.cv_percent is None else f" · {rounding.number(row.cv_percent, 1)} %"
    return f"{rounding.count(row.repeats)}{scatter}"


def references_of(row: RankingRow) -> tuple[str, ...]:
    mmlu, arena_elo, magi_hard = row.model.references
    return rounding.number(mmlu, 1), rounding.number(arena_elo, 0), rounding.number(magi_hard, 1)
