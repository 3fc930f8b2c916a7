"""The order of a ranking's rows: by full values, missing ones last in both directions. No query in here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from leaderboard.queries.rows import REFERENCES, RankingRow

Value = float | str | date | None


@dataclass(frozen=True, slots=True)
class Order:
    """A sorting of the table; `param` is its form in the address, "-score" for score downwards."""

    column: str
    descending: bool

    @property
    def param(self) -> str:
        return f"-{self.column}" if self.descending else self.column


@dataclass(frozen=True, slots=True)
class Heading:
    """A sortable column's head: what a click asks for, and how the column is sorted now ("" if it is not)."""

    param: str
    aria_sort: str


def reference_value(at: int) -> Callable[[RankingRow], Value]:
    return lambda row: row.model.references[at]


VALUES: Mapping[str, Callable[[RankingRow], Value]] = {
    "rank": lambda row: row.rank,
    "model": lambda row: row.model.name.casefold(),
    "size": lambda row: row.model.size,
    "score": lambda row: row.score,
    "items": lambda row: row.n_scored,
    **{benchmark: reference_value(at) for at, benchmark in enumerate(REFERENCES)},
    "date": lambda row: row.measured_on,
}
UPWARDS_FIRST = frozenset({"rank", "model"})
LABELS = {"mmlu": "MMLU", "arena_elo": "Arena Elo", "magi_hard": "MAGI-Hard", "items": "items scored"}
DEFAULT = Order("rank", descending=False)


def order_of(param: str) -> Order:
    """The order that an address asks for; the default where it names no column."""
    column = param.removeprefix("-")
    return Order(column, param.startswith("-")) if column in VALUES else DEFAULT


def headings(order: Order) -> dict[str, Heading]:
    return {column: heading(column, order) for column in VALUES}


def choices(order: Order) -> tuple[tuple[str, str], ...]:
    """Value and label of each sorting that a select offers: every column in its natural direction, and the present."""
    natural = [Order(column, column not in UPWARDS_FIRST) for column in VALUES]
    offered = natural if order in natural else [order, *natural]
    return tuple((each.param, LABELS.get(each.column, each.column)) for each in offered)


def heading(column: str, order: Order) -> Heading:
    if column == order.column:
        turned = Order(column, not order.descending)
        return Heading(turned.param, "descending" if order.descending else "ascending")
    return Heading(Order(column, column not in UPWARDS_FIRST).param, "")


def in_order(rows: Sequence[RankingRow], order: Order) -> list[RankingRow]:
    """The rows sorted by one column; equal values stay by rank, then by name."""
    value = VALUES[order.column]
    known = [row for row in by_score(rows) if value(row) is not None]
    missing = [row for row in by_score(rows) if value(row) is None]
    # Sorting is stable, and `reverse` keeps it so.
    return sorted(known, key=value, reverse=order.descending) + missing  # type: ignore[arg-type]


def by_score(rows: Sequence[RankingRow]) -> list[RankingRow]:
    """Best first, rows without a score last; equal scores by name."""
    return sorted(rows, key=lambda row: (row.score is None, -(row.score or 0.0), row.model.name.casefold()))
