"""What a card says: the words of the page that it stands for, and a track. Pure."""

from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class Track:
    """A rail with a dot and a pill, each from 0 to 1 along it. `others` are small dots, `labels` stand below the ends
    and the middle; a `hollow` dot has no answers behind it."""

    at: float
    low: float | None = None
    high: float | None = None
    others: tuple[float, ...] = ()
    labels: tuple[str, str, str] = ("", "", "")
    middle_line: bool = False
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """`figures` are up to three pairs of a number and what it is. `names` are the models that it names, each with its
    slug, which is drawn where the font cannot write the name."""

    title: str
    subject: str
    figures: tuple[tuple[str, str], ...] = ()
    track: Track | None = None
    foot: str = ""
    names: tuple[tuple[str, str], ...] = ()

    @property
    def alt(self) -> str:
        """The card in words."""
        said = "; ".join(f"{number} {words}" for number, words in self.figures)
        return ". ".join(part for part in (self.title, self.subject, said) if part)

    @property
    def mark(self) -> str:
        """Changes whenever the card does: it goes into the address, since services keep a picture for long."""
        return sha256(repr(self).encode()).hexdigest()[:10]


def along(value: float, low: float, high: float) -> float:
    """Where a value lies between two ends, held at them; 0.5 where the ends are one."""
    return 0.5 if high <= low else min(1.0, max(0.0, (value - low) / (high - low)))
