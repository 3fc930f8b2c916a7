"""The versions of the stored sections: raise one when the numbers of its section, or their form, change."""

from collections.abc import Mapping

OF_A_RANKING: Mapping[str, int] = {"scores": 6, "repeatability": 1, "items": 1, "emotions": 2, "sensitivity": 2}
"""The sections of a ranking."""

CORRELATION, BANKS = 4, 4

VERSIONS: Mapping[str, int] = {**OF_A_RANKING, "correlation": CORRELATION, "banks": BANKS}
