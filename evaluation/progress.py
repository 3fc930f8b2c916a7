"""The line that `evaluate` draws while it works: items done, rate, running mean, parse rate, time left. No database."""

import math
import time
from dataclasses import dataclass, field
from typing import TextIO

from evaluation.recording import Outcome
from evaluation.states import ItemState

BAR_WIDTH = 24
REDRAW_SECONDS = 0.1
LOG_EVERY_SECONDS = 10.0


@dataclass(slots=True)
class Progress:
    """`total` pairs in all, `done` of them before this start. On no terminal it writes a line now and then instead.

    The mean is of this start's items alone, on the 0 to 100 scale, with the half width of its 95 % interval.
    """

    total: int
    done: int
    out: TextIO
    began: float = field(default_factory=time.monotonic)
    here: int = 0
    read: int = 0
    scores: list[float] = field(default_factory=list)
    drawn_at: float = -math.inf

    def note(self, outcome: Outcome) -> None:
        self.here += 1
        self.read += outcome.fields["state"] == ItemState.READ
        if (score := outcome.fields["score"]) is not None:
            self.scores.append(10 * score)
        pause = REDRAW_SECONDS if self.out.isatty() else LOG_EVERY_SECONDS
        if time.monotonic() - self.drawn_at >= pause or self.done + self.here == self.total:
            self.draw()

    def draw(self) -> None:
        self.drawn_at = time.monotonic()
        end = "" if self.out.isatty() and self.done + self.here < self.total else "\n"
        start = "\r\x1b[K" if self.out.isatty() else ""
        self.out.write(f"{start}{self.line()}{end}")
        self.out.flush()

    def line(self) -> str:
        done = self.done + self.here
        filled = BAR_WIDTH * done // max(1, self.total)
        bar = "█" * filled + "░" * (BAR_WIDTH - filled)
        return f"{bar} {done}/{self.total}  {self._rate()}  {self._mean()}  {self._read()}  {self._left()}"

    def _rate(self) -> str:
        return f"{self.here / max(1e-9, time.monotonic() - self.began):.1f}/s"

    def _mean(self) -> str:
        if not self.scores:
            return "no score yet"
        mean = math.fsum(self.scores) / len(self.scores)
        return f"score {mean:.2f}{self._half_width(mean)}"

    def _half_width(self, mean: float) -> str:
        n = len(self.scores)
        if n < 2:
            return ""
        variance = math.fsum((score - mean) ** 2 for score in self.scores) / (n - 1)
        return f" ±{1.959964 * math.sqrt(variance / n):.1f}"

    def _read(self) -> str:
        return f"read {100 * self.read / self.here:.0f} %" if self.here else "read –"

    def _left(self) -> str:
        left = self.total - self.done - self.here
        if not self.here or not left:
            return "done" if not left else "time left –"
        seconds = left * (time.monotonic() - self.began) / self.here
        return f"{seconds / 60:.0f} min left" if seconds >= 90 else f"{seconds:.0f} s left"
