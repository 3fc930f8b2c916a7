"""An event loop whose clock jumps to the next timer: hours of waiting take milliseconds, and exactly."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _JumpingSelector(selectors.DefaultSelector):
    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise AssertionError("every coroutine waits for another: nothing is left to happen")
        self.now += timeout
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """Counts seconds from zero; no real time passes."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def run_virtually(job: Coroutine[Any, Any, T]) -> tuple[T, float]:
    """The job's result and the virtual seconds that it took."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        result = runner.run(job)
        return result, runner.get_loop().time()
