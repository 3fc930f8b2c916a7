"""Whether this worker is shutting down, known to the worker and to each process of its pool.

Celery lets a running task go on at SIGTERM and tells the pool's processes nothing. So the worker sets an event that was
made before its pool was forked; a run sees it within a moment, stops taking items and gives its lease back.
"""

import multiprocessing

from celery.signals import worker_shutting_down

draining = multiprocessing.get_context("fork").Event()


@worker_shutting_down.connect
def _drain(**_: object) -> None:
    draining.set()
