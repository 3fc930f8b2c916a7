"""All benchmarks by name. Pure: may not import Django, HTTP, Celery, a clock or unseeded chance."""

from collections.abc import Callable

from evaluation.benchmarks.base import BankError, Benchmark, Item, NextBenchmark
from evaluation.benchmarks.emotionbench import EMOTION_BENCH
from evaluation.benchmarks.eqbench import EQ_BENCH_V1, EQ_BENCH_V2, EQ_BENCH_V2_CODE, EQ_BENCH_V2_DE
from evaluation.benchmarks.seceu import SECEU, SECEU_DIRECT, SECEU_SHUFFLED

BENCHMARKS: dict[str, Benchmark] = {
    "eq-bench-v2": EQ_BENCH_V2,
    "eq-bench-v2-code": EQ_BENCH_V2_CODE,
    "eq-bench-v1": EQ_BENCH_V1,
    "eq-bench-v2-de": EQ_BENCH_V2_DE,
}

WITHOUT_RUNS: dict[str, NextBenchmark] = {
    benchmark.name: benchmark for benchmark in (SECEU, SECEU_DIRECT, SECEU_SHUFFLED, EMOTION_BENCH)
}
"""Benchmarks whose banks can be loaded and whose replies can be scored, but of which no run can be opened: the runner
and the pages of the site know only the older form so far."""


def why_no_run(name: str) -> str:
    """One sentence for whoever asks for a run of a benchmark in WITHOUT_RUNS; "" for any other name."""
    if name not in WITHOUT_RUNS:
        return ""
    return f"No run of {name} can be opened yet: its bank can be loaded and replies in a file can be scored."


SizedLoad = Callable[[bytes, int | None], list[Item]]
SIZED_LOADS: dict[str, SizedLoad] = {
    benchmark.name: benchmark.load_sized for benchmark in (EQ_BENCH_V2, EQ_BENCH_V2_CODE, EQ_BENCH_V1, EQ_BENCH_V2_DE)
}
"""Benchmarks whose form fits banks of any size, so that several banks belong to one family."""


def load_sized(benchmark: Benchmark, content: bytes, n_items: int | None) -> list[Item]:
    """The items of a further bank of the benchmark's family, in file order.

    Args: `n_items` is how many there must be; None takes as many as the file holds.

    Raises:
        BankError: the file is faulty, with item id and reason; or the benchmark has but one form of bank.
    """
    if benchmark.name not in SIZED_LOADS:
        raise BankError(f"{benchmark.name} takes its own item bank and no other")
    return SIZED_LOADS[benchmark.name](content, n_items)


def check_bank(benchmark: Benchmark | NextBenchmark, family: str) -> None:
    """Refuses a bank that is not the benchmark's own: another scale would give a number that means nothing.

    Args: `family` is what the bank says of itself (`ItemBank.benchmark`).

    Raises:
        BankError: the two are not bound to each other.
    """
    if benchmark.bank != family:
        raise BankError(f"{benchmark.name} scores banks of {benchmark.bank}, this one is of {family}")
