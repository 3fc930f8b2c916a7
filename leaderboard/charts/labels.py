"""Names and sentences as a figure may hold them, and where labels beside points find room. Pure.

Plotly reads a few tags and entities in every text, links among them: a name that goes into a figure as it is could
become a live link.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LONGEST = 40  # signs of a name in a picture or in a title
UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
# A narrow picture, in px: labels that have room here have it on every screen.
WIDTH, HEIGHT, LETTER, LINE, GAP, DOT = 300.0, 230.0, 6.4, 13.0, 6.0, 2.5
COVERED = 1
ABOVE = 6.0  # px over the frame that are free of the axis' title
SIDES = ("middle right", "middle left", "top right", "top left", "bottom right", "bottom left", "top center")


def plain_name(name: str) -> str:
    """The name in at most `LONGEST` signs, each that cannot be seen written as its code point."""
    seen = "".join(f"[U+{ord(sign):04X}]" if unicodedata.category(sign) in UNSEEN else sign for sign in name)
    return seen if len(seen) <= LONGEST else seen[: LONGEST - 1] + "…"


def in_figure(text: str) -> str:
    """The text as Plotly shows it, sign by sign, and never as markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def figure_name(name: str) -> str:
    return in_figure(plain_name(name))


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the picture: x and y as shares of it, 0 to 1, y upwards."""

    x: float
    y: float

    @property
    def px(self) -> tuple[float, float]:
        """From the left and from the top."""
        return self.x * WIDTH, (1 - self.y) * HEIGHT


@dataclass(frozen=True, slots=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        apart = self.right < other.left or other.right < self.left
        return not (apart or self.bottom < other.top or other.bottom < self.top)

    @property
    def inside(self) -> bool:
        return self.left >= 0 and self.right <= WIDTH and self.top >= -ABOVE and self.bottom <= HEIGHT


def places(
    labels: Sequence[tuple[str, Spot]], dots: Iterable[Spot], most: int, allowed: Sequence[str] = SIDES
) -> list[str]:
    """Where each label goes: a side of its point in Plotly's words, or "" where it is left out.

    Args:
        labels: Text and point; the first ones take the room first.
        dots: All points of the picture; a label covers at most one of them beside its own.
        most: How many labels there may be.
        allowed: The sides that may be taken, the best first.
    """
    marks = [Box(x - DOT, y - DOT, x + DOT, y + DOT) for x, y in (dot.px for dot in dots)]
    taken: list[Box] = []
    chosen: list[str] = []
    for text, spot in labels:
        boxes = ((side, box_at(side, text, spot)) for side in allowed if len(taken) < most)
        free = (
            (side, box)
            for side, box in boxes
            if box.inside and not any(map(box.meets, taken)) and sum(map(box.meets, marks)) <= COVERED
        )
        side, box = next(free, ("", None))
        chosen.append(side)
        taken += [box] if box else []
    return chosen


def box_at(side: str, text: str, spot: Spot) -> Box:
    """The box of the text at that side of the point, in px."""
    (x, y), width = spot.px, len(text) * LETTER
    row, _, column = side.partition(" ")
    left = {"right": x + GAP, "left": x - GAP - width, "center": x - width / 2}[column]
    top = {"middle": y - LINE / 2, "top": y - GAP - LINE, "bottom": y + GAP}[row]
    return Box(left, top, left + width, top + LINE)
