"""What a column of a ranking is: key, head, cells, fields in files. Which columns there are stands in `columns`."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from operator import attrgetter
from typing import Literal, Protocol

from evaluation.statistics.pairs import FEW_ITEMS
from evaluation.statistics.ranks import DRAWS, OUTLIERS
from leaderboard.pages.rankings.rows import RankingRow

Value = float | str | date | None
FieldValue = str | int | float | bool | date | None
FieldType = Literal["int32", "int64", "double", "string", "bool", "date32"]
Width = Literal["", "narrow", "mid", "wide"]

RESAMPLED = f"{100 - 100 / OUTLIERS:g} % of {DRAWS:,} resamples of the items"
WIDE = 20.0  # a half interval from which on a decimal says nothing
INTERVAL_NOTE = (
    "± is half of the 95 % confidence interval; ±? means that all items have the same score, so no "
    "error can be computed."
)
SURE = f"{RESAMPLED} (below {FEW_ITEMS} items by the paired t test), or by both scores' errors where one has no answers"


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

    `key` names it in addresses. `reads` is the field of a row whose value sorts ("n_scored", "figures.strict_score",
    "model.size", "references.mmlu"); a column without it does not sort. `cell` names the cell that `row_markup` writes,
    or else a template of leaderboard/cells ("number" and "date" need neither), and the template of its head; "" is a
    column that the table has not: it is in files, or within another cell.
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
        if room == "figures":
            return lambda row: row.figures.get(name)
        return attrgetter(self.reads)

    @property
    def sorts(self) -> bool:
        return bool(self.reads)

    @cached_property
    def is_plain(self) -> bool:
        """Whether its cell holds a text and nothing else, and gives way on a narrow screen."""
        return self.cell in {"number", "date", "heat"}

    @property
    def template(self) -> str:
        return "" if self.is_plain else f"pages/rankings/cells/{self.cell}.html"

    @property
    def head_template(self) -> str:
        """The template of a head that has more than a label; "" for the others."""
        return f"pages/rankings/heads/{self.cell}.html" if self.cell in {"rank", "ribbon", "score"} else ""

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
        kind = {"number": "num n", "date": "date", "heat": "trait n"}.get(self.cell, "")
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


USUAL = Look()


class Ranked(Protocol):
    """What a ranking decides about its columns."""

    @property
    def benchmark(self) -> str: ...
    @property
    def n_items(self) -> int | None: ...
