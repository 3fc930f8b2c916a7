"""Which rows of one page are tied with which, from the stored table of who is ahead of whom."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from leaderboard.standings.ahead import ahead_among


class Tie(NamedTuple):
    """A row's place among the rows of the page that have ties, and the places of those that it is tied with, itself
    among them: one bit a place, the first one highest, as hexadecimal digits."""

    place: int
    bits: str


def ties_among(ranking: str, model_ids: Sequence[int]) -> dict[int, Tie]:
    """Model -> its ties with the others of these models, each given once or more. {} where the ranking has no table, as
    that of a private bank. One query, none without models."""
    models = list(dict.fromkeys(model_ids))
    ahead = ahead_among(ranking, models) if models else None
    if ahead is None:
        return {}
    rows = np.packbits(~(ahead | ahead.T), axis=1)
    return {model: Tie(place, row.tobytes().hex()) for place, (model, row) in enumerate(zip(models, rows, strict=True))}
