"""Reads the history: samples of the rows while the chaos lasts, and all rows and the endpoint's log afterwards."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db import connection
from django.db.models import Q
from django.db.models.functions import Now

from evaluation.models import ItemResult, Run
from evaluation.states import ItemState, Status
from tests.chaos.arena import LEASE_SECONDS, history, patiently
from tests.chaos.figures import Figure, exactly

SAMPLE_SECONDS = 0.2
Pairs = dict[tuple[int, int, int], tuple[int, float | None]]


@dataclass
class Samples:
    """What was seen while it went on. `overdue` is the longest time, in seconds, that a run was called running while
    its lease had run out; `lost` counts results that were there and then were not, or were another."""

    overdue: float = 0
    taken: int = 0
    lost: int = 0
    seen: Pairs = field(default_factory=dict)
    since: dict[int, float] = field(default_factory=dict)

    def take(self, runs: Sequence[int]) -> None:
        self._look_at_leases(runs)
        now = stored(runs)
        self.lost += sum(now.get(pair) != result for pair, result in self.seen.items())
        self.seen = now
        self.taken += 1

    def _look_at_leases(self, runs: Sequence[int]) -> None:
        """By our own watch, from the first sample that saw it: the row's times may have been moved on purpose."""
        dead = Q(lease_until__lt=Now()) | Q(lease_until=None)
        overdue = Run.objects.filter(dead, pk__in=runs, status=Status.RUNNING).values_list("pk", flat=True)
        now = time.monotonic()
        self.since = {run: self.since.get(run, now) for run in overdue}
        self.overdue = max([self.overdue, *(now - since for since in self.since.values())])


def stored(runs: Sequence[int]) -> Pairs:
    """The row and the score of each (run, item, repeat)."""
    rows = ItemResult.objects.filter(run__in=runs).values_list("run_id", "item_id", "repeat", "pk", "score")
    return {(run, item, repeat): (pk, score) for run, item, repeat, pk, score in rows}


@contextmanager
def sampled(*runs: Run) -> Iterator[Samples]:
    """Takes a sample each fifth of a second from a thread of its own while the block lasts."""
    samples, done, ids = Samples(), threading.Event(), [run.pk for run in runs]

    def sample() -> None:
        while not done.wait(SAMPLE_SECONDS):
            patiently(lambda: samples.take(ids))
        connection.close()

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    try:
        yield samples
    finally:
        done.set()
        thread.join(timeout=90)
        samples.take(ids)


def rows_are_whole(runs: Sequence[Run], samples: Samples) -> Iterator[Figure]:
    """R1 over the rows: each (run, item, repeat) once, and nothing that was stored lost or changed."""
    wanted = sum(run.n_asks for run in runs)
    rows = list(ItemResult.objects.filter(run__in=runs).values_list("run_id", "item_id", "repeat"))
    yield exactly("R1", f"results of {len(runs)} runs", len(set(rows)), wanted)
    yield Figure("R1", "doubled rows", len(rows) - len(set(rows)), 0)
    yield Figure("R1", f"stored results lost or changed, in {samples.taken} samples", samples.lost, 0)
    named = [state.value for state in ItemState]
    unnamed = ItemResult.objects.filter(run__in=runs).exclude(state__in=named).count()
    unscored = ItemResult.objects.filter(run__in=runs, state=ItemState.READ, score=None).count()
    yield Figure("R1", "results in no named state, or read and without a score", unnamed + unscored, 0)


def requests_are_few(address: str, runs: Sequence[Run], most_repeated: int, why: str) -> Iterator[Figure]:
    """R2 over the endpoint's own log, of runs whose every pair was asked once per model name."""
    asked = history(address)
    wanted = sum(run.n_asks for run in runs)
    yield Figure("R2", f"requests sent again ({why})", sum(asked.values()) - wanted, most_repeated)


def lease_is_alive(samples: Samples, *, down_seconds: float = 0) -> Figure:
    """R5 in seconds, for the short lease of a test: a board's 60 s at a lease of 45 s, scaled to it.

    `down_seconds` is how long there may be no worker at all that could find the run: those that were killed start anew.
    """
    what = "longest 'running' without a live lease"
    return Figure("R5", what, samples.overdue, LEASE_SECONDS * 60 / 45 + down_seconds, "s")
