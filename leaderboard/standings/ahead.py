"""Reads the stored table "model i is ahead of model j": whoever says "ahead" or "tied" of two models asks here."""

from collections.abc import Sequence

import numpy as np

from evaluation.statistics.arrays import Bools
from leaderboard.models import AheadTable


def tied_with(ranking: str, model_id: int) -> list[int] | None:
    """The models that this one is tied with, the closest by rank first. None where it is in no table. One query."""
    stored = AheadTable.objects.filter(ranking=ranking).first()
    if stored is None or model_id not in stored.model_ids:
        return None
    table, at = _table(stored), stored.model_ids.index(model_id)
    tied = [other for other in np.flatnonzero(~(table[at] | table[:, at])).tolist() if other != at]
    return [stored.model_ids[other] for other in sorted(tied, key=lambda other: (abs(other - at), other))]


def ahead_among(ranking: str, model_ids: Sequence[int]) -> Bools | None:
    """The square table of these models, in the given order. One query.

    None where the ranking has no table (a private bank, or no errors are known) or a model is not ranked in it.
    """
    stored = AheadTable.objects.filter(ranking=ranking).first()
    if stored is None:
        return None
    places = {model_id: at for at, model_id in enumerate(stored.model_ids)}
    if not places.keys() >= set(model_ids):
        return None
    at = [places[model_id] for model_id in model_ids]
    return _table(stored)[np.ix_(at, at)]


def _table(stored: AheadTable) -> Bools:
    n = len(stored.model_ids)
    bits = np.unpackbits(np.frombuffer(bytes(stored.packed), dtype=np.uint8), count=n * n)
    return np.asarray(bits.reshape(n, n).astype(np.bool_))
