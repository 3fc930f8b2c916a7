"""The versions of the stored sections: raise one when the numbers of its section, or their form, change."""

from collections.abc import Mapping

OF_A_RANKING: Mapping[str, int] = {
    "scores": 4,
    "repeatability": 1,
    "items": 1,
    "emotions": 2,
    "sensitivity": 2,
    "design": 1,
    "structure": 1,
    "scoring": 1,
}
"""The sections of a ranking."""

CORRELATION, BANKS, FILES = 4, 4, 1

VERSIONS: Mapping[str, int] = {**OF_A_RANKING, "correlation": CORRELATION, "banks": BANKS, "files": FILES}
