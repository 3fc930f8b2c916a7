"""The order of a ranking's rows: by full values, missing ones last in both directions. No query in here."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluation.benchmarks.base import Measure
from leaderboard.pages.rankings.asked import RankingRequest
from leaderboard.pages.rankings.column import Column
from leaderboard.pages.rankings.columns import RANK
from leaderboard.pages.rankings.rows import RankingRow


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


DEFAULT = Order(RANK.key, descending=False)


def sorting(columns: Sequence[Column]) -> list[Column]:
    """The columns that can sort."""
    return [column for column in columns if column.sorts]


def order_of(param: str, columns: Sequence[Column]) -> Order:
    """The order that an address asks for; the default where it names no column of these that sorts."""
    key = param.removeprefix("-")
    return Order(key, param.startswith("-")) if any(key == column.key for column in sorting(columns)) else DEFAULT


def column_of(order: Order, columns: Sequence[Column]) -> Column:
    """The column that an order sorts by; the order is one of `order_of` these columns."""
    return next(column for column in columns if column.key == order.column)


def natural(column: Column) -> Order:
    """The direction that a first click on its head gives."""
    return Order(column.key, not column.upwards_first)


def heading(column: Column, order: Order, asked: RankingRequest) -> Heading:
    """A column's head. A click keeps the filters and leads to the first page."""
    is_sorted = column.key == order.column
    turned = Order(column.key, not order.descending) if is_sorted else natural(column)
    sort = "" if turned == DEFAULT else turned.param
    direction = "descending" if order.descending else "ascending"
    return Heading(replace(asked, sort=sort, page="").query, direction if is_sorted else "")


def choices(order: Order, columns: Sequence[Column]) -> tuple[tuple[str, str], ...]:
    """Value and label of each sorting that a select offers: every column in its natural direction, and the present."""
    offered = [(natural(column), column) for column in sorting(columns)]
    if all(order != each for each, _ in offered):
        offered.insert(0, (order, column_of(order, columns)))
    return tuple((each.param, column.order_name) for each, column in offered)


def in_order(rows: Sequence[RankingRow], column: Column, measure: Measure, *, descending: bool) -> list[RankingRow]:
    """The rows sorted by one column, names in any case of their letters; equal values stay by score, then by name.
    `measure` is that of the scores."""
    value, ordered = column.value, by_score(rows, measure)
    known = [row for row in ordered if value(row) is not None]
    missing = [row for row in ordered if value(row) is None]

    def key(row: RankingRow) -> Any:
        found = value(row)
        return found.casefold() if isinstance(found, str) else found

    # Sorting is stable, and `reverse` keeps it so.
    return sorted(known, key=key, reverse=descending) + missing


def by_score(rows: Sequence[RankingRow], measure: Measure) -> list[RankingRow]:
    """Best first, rows without a score last; equal scores by name."""
    turned = measure.turned
    return sorted(rows, key=lambda row: (row.score is None, -turned(row.score or 0.0), row.model.name.casefold()))
