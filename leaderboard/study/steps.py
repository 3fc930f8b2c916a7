"""The line of dots above a reply: how far a rater has come. Pure."""

from dataclasses import dataclass

LEFT, RIGHT = 1.0, 99.0  # per cent of the width, so that no dot is cut


@dataclass(frozen=True, slots=True)
class Step:
    x: str
    kind: str


def steps_of(number: int, n: int) -> list[Step]:
    """One dot a screen; `kind` is done, now or dot."""
    width = (RIGHT - LEFT) / max(1, n - 1)
    kinds = ["done" if at < number else "now" if at == number else "dot" for at in range(1, n + 1)]
    return [Step(f"{LEFT + width * at:.1f}%", kind) for at, kind in enumerate(kinds)]
