"""One line of the report."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the report; `target` is an upper bound unless `at_least`."""

    name: str
    value: float
    target: float
    unit: str = ""
    at_least: bool = False

    @property
    def holds(self) -> bool:
        return self.value >= self.target if self.at_least else self.value <= self.target

    def __str__(self) -> str:
        sign = "≥" if self.at_least else "≤"
        mark = "holds" if self.holds else "MISSED"
        return f"{self.name:<58} {self.value:>9.3f} {self.unit:<4} {sign} {self.target:g}  {mark}"
