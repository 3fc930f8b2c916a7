"""All benchmarks by name. Pure: may not import Django, HTTP, Celery, a clock or unseeded chance."""

from evaluation.benchmarks.base import BankError, Benchmark
from evaluation.benchmarks.emotionbench import EMOTION_BENCH
from evaluation.benchmarks.empathy import EMPATHY_JUDGED, EMPATHY_REPLIES
from evaluation.benchmarks.eqbench import EQ_BENCH_V1, EQ_BENCH_V2, EQ_BENCH_V2_CODE, EQ_BENCH_V2_DE
from evaluation.benchmarks.seceu import SECEU, SECEU_DIRECT, SECEU_SHUFFLED

BENCHMARKS: dict[str, Benchmark] = {
    "eq-bench-v2": EQ_BENCH_V2,
    "eq-bench-v2-code": EQ_BENCH_V2_CODE,
    "eq-bench-v1": EQ_BENCH_V1,
    "eq-bench-v2-de": EQ_BENCH_V2_DE,
    **{benchmark.name: benchmark for benchmark in (SECEU, SECEU_DIRECT, SECEU_SHUFFLED, EMOTION_BENCH)},
    "empathy-replies": EMPATHY_REPLIES,
    "empathy-judged": EMPATHY_JUDGED,
}

JUDGES_OF: dict[str, str] = {"empathy-judged": "empathy-replies"}
"""Benchmark of a judge -> the benchmark whose replies it rates. Its runs open by themselves
(`evaluation.runs.judging`)."""


def why_no_run(name: str) -> str:
    """One sentence for whoever asks for a run of a benchmark that nobody can ask for; "" for any other name."""
    if name not in JUDGES_OF:
        return ""
    return f"A run of {name} opens by itself, for each judge of this board, when a run of {JUDGES_OF[name]} ends."


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
