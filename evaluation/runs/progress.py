"""The line that `evaluate` draws while it works: items done, rate, running mean, parse rate, time left. No database."""

import math
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TextIO

from evaluation.benchmarks.base import Benchmark, Measure
from evaluation.runs.recording import Outcome
from evaluation.states import ItemState
from evaluation.statistics.score_interval import half_of

BAR_WIDTH = 24
REDRAW_SECONDS = 0.1
LOG_EVERY_SECONDS = 10.0


@dataclass(slots=True)
class Progress:
    """`total` results in all. On no terminal it writes a line now and then instead.

    Mean and parse rate are those of all results of the run, also of those that an earlier start stored; the rate is
    that of this start. The mean is that of the benchmark's first item measure over the items, each with the mean of its
    repeats so far, with half of its 95 % interval. Repeats of an item fail together, so the interval counts items, not
    results. The last line of a run that is over has the run's own score instead, which may have another unit.
    """

    total: int
    out: TextIO
    benchmark: Benchmark
    began: float = field(default_factory=time.monotonic)
    done: int = 0
    here: int = 0
    read: int = 0
    scores: defaultdict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    drawn_at: float = -math.inf

    def begin_from(self, stored: Iterable[tuple[int, str, float | None]]) -> None:
        """Counts what earlier starts stored: item, state and score of each result."""
        for item, state, score in stored:
            self._count(item, state, score)

    def note(self, outcome: Outcome) -> None:
        self.here += 1
        self._count(outcome.item_pk, outcome.fields["state"], outcome.fields["score"])
        pause = REDRAW_SECONDS if self.out.isatty() else LOG_EVERY_SECONDS
        if self.done < self.total and time.monotonic() - self.drawn_at >= pause:
            self.drawn_at = time.monotonic()
            self._write(self._line(self._mean()), end="" if self.out.isatty() else "\n")

    def end(self, score: float | None, standard_error: float | None, n_scored: int, *, over: bool) -> None:
        """The last line. Of a run that is over it has the run's own score, or that it has none."""
        if over and self.benchmark.measures:
            shown = with_half(score, standard_error, n_scored, self.benchmark.measures[0])
        else:
            shown = self._mean()
        self._write(self._line(shown), end="\n")

    def _count(self, item: int, state: str, score: float | None) -> None:
        self.done += 1
        self.read += state == ItemState.READ
        if score is not None:
            self.scores[item].append(score)

    def _write(self, line: str, *, end: str) -> None:
        start = "\r\x1b[K" if self.out.isatty() else ""
        self.out.write(f"{start}{line}{end}")
        self.out.flush()

    @property
    def _measure(self) -> Measure:
        return self.benchmark.item_measures[0]

    def _line(self, score: str) -> str:
        filled = BAR_WIDTH * self.done // max(1, self.total)
        bar = "█" * filled + "░" * (BAR_WIDTH - filled)
        return f"{bar} {self.done}/{self.total}  {self._rate()}  {score}  {self._read()}  {self._left()}"

    def _rate(self) -> str:
        return f"{self.here / max(1e-9, time.monotonic() - self.began):.1f}/s"

    def _mean(self) -> str:
        n = len(self.scores)
        if not n:
            return f"no {self._measure.title.lower()} yet"
        items = [math.fsum(scores) / len(scores) for scores in self.scores.values()]
        mean = math.fsum(items) / n
        if n == 1:
            return with_half(mean, None, n, self._measure)
        variance = math.fsum((item - mean) ** 2 for item in items) / (n - 1)
        return with_half(mean, math.sqrt(variance / n), n, self._measure)

    def _read(self) -> str:
        return f"read {100 * self.read / self.done:.0f} %" if self.done else "read –"

    def _left(self) -> str:
        left = self.total - self.done
        if not self.here or not left:
            return "done" if not left else "time left –"
        seconds = left * (time.monotonic() - self.began) / self.here
        return f"{seconds / 60:.0f} min left" if seconds >= 90 else f"{seconds:.0f} s left"


def with_half(value: float | None, standard_error: float | None, n_scored: int, measure: Measure) -> str:
    """For example "score 58.25 ±5.88": the value with half of its 95 % interval, to the digits of the measure."""
    name, digits = measure.title.lower(), measure.digits
    if value is None:
        return f"no {name}"
    half = half_of(standard_error, n_scored)
    return f"{name} {value:.{digits}f}" + (f" ±{half:.{digits}f}" if half is not None else "")
