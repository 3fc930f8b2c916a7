"""Student's t. Without scipy, so that neither a run nor ranking a field of models loads it.

Pure: may not import Django, HTTP or a clock.
"""

from functools import cache
from math import atan, cos, pi, sin, sqrt
from statistics import NormalDist

from evaluation.statistics.normal import Z95

LEVEL = 0.95
MANY = 400
"""Above so many degrees of freedom four terms of the expansion around the normal distribution give 12 digits."""


def critical_of(n: int | None) -> float:
    """How many standard errors a 95 % interval reaches to either side of a mean of n values.

    Student's t from 2 values on; the point of the normal distribution where n is not known or smaller.
    """
    return Z95 if n is None or n < 2 else t_critical(n - 1)


@cache
def t_critical(degrees_of_freedom: int, within: float = LEVEL) -> float:
    """The t that a Student's t lies within with this probability, to either side; at 1 degree of freedom or more.

    By default the two-sided 5 % point, which falls towards Z95 as the degrees of freedom grow. To 12 digits. Raises
    ValueError below 1 degree of freedom.
    """
    if degrees_of_freedom < 1:
        raise ValueError(f"Student's t needs 1 degree of freedom or more, got {degrees_of_freedom}")
    if degrees_of_freedom > MANY:
        return _nearly_normal(degrees_of_freedom, within)
    low, high = 0.0, 1.0
    while share_within(high, degrees_of_freedom) < within:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        if share_within(middle, degrees_of_freedom) < within:
            low = middle
        else:
            high = middle
    return high


def _nearly_normal(degrees_of_freedom: int, within: float) -> float:
    """Source: Abramowitz and Stegun (1964), 26.7.5."""
    z, n = NormalDist().inv_cdf((1 + within) / 2), degrees_of_freedom
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + first / n + second / n**2 + third / n**3 + fourth / n**4


def share_within(t: float, degrees_of_freedom: int) -> float:
    """The probability that a Student's t lies within ±t.

    Source: Abramowitz and Stegun (1964), 26.7.3 and 26.7.4: a finite sum for whole degrees of freedom.
    """
    theta = atan(t / sqrt(degrees_of_freedom))
    is_odd, term, total = degrees_of_freedom % 2, 1.0, 0.0
    # Odd: cos + 2/3 cos³ + 2·4/(3·5) cos⁵ …; even: 1 + 1/2 cos² + 1·3/(2·4) cos⁴ …
    for at in range(1 + is_odd, degrees_of_freedom, 2):
        total += term
        term *= at / (at + 1) * cos(theta) ** 2
    if is_odd:
        return 2 / pi * (theta + sin(theta) * cos(theta) * total)
    return sin(theta) * total
