"""Stops what a board leaves behind that was killed itself.

`python -m leaderboard.starting.warden` is told on its input, a line each, which processes stand at the head of a
session of the board. At the end of its input, which comes with the board's death however that came about, it stops
them, unless it was told before that all is done.

Imports nothing of the board: it has to start at once and to stay when all else breaks.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

ALL_DONE = "done"
PATIENCE_SECONDS = 8.0
POLL_SECONDS = 0.1


def left_behind(lines: Iterable[str]) -> list[int]:
    """The process ids on these lines; none of them where the last word is that all is done."""
    words = [line.strip() for line in lines]
    return [] if ALL_DONE in words else [int(word) for word in words]


def stop(heads: Iterable[int], patience_seconds: float = PATIENCE_SECONDS) -> None:
    """Asks each head of a session to stop, and kills what is left of its group after that time."""
    heads = list(heads)
    _each(heads, lambda head: os.kill(head, signal.SIGTERM))
    deadline = time.monotonic() + patience_seconds
    while any(map(_lives, heads)) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    _each(heads, lambda head: os.killpg(head, signal.SIGKILL))


def _each(heads: Iterable[int], act: Callable[[int], None]) -> None:
    for head in heads:
        with suppress(ProcessLookupError):
            act(head)


def _lives(head: int) -> bool:
    try:
        os.killpg(head, 0)
    except ProcessLookupError:
        return False
    return True


if __name__ == "__main__":
    stop(left_behind(sys.stdin))
