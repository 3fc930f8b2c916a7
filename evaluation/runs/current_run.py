"""Which run this process works on now, for its log lines. No Django: the formatter of logs reads it at the start."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_current: ContextVar[int | None] = ContextVar("current_run", default=None)


def current_run() -> int | None:
    return _current.get()


@contextmanager
def working_on(run_id: int) -> Iterator[None]:
    token = _current.set(run_id)
    try:
        yield
    finally:
        _current.reset(token)
