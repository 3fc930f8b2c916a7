"""How long the worst of 240 hostile megabytes is read: `python -m tests.bench.hostile`.

The peer is Python's own `text.lower().split()` on the same text. The limits are those of a tenth of a second on the
machine on which the peer took 0.67 ms for the text with the worst ratio, and 4.5 ms for the middle one of all texts.
"""

import random
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median

from tests.bench.figure import Figure
from tests.evaluation.benchmarks.standard import read
from tests.evaluation.benchmarks.test_eqbench_hostile import MEGABYTE, READERS, UNITS, filled, repeated

SEEDS = 160
TRIES = 3
OWN_PEER, MIDDLE_PEER = 150, 22
MIDDLE_PEER_SECONDS = 0.0045


def best(work: Callable[[], object]) -> float:
    """Seconds of the process's own work, the least of a few tries."""

    def once() -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    return min(once() for _ in range(TRIES))


def texts() -> Iterator[str]:
    yield from (repeated(unit, MEGABYTE) for unit in UNITS)
    yield from (filled(random.Random(seed), MEGABYTE) for seed in range(SEEDS))


def peer_seconds(text: str) -> float:
    return best(lambda: text.lower().split())


def slowness() -> float:
    """How many times as long this machine takes for the peer as the one where the limits were set."""
    return median(map(peer_seconds, texts())) / MIDDLE_PEER_SECONDS


def hostile_figures() -> Iterator[Figure]:
    read_seconds, peers = [], []
    for number, text in enumerate(texts()):
        by, item = READERS[number % 2]
        read_seconds.append(best(partial(read, text, revision=number % 4 < 2, item=item, by=by)))
        peers.append(peer_seconds(text))
    worst = max(mine / peer for mine, peer in zip(read_seconds, peers, strict=True))
    yield Figure("a hostile megabyte is read: worst against its words split", worst, OWN_PEER, "×")
    slowest = max(read_seconds) / median(peers)
    yield Figure("the slowest of them against the middle one's words split", slowest, MIDDLE_PEER, "×")


if __name__ == "__main__":
    for figure in hostile_figures():
        sys.stdout.write(f"{figure}\n")
