"""Counts of Good, Okay and Bad: shares with intervals, tests of tables, and effect sizes with words.

Pure: may not import Django, HTTP or a clock.
"""

from dataclasses import dataclass
from math import asin, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, gammaln

from evaluation.statistics.arrays import Floats
from evaluation.statistics.normal import Z95, Interval

Method = Literal["chi-square", "chi-square with Yates correction", "Fisher's exact test", "none"]

LEAST_EXPECTED = 5.0
"""With a smaller expected count in any cell the chi-square distribution is no good approximation."""
V_WORDS = ((0.1, "very small"), (0.3, "small"), (0.5, "medium"))
H_WORDS = ((0.2, "very small"), (0.5, "small"), (0.8, "medium"))
LARGE = "large"
_SAME_CHANCE = 1e-7
"""Tables whose chances differ by less than this share are equally likely; the rest is rounding."""


@dataclass(frozen=True, slots=True)
class TableTest:
    """The test of a table of counts, after columns without any answer were dropped.

    `p` is the p value to show, and `method` names the test that it comes from: chi-square, with Yates' correction for
    a 2 x 2 table, or Fisher's exact test for a 2 x 2 table with an expected count below 5. It is None where `reason`
    says why. `chi_square` and `p_plain` are without correction; `chi_square_yates` and `p_yates` exist for 2 x 2 tables
    alone. `v` is Cramer's V from the plain chi-square; its words fit tables of two rows, and are "" for others.
    """

    method: Method
    p: float | None
    reason: str
    df: int
    n: int
    smallest_expected: float | None
    chi_square: float | None
    p_plain: float | None
    chi_square_yates: float | None
    p_yates: float | None
    v: float | None
    v_words: str


def wilson_interval(good: int, n: int) -> Interval:
    """Wilson's 95 % interval of the share good / n, each end from 0 to 1. Raises ValueError unless 0 <= good <= n > 0.

    Source: Wilson 1927, Journal of the American Statistical Association 22.
    """
    if not 0 <= good <= n or n == 0:
        raise ValueError(f"{good} of {n} is no share")
    share, z2 = good / n, Z95**2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    reach = Z95 * sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    # At the ends rounding would leave a limit of 1e-17 for 0, or one above 1.
    low = 0.0 if good == 0 else centre - reach
    high = 1.0 if good == n else centre + reach
    return Interval(low, high)


def cohens_h(first: float, second: float) -> float:
    """Cohen's h, the first share less the second on the arcsine scale: -pi to pi, 0 for equal shares."""
    return 2 * asin(sqrt(first)) - 2 * asin(sqrt(second))


def words_of_v(v: float) -> str:
    """The size of Cramer's V of a table of two rows: "very small" below 0.1, "large" from 0.5."""
    return next((word for limit, word in V_WORDS if v < limit), LARGE)


def words_of_h(h: float) -> str:
    """The size of Cohen's h by its absolute value: "very small" below 0.2, "large" from 0.8 (Cohen 1988)."""
    return next((word for limit, word in H_WORDS if abs(h) < limit), LARGE)


def table_test(table: ArrayLike) -> TableTest:
    """Tests whether the rows of a table of counts answer alike.

    Args:
        table: Rows (responders) x levels, whole numbers of 0 and more.

    Returns:
        The test. A level with no answers is dropped first, so that a table of three levels may become 2 x 2. A table
        that keeps one level alone, and a larger one with an expected count below 5, have no p value.

    Raises:
        ValueError: No table of two rows or more, a negative count, or a row without any answer.
    """
    counts = _checked(table)
    counts = counts[:, counts.sum(axis=0) > 0]
    df = (len(counts) - 1) * (counts.shape[1] - 1)
    if df == 0:
        return _untested(int(counts.sum()))
    return _tested(counts, df)


def _checked(table: ArrayLike) -> Floats:
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or len(counts) < 2:
        raise ValueError(f"expected two rows of counts or more, got an array of shape {counts.shape}")
    if not np.all(counts >= 0) or not np.all(np.isfinite(counts)):
        raise ValueError("a count is negative or no number")
    if not np.all(counts.sum(axis=1) > 0):
        raise ValueError("a row has no answers")
    return counts


def _untested(n: int) -> TableTest:
    return TableTest(
        method="none",
        p=None,
        reason="all answers are of one level",
        df=0,
        n=n,
        smallest_expected=None,
        chi_square=None,
        p_plain=None,
        chi_square_yates=None,
        p_yates=None,
        v=None,
        v_words="",
    )


def _tested(counts: Floats, df: int) -> TableTest:
    total = float(counts.sum())
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / total
    gaps = np.abs(counts - expected)
    plain = float((np.square(gaps) / expected).sum())
    is_two_by_two = counts.shape == (2, 2)
    yates = float((np.square(np.maximum(gaps - 0.5, 0.0)) / expected).sum()) if is_two_by_two else None
    p_plain = float(chdtrc(df, plain))
    p_yates = None if yates is None else float(chdtrc(df, yates))
    v = sqrt(plain / (total * (min(counts.shape) - 1)))
    smallest = float(expected.min())
    method, p, reason = _shown(counts, smallest, p_plain, p_yates)
    return TableTest(
        method=method,
        p=p,
        reason=reason,
        df=df,
        n=int(total),
        smallest_expected=smallest,
        chi_square=plain,
        p_plain=p_plain,
        chi_square_yates=yates,
        p_yates=p_yates,
        v=v,
        v_words=words_of_v(v) if len(counts) == 2 else "",
    )


def _shown(counts: Floats, smallest: float, p_plain: float, p_yates: float | None) -> tuple[Method, float | None, str]:
    """Which test's p value is shown, that value, and why there is none."""
    is_small = smallest < LEAST_EXPECTED
    if p_yates is not None:
        if is_small:
            return "Fisher's exact test", fisher_exact(counts), ""
        return "chi-square with Yates correction", p_yates, ""
    if is_small:
        return "none", None, f"an expected count is below {LEAST_EXPECTED:g}"
    return "chi-square", p_plain, ""


def fisher_exact(table: ArrayLike) -> float:
    """The two-sided p of Fisher's exact test of a 2 x 2 table: the chance, with all sums of rows and columns as they
    are, of a table at most as likely as this one. Raises ValueError for another shape.
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.shape != (2, 2):
        raise ValueError(f"expected a 2 x 2 table, got shape {counts.shape}")
    (a, b), (c, d) = counts.tolist()
    low, high = max(0.0, a - d), min(a + b, a + c)
    first = np.arange(low, high + 1)
    logs = -(gammaln(first + 1) + gammaln(a + b - first + 1) + gammaln(a + c - first + 1) + gammaln(d - a + first + 1))
    chances = np.exp(logs - logs.max())
    observed = chances[int(a - low)]
    return float(min(chances[chances <= observed * (1 + _SAME_CHANCE)].sum() / chances.sum(), 1.0))
