"""Signals that come while migrations are applied: each waits for the migration under way, not for all of them.

Django may commit a migration before it records it. A process that ends between the two leaves a database that no later
start can migrate.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def signals_held_back() -> Iterator[list[int]]:
    """Yields the list of the signals that have come. The first of them is raised at the end of the block.

    Python lets only the main thread handle signals; in another one nothing is held back.
    """
    came: list[int] = []
    in_main = threading.current_thread() is threading.main_thread()
    heeded = [number for number in STOPPING if in_main and signal.getsignal(number) != signal.SIG_IGN]
    handlers = {number: signal.signal(number, lambda number, _: came.append(number)) for number in heeded}
    try:
        yield came
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if came:
        signal.raise_signal(came[0])
