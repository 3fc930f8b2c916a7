"""What a proof found, as one line of a table."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number of a rule R1 to R15 and its bound: an upper one unless `at_least`.

    `skipped` says why nothing was measured; such a line neither holds nor misses. `note` is a
    second line in small print.
    """

    rule: str
    what: str
    value: float = 0
    bound: float = 0
    unit: str = ""
    at_least: bool = False
    skipped: str = ""
    note: str = ""

    @property
    def holds(self) -> bool:
        return self.value >= self.bound if self.at_least else self.value <= self.bound

    def __str__(self) -> str:
        if self.skipped:
            return f"{self.rule:<4} {self.what:<84} skipped: {self.skipped}"
        sign = "≥" if self.at_least else "≤"
        mark = "holds" if self.holds else "MISSED"
        number = f"{self.value:,.0f} {self.unit}" if self.value == int(self.value) else f"{self.value:,.2f} {self.unit}"
        line = f"{self.rule:<4} {self.what:<84} {number:>12} {sign} {self.bound:<6.4g} {mark}"
        return f"{line}\n     {self.note}" if self.note else line


def exactly(rule: str, what: str, value: float, wanted: float) -> Figure:
    """A number that must be hit: shown as how many it differs by, unless it is right."""
    if value == wanted:
        return Figure(rule, what, value, wanted, at_least=True)
    return Figure(rule, f"{what} (wanted {wanted:g}): off by", abs(value - wanted), 0)
