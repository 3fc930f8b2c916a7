"""A benchmark asked for one item without chance, and the numbers of an EQ-Bench run by their names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.benchmarks.base import Answer, Ask, Bank, Benchmark, Item, ItemScore, Message, Options, Reading, Reply
from evaluation.benchmarks.base import Summary as Figures
from evaluation.benchmarks.eqbench_summary import SCORE, STRICT_SCORE, STRICT_SHARE


@dataclass(frozen=True)
class Summary:
    """The figures of an EQ-Bench run."""

    score: float | None
    strict_score: float | None
    standard_error: float | None
    n_scored: int
    n_strict: int
    parse_share: float
    strict_share: float | None
    repeat_scores: tuple[float | None, ...]
    counted_parts: tuple[str, ...]
    reason: str


def ask(item: Item) -> Ask:
    return Ask(item, repeat=1, attempt=1, seed=0)


def loaded(benchmark: Any, content: bytes) -> list[Item]:
    """The items of a file of as many items as the benchmark's own bank has."""
    return list(benchmark.load({"questions.json": content}, benchmark.form.n_items).items)


def sent(benchmark: Benchmark, item: Item, options: Options) -> tuple[Message, ...]:
    return benchmark.prompt(ask(item), options).messages


def read_by(benchmark: Benchmark, item: Item, reply: Reply, options: Options) -> Reading:
    return benchmark.read(ask(item), None, reply, options)


def points_by(benchmark: Benchmark, item: Item, answer: Answer) -> float | None:
    (value,) = benchmark.score(item, answer)
    return value


def named(found: Figures) -> Summary:
    strict = found.figures[STRICT_SCORE]
    return Summary(
        score=found.figures[SCORE].value,
        strict_score=strict.value,
        standard_error=found.figures[SCORE].error,
        n_scored=found.n_scored,
        n_strict=strict.n or 0,
        parse_share=found.coverage,
        strict_share=found.figures[STRICT_SHARE].value,
        repeat_scores=found.repeat_scores,
        counted_parts=found.counted_parts,
        reason=found.reason,
    )


def summed(benchmark: Benchmark, scores: Sequence[ItemScore], *, n_items: int, repeats: int) -> Summary:
    bank = Bank(tuple(Item(str(number), "", ()) for number in range(1, n_items + 1)))
    return named(benchmark.summarise(scores, bank, repeats=repeats, variant=""))
