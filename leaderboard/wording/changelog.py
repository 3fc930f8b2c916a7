"""What changed in how replies are read and scored, newest first. A change of any number needs a new scorer version."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class ScorerChange:
    """One version of one benchmark's scorer: since when, and what it does otherwise than the one before."""

    version: str
    since: date
    text: str


CHANGES: Sequence[ScorerChange] = (
    ScorerChange(
        "eq-bench-v2/1",
        date(2026, 11, 27),
        "First version. The curve as the project's README words it; official reading, else the tolerant one.",
    ),
    ScorerChange(
        "eq-bench-v2-code/1",
        date(2026, 11, 27),
        "First version. As eq-bench-v2, with the curve as the pipeline's code has it, for comparison with "
        "harnesses that inherit it.",
    ),
    ScorerChange(
        "eq-bench-v1/1",
        date(2026, 11, 27),
        "First version. Ratings rescaled to sum to 10; the prompt always asks for a revision, so the last values win.",
    ),
    ScorerChange(
        "eq-bench-v2-de/1",
        date(2026, 11, 27),
        "First version. The German prompt and reader; the curve of eq-bench-v2.",
    ),
)
