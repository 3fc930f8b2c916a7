"""How EmotionBench ranks: the alignment of many models in many draws of the situations. Needs numpy.

Source: our specification of EmotionBench, section 7. The draws are taken within factors.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from evaluation.benchmarks.base import Bank, JsonValue
from evaluation.benchmarks.emotionbench.bank import DEFAULT, people_of
from evaluation.benchmarks.emotionbench.scoring import AFFECTS, Factor, overlap
from evaluation.statistics.arrays import Floats, Ints, ratio
from evaluation.statistics.ranking import ByItems, FieldScores

FURTHEST, STEP = 9.0, 1e-3
"""How far apart two curves of one width are that share nothing, in standard deviations; and between two of the
distances at which the overlap is computed: linear between them, it is wrong by 1e-8 at the most."""
DISTANCES = np.arange(0.0, FURTHEST + STEP, STEP)
OVERLAPS = np.array([overlap(float(distance)) for distance in DISTANCES])
CHUNK = 50
"""Models at a time: 1,000 draws of them hold 36 MB of moods."""


def totals(field: FieldScores, weights: Floats) -> Floats:
    """Draws x models: the alignment in each draw; NaN for a model without an answer in a factor, or to the default."""
    people = people_of(Bank((), norms_of(field)))
    factors = [np.array([at for at, item in enumerate(field.items) if item.group == name]) for name in people]
    default = np.array([at for at, item in enumerate(field.items) if item.id == DEFAULT])
    found = np.full((len(weights), len(field.totals)), np.nan)
    for start in range(0, len(field.totals), CHUNK):
        models = slice(start, start + CHUNK)
        moods = field.values[models], field.counts[models]
        evoked = np.stack([pooled(*moods, weights, members) for members in factors], axis=2)
        found[:, models] = alignment(people, pooled(*moods, weights, default)[:, :, None], evoked)
    return found


def norms_of(field: FieldScores) -> JsonValue:
    norms: JsonValue = field.norms  # type: ignore[assignment]
    return norms


def pooled(values: Floats, counts: Floats, weights: Floats, members: Ints) -> Floats:
    """Draws x models x affects: the mean mood over all answered questionnaires of these items. A draw that has none of
    a model's keeps the mean of all of them."""
    own, drawn = counts[:, members], weights[:, members]
    n, moods = drawn @ own.T, []
    for affect in range(len(AFFECTS)):
        sums = own * np.nan_to_num(values[:, members, affect])
        means = ratio(drawn @ sums.T, n)
        moods.append(np.where(np.isnan(means), ratio(sums.sum(axis=1), own.sum(axis=1)), means))
    return np.stack(moods, axis=-1)


def alignment(people: Mapping[str, Factor], default: Floats, evoked: Floats) -> Floats:
    """Draws x models, from moods: draws x models x factors x affects, as `scoring.alignment` has it."""
    level, changed = (spreads([getattr(factor, name) for factor in people.values()]) for name in ("evoked", "change"))
    change = evoked - default
    levels = shared((evoked - level[0]) / level[1]).mean(axis=(2, 3))
    changes = shared((change - changed[0]) / changed[1]).mean(axis=(2, 3))
    patterns = np.maximum(correlation(change, changed[0]), 0.0).mean(axis=2)
    return np.asarray(100 * (levels + changes + patterns) / 3)


def spreads(found: Sequence[Sequence[object]]) -> tuple[Floats, Floats]:
    """Means and SDs: factors x affects each."""
    means, sds = (
        np.array([[getattr(spread, name) for spread in row] for row in found], dtype=np.float64)
        for name in ("mean", "sd")
    )
    return means, sds


def shared(z: Floats) -> Floats:
    """The overlap of two curves at each distance; NaN stays NaN."""
    return np.asarray(np.interp(np.abs(z), DISTANCES, OVERLAPS))


def correlation(change: Floats, people: Floats) -> Floats:
    """Draws x models x affects: Pearson's over the factors; 0 where the changes are all equal."""
    own, theirs = change - change.mean(axis=2, keepdims=True), people - people.mean(axis=0)
    together = (own * theirs).sum(axis=2)
    spread = np.sqrt((own**2).sum(axis=2) * (theirs**2).sum(axis=0))
    varies = spread > 1e-9 * np.abs(change).max(axis=2, initial=0.0)
    return np.asarray(np.divide(together, spread, out=np.where(np.isnan(spread), np.nan, 0.0), where=varies))


EMOTION_RULE = ByItems(totals, n_values=len(AFFECTS))
