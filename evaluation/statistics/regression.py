"""What lies behind a correlation: the line and its outliers, a third measure held fixed, a bend, saturation.

Pure: may not import Django, HTTP or a clock.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Floats, as_floats, is_constant, paired_values, rounding_of
from evaluation.statistics.correlation import average_ranks, pearson
from evaluation.statistics.intervals import Interval
from evaluation.statistics.students_t import t_critical

OUTLYING = 2.0
"""A studentised residual of this size or more is listed."""


@dataclass(frozen=True, slots=True)
class Outlier:
    """`index` is the place in the input; `residual` is internally studentised, above the line positive."""

    index: int
    residual: float


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """Least squares of y on x over n pairs: y = intercept + slope x.

    `residual_sd` is with n - 2. `studentised` has the length of the input: e_i / (s sqrt(1 - h_i)), 0 on the line, and
    NaN where a value is missing, where one point alone holds the line's slope, and where all points lie on it.
    """

    n: int
    intercept: float
    slope: float
    residual_sd: float
    r_squared: float
    studentised: Floats
    mean_x: float
    spread_x: float

    @property
    def outliers(self) -> tuple[Outlier, ...]:
        """Those of size 2 or more, largest first."""
        listed = np.flatnonzero(np.abs(np.nan_to_num(self.studentised)) >= OUTLYING)
        ordered = listed[np.argsort(-np.abs(self.studentised[listed]), kind="stable")]
        return tuple(Outlier(int(i), float(self.studentised[i])) for i in ordered)

    def at(self, x: float) -> float:
        return self.intercept + self.slope * x

    def band(self, x: float) -> Interval:
        """The 95 % interval (Student's t, n - 2) of the line itself at x, not of a single model."""
        error = self.residual_sd * float(np.sqrt(1 / self.n + (x - self.mean_x) ** 2 / self.spread_x))
        reach = t_critical(self.n - 2) * error
        return Interval(self.at(x) - reach, self.at(x) + reach)


def fit_line(x: ArrayLike, y: ArrayLike) -> Line | None:
    """The least-squares line of y on x, with what is needed to mark outliers and to draw a band.

    Args:
        x: The other measure, one value a model; NaN where missing.
        y: The score of the same models in the same order.

    Returns:
        The line; None for fewer than three complete pairs and for a constant x. A constant y gives a slope of 0.
    """
    given_x, given_y = as_floats(x), as_floats(y)
    a, b = paired_values(given_x, given_y)
    if a.size < 3 or is_constant(a):
        return None
    centred, spread_x = a - a.mean(), float(np.square(a - a.mean()).sum())
    slope = float(centred @ b / spread_x)
    intercept = float(b.mean() - slope * a.mean())
    residuals = b - intercept - slope * a
    sd = float(np.sqrt(residuals @ residuals / (a.size - 2)))
    studentised = np.full(given_x.shape, np.nan)
    leverage = 1 / a.size + np.square(centred) / spread_x
    studentised[~np.isnan(given_x) & ~np.isnan(given_y)] = _studentised(residuals, sd, leverage, rounding_of(b))
    r = pearson(a, b)
    return Line(a.size, intercept, slope, sd, r * r if r else 0.0, studentised, float(a.mean()), spread_x)


def _studentised(residuals: Floats, sd: float, leverage: Floats, rounding: float) -> Floats:
    scale = sd * np.sqrt(np.maximum(1 - leverage, 0.0))
    return np.divide(residuals, scale, out=np.full_like(residuals, np.nan), where=scale > rounding)


@dataclass(frozen=True, slots=True)
class PartialCorrelation:
    """The relation of two measures among models that are alike in a third, over n models; -1 to 1, 0 is none left.

    `linear` uses the values, `ranks` their average ranks. None where a measure is constant or where the third alone
    determines one of the two.
    """

    n: int
    linear: float | None
    ranks: float | None


def partial_correlation(x: ArrayLike, y: ArrayLike, given: ArrayLike) -> PartialCorrelation:
    """The correlation of x and y with `given` held fixed.

    (r_xy - r_xz r_yz) / sqrt((1 - r_xz^2) (1 - r_yz^2)), over the models that have all three; others (NaN) are skipped.
    """
    columns = np.array([as_floats(x), as_floats(y), as_floats(given)])
    columns = columns[:, ~np.isnan(columns).any(axis=0)]
    n = columns.shape[1]
    ranked = np.array([average_ranks(column) for column in columns])
    return PartialCorrelation(n, _partial(columns), _partial(ranked))


def _partial(columns: Floats) -> float | None:
    xy, xz, yz = (pearson(columns[i], columns[j]) for i, j in ((0, 1), (0, 2), (1, 2)))
    if xy is None or xz is None or yz is None:
        return None
    bottom = (1 - xz**2) * (1 - yz**2)
    return None if bottom < 1e-12 else (xy - xz * yz) / float(np.sqrt(bottom))


def quadratic_r_squared(x: ArrayLike, y: ArrayLike) -> float | None:
    """The share of the variance of y that a parabola in x explains, 0 to 1; beside `Line.r_squared` it shows a bend.

    None for fewer than four complete pairs, for a constant y and for fewer than three distinct x.
    """
    a, b = paired_values(x, y)
    if a.size < 4 or is_constant(b) or np.unique(a).size < 3:
        return None
    scaled = (a - a.mean()) / a.std()
    design = np.stack([np.ones_like(scaled), scaled, np.square(scaled)], axis=1)
    coefficients = np.linalg.lstsq(design, b)[0]
    residuals = b - design @ coefficients
    return float(1 - residuals @ residuals / np.square(b - b.mean()).sum())


def logit_correlation(x: ArrayLike, percent: ArrayLike) -> float | None:
    """Pearson's r of x with the log odds of a score in per cent, which undoes saturation towards 100.

    Scores of 0 and below and of 100 and above have no log odds and are skipped. None as for `pearson`.
    """
    a, b = paired_values(x, percent)
    inside = (b > 0) & (b < 100)
    return pearson(a[inside], np.log(b[inside] / (100 - b[inside])))


def disattenuated(r: float, reliability: float) -> float:
    """The correlation that a perfectly reliable score would have: r / sqrt(reliability). It can exceed 1 by chance.

    Raises ValueError for a reliability that is not above 0.
    """
    if reliability <= 0:
        raise ValueError(f"a correlation cannot be corrected by a reliability of {reliability}")
    return r / float(np.sqrt(reliability))
