"""All benchmarks by name. Pure: may not import Django, HTTP, Celery, a clock or unseeded chance."""

from evaluation.benchmarks.base import BankError, Benchmark
from evaluation.benchmarks.eqbench import EQ_BENCH_V1, EQ_BENCH_V2, EQ_BENCH_V2_CODE, EQ_BENCH_V2_DE

BENCHMARKS: dict[str, Benchmark] = {
    "eq-bench-v2": EQ_BENCH_V2,
    "eq-bench-v2-code": EQ_BENCH_V2_CODE,
    "eq-bench-v1": EQ_BENCH_V1,
    "eq-bench-v2-de": EQ_BENCH_V2_DE,
}


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
