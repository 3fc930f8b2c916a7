"""How many ratings a chi-square test needs.

Pure: may not import Django, HTTP or a clock.
"""

from scipy.special import chdtri, chndtr

ALPHA = 0.05
POWER = 0.95


def chi_square_power(w: float, df: int, total: int, *, alpha: float = ALPHA) -> float:
    """The chance that a chi-square test with `total` units finds an effect of size w (Cohen 1988), 0 to 1."""
    return float(1 - chndtr(chdtri(df, alpha), df, total * w**2))


def units_needed(w: float, df: int, *, power: float = POWER, alpha: float = ALPHA) -> int:
    """The smallest total number of independent units that gives the power; multiply it by the design effect when the
    units are ratings. Raises ValueError where w is not above 0 or power is not between alpha and 1.
    """
    if not w > 0 or not alpha < power < 1:
        raise ValueError(f"no number of units gives a power of {power} for an effect of {w}")
    low, high = 0, 1
    while chi_square_power(w, df, high, alpha=alpha) < power:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if chi_square_power(w, df, middle, alpha=alpha) < power:
            low = middle
        else:
            high = middle
    return high
