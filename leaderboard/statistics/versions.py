"""The versions of the stored sections: raise one when the numbers of its section, or their form, change."""

from collections.abc import Mapping

OF_A_RANKING: Mapping[str, int] = {
    "scores": 8,
    "repeatability": 4,
    "items": 2,
    "emotions": 4,
    "sensitivity": 5,
    "design": 2,
    "structure": 1,
    "scoring": 2,
}
"""The sections of a ranking."""

CORRELATION, BANKS, FILES, AGREE = 5, 6, 2, 2

VERSIONS: Mapping[str, int] = {
    **OF_A_RANKING,
    "correlation": CORRELATION,
    "banks": BANKS,
    "files": FILES,
    "agree": AGREE,
}
