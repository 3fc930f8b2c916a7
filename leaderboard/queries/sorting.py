"""The order of a ranking's rows: by full values, missing ones last in both directions. No query in here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from leaderboard.queries.asked import RankingRequest
from leaderboard.queries.rows import REFERENCES, AnyRow, SortedRow

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
    """A sortable column's head: where a click leads, and how the column is sorted now ("" if it is not)."""

    query: str
    aria_sort: str


def reference_value(at: int) -> Callable[[SortedRow], Value]:
    return lambda row: row.model.references[at]


VALUES: Mapping[str, Callable[[SortedRow], Value]] = {
    "rank": lambda row: row.rank,
    "model": lambda row: row.model.name.casefold(),
    "size": lambda row: row.model.size,
    "score": lambda row: row.score,
    "strict": lambda row: row.strict_score,
    "items": lambda row: row.n_scored,
    "cv": lambda row: row.cv_percent,
    **{benchmark: reference_value(at) for at, benchmark in enumerate(REFERENCES)},
    "date": lambda row: row.measured_on,
}
UPWARDS_FIRST = frozenset({"rank", "model", "cv"})
LABELS = {
    "mmlu": "MMLU",
    "arena_elo": "Arena Elo",
    "magi_hard": "MAGI-Hard",
    "items": "items scored",
    "strict": "strict score",
    "cv": "scatter of repeats",
}
DEFAULT = Order("rank", descending=False)


def order_of(param: str) -> Order:
    """The order that an address asks for; the default where it names no column."""
    column = param.removeprefix("-")
    return Order(column, param.startswith("-")) if column in VALUES else DEFAULT


def headings(asked: RankingRequest) -> dict[str, Heading]:
    """Column -> its head. A click keeps the filters and leads to the first page."""
    order = order_of(asked.sort)
    return {column: heading(column, order, asked) for column in VALUES}


def heading(column: str, order: Order, asked: RankingRequest) -> Heading:
    first = Order(column, column not in UPWARDS_FIRST)
    turned = Order(column, not order.descending) if column == order.column else first
    sort = "" if turned == DEFAULT else turned.param
    direction = "descending" if order.descending else "ascending"
    return Heading(replace(asked, sort=sort, page="").query, direction if column == order.column else "")


def choices(order: Order) -> tuple[tuple[str, str], ...]:
    """Value and label of each sorting that a select offers: every column in its natural direction, and the present."""
    natural = [Order(column, column not in UPWARDS_FIRST) for column in VALUES]
    offered = natural if order in natural else [order, *natural]
    return tuple((each.param, LABELS.get(each.column, each.column)) for each in offered)


def in_order(rows: Sequence[AnyRow], order: Order) -> list[AnyRow]:
    """The rows sorted by one column; equal values stay by score, then by name."""
    value, ordered = VALUES[order.column], by_score(rows)
    known = [row for row in ordered if value(row) is not None]
    missing = [row for row in ordered if value(row) is None]
    # Sorting is stable, and `reverse` keeps it so.
    return sorted(known, key=value, reverse=order.descending) + missing  # type: ignore[arg-type]


def by_score(rows: Sequence[AnyRow]) -> list[AnyRow]:
    """Best first, rows without a score last; equal scores by name."""
    return sorted(rows, key=lambda row: (row.score is None, -(row.score or 0.0), row.model.name.casefold()))
