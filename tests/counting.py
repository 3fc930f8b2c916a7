"""Work counted instead of timed: what is counted is the same on every machine, however busy it is."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import SupportsIndex


def calls_of(work: Callable[[], object]) -> int:
    """How many functions the work calls in this thread, those written in C included."""
    count = 0

    def note(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


class Copied(str):
    """A text that counts the characters which slices of it copy, and slices of these, and which `find` looks through.

    `seen` is a list of one number, shared with all slices. A slice that a compiled function takes is not counted.
    """

    seen: list[int]

    @classmethod
    def of(cls, text: str, seen: list[int] | None = None) -> "Copied":
        made = cls(text)
        made.seen = [0] if seen is None else seen
        return made

    def __getitem__(self, key: SupportsIndex | slice) -> "Copied":
        part = super().__getitem__(key)
        self.seen[0] += len(part)
        return Copied.of(part, self.seen)

    def find(self, sub: str, start: SupportsIndex | None = None, end: SupportsIndex | None = None, /) -> int:
        at = super().find(sub, start, end)
        begun, until = int(start or 0), len(self) if end is None else int(end)
        self.seen[0] += max((until if at < 0 else at) - begun, 0)
        return at
