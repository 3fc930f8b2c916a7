"""The columns of a ranking: the one place where a column exists.

Heads, cells, tick boxes, the choice of an order, filters by a least value, the legend, the fields of files and of the
API, and what `c=` and `sort=` of an address may name are all made of what stands here. A new column is one Column below
(and a field of `rows.RankingRow` where its number is new); a new figure of a benchmark is one Measure there.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, cached_property
from math import isfinite
from operator import attrgetter
from typing import Literal, Protocol

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Measure
from evaluation.statistics.ranks import DRAWS, OUTLIERS
from leaderboard import rounding
from leaderboard.queries.measures import rule_of
from leaderboard.queries.rows import RankingRow, is_private

Value = float | str | date | None
FieldValue = str | int | float | bool | date | None
FieldType = Literal["int32", "int64", "double", "string", "bool", "date32"]
Width = Literal["", "narrow", "mid", "wide"]

RESAMPLED = f"{100 - 100 / OUTLIERS:g} % of {DRAWS:,} resamples of the items"
INTERVAL_NOTE = "± is half of the 95 % interval; with ±? all items have the same score, and no error can be computed."
SURE = f"{RESAMPLED}, or by both scores' errors where one has no answers"


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the files: its name and type are stable, its note is for the page of the API."""

    name: str
    type: FieldType
    note: str
    read: Callable[[RankingRow], FieldValue]


def empty(row: RankingRow) -> str:
    return ""


@dataclass(frozen=True)
class Column:
    """A column of a ranking.

    `key` names it in addresses. `reads` is the field of a row whose value sorts ("strict_score", "model.size",
    "references.mmlu"); a column without it does not sort. `cell` names the template of its cell, head included
    ("number" and "date" need none); "" is a column that the table has not: it is in files, or within another cell.
    `label` and `unit` stand in the head, `title` in the tick box, `term` and `note` in the legend, `order` in the
    choice of an order. A column with a tick box is `optional`, and ticked at first where it is `shown`. It goes from
    the table up to `hidden_up_to`; where it sorts, its value then stands under the score, between `before` and `after`.
    """

    key: str
    label: str = ""
    unit: str = ""
    note: str = ""
    title: str = ""
    term: str = ""
    order: str = ""
    reads: str = ""
    text: Callable[[RankingRow], str] = empty
    cell: str = ""
    widths: tuple[str, ...] = ()
    head_css: str = ""
    hidden_up_to: Width = ""
    before: str = ""
    after: str = ""
    fields: tuple[Field, ...] = ()
    upwards_first: bool = False
    optional: bool = False
    shown: bool = True

    @cached_property
    def value(self) -> Callable[[RankingRow], Value]:
        """What sorts the column, and what a filter compares."""
        room, _, name = self.reads.rpartition(".")
        if room == "references":
            return lambda row: row.model.references.get(name)
        return attrgetter(self.reads)

    @property
    def sorts(self) -> bool:
        return bool(self.reads)

    @cached_property
    def is_plain(self) -> bool:
        """Whether its cell holds a text and nothing else, and gives way on a narrow screen."""
        return self.cell in {"number", "date"}

    @property
    def template(self) -> str:
        return "" if self.is_plain else f"leaderboard/cells/{self.cell}.html"

    @property
    def head_template(self) -> str:
        """The template of a head that has more than a label; "" for the others."""
        return f"leaderboard/heads/{self.cell}.html" if self.cell in {"rank", "ribbon", "score"} else ""

    @property
    def hidden(self) -> str:
        return f"x-{self.hidden_up_to}" if self.hidden_up_to else ""

    @property
    def head_classes(self) -> str:
        """The classes of its head cell."""
        kind = {"number": "n", "date": "date"}.get(self.cell, self.head_css)
        return f"{kind} {self.hidden}".strip()

    @cached_property
    def cell_classes(self) -> str:
        """The classes of a plain cell."""
        kind = {"number": "num n", "date": "date"}.get(self.cell, "")
        return f"{kind} {self.hidden}".strip()

    @property
    def col_classes(self) -> tuple[str, ...]:
        """The classes of its <col> elements, one for each cell of a row."""
        return tuple(f"{width} {self.hidden}".strip() for width in self.widths)

    @property
    def choice(self) -> str:
        """Its name beside its tick box."""
        return self.title or self.label

    @property
    def legend_term(self) -> str:
        return self.term or self.title or self.label

    @property
    def order_name(self) -> str:
        return self.order or self.key


@dataclass(frozen=True, slots=True)
class Look:
    """What the rows of a ranking decide about its columns."""

    has_ranges: bool = True
    has_intervals: bool = True
    all_approximate: bool = False


class Ranked(Protocol):
    """What a ranking decides about its columns."""

    @property
    def benchmark(self) -> str: ...
    @property
    def n_items(self) -> int | None: ...


def finite(value: float | None) -> float | None:
    """The value, or None in place of NaN and Infinity, which JSON cannot hold."""
    return value if value is not None and isfinite(value) else None


def ranks_text(row: RankingRow) -> str:
    """The range of ranks where it is known, else the plain rank; "" without one."""
    if row.rank is None:
        return ""
    known = row.low is not None and row.high is not None
    return about(row) + (rounding.ranks(row.low or 0, row.high or 0) if known else str(row.rank))


def about(row: RankingRow) -> str:
    return "≈" if row.approximate else ""


def half_text(row: RankingRow) -> str:
    """Half of the interval with its sign: "±4.8", "≈4.4"; "" where it is not known."""
    digits = 0 if is_private(row) else 1
    return "" if row.half is None else f"{about(row) or '±'}{rounding.number(row.half, digits)}"


def passes_text(row: RankingRow) -> str:
    """The number of passes behind the score and their scatter: "3 · 0.2 %"; the number alone where there is none."""
    if not row.repeats:
        return rounding.MISSING
    scatter = "" if row.cv_percent is None else f" · {rounding.number(row.cv_percent, 1)} %"
    return f"{rounding.count(row.repeats)}{scatter}"


def day_text(row: RankingRow) -> str:
    return rounding.month(row.measured_on) if is_private(row) else rounding.day(row.measured_on)


RANK = Column(
    key="rank", label="Rank", reads="rank", text=ranks_text, cell="rank", widths=("c-place", "c-range"),
    head_css="range-head", upwards_first=True,
    note="The possible ranks, when the items are drawn anew many times (resamples); small before it, the rank by "
    "score.",
    fields=(
        Field("rank", "int32", "1 is best; equal scores share a rank; null for what does not compete",
              lambda row: row.rank),
        Field("rank_low", "int32", f"the best possible rank: 1 + the models ahead of it in {SURE}",
              lambda row: row.low),
        Field("rank_high", "int32", f"the worst possible rank: the last but for the models behind it in {SURE}",
              lambda row: row.high),
        Field("tie_group", "int32", "number of the tie group, from 1: the best model not yet in a group and all later "
              "ones tied with it", lambda row: row.group),
        Field("tied_with", "int32", "how many other models it is tied with: neither is ahead of the other",
              lambda row: row.tied_with),
        Field("rank_low_all", "int32", "rank_low when all models are compared at once: 5 % is the chance of any wrong "
              "claim in the field", lambda row: row.low_all),
        Field("rank_high_all", "int32", "rank_high when all models are compared at once", lambda row: row.high_all),
    ),
)  # fmt: skip
RIBBON = Column(
    key="ribbon", term="Shaded rows", cell="ribbon", widths=("c-ribbon",),
    note="The leader and the models tied with it: neither is ahead of the other.",
)  # fmt: skip
MODEL = Column(
    key="model", label="Model", reads="model.name", text=lambda row: row.model.name, cell="model", widths=("",),
    upwards_first=True, note="Its name, its maker, and whether its weights are open.",
    fields=(
        Field("model", "string", "Hugging Face id or API name", lambda row: row.model.full_name),
        Field("display_name", "string", "name on the pages", lambda row: row.model.name),
        Field("slug", "string", "name in addresses: /models/<slug>/", lambda row: row.model.slug),
        Field("organisation", "string", "maker", lambda row: row.model.organisation or None),
        Field("open_weights", "bool", "null where not known",
              lambda row: {"open": True, "closed": False}.get(row.model.weights)),
    ),
)  # fmt: skip
SIZE = Column(
    key="size", label="Size", unit="billion", reads="model.size", text=lambda row: row.model.size_text, cell="number",
    widths=("c-params",), hidden_up_to="narrow", after=" billion", note="Parameters, in billions.",
    fields=(Field("params_billion", "double", "size, in billions of parameters", lambda row: finite(row.model.size)),),
)  # fmt: skip
ORIGIN = Column(
    key="origin", title="Origin", optional=True, text=lambda row: row.origin,
    note="The sign before a name: where its score comes from, as the next section says.",
    fields=(Field("origin", "string", "measured, imported, published, baseline or demo", lambda row: row.origin),),
)  # fmt: skip
INTERVAL = Column(
    key="interval",
    fields=(
        Field("standard_error", "double", "points", lambda row: finite(row.standard_error)),
        Field("interval_low", "double", "points; lower end of the 95 % interval of the score",
              lambda row: finite(row.interval_low)),
        Field("interval_high", "double", "points; upper end of the 95 % interval of the score",
              lambda row: finite(row.interval_high)),
        Field("approximate", "bool", "whether interval and ranks come from the usual error of a score, not from items",
              lambda row: row.approximate),
    ),
)  # fmt: skip
ITEMS = Column(
    key="items", label="Items", title="Items scored", term="Items", order="items scored", reads="n_scored",
    text=lambda row: rounding.count(row.n_scored), cell="number", widths=("c-num",), hidden_up_to="mid",
    before="items ", optional=True,
    note="Dialogues with a score. What could not be read is left out, never zero.",
    fields=(
        Field("n_items", "int32", "items of the newest run that counts", lambda row: row.n_items),
        Field("n_scored", "int32", "items of it that have a score", lambda row: row.n_scored),
    ),
)  # fmt: skip
REPEATS = Column(
    key="cv", label="Repeats", unit="and CV", title="Repeats and CV", order="scatter of repeats", reads="cv_percent",
    text=passes_text, cell="number", widths=("c-cv",), before="repeats ", optional=True, shown=False,
    upwards_first=True, note="Passes over all items, and the spread of their scores in per cent of the mean.",
    fields=(
        Field("runs", "int32", "runs behind the score", lambda row: row.runs_used),
        Field("repeats", "int32", "passes behind the score, over all runs", lambda row: row.repeats),
        Field("cv_percent", "double", "coefficient of variation over all passes, in per cent; null for a single one",
              lambda row: finite(row.cv_percent)),
    ),
)  # fmt: skip
DATE = Column(
    key="date", label="Run", title="Date of the run", reads="measured_on", text=day_text, cell="date",
    widths=("c-date",), hidden_up_to="wide", optional=True, note="When the newest run that counts ended.",
    fields=(
        Field("measured_on", "date32", "day on which the newest run that counts ended", lambda row: row.measured_on),
        Field("run", "int64", "number of the newest run that counts: /runs/<run>/", lambda row: row.run_id),
    ),
)  # fmt: skip
SETTINGS = Column(
    key="settings",
    fields=(
        Field("other_settings", "string", "how its runs were asked otherwise than the benchmark's standard; null for "
              "not at all", lambda row: row.other_settings or None),
        Field("scorer_version", "string", "the scorer of the runs that count; several are joined by commas",
              lambda row: row.scorer_version or None),
    ),
)  # fmt: skip

# Addresses and file notes that are older than the measures, and stay.
KEYS: Mapping[str, str] = {"strict_score": "strict"}
FILE_NOTES: Mapping[str, str] = {
    "score": "points; mean of the items over all passes of the runs that count, by the standard reading",
    "strict_score": "points; by the official reading alone",
}


def of_measure(measure: Measure, *, ranks: bool = False) -> Column:
    """The column of a figure of a run. The one that `ranks` has its interval beside it, and is drawn as a bar."""

    def value(row: RankingRow) -> float | None:
        found: float | None = getattr(row, measure.key)
        return found

    def text(row: RankingRow) -> str:
        return rounding.number(value(row), 0 if ranks and is_private(row) else measure.digits)

    note = FILE_NOTES.get(measure.key, f"{measure.unit}; {measure.note}")
    plain = Column(
        key=KEYS.get(measure.key, measure.key), label=measure.title.removesuffix(" score"), unit=measure.unit,
        title=measure.title, order=measure.title.lower(), reads=measure.key, text=text, note=measure.note,
        cell="number", widths=("c-num",), before=f"{measure.title.removesuffix(' score').lower()} ",
        optional=True, shown=measure.shown, upwards_first=measure.better == "lower",
        fields=(Field(measure.key, "double", note, lambda row: finite(value(row))),),
    )  # fmt: skip
    if not ranks:
        return plain
    return replace(plain, label=measure.title, cell="score", widths=("c-score", "c-bar"), head_css="score",
                   optional=False, shown=True)  # fmt: skip


def reference(
    benchmark: str, title: str, digits: int, note: str, file_note: str, *, head: tuple[str, str], hidden_up_to: Width,
    before: str,
) -> Column:  # fmt: skip
    """The column of a published figure of the models, on another benchmark."""
    return Column(
        key=benchmark, label=head[0], unit=head[1], title=title, order=title, reads=f"references.{benchmark}",
        text=lambda row: rounding.number(row.model.references.get(benchmark), digits), note=note, cell="number",
        widths=("c-num",), hidden_up_to=hidden_up_to, before=before, optional=True,
        fields=(Field(benchmark, "double", file_note, lambda row: finite(row.model.references.get(benchmark))),),
    )  # fmt: skip


REFERENCES: Mapping[str, Column] = {
    "mmlu": reference(
        "mmlu", "MMLU", 1, "Published: per cent right in a test of knowledge.",
        "per cent; as published, with its source on the model's page",
        head=("MMLU", "%"), hidden_up_to="narrow", before="MMLU ",
    ),
    "arena_elo": reference(
        "arena_elo", "Arena Elo", 0, "Published: a rating from people who choose the better of two replies.",
        "Elo points; as published", head=("Arena", "Elo"), hidden_up_to="wide", before="Elo ",
    ),
    "magi_hard": reference(
        "magi_hard", "MAGI-Hard", 1,
        "Published with EQ-Bench: per cent right on hard questions of MMLU and AGIEval, where chance is 25.",
        "per cent; as published", head=("MAGI", "Hard, %"), hidden_up_to="wide", before="MAGI ",
    ),
}  # fmt: skip
"""The published figures that stand beside the scores, by their benchmark."""


def columns_of(ranking: Ranked, look: Look = Look()) -> tuple[Column, ...]:
    """The columns of a ranking in their order, those among them that are in files alone."""
    return tuple(fitted(column, ranking, look) for column in _columns(ranking.benchmark) if is_there(column, look))


@cache
def _columns(benchmark: str) -> tuple[Column, ...]:
    """The columns of a benchmark's rankings."""
    first, *others = rule_of(benchmark).measures
    measures = (of_measure(first, ranks=True), *map(of_measure, others))
    return (
        RANK,
        RIBBON,
        MODEL,
        SIZE,
        ORIGIN,
        *measures,
        INTERVAL,
        ITEMS,
        REPEATS,
        *REFERENCES.values(),
        DATE,
        SETTINGS,
    )


def is_there(column: Column, look: Look) -> bool:
    return column is not RIBBON or look.has_ranges


def fitted(column: Column, ranking: Ranked, look: Look) -> Column:
    """The column with the words that are true of these rows."""
    if column is RANK and not look.has_ranges:
        return replace(column, widths=("c-range",), note="By score; equal scores share a rank.")
    if column is RANK and look.all_approximate:
        note = "The possible ranks, by the score and its usual error; small before it, the rank by score."
        return replace(column, note=note)
    if column is ITEMS and ranking.n_items:
        return replace(column, unit=f"of {ranking.n_items}")
    if column.cell == "score" and look.has_intervals:
        return replace(column, unit="± 95 %", note=f"{column.note} {INTERVAL_NOTE}")
    return column


@cache
def every_column() -> Mapping[str, Column]:
    """Key -> column, of the rankings of all benchmarks."""
    return {column.key: column for benchmark in BENCHMARKS for column in _columns(benchmark)}


def fields_of(columns: Iterable[Column]) -> tuple[Field, ...]:
    """The fields of the files of a ranking with these columns."""
    return tuple(field for column in columns for field in column.fields)


def benchmarks_of(columns: Iterable[Column]) -> tuple[str, ...]:
    """The benchmarks whose published figures these columns show."""
    return tuple(column.key for column in columns if column.reads.startswith("references."))
