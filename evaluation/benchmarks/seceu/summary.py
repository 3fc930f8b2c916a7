"""A SECEU run in numbers, from the distances of its answers. Pure; no numpy, so that a worker stays small."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import fsum, sqrt

from evaluation.benchmarks.base import FIRST_PART, Bank, Figure, Item, ItemScore, JsonValue, Measure, Summary
from evaluation.benchmarks.correlation import pearson
from evaluation.benchmarks.seceu.bank import human_pattern, norms_of
from evaluation.benchmarks.seceu.scoring import (
    DIFFERENT_BELOW,
    EQ_SD,
    NULL,
    PEOPLE_SD,
    band,
    distance,
    eq,
    stars,
)

EQ, DISTANCE, PERCENT_WORSE = "eq", "distance", "percent_worse"
PATTERN_R, PATTERN_PERCENT, NULLS = "pattern_r", "pattern_percent", "nulls"

ITEM_MEASURES = (
    Measure(
        DISTANCE,
        "Distance",
        "points",
        2,
        "lower",
        low=0,
        note="Euclidean distance of the four points given to the mean points of 541 people; 0 is no difference.",
    ),
)
MEASURES = (
    Measure(
        EQ,
        "EQ",
        "EQ",
        0,
        "higher",
        low=0,
        high=151,
        note="Of 541 people the mean EQ is 100 and the standard deviation 15. Answering "
        "exactly these people’s mean points gets 150.9.",
        under="people: 100",
    ),
    replace(
        ITEM_MEASURES[0],
        note="Distance to the mean points of 541 people, averaged over the items; people’s own average is 2.79.",
    ),
    Measure(
        PERCENT_WORSE,
        "Better than",
        "% of people",
        0,
        "higher",
        low=0,
        high=100,
        note="Share of the 541 people whose mean distance is larger than the model’s, read from the published "
        "histogram.",
    ),
    Measure(
        PATTERN_R,
        "Pattern r",
        "with people",
        2,
        "neither",
        low=-1,
        high=1,
        note="Correlation, over the items, of the model’s distances with people’s mean distances: whether the same "
        "items are hard for both. It says nothing about how large the distances are. Stars: * p < 0.05, ** p < 0.01. "
        "The paper takes an r below 0.033 to mean that the model works differently from people. On runs scored by "
        "this board such an r is marked “different”.",
    ),
    Measure(
        PATTERN_PERCENT,
        "Pattern better than",
        "% of people",
        0,
        "neither",
        low=0,
        high=100,
        note="Share of the 541 people with a smaller pattern r, read from the published histogram.",
        shown=False,
    ),
    Measure(
        NULLS,
        "No answer",
        "items",
        1,
        "lower",
        low=0,
        note="Mean number of unanswered items in a repeat. SECEU counts each such item as (0, 0, 0, 0). If more than "
        "half of the items are unanswered, the run has failed.",
        shown=False,
    ),
)


def summarise(scores: Sequence[ItemScore], bank: Bank, *, repeats: int) -> Summary:
    """The run's summary over the items of the bank. Whatever has no score counts as an item without an answer.

    The mean distance is over items and repeats. Its error, and that of EQ, is that of a draw of items, from one mean an
    item. The pattern similarity is the mean of those of the repeats, since people answered once. A run has no figures
    but the number of missing answers where more than half of them are missing.
    """
    repeats = max(repeats, 1)
    read = {(score.repeat, score.item_id): score.score for score in scores if score.score is not None}
    rounds = [_distances(bank.items, read, repeat) for repeat in range(1, repeats + 1)]
    asked = repeats * len(bank.items)
    nulls = asked - len(read)
    failed = 2 * nulls > asked or not asked
    figures = {} if failed else _figures(rounds, bank)
    missing = {measure.key: Figure(None) for measure in MEASURES if measure.key not in figures}
    return Summary(
        figures={**missing, **figures, NULLS: Figure(nulls / repeats, n=len(bank.items))},
        coverage=len(read) / asked if asked else 0.0,
        n_scored=len({item_id for _, item_id in read}),
        repeat_scores=tuple(None if failed else eq(_mean(distances)) for distances in rounds),
        counted_parts=(FIRST_PART,) * repeats,
        detail=None if failed else _detail(figures, len(bank.items)),
        reason=f"FAILED: no answer to {nulls} of {asked}, more than half" if failed else "",
    )


def _distances(items: Sequence[Item], read: Mapping[tuple[int, str], float], repeat: int) -> list[float]:
    """One distance an item. The paper's first rule: without a meaningful answer, an item is scored as (0, 0, 0, 0)."""
    distances = (read.get((repeat, item.id)) for item in items)
    return [
        distance(NULL, item.reference) if found is None else found for item, found in zip(items, distances, strict=True)
    ]


def _figures(rounds: Sequence[Sequence[float]], bank: Bank) -> dict[str, Figure]:
    norms, people = norms_of(bank), human_pattern(bank.items)
    per_item = [_mean(distances) for distances in zip(*rounds, strict=True)]
    mean, error, n = _mean(per_item), _standard_error(per_item), len(per_item)
    similarities = [r for distances in rounds if (r := pearson(distances, people)) is not None]
    r = _mean(similarities) if similarities else None
    return {
        EQ: Figure(eq(mean), None if error is None else error * EQ_SD / PEOPLE_SD, n),
        DISTANCE: Figure(mean, error, n),
        PERCENT_WORSE: Figure(norms.distance.per_cent(mean), n=n),
        PATTERN_R: Figure(r, n=n),
        PATTERN_PERCENT: Figure(None if r is None else norms.pattern.per_cent(r), n=n),
    }


def _detail(figures: Mapping[str, Figure], n_items: int) -> JsonValue:
    """Band by the unrounded EQ, and what the paper says of a pattern similarity: its stars, and whether it is so low
    that it calls the mechanism a different one.
    """
    value, r = figures[EQ].value, figures[PATTERN_R].value
    return {
        "band": None if value is None else band(value),
        "stars": "" if r is None else stars(r, n_items),
        "different_mechanism": None if r is None else r < DIFFERENT_BELOW,
    }


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def _standard_error(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    centre = _mean(values)
    return sqrt(fsum((value - centre) ** 2 for value in values) / (len(values) - 1) / len(values))
