"""What stands around a run: the run that it repeats, the field's item difficulties, how fast its endpoint answered."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from statistics import median
from typing import Any

from django.db.models import Avg

from evaluation.models import ItemResult, Origin, Run, Status
from evaluation.statistics.differences import PairedDifference, paired_difference
from evaluation.statistics.running import running_estimate
from leaderboard.kinds import scale_of
from leaderboard.wording.comparing import p_text

FIELD_RUNS = 60  # newest runs of the field; enough for steady means, few enough for a page that renews itself
FEWEST_FIELD_RUNS = 3


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run less its parent, in points of the run's score, over the items that both have."""

    parent_id: int
    difference: PairedDifference
    parent_score: float | None
    settings: tuple[tuple[str, str, str], ...]

    @property
    def p_text(self) -> str:
        return p_text(self.difference.p)


@dataclass(frozen=True, slots=True)
class Outlook:
    """Where the score of an open run will probably end, in points; `half` is half of the 95 % interval."""

    score: float
    half: float | None
    n_scored: int
    n_items: int
    n_field: int


@dataclass(frozen=True, slots=True)
class Throughput:
    """Over the working time of a run that asked an endpoint. None where a figure is not known."""

    requests_a_minute: float | None
    tokens_a_second: float | None
    median_seconds: float | None


def method(run: Run) -> tuple[object, ...]:
    """What two runs must share for their scores to be compared."""
    return run.bank_id, run.benchmark, run.variant


def comparison_of(run: Run) -> Comparison | None:
    """The run against its public parent on the same bank and rule. None without one, or without a shared item."""
    parent = run.parent
    if parent is None or not parent.published or method(parent) != method(run):
        return None
    own, old = item_means(run), item_means(parent)
    shared = sorted(own.keys() & old.keys())
    factor = scale_of(run.benchmark).slope
    new, before = ([factor * means[key] for key in shared] for means in (own, old))
    difference = paired_difference(new, before, distribution="t")
    if difference is None:
        return None
    return Comparison(parent.pk, difference, parent.score, tuple(changed(*asked(parent, run))))


def asked(*runs: Run) -> list[Mapping[str, object]]:
    """What each run asked: its settings, and where all have ended what was sent beside them or in their place."""
    if any(run.manifest is None for run in runs):
        return [run.settings for run in runs]
    # A system prompt stands in the departures as a mark, in the settings as its text.
    return [{**run.settings, **without_prompt(run.departures)} for run in runs]


def without_prompt(departures: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in departures.items() if name != "system_prompt"}


def item_means(run: Run) -> dict[int, float]:
    """Item -> mean of its scores over the repeats, of the part that counts; items without a score are left out."""
    scores: dict[int, list[float]] = {}
    for item_id, score in run.results.order_by("repeat").values_list("item_id", "score"):
        if score is not None:
            scores.setdefault(item_id, []).append(score)
    return {item_id: sum(found) / len(found) for item_id, found in scores.items()}


def changed(old: Mapping[str, object], new: Mapping[str, object]) -> list[tuple[str, str, str]]:
    """Name, old and new value of each setting that differs; an absent one is an en dash."""
    names = sorted(old.keys() | new.keys())
    return [
        (name, str(old.get(name, "–")), str(new.get(name, "–"))) for name in names if old.get(name) != new.get(name)
    ]


def outlook_of(run: Run, answered: Mapping[int, float | None]) -> Outlook | None:
    """The running estimate of an open run from the difficulties of a field of at least three runs; else None.

    Args:
        answered: Item number -> mean score so far, None for an item that ended without one.
    """
    scored = {number: score for number, score in answered.items() if score is not None}
    field = field_runs(run) if run.is_open and scored else []
    if len(field) < FEWEST_FIELD_RUNS:
        return None
    difficulties = field_difficulties(field)
    numbers = [number for number in range(1, run.n_items + 1) if number in scored or number not in answered]
    estimate = running_estimate(
        [scored.get(number, nan) for number in numbers], [difficulties.get(number, nan) for number in numbers]
    )
    if estimate is None:
        return None
    scale = scale_of(run.benchmark)
    half = None if estimate.interval is None else abs(scale.slope) * estimate.interval.half_width
    return Outlook(scale.score(estimate.score), half, estimate.n_scored, estimate.n_items, len(field))


def field_runs(run: Run) -> list[int]:
    """The newest public, whole runs of models on the same bank by the same rule."""
    origins = (Origin.MEASURED, Origin.IMPORTED)
    alike = Run.objects.filter(bank_id=run.bank_id, benchmark=run.benchmark, variant=run.variant)
    whole = alike.filter(
        status=Status.FINISHED,
        published=True,
        limit__isnull=True,
        origin__in=origins,
    )
    return list(whole.order_by("-pk").values_list("pk", flat=True)[:FIELD_RUNS])


def field_difficulties(runs: Sequence[int]) -> dict[int, float]:
    """Item number -> the mean score of these runs on it."""
    scored = ItemResult.objects.filter(run__in=runs, score__isnull=False)
    return dict(scored.values("item__number").annotate(mean=Avg("score")).values_list("item__number", "mean"))


def throughput_of(run: Run, latencies: Sequence[int]) -> Throughput | None:
    """None for a run that asked nobody, as an import.

    Args:
        latencies: Of the replies, in milliseconds.
    """
    if not run.wall_seconds:
        return None
    tokens = run.completion_tokens / run.wall_seconds
    return Throughput(
        requests_a_minute=60 * run.requests / run.wall_seconds if run.requests else None,
        tokens_a_second=tokens or None,
        median_seconds=median(latencies) / 1000 if latencies else None,
    )


def flat(value: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Name and text of each entry; names of nested ones are joined by dots, lists stay JSON."""
    lines: list[tuple[str, str]] = []
    for key, entry in value.items():
        if isinstance(entry, Mapping) and entry:
            lines += flat(entry, f"{prefix}{key}.")
        else:
            lines.append((f"{prefix}{key}", entry if isinstance(entry, str) else json.dumps(entry, ensure_ascii=False)))
    return lines
