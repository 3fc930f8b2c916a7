"""What SECEU's parts of pages show: people beside models, fixed answers, items, and what the order of options does.

Each function gives the context of one template in templates/kinds/seceu; None leaves the part out. No text of an item
and no standard leaves this module.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import Any

from django.db.models import Avg, Count

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Bank
from evaluation.benchmarks.seceu.bank import human_pattern, norms_of
from evaluation.benchmarks.seceu.baselines import CONSTANTS
from evaluation.benchmarks.seceu.scoring import (
    DIFFERENT_BELOW,
    EQ_SD,
    PEOPLE_MEAN,
    PEOPLE_SD,
    band,
    distance,
    eq,
)
from evaluation.benchmarks.seceu.summary import DISTANCE, NULLS, PATTERN_PERCENT, PATTERN_R, PERCENT_WORSE
from evaluation.models import FaultKind, Item, ItemBank, ItemResult, Origin, Run, Status
from evaluation.runs.summaries import as_bank, interval_of_run
from evaluation.statistics.differences import paired_difference
from leaderboard.kinds import seceu_drawings as drawings
from leaderboard.kinds.base import Context, OfModel, OfRanking
from leaderboard.kinds.seceu import WITHHELD, pattern_words
from leaderboard.models import Standing

FAMILY, SHUFFLED = "seceu", "seceu-shuffled"
CONDITIONS: Mapping[str, str] = {
    "seceu": "Zero-shot prompt, options as printed",
    SHUFFLED: "Zero-shot prompt, options shuffled",
    "seceu-direct": "Direct prompt, options as printed",
}
PRINTED = "Always answers 4, 3, 2, 1"
BEST_PUBLISHED, ITS_EQ = "GPT-4", 117
"""The highest EQ of the paper's Table 1."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A fixed answer: its EQ and the per cent of people who did worse."""

    name: str
    eq: float
    worse: float
    band: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What follows from a bank alone, computed once for each. `first_is_highest` counts the items whose first option
    people gave most points to.
    """

    bank: Bank
    fixed: tuple[Fixed, ...]
    first_is_highest: int

    @property
    def printed(self) -> Fixed:
        return next(one for one in self.fixed if one.name == PRINTED)

    @property
    def beats_published(self) -> bool:
        return round(self.printed.eq) > ITS_EQ


def facts_of(bank_id: int | None) -> Facts | None:
    """None where the bank is not loaded, private, or without norms, as one of an older release."""
    row = ItemBank.objects.filter(pk=bank_id).first() if bank_id else None
    if row is None or not row.shows_items or "norms" not in row.facts:
        return None
    return _facts(row.pk, row.sha256)


@lru_cache(maxsize=8)
def _facts(bank_id: int, sha256: str) -> Facts:
    """A bank never changes, so its hash tells it apart from another one under the same key."""
    bank = as_bank(ItemBank.objects.get(pk=bank_id))
    people = norms_of(bank).distance
    means = {name: fmean(distance(values, item.reference) for item in bank.items) for name, values in CONSTANTS.items()}
    fixed = tuple(Fixed(name, eq(mean), people.per_cent(mean), band(eq(mean))) for name, mean in means.items())
    first = sum(item.reference[0] == max(item.reference) for item in bank.items)
    return Facts(bank, fixed, first)


# The ranking


def ranking(subject: OfRanking) -> Context | None:
    """People, models and fixed answers on one axis, and the notice that a high EQ may come without reading."""
    facts = facts_of(subject.bank_id)
    if facts is None:
        return None
    rows = list(
        Standing.objects.filter(ranking=subject.key, rank__isnull=False)
        .order_by("rank", "-score")
        .select_related("model")
    )
    is_shuffled = subject.benchmark == SHUFFLED
    return {
        "key": subject.key,
        "conditions": conditions(subject),
        "n_items": len(facts.bank.items),
        "facts": facts,
        "finding": finding(rows, None if is_shuffled else facts),
        "published": {"name": BEST_PUBLISHED, "eq": ITS_EQ},
        "people": drawings.people_by_eq(
            norms_of(facts.bank).distance,
            main=(rows[0].score, f"{rows[0].model}, {rows[0].score:.0f}") if rows else None,
            models=[row.score for row in rows[1:]],
            lines=[] if is_shuffled else [(facts.printed.eq, f"always 4, 3, 2, 1: {facts.printed.eq:.1f}")],
        ),
        "is_shuffled": is_shuffled,
    }


def conditions(subject: OfRanking) -> list[dict[str, Any]]:
    """The rankings of this bank by prompt and order of options: they never mix."""
    keys = dict(
        Standing.objects.filter(run__bank_id=subject.bank_id, run__benchmark__in=CONDITIONS)
        .order_by("ranking")
        .values_list("run__benchmark", "ranking")
    )
    keys.setdefault(subject.benchmark, subject.key)
    return [
        {"key": keys[name], "title": title, "is_current": name == subject.benchmark}
        for name, title in CONDITIONS.items()
        if name in keys
    ]


def finding(rows: Sequence[Standing], facts: Facts | None) -> str:
    """`facts` is None where the options are shuffled: what a fixed answer gets holds for the printed order alone."""
    worse = rows[0].figures.get(PERCENT_WORSE) if rows else None
    leader = "" if worse is None else f"{rows[0].model} is better than about {worse:.0f} % of people."
    if facts is None:
        return leader or "How 541 people did"
    rule = f"A rule that ignores the stories beats about {facts.printed.worse:.0f} %"
    return f"{leader} {rule}." if leader else f"{rule} of people."


def below(subject: OfRanking) -> Context | None:
    """Runs that failed, with their count of missing answers, fixed answers, and the limits."""
    facts = facts_of(subject.bank_id)
    if facts is None:
        return None
    runs = (
        Run.objects.listed()
        .filter(bank_id=subject.bank_id, benchmark=subject.benchmark, status=Status.FAILED)
        .filter(failure_kind=FaultKind.PARSE, limit__isnull=True)
        .exclude(origin=Origin.DEMO)
        .select_related("model")
        .order_by("model__display_name", "-pk")
    )
    standing = set(Standing.objects.filter(ranking=subject.key).values_list("model_id", flat=True))
    newest = {run.model_id: run for run in reversed(runs) if run.model_id not in standing}
    return {
        "failed": [
            {"run": run, "model": run.model, "nulls": figure(run, NULLS), "n_items": run.n_items}
            for run in newest.values()
        ],
        "facts": facts,
        "withheld": WITHHELD,
    }


# A model and its run


def figure(run: Run, key: str) -> float | None:
    value: float | None = run.figures.get(key, {}).get("value")
    return value


def in_words(run: Run) -> dict[str, Any]:
    """The figures of a run with what the paper says of them; None for each that it has not."""
    r = figure(run, PATTERN_R)
    interval = interval_of_run(run)
    return {
        "run": run,
        "eq": run.score,
        "interval": (interval.low, interval.high) if interval else None,
        "band": None if run.score is None else band(run.score),
        "worse": figure(run, PERCENT_WORSE),
        "distance": figure(run, DISTANCE),
        "people_distance": PEOPLE_MEAN,
        "r": r,
        "r_words": "" if r is None else pattern_words(r),
        "is_different": r is not None and r < DIFFERENT_BELOW,
        "r_percent": figure(run, PATTERN_PERCENT),
        "nulls": figure(run, NULLS),
        "n_items": run.n_items,
    }


def run(subject: Run) -> Context | None:
    """The figures of a run that has ended."""
    if subject.is_open or not subject.figures:
        return None
    return {**in_words(subject), "condition": CONDITIONS.get(subject.benchmark, subject.benchmark)}


def model(subject: OfModel) -> Context | None:
    """The model among people, item by item, and its pattern; a panel where only a printed score is known."""
    facts, newest = facts_of(subject.ranking.bank_id), subject.run
    if facts is None or newest is None or newest.score is None:
        return None
    own = item_distances(newest)
    items = [
        (item.id, people, own.get(item.id))
        for item, people in zip(facts.bank.items, human_pattern(facts.bank.items), strict=True)
    ]
    r, norms = figure(newest, PATTERN_R), norms_of(facts.bank)
    words = in_words(newest)
    return {
        **words,
        "facts": facts,
        "people": drawings.people_by_eq(
            norms.distance,
            main=(newest.score, f"{newest.score:.0f}"),
            interval=words["interval"],
            lines=[(facts.printed.eq, "always 4, 3, 2, 1")],
            highlight=True,
        ),
        "tracks": drawings.item_tracks(items),
        "items": [
            {"name": name, "people": people, "own": value, "gap": None if value is None else value - people}
            for name, people, value in items
        ],
        "n_nearer": sum(value is not None and value < people for _, people, value in items),
        "n_compared": sum(value is not None for _, _, value in items),
        "pattern": None if r is None else drawings.people_by_pattern(norms.pattern, r),
        "order": order_effect(subject),
        "withheld": WITHHELD,
    }


def item_distances(run: Run) -> dict[str, float]:
    """Item -> mean distance over the repeats that have an answer."""
    scored = ItemResult.objects.filter(run=run, score__isnull=False)
    return dict(scored.values("item__item_id").annotate(mean=Avg("score")).values_list("item__item_id", "mean"))


def order_effect(subject: OfModel) -> dict[str, Any] | None:
    """What the places of the options do: the newest run with printed options less the newest with shuffled ones that
    asked alike otherwise, paired by item, in points of EQ. None unless the model has both.
    """
    runs = Run.objects.filter(
        model=subject.model, bank_id=subject.ranking.bank_id, benchmark__in=(FAMILY, SHUFFLED),
        status=Status.FINISHED, published=True, limit__isnull=True, origin=Origin.MEASURED,
    )  # fmt: skip
    alike: dict[str, dict[str, Run]] = {}
    for each in runs.order_by("pk"):
        alike.setdefault(json.dumps(each.departures, sort_keys=True), {})[each.benchmark] = each
    both = [found for found in alike.values() if len(found) == 2]
    if not both:
        return None
    newest = max(both, key=lambda found: max(each.pk for each in found.values()))
    printed, shuffled = (item_distances(newest[name]) for name in (FAMILY, SHUFFLED))
    shared = sorted(printed.keys() & shuffled.keys())
    # A larger distance is a lower EQ, so the order of the two is turned.
    found = paired_difference([shuffled[key] for key in shared], [printed[key] for key in shared], distribution="t")
    if found is None:
        return None
    slope = EQ_SD / PEOPLE_SD
    return {
        "runs": newest[FAMILY],
        "shuffled": newest[SHUFFLED],
        "points": slope * found.mean,
        "low": slope * found.interval.low if found.interval else None,
        "high": slope * found.interval.high if found.interval else None,
        "p": found.p,
        "tied": found.tied,
        "n": found.n,
    }


# An item, and the methods


def item(subject: Item) -> Context | None:
    """Why nothing of the item can be read here, and how hard people find it."""
    return {"withheld": WITHHELD, "people": subject.extra.get("human_mean_distance")}


def methodology(banks: Sequence[ItemBank]) -> Context | None:
    """The rule in words, and what each loaded bank gives to answers that read nothing."""
    if not banks:
        return None
    rows = Run.objects.filter(bank__in=banks, origin=Origin.BASELINE, benchmark=FAMILY).select_related("model")
    sizes = dict(Item.objects.filter(bank__in=banks).values_list("bank_id").annotate(n=Count("pk")))
    return {
        "rules": [benchmark for benchmark in BENCHMARKS.values() if benchmark.family == FAMILY],
        "conditions": CONDITIONS,
        "people_mean": PEOPLE_MEAN,
        "people_sd": PEOPLE_SD,
        "different_below": DIFFERENT_BELOW,
        "banks": [
            {
                "bank": bank,
                "n_items": sizes.get(bank.pk, 0),
                "failed_above": sizes.get(bank.pk, 0) // 2,
                "rows": [row for row in rows if row.bank_id == bank.pk],
                "facts": facts_of(bank.pk),
            }
            for bank in banks
        ],
        "withheld": WITHHELD,
        "published": {"name": BEST_PUBLISHED, "eq": ITS_EQ},
    }
