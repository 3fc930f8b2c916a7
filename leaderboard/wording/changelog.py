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


_READING = (
    "Thinking is taken off in the marks of every vendor, not of two. JSON, XML and tables are read by their structure; "
    "of two numbers that compete for a name none is taken. Forms that can only mean one thing are read and flagged. "
    "Bold names on another scale have the fate of plain ones. “Cut off” is a flag beside the reason."
)
CHANGES: Sequence[ScorerChange] = (
    *(
        ScorerChange(f"{name}/2", date(2026, 11, 28), _READING)
        for name in ("eq-bench-v2", "eq-bench-v2-code", "eq-bench-v1", "eq-bench-v2-de")
    ),
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
