"""How many replies a second are read and scored: `python -m tests.bench.scoring`. The target is 20,000 on one core."""

import sys
import time

from evaluation.benchmarks import BENCHMARKS
from tests.conftest import SHARED
from tests.evaluation.benchmarks.official import bank, official_runs, read_scores, summary_of

TARGET = 20_000
TRIES = 3


def items_per_second() -> float:
    """Of the replies of the 60 official runs, read, scored and summarised once; files are read beforehand.

    In seconds of the process's own work, so that other work on the machine does not count.
    """
    benchmark, items, runs = BENCHMARKS["eq-bench-v2"], bank(SHARED, "eq-bench-v2"), official_runs(SHARED)
    start = time.process_time()
    for run in runs:
        summary_of(read_scores(benchmark, items, run.replies, revision=run.revision), benchmark)
    return sum(len(run.replies) for run in runs) / (time.process_time() - start)


def main() -> int:
    if not SHARED.is_dir():
        sys.stdout.write("The official run files are not beside this checkout (../shared/data).\n")
        return 1
    best = max(items_per_second() for _ in range(TRIES))
    sys.stdout.write(f"{best:,.0f} items per second, best of {TRIES}; the target is {TARGET:,}\n")
    return 0 if best >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
