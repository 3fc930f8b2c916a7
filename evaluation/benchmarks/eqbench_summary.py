"""A run in numbers, from the scores of its answers. Pure; no numpy, so that a worker stays small.

Source: EQ-bench/EQ-Bench lib/scoring.py at d28c60c (`calculate_eq_bench_score`). It departs in one thing: a pass or a
repeat without any scored item has no score there either, and counts as 0; here it is left out of the mean.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, fsum, sqrt
from operator import attrgetter

from evaluation.benchmarks.base import Figure, ItemScore, Summary

FIRST, REVISED = "first_pass", "revised"
POINTS = 10.0
"""An item's points times this are a run's points."""

NEEDED_SHARE = 0.8333
"""143 of 171 items, 50 of 60."""

REVISED_SHARE = 0.95

SCORE, STRICT_SCORE, STRICT_SHARE = "score", "strict_score", "strict_share"
"""Keys of figures. The strict share is that of answers which the official reader read, 0 to 1; no column shows it."""


@dataclass(frozen=True, slots=True)
class _Pass:
    """The counted part of one repeat: item id -> item points. `part` is empty where nothing was scored."""

    part: str
    points: Mapping[str, float]

    @property
    def score(self) -> float | None:
        return POINTS * _mean(list(self.points.values())) if self.points else None


def summarise(scores: Sequence[ItemScore], *, n_items: int, repeats: int) -> Summary:
    """The run's summary: the standard and the strict score, each from its own counted parts.

    "score" counts the official reading, else the tolerant one; "strict_score" the official reading alone. The `n` of
    each counts distinct items. A score is the mean over the repeats that have a scored item, unrounded. Where fewer
    than 83.33 % of `n_items` were scored (mean over all repeats) it is None. The standard error takes one mean an item
    over the repeats, since repeats of one item are not independent; it is None with fewer than two items or without a
    score.
    """
    standard = _counted(scores, repeats)
    strict = _counted([score for score in scores if score.reading == "official"], repeats)
    share, strict_share = _share(standard, n_items), _share(strict, n_items)
    score = _run_score(standard, share)
    scored = _items(standard)
    error = None if score is None else _standard_error(standard)
    return Summary(
        figures={
            SCORE: Figure(score, error, len(scored)),
            STRICT_SCORE: Figure(_run_score(strict, strict_share), n=len(_items(strict) & scored)),
            STRICT_SHARE: Figure(strict_share),
        },
        coverage=share,
        n_scored=len(scored),
        repeat_scores=tuple(map(attrgetter("score"), standard)),
        counted_parts=tuple(map(attrgetter("part"), standard)),
        reason="" if score is not None else _too_few(standard, n_items),
    )


def _counted(scores: Sequence[ItemScore], repeats: int) -> list[_Pass]:
    """The counted part of each repeat, from the first to the last."""
    points: dict[tuple[int, str], dict[str, float]] = {}
    for score in scores:
        if score.score is not None:
            points.setdefault((score.repeat, score.part), {})[score.item_id] = score.score
    return [
        _better(_Pass(FIRST, points.get((repeat, FIRST), {})), _Pass(REVISED, points.get((repeat, REVISED), {})))
        for repeat in range(1, repeats + 1)
    ]


def _better(first: _Pass, revised: _Pass) -> _Pass:
    """The revised pass if it scores no less and has at least 95 % as many scored items, otherwise the first."""
    if revised.score is None:
        return first if first.points else _Pass("", {})
    if first.score is None:
        return revised
    enough = len(revised.points) >= REVISED_SHARE * len(first.points)
    return revised if enough and revised.score >= first.score else first


def _share(passes: Sequence[_Pass], n_items: int) -> float:
    return sum(len(counted.points) for counted in passes) / (len(passes) * n_items) if passes and n_items else 0.0


def _run_score(passes: Sequence[_Pass], share: float) -> float | None:
    scores = [counted.score for counted in passes if counted.score is not None]
    return _mean(scores) if scores and share >= NEEDED_SHARE else None


def _items(passes: Sequence[_Pass]) -> set[str]:
    return {item_id for counted in passes for item_id in counted.points}


def _standard_error(passes: Sequence[_Pass]) -> float | None:
    """Of a run's score over a draw of items: 10 sd / sqrt(n) over item means."""
    per_item: dict[str, list[float]] = {}
    for counted in passes:
        for item_id, points in counted.points.items():
            per_item.setdefault(item_id, []).append(points)
    means = [_mean(points) for points in per_item.values()]
    if len(means) < 2:
        return None
    centre = _mean(means)
    variance = fsum((mean - centre) ** 2 for mean in means) / (len(means) - 1)
    return POINTS * sqrt(variance / len(means))


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def _too_few(passes: Sequence[_Pass], n_items: int) -> str:
    read = sum(len(counted.points) for counted in passes) / max(len(passes), 1)
    mean = f"{read:.10g}" if len(passes) <= 1 else f"on average {read:.2f}"
    return f"not enough readable items: {mean} of {n_items} read, at least {ceil(NEEDED_SHARE * n_items)} needed"
