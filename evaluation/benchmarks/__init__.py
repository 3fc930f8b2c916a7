"""All benchmarks by name. Pure: may not import Django, HTTP, Celery, a clock or unseeded chance."""

from evaluation.benchmarks.base import BankError, Benchmark
from evaluation.benchmarks.emotionbench import EMOTION_BENCH
from evaluation.benchmarks.eqbench import EQ_BENCH_V1, EQ_BENCH_V2, EQ_BENCH_V2_CODE, EQ_BENCH_V2_DE
from evaluation.benchmarks.seceu import SECEU, SECEU_DIRECT, SECEU_SHUFFLED

BENCHMARKS: dict[str, Benchmark] = {
    "eq-bench-v2": EQ_BENCH_V2,
    "eq-bench-v2-code": EQ_BENCH_V2_CODE,
    "eq-bench-v1": EQ_BENCH_V1,
    "eq-bench-v2-de": EQ_BENCH_V2_DE,
}

WITHOUT_RUNS: dict[str, Benchmark] = {
    benchmark.name: benchmark for benchmark in (SECEU, SECEU_DIRECT, SECEU_SHUFFLED, EMOTION_BENCH)
}
"""Benchmarks whose banks can be loaded and whose replies can be scored, but of which no run can be opened: the pages of
the site know only the older form so far."""

KNOWN: dict[str, Benchmark] = {**BENCHMARKS, **WITHOUT_RUNS}


def why_no_run(name: str) -> str:
    """One sentence for whoever asks for a run of a benchmark in WITHOUT_RUNS; "" for any other name."""
    if name not in WITHOUT_RUNS:
        return ""
    return f"No run of {name} can be opened yet: its bank can be loaded and replies in a file can be scored."


def check_bank(benchmark: Benchmark, family: str) -> None:
    """Refuses a bank that is not the benchmark's own: another scale would give a number that means nothing.

    Args: `family` is what the bank says of itself (`ItemBank.benchmark`).

    Raises:
        BankError: the two are not bound to each other.
    """
    if benchmark.bank != family:
        raise BankError(f"{benchmark.name} scores banks of {benchmark.bank}, this one is of {family}")


def switch_names() -> dict[str, str]:
    """Name of a switch -> what it asks for, over all benchmarks."""
    return {switch.name: switch.help for benchmark in BENCHMARKS.values() for switch in benchmark.switches}
