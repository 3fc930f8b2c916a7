"""Which rows of a ranking an address leaves: rows in, rows out. A missing value passes no filter."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from evaluation.models import Origin
from leaderboard.queries.asked import RankingRequest
from leaderboard.queries.columns import DATE, ITEMS, SIZE, Column
from leaderboard.queries.rows import RankingRow
from leaderboard.standings.ranks import WITH_ANSWERS

MOST_ORGANISATIONS = 100
LEAST: Mapping[Column, Callable[[RankingRequest], Any]] = {
    DATE: lambda asked: asked.since,
    ITEMS: lambda asked: asked.min_items or None,
}
"""The columns that a filter gives a least value, and where it stands in the request; None: no such filter."""


def on_board(rows: Iterable[RankingRow], asked: RankingRequest) -> list[RankingRow]:
    """The rows without demonstrations, unless these are asked for."""
    demo = shows_demo(asked)
    return [row for row in rows if demo or row.origin != Origin.DEMO]


def shows_demo(asked: RankingRequest) -> bool:
    return asked.demo or asked.origin == Origin.DEMO


def kept(rows: Iterable[RankingRow], asked: RankingRequest) -> list[RankingRow]:
    """The rows that pass all filters and the search."""
    if not asked.filters:
        return list(rows)
    return [row for row in rows if passes(row, asked) and matches(row, asked.search)]


def passes(row: RankingRow, asked: RankingRequest) -> bool:
    return (
        asked.organisation in {"", row.model.organisation}
        and asked.weights in {"", row.model.weights}
        and asked.origin in {"", row.origin}
        and asked.size.holds(row.model.size)
        and all(is_at_least(column.value(row), least(asked)) for column, least in LEAST.items())
        and (not asked.answers or row.origin in WITH_ANSWERS)
    )


def is_at_least(value: Any, least: Any) -> bool:
    return least is None or (value is not None and value >= least)


def read_by_filters(asked: RankingRequest) -> set[str]:
    """The fields of a row that the filters of an address look at, as a Column's `reads` names them."""
    read = {column.reads for column, least in LEAST.items() if least(asked) is not None}
    if asked.weights:
        read.add("model.weights")
    return read | {SIZE.reads} if asked.size.param else read


def matches(row: RankingRow, search: str) -> bool:
    """Whether the model's name or its maker's holds the text that is looked for, in any case."""
    wanted = search.strip().casefold()
    return not wanted or any(
        wanted in text.casefold() for text in (row.model.name, row.model.full_name, row.model.organisation)
    )


def makers(rows: Iterable[RankingRow]) -> tuple[str, ...]:
    """Every maker, those with most models first."""
    counts = Counter(row.model.organisation for row in rows if row.model.organisation)
    return tuple(name for name, _ in counts.most_common())


def organisations(makers: Sequence[str], chosen: str) -> tuple[str, ...]:
    """The makers to choose from, by name: those with most models where there are very many, and the chosen one."""
    return tuple(sorted({*makers[:MOST_ORGANISATIONS], *({chosen} & {*makers})}, key=str.casefold))
