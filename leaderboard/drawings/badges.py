"""The badge of a model: its score and the ranks left open, as a small picture for other people's pages. Pure.

A badge stands on pages of any colour and in programs that know neither our sheet nor our fonts, so it carries its own
colours and the width of its texts, to which the reader's font is fitted.
"""

from dataclasses import dataclass

from leaderboard.plaintext import spelled
from leaderboard.rounding import number, ranks

PADDING = 9
LONGEST_TITLE = 40  # characters of a ranking's title on a badge
NARROW, WIDE = frozenset("iljtfrI.,:;!|'()[] -–"), frozenset("mwMW@%≈")


@dataclass(frozen=True, slots=True)
class Badge:
    """Two texts with their places, in pixels; `title` says the same in a sentence and names the model."""

    title: str
    left: str
    right: str
    left_width: int
    right_width: int

    @property
    def width(self) -> int:
        return self.left_width + self.right_width

    @property
    def left_text_width(self) -> int:
        return self.left_width - 2 * PADDING

    @property
    def right_text_width(self) -> int:
        return self.right_width - 2 * PADDING

    @property
    def right_text_x(self) -> int:
        return self.left_width + PADDING


def badge(model: str, ranking: str, score: float | None, rank: str, *, digits: int = 2) -> Badge:
    """The badge of a model in a ranking, both by title. `rank` is what `rank_words` says."""
    title = cut(spelled(ranking))
    left = f"{title}: {number(score, digits)}" if score is not None else title
    right = rank if score is not None else "no score"
    return Badge(
        title=f"{spelled(model)} on EQ Leaderboard, {left}, {right}",
        left=left,
        right=right,
        left_width=text_width(left) + 2 * PADDING,
        right_width=text_width(right) + 2 * PADDING,
    )


def rank_words(low: int | None, high: int | None, n_ranked: int, *, approximate: bool) -> str:
    """ "rank 24–61 of 88", with ≈ where the range is approximate; "no rank" where there is none."""
    if low is None or high is None:
        return "no rank"
    return f"rank {'≈' if approximate else ''}{ranks(low, high)} of {n_ranked}"


def cut(text: str) -> str:
    return text if len(text) <= LONGEST_TITLE else f"{text[: LONGEST_TITLE - 1].rstrip()}…"


def text_width(text: str) -> int:
    """The width of a line in 11 px of a common sans, in pixels; the picture is fitted to it, so near is enough."""
    return round(sum(4.2 if sign in NARROW else 10.2 if sign in WIDE or ord(sign) > 0x2E80 else 7.1 for sign in text))
