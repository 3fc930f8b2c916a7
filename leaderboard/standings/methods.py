"""How a ranking is ranked: which way its score goes, by which rule, and what is known of scores without answers."""

from dataclasses import dataclass
from typing import Protocol

from evaluation.benchmarks.base import Better, Measure
from evaluation.benchmarks.rank_rules import rule_of
from evaluation.published_tables import PUBLISHED, PublishedTable, benchmark_of, measures_of
from evaluation.statistics.ranking import ItemRule
from leaderboard.standings.field import FIELDS, ErrorLine


class UsualErrors(Protocol):
    """How exact a score of which no answers are known usually is: what is printed with it, and what compares it."""

    @property
    def full_error(self) -> ErrorLine: ...
    @property
    def own_error(self) -> ErrorLine: ...


@dataclass(frozen=True, slots=True)
class OneError:
    """The same error for every score."""

    full_error: ErrorLine
    own_error: ErrorLine


@dataclass(frozen=True, slots=True)
class Method:
    """`rule` is None where answers decide nothing, `usual` where nothing is known of scores without answers. `low` and
    `high` end the axis of the score, None where it is open."""

    better: Better = "higher"
    rule: ItemRule | None = None
    usual: UsualErrors | None = None
    low: float | None = None
    high: float | None = None


def method_of(ranking: str, benchmark: str) -> Method:
    """The method of a ranking of this benchmark; of figures that none here has made, `benchmark` is the ranking."""
    known, measures = benchmark_of(benchmark), measures_of(benchmark)
    ranks: Measure | None = measures[0] if measures else None
    return Method(
        better=ranks.better if ranks else "higher",
        rule=rule_of(known) if known else None,
        usual=FIELDS.get(ranking) or error_of(PUBLISHED.get(ranking)),
        low=ranks.low if ranks else None,
        high=ranks.high if ranks else None,
    )


def error_of(table: PublishedTable | None) -> OneError | None:
    if table is None or table.approximate_error is None:
        return None
    line = ErrorLine(table.approximate_error, 0.0, floor=0.0)
    return OneError(line, line)
