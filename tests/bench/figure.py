"""One line of the report."""

from dataclasses import dataclass, replace
from typing import Self


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the report; `target` is an upper bound unless `at_least`.

    A target `of_work` was set on one machine: on another it is as many times larger as that one takes longer, but for
    the part of it that is spent `waiting` on any.
    """

    name: str
    value: float
    target: float
    unit: str = ""
    at_least: bool = False
    of_work: bool = False
    waiting: float = 0.0

    def here(self, slowness: float) -> Self:
        """The same with the target of this machine."""
        if not self.of_work:
            return self
        work = self.target - self.waiting
        return replace(self, target=self.waiting + (work / slowness if self.at_least else work * slowness))

    @property
    def holds(self) -> bool:
        return self.value >= self.target if self.at_least else self.value <= self.target

    def __str__(self) -> str:
        sign = "≥" if self.at_least else "≤"
        mark = "holds" if self.holds else "MISSED"
        return f"{self.name:<58} {self.value:>9.3f} {self.unit:<4} {sign} {self.target:g}  {mark}"
