"""Which rows of a ranking an address leaves. No query in here: rows in, rows out; a missing value passes no filter."""

from collections import Counter
from collections.abc import Iterable, Sequence

from evaluation.models import Origin
from leaderboard.queries.asked import RankingRequest
from leaderboard.queries.rows import RankingRow

MOST_ORGANISATIONS = 100


def on_board(rows: Iterable[RankingRow], asked: RankingRequest) -> list[RankingRow]:
    """The rows without demonstrations, unless these are asked for."""
    demo = asked.demo or asked.origin == Origin.DEMO
    return [row for row in rows if demo or row.origin != Origin.DEMO]


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
    )


def matches(row: RankingRow, search: str) -> bool:
    """Whether the model's name or its maker's holds the text that is looked for, in any case."""
    wanted = search.strip().casefold()
    return not wanted or any(
        wanted in text.casefold() for text in (row.model.name, row.model.full_name, row.model.organisation)
    )


def organisations(rows: Sequence[RankingRow], chosen: str) -> tuple[str, ...]:
    """The makers to choose from, by name: those with most models where there are very many, and the chosen one."""
    counts = Counter(row.model.organisation for row in rows if row.model.organisation)
    frequent = {name for name, _ in counts.most_common(MOST_ORGANISATIONS)}
    return tuple(sorted(frequent | ({chosen} & counts.keys()), key=str.casefold))
