"""What the statistics of a study of empathetic replies are made of and come to: cells, lines, pairs, scopes. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from evaluation.statistics.contingency import TableTest
from evaluation.statistics.emotion_labels import Valence
from evaluation.statistics.normal import Interval
from evaluation.statistics.raters import (
    Raters,
    Welch,
)

ALL = "all"
SCOPES = (ALL, "positive", "negative")
"""The scopes that have a ranking. Emotions have comparisons with the reference only."""
LEAST_RATINGS = 30
"""A cell with fewer ratings has a share, but no p value."""
LEAST_RATERS = 51
"""A group with fewer raters is preliminary and stays off the ranking. Source: the study's power analysis."""
LEVEL = 0.05
STARS = ((0.001, "***"), (0.01, "**"), (LEVEL, "*"))

IntervalMethod = Literal["bootstrap over raters", "Wilson"]
Family = Literal["ranking", "preliminary"]


@dataclass(frozen=True, slots=True)
class Cell:
    """What one responder got in one scope. `bad` and `okay` are None where only the number of Good is known.

    `raters` is None where only counts are at hand. `basis` says where the counts come from, in the words of the file.
    Raises ValueError for counts that do not add up.
    """

    responder: str
    n: int
    good: int
    bad: int | None = None
    okay: int | None = None
    raters: Raters | None = None
    basis: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.good <= self.n or self.n < 1:
            raise ValueError(f"{self.good} Good of {self.n} ratings")
        if (self.bad is None) is not (self.okay is None):
            raise ValueError("Bad and Okay are known together or not at all")
        if self.bad is not None and self.okay is not None and self.bad + self.okay + self.good != self.n:
            raise ValueError(f"{self.bad} Bad, {self.okay} Okay and {self.good} Good are not {self.n} ratings")

    @property
    def share(self) -> float:
        return self.good / self.n

    @property
    def has_too_little(self) -> bool:
        return self.n < LEAST_RATINGS

    @property
    def levels(self) -> tuple[int, int, int] | None:
        """Bad, Okay, Good; None where the first two are not known."""
        return None if self.bad is None or self.okay is None else (self.bad, self.okay, self.good)

    @property
    def good_or_not(self) -> tuple[int, int]:
        return self.n - self.good, self.good


@dataclass(frozen=True, slots=True)
class Group:
    """All raters of one responder. `n_raters` is None where the number is not known; then `is_preliminary` is too.

    `icc` and `design_effect` concern Good over all prompts.
    """

    responder: str
    n_raters: int | None
    is_preliminary: bool | None
    icc: float | None
    design_effect: float | None


@dataclass(frozen=True, slots=True)
class Line:
    """One responder in one scope.

    `interval` is the one to show: over whole raters where they are known and differ, else Wilson's. `gain` is in per
    cent of the reference's share, `points` in percentage points; both are None for the reference itself, and the gain
    also where the reference has no Good. Their intervals are bootstrapped over raters, None without known raters.
    `mean_level` is from 1 (Bad) to 3 (Good). Rank and letters are those of the ranking: None and empty for a group
    that is preliminary, and for emotions. `has_too_little`: fewer than 30 ratings, so no test was made.
    """

    responder: str
    n: int
    bad: int | None
    okay: int | None
    good: int
    share: float
    interval: Interval
    interval_method: IntervalMethod
    wilson: Interval
    mean_level: float | None
    gain: float | None
    gain_interval: Interval | None
    points: float | None
    points_interval: Interval | None
    has_too_little: bool
    rank: int | None
    letters: tuple[str, ...]
    basis: str


@dataclass(frozen=True, slots=True)
class ByRater:
    """The two tests that count a rater once. Each is None where it cannot be made."""

    welch: Welch | None
    permutation_p: float | None


@dataclass(frozen=True, slots=True)
class Pair:
    """The first responder less the second in one scope.

    `good` tests Good against the rest, and its p is the one that is adjusted and starred; `three_levels` tests Bad,
    Okay and Good. Both are None where `reason` says why. `p_adjusted` is Holm's over the pairs of `family` in a scope,
    and Benjamini-Hochberg's over the emotions of one responder. `by_rater` is None where raters are not known.
    """

    first: str
    second: str
    points: float
    good: TableTest | None
    three_levels: TableTest | None
    reason: str
    p: float | None
    p_adjusted: float | None
    stars: str
    family: Family
    h: float
    h_words: str
    by_rater: ByRater | None

    @property
    def differs(self) -> bool:
        return self.p_adjusted is not None and self.p_adjusted < LEVEL


@dataclass(frozen=True, slots=True)
class Omnibus:
    """The test of all responders at once. `left_out` has those with too few ratings; `test` is None with `reason`."""

    levels: Literal["Bad, Okay, Good", "Good against the rest"]
    responders: tuple[str, ...]
    left_out: tuple[str, ...]
    test: TableTest | None
    reason: str


@dataclass(frozen=True, slots=True)
class Scope:
    """One scope with its ranking: lines with the reference first and then by share, and each pair once."""

    name: str
    lines: tuple[Line, ...]
    omnibus: Omnibus
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Emotion:
    """One emotion: lines as in a scope, and each responder against the reference.

    `n_tests` of the study says how many tests the correction of a responder covers.
    """

    name: str
    valence: Valence
    lines: tuple[Line, ...]
    against_reference: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Study:
    """All results.

    `n_tests` has, for each responder, the number of emotions that its correction counts. `without_reference` names
    emotions that the reference has no ratings in; nothing can be compared there.
    """

    reference: str
    groups: tuple[Group, ...]
    scopes: tuple[Scope, ...]
    emotions: tuple[Emotion, ...]
    n_tests: Mapping[str, int]
    without_reference: tuple[str, ...]
