"""Speed as ratios, measured in one run against the demo endpoint on this machine: `python -m tests.bench`.

The limit of a pass is ceil(items / concurrency) times the endpoint's latency: no client can be faster. Times by the
clock mean something on a quiet machine alone: the load that the bench met is its first line, and above QUIET it ends
with status 2, whatever it measured. `python -m tests.bench command` measures the command alone.

Goals for work were set on one machine. How many times as long this one takes is measured first, by how long Python
splits the hostile texts into words, and these goals are as many times larger here (`figure.py`).

A machine that is quiet inside may share its processors with others outside. These can only add, so of what takes few
seconds the least of three is given, as `timeit` advises; of memory the most.
"""

import json
import math
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.cost import ROOT, Cost, cost_of
from tests.bench.figure import Figure
from tests.bench.hostile import hostile_figures, slowness
from tests.bench.pages import page_figures
from tests.bench.scratch import ITEMS, scratch
from tests.bench.statistics import statistics_figures
from tests.bench.strangers import stranger_figures

LATENCY_SECONDS = 0.2
RATIOS = {1: 1.03, 8: 1.05, 32: 1.10, 64: 1.25}
TRIES = {1: 1, 8: 3, 32: 3, 64: 3}  # one after another takes 35 s by itself, in which little weighs
WALL_SECONDS, CPU_SECONDS, PEAK_MEGABYTES = 2.2, 1.2, 85  # of `evaluate`: 171 items, 32 at once, 200 ms
QUIET = 0.5  # load average over a minute
MISSED, BUSY = 1, 2


@contextmanager
def demo(*more: str) -> Iterator[str]:
    words = ["demo_endpoint", "--port", "0", "--persona", "random", "--latency-ms", str(int(1000 * LATENCY_SECONDS))]
    process = subprocess.Popen(
        [sys.executable, "manage.py", *words, *more], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout
        line = process.stdout.readline()
        yield next(word for word in line.split() if word.startswith("http://")).removesuffix("/v1")
    finally:
        process.terminate()
        process.wait()


def log_of(address: str) -> list[dict[str, float]]:
    with urllib.request.urlopen(f"{address}/log") as response:  # noqa: S310
        requests: list[dict[str, float]] = json.load(response)["requests"]
    return requests


def pass_through_command(concurrency: int) -> tuple[float, Cost]:
    """(ratio of the time from first to last request to the limit, cost of the whole command)."""
    with demo() as address:
        words = ("--model", f"bench/{time.monotonic_ns()}", "--base-url", address, "--concurrency", str(concurrency))
        cost = cost_of("evaluate", *words, "--json")
        requests = log_of(address)
    result = json.loads(cost.output)
    assert result["results"] == ITEMS, "every result is stored"
    assert len(requests) == ITEMS, "every item is asked once"
    seconds = requests[-1]["time"] + LATENCY_SECONDS - requests[0]["time"]
    return seconds / (math.ceil(ITEMS / concurrency) * LATENCY_SECONDS), cost


def pass_figures() -> Iterator[Figure]:
    for concurrency, target in RATIOS.items():
        ratios, costs = zip(*(pass_through_command(concurrency) for _ in range(TRIES[concurrency])), strict=True)
        words = f"requests of a pass against the limit, {concurrency} in flight"
        yield Figure(words, min(ratios), target, "×", of_work=True, waiting=1.0)  # above the limit all is work
        if concurrency == 32:
            waiting = math.ceil(ITEMS / concurrency) * LATENCY_SECONDS
            wall, cpu = min(cost.wall for cost in costs), min(cost.cpu for cost in costs)
            yield Figure("evaluate as a whole at 32: wall", wall, WALL_SECONDS, "s", of_work=True, waiting=waiting)
            yield Figure("evaluate as a whole at 32: CPU", cpu, CPU_SECONDS, "s", of_work=True)
            most = max(cost.megabytes for cost in costs)
            yield Figure("evaluate as a whole at 32: peak memory", most, PEAK_MEGABYTES, "MB")


def limited_figures() -> Iterator[Figure]:
    """The endpoint allows 20 requests a second and answers 429 with Retry-After 1 beyond; the ideal is 8.6 s."""
    with demo("--fault", "rate-limit:20") as address:
        words = ("--model", "bench/limited", "--base-url", address, "--concurrency", "32", "--json")
        result = json.loads(cost_of("evaluate", *words).output)
        requests = log_of(address)
    assert result["results"] == ITEMS
    yield Figure(
        "20 requests a second allowed: time", requests[-1]["time"] - requests[0]["time"] + LATENCY_SECONDS, 10, "s"
    )
    yield Figure("20 requests a second allowed: refusals", sum(row["status"] == 429 for row in requests), 40)


def worker_figures(folder: Path) -> Iterator[Figure]:
    """CPU an item and memory of a worker that is up: five runs of 171 items, one after another."""
    from evaluation.benchmarks import BENCHMARKS
    from evaluation.models import Driver, ItemBank, Run, Status
    from evaluation.runs.opening import RunRequest, open_run
    from tests.processes import redis_server, wait_for, worker

    def ended(runs: list[Run]) -> Callable[[], bool]:
        ids = [run.pk for run in runs]
        return lambda: not Run.objects.filter(pk__in=ids).exclude(status=Status.FINISHED).exists()

    def queued(address: str, number: int) -> Run:
        bank = ItemBank.objects.get(slug="eq-bench-v2")
        request = RunRequest(
            model=f"bench/worker-{number}", base_url=f"{address}/v1", api_model="random", driver=Driver.WORKER,
            benchmark=BENCHMARKS["eq-bench-v2"], bank=bank, repeats=1, limit=None, concurrency=32, max_tokens=60,
            timeout_seconds=10,
        )  # fmt: skip
        return open_run(request)[0]

    with demo() as address, redis_server(folder / "redis") as broker, worker(folder, broker) as current:
        wait_for(ended([queued(address, 0)]), seconds=60, what="the first run")
        before = cpu_seconds(current.process.pid)
        runs = [queued(address, number) for number in range(1, 6)]
        wait_for(ended(runs), seconds=120, what="five runs")
        spent = cpu_seconds(current.process.pid) - before
        yield Figure("worker: CPU an item, with beat and reaper", 1000 * spent / (5 * ITEMS), 5, "ms", of_work=True)
        yield Figure(
            "worker: memory of all its processes (shared pages once)", pss_megabytes(current.process.pid), 200, "MB"
        )


def family(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(one for child in children for one in family(int(child)))]


def cpu_seconds(pid: int) -> float:
    ticks = 0
    for one in family(pid):
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15] if one == pid else fields[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def pss_megabytes(pid: int) -> float:
    def pss(one: int) -> int:
        lines = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))

    return sum(map(pss, family(pid))) / 1024


def scoring_figures() -> Iterator[Figure]:
    from leaderboard.garbage import look_rarely
    from tests.bench.scoring import TARGET, items_per_second
    from tests.conftest import SHARED

    if SHARED.is_dir():
        look_rarely()  # as a worker does
        best = max(items_per_second() for _ in range(3))
        yield Figure(
            "read and scored a second, replies of the 60 official runs", best, TARGET, at_least=True, of_work=True
        )


def figures(folder: Path, *, command_alone: bool) -> Iterator[Figure]:
    yield from pass_figures()
    if command_alone:
        return
    yield from limited_figures()
    yield from worker_figures(folder)
    yield from scoring_figures()
    yield from hostile_figures()
    yield from page_figures(folder)
    yield from statistics_figures(folder)
    yield from stranger_figures()


def main() -> int:
    load = os.getloadavg()[0]
    quiet = load <= QUIET
    words = "" if quiet else ": not quiet, so times by the clock say nothing, and this bench ends with status 2"
    sys.stdout.write(f"load of this machine {load:.2f}{words}\n")
    slow = max(1.0, slowness())  # a faster machine has the same goals
    sys.stdout.write(f"it takes {slow:.2f} times as long as the one on which goals for work were set\n")
    missed = 0
    with scratch() as folder:
        for figure in figures(folder, command_alone="command" in sys.argv[1:]):
            here = figure.here(slow)
            sys.stdout.write(f"{here}\n")
            sys.stdout.flush()
            missed += not here.holds
    return BUSY if not quiet else MISSED if missed else 0


if __name__ == "__main__":
    sys.exit(main())
