"""Which rows of a ranking an address leaves: rows in, rows out. An unknown value passes no filter, unless it is asked
for."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from evaluation.models import Origin
from leaderboard.pages.rankings.asked import RankingRequest
from leaderboard.pages.rankings.column import Column
from leaderboard.pages.rankings.columns import ADDED, DATE, ITEMS, SIZE
from leaderboard.pages.rankings.rows import RankingRow
from leaderboard.pages.shared.naming import is_named_like, words_of
from leaderboard.rounding import count
from leaderboard.standings.ranks import WITH_ANSWERS

MOST_ORGANISATIONS = 100
SIZE_WORD, WEIGHTS, DATE_WORD = "size", "weights", "run date"
LEAST: Mapping[Column, Callable[[RankingRequest], Any]] = {
    DATE: lambda asked: asked.since,
    ADDED: lambda asked: asked.added,
    ITEMS: lambda asked: asked.min_items or None,
}
"""The columns that a filter gives a least value, and where it stands in the request; None: no such filter."""


@dataclass(frozen=True, slots=True)
class HiddenRows:
    """How many rows the filters hide for want of a known value, and of how many of them which value is unknown: one row
    may lack several."""

    n: int = 0
    lacking: tuple[tuple[str, int], ...] = ()

    @property
    def words(self) -> str:
        """ "their size is unknown", or of how many which value is where they lack different ones."""
        if all(n == self.n for _, n in self.lacking):
            lacking = joined([word for word, _ in self.lacking])
            verb = "is" if lacking in {SIZE_WORD, DATE_WORD} else "are"
            return f"{'its' if self.n == 1 else 'their'} {lacking} {verb} unknown"
        return f"some facts are unknown: {joined([f'the {word} of {count(n)}' for word, n in self.lacking])}"


NONE_HIDDEN = HiddenRows()


def joined(words: Sequence[str]) -> str:
    """ "a, b and c"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


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
    words = words_of(asked.search)
    return [row for row in rows if passes(row, asked) and matches(row, asked.search, words)]


def hidden_for_unknown(rows: Iterable[RankingRow], asked: RankingRequest) -> HiddenRows:
    """The rows that would be kept too if an unknown size, weights or date passed the filters on them."""
    if asked.unknown or not (asked.size.param or asked.weights or asked.since or asked.until):
        return NONE_HIDDEN
    hidden = [row for row in kept(rows, replace(asked, unknown=True)) if not passes(row, asked)]
    lacking = Counter(word for row in hidden for word in lacks(row, asked))
    words = (SIZE_WORD, WEIGHTS, DATE_WORD)
    return HiddenRows(len(hidden), tuple((word, lacking[word]) for word in words if lacking[word]))


def lacks(row: RankingRow, asked: RankingRequest) -> set[str]:
    """What a filter asks for and is unknown of the row."""
    found = {
        SIZE_WORD: asked.size.param and row.model.size is None,
        WEIGHTS: asked.weights and not row.model.weights,
        DATE_WORD: ((asked.since or asked.until) and row.measured_on is None) or (asked.added and row.added_on is None),
    }
    return {word for word, is_unknown in found.items() if is_unknown}


def passes(row: RankingRow, asked: RankingRequest) -> bool:
    return (
        asked.organisation in {"", row.model.organisation}
        and (asked.weights in {"", row.model.weights} or (asked.unknown and not row.model.weights))
        and asked.origin in {"", row.origin}
        and asked.vouched in {"", row.vouched_by}
        and (asked.size.holds(row.model.size) or (asked.unknown and row.model.size is None))
        and all(is_at_least(column.value(row), least(asked), asked) for column, least in LEAST.items())
        and (asked.until is None or is_up_to(row, asked.until, asked))
        and (not asked.answers or row.origin in WITH_ANSWERS)
    )


def is_at_least(value: Any, least: Any, asked: RankingRequest) -> bool:
    if value is None:
        return least is None or (asked.unknown and isinstance(least, date))
    return least is None or bool(value >= least)


def is_up_to(row: RankingRow, last: date, asked: RankingRequest) -> bool:
    return asked.unknown if row.measured_on is None else row.measured_on <= last


def read_by_filters(asked: RankingRequest) -> set[str]:
    """The fields of a row that the filters of an address look at, as a Column's `reads` names them."""
    read = {column.reads for column, least in LEAST.items() if least(asked) is not None}
    if asked.weights:
        read.add("model.weights")
    if asked.vouched:
        read.add("vouched_by")
    if asked.until:
        read.add(DATE.reads)
    return read | {SIZE.reads} if asked.size.param else read


def matches(row: RankingRow, search: str, words: Sequence[str] | None = None) -> bool:
    """Whether the names of the model and its maker hold each word that is looked for.

    Case, spaces and signs such as "-", "_", "." do not count: "llama 3" and "gpt4" find Meta-Llama-3 and gpt-4. `words`
    are `words_of(search)` where the caller has them.
    """
    model = row.model
    return is_named_like((model.name, model.full_name, model.organisation), search, words)


def makers(rows: Iterable[RankingRow]) -> tuple[str, ...]:
    """Every maker, those with most models first."""
    counts = Counter(row.model.organisation for row in rows if row.model.organisation)
    return tuple(name for name, _ in counts.most_common())


def organisations(makers: Sequence[str], chosen: str) -> tuple[str, ...]:
    """The makers to choose from, by name: those with most models where there are very many, and the chosen one."""
    return tuple(sorted({*makers[:MOST_ORGANISATIONS], *({chosen} & {*makers})}, key=str.casefold))
