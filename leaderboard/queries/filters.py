"""Which rows of a ranking an address leaves: rows in, rows out, or the same as a condition for the database.

A missing value passes no filter.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from django.db.models import Q

from evaluation.models import Origin
from leaderboard.queries.asked import RankingRequest
from leaderboard.queries.rows import RankingRow, SortedRow
from leaderboard.standings.ranks import WITH_ANSWERS

MOST_ORGANISATIONS = 100


def on_board(rows: Iterable[RankingRow], asked: RankingRequest) -> list[RankingRow]:
    """The rows without demonstrations, unless these are asked for."""
    demo = shows_demo(asked)
    return [row for row in rows if demo or row.origin != Origin.DEMO]


def shows_demo(asked: RankingRequest) -> bool:
    return asked.demo or asked.origin == Origin.DEMO


def kept(rows: Iterable[RankingRow], asked: RankingRequest) -> list[RankingRow]:
    """The rows that pass all filters and the search."""
    return [row for row in rows if passes(row, asked) and matches(row, asked.search)]


def passes(row: RankingRow, asked: RankingRequest) -> bool:
    return (
        asked.organisation in {"", row.model.organisation}
        and asked.weights in {"", row.model.weights}
        and asked.origin in {"", row.origin}
        and asked.size.holds(row.model.size)
        and (asked.since is None or (row.measured_on is not None and row.measured_on >= asked.since))
        and (not asked.min_items or (row.n_scored or 0) >= asked.min_items)
        and (not asked.answers or row.origin in WITH_ANSWERS)
    )


def matches(row: SortedRow, search: str) -> bool:
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


def conditions(asked: RankingRequest) -> Q:
    """What `on_board` and `passes` ask of a row, but for the search, as a condition on its standing."""
    wanted = Q() if shows_demo(asked) else ~Q(origin=Origin.DEMO)
    exact = {
        "model__organisation": asked.organisation,
        "model__open_weights": {"open": True, "closed": False}.get(asked.weights, ""),
        "origin": asked.origin,
    }
    least = {
        "model__params_billion__gt": asked.size.low,
        "model__params_billion__lte": asked.size.high,
        "measured_on__gte": asked.since,
        "n_scored__gte": asked.min_items or None,
        "origin__in": WITH_ANSWERS if asked.answers else None,
    }
    given = {name: value for name, value in exact.items() if value != ""}
    return wanted & Q(**given, **{name: value for name, value in least.items() if value is not None})
