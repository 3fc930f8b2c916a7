"""The table of a run: means, changes and arrows by factor, emotion and overall, as the authors print them.

Here is scipy, which a run does not need: pages call this, runs do not. Of scipy its plain functions are enough; its
distributions would cost each process 45 MB.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from scipy.special import fdtrc, stdtr

from evaluation.benchmarks.emotionbench.scoring import Sample, sample

ALPHA = 0.01
"""The authors' bound for both tests. There is no correction for many tests, and the runs of one situation count as
independent, which they are not: the arrows overstate how certain they are."""

LEAST_SD = 1e-8
"""The authors add it to both SDs, so that a model which never varies can be tested."""

UP, DOWN, LEVEL = "up", "down", "-"


@dataclass(frozen=True, slots=True)
class Tested:
    """A change between two samples. `test` is "student", "welch" or "paired"; `f` and `p_f` are of the test of equal
    variances, None for a paired one.
    """

    change: float
    test: str
    t: float
    df: float
    p: float
    f: float | None = None
    p_f: float | None = None

    @property
    def arrow(self) -> str:
        """ "-" where the change is not significant."""
        if not self.p <= ALPHA:
            return LEVEL
        return UP if self.t > 0 else DOWN


def change_test(default: Sample, evoked: Sample) -> Tested | None:
    """The authors' test of a change: F test of the variances, then Student's t test or Welch's. None where a side has
    fewer than two scores.
    """
    if default.sd is None or evoked.sd is None:
        return None
    sd_1, sd_2 = evoked.sd + LEAST_SD, default.sd + LEAST_SD
    f, p_f = _equal_variances(sd_1, evoked.n, sd_2, default.n)
    change = evoked.mean - default.mean
    a, b = sd_1**2 / evoked.n, sd_2**2 / default.n
    if p_f > ALPHA:
        df: float = evoked.n + default.n - 2
        pooled = ((evoked.n - 1) * sd_1**2 + (default.n - 1) * sd_2**2) / df
        t, test = change / sqrt(pooled * (1 / evoked.n + 1 / default.n)), "student"
    else:
        df = (a + b) ** 2 / (a**2 / (evoked.n - 1) + b**2 / (default.n - 1))
        t, test = change / sqrt(a + b), "welch"
    return Tested(change, test, t, df, _two_sided(t, df), f, p_f)


def _equal_variances(sd_1: float, n_1: int, sd_2: float, n_2: int) -> tuple[float, float]:
    """The larger variance over the smaller one, and the p of the F test, at most 1."""
    (larger, n_larger), (smaller, n_smaller) = sorted(((sd_1, n_1), (sd_2, n_2)), reverse=True)
    f = larger**2 / smaller**2
    return f, min(1.0, float(2 * fdtrc(n_larger - 1, n_smaller - 1, f)))


def paired(before: Sequence[float], after: Sequence[float]) -> Tested | None:
    """The test of people, who have both scores: on their own differences. None with fewer than two people."""
    moved = sample([late - early for early, late in zip(before, after, strict=True)])
    if moved.sd is None:
        return None
    t, df = moved.mean / ((moved.sd + LEAST_SD) / sqrt(moved.n)), moved.n - 1
    return Tested(moved.mean, "paired", t, df, _two_sided(t, df))


def _two_sided(t: float, df: float) -> float:
    return float(2 * stdtr(df, -abs(t)))


@dataclass(frozen=True, slots=True)
class Row:
    """One row: a factor, an emotion or all. Samples and tests have an entry an affect; `few` marks a factor with under
    half of its runs.
    """

    name: str
    evoked: tuple[Sample, ...]
    tests: tuple[Tested | None, ...]
    few: bool = False


def rows(detail: Mapping[str, object]) -> list[Row]:
    """The rows of a stored run, in the order of its detail (`summary.detail_of`)."""
    default = _samples(detail["default"])
    entries = detail["rows"]
    found = []
    for entry in entries if isinstance(entries, Sequence) else ():
        evoked = _samples(entry["evoked"])
        tests = tuple(change_test(before, after) for before, after in zip(default, evoked, strict=False))
        found.append(Row(str(entry["row"]), evoked, tests, bool(entry["few"])))
    return found


def samples_of_default(detail: Mapping[str, object]) -> tuple[Sample, ...]:
    """The scores without a situation, a sample an affect."""
    return _samples(detail["default"])


def _samples(stored: object) -> tuple[Sample, ...]:
    return tuple(Sample(each["n"], each["mean"], each["sd"]) for each in stored) if isinstance(stored, Sequence) else ()
