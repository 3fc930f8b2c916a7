"""Reads the stored table "model i is ahead of model j": whoever says "ahead" or "tied" of two models asks here."""

from collections.abc import Sequence

import numpy as np

from evaluation.statistics.arrays import Bools
from leaderboard.models import AheadTable


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
    n = len(places)
    bits = np.unpackbits(np.frombuffer(bytes(stored.packed), dtype=np.uint8), count=n * n)
    at = [places[model_id] for model_id in model_ids]
    return np.asarray(bits.reshape(n, n)[np.ix_(at, at)].astype(np.bool_))
