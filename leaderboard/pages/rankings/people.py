"""How people do on a bank: a line to measure models by, from answers that visitors gave with consent."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.core.cache import cache
from django.db.models import Count, Max, Min

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import FIRST_PART, Answer, Item
from evaluation.models import Access, ItemBank
from evaluation.runs.summaries import as_item
from evaluation.statistics.crossed import crossed_error, crossed_mean
from evaluation.statistics.score_interval import half_of
from leaderboard.models import HumanSet
from leaderboard.pages.rankings.directory import Stamp, held_a_moment
from leaderboard.submissions.people import BANKS, COUNTS, counted_sets

POINTS = 10.0
NEEDED = 30
"""Answers of every item before the line is shown."""
KEPT_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class People:
    """`fewest` and `most` are answers per item, over `n_sets` sets that count; `n_out` do not. `score` and `half` (of
    the 95 % interval) are in points of 100, and None until every item has `NEEDED` answers."""

    ranking: str
    n_sets: int
    n_out: int
    n_items: int
    fewest: int
    most: int
    score: float | None
    half: float | None
    first_day: date | None
    last_day: date | None

    @property
    def needed(self) -> int:
        return NEEDED


def people_stamp() -> Stamp | None:
    """Changes whenever a set is added, dropped or taken back in. One query, none within STAMP_SECONDS after another."""
    return held_a_moment("people-stamp", _people_stamp)


def _people_stamp() -> Stamp:
    return tuple(HumanSet.objects.aggregate(n=Count("pk"), last=Max("pk"), n_in=Count("pk", filter=COUNTS)).values())


def people_of_ranking(ranking: str) -> People | None:
    """The line of a ranking; None where visitors cannot answer its bank or too few have answered."""
    bank = ItemBank.objects.filter(slug=ranking, access=Access.OPEN).first() if ranking in BANKS else None
    people = people_of(bank) if bank else None
    return people if people and people.score is not None else None


def people_of(bank: ItemBank) -> People:
    """Kept until a set changes."""
    key = f"people:{bank.pk}:{people_stamp()}".replace(" ", "")
    found: People | None = cache.get(key)
    if found is None:
        found = _people_of(bank)
        cache.set(key, found, KEPT_SECONDS)
    return found


def _people_of(bank: ItemBank) -> People:
    sets = counted_sets(bank)
    answered = Counter(item for answers in sets for item, _ in answers)
    items = {item.item_id: as_item(item) for item in bank.items.all()}
    days = HumanSet.objects.filter(COUNTS, bank=bank).aggregate(first=Min("day"), last=Max("day"))
    fewest = min((answered[item] for item in items), default=0)
    score, half = score_of(bank, items, sets) if fewest >= NEEDED else (None, None)
    return People(
        ranking=bank.slug,
        n_sets=len(sets),
        n_out=HumanSet.objects.filter(bank=bank).count() - len(sets),
        n_items=len(items),
        fewest=fewest,
        most=max(answered.values(), default=0),
        score=score,
        half=half,
        first_day=days["first"],
        last_day=days["last"],
    )


def score_of(
    bank: ItemBank, items: Mapping[str, Item], sets: Sequence[Sequence[tuple[str, Sequence[int]]]]
) -> tuple[float, float | None]:
    """Mean over the items and half of its 95 % interval, in points of 100, by the bank's own scorer."""
    benchmark = BENCHMARKS[bank.benchmark]
    scores: list[tuple[str, int, float]] = []
    for person, answers in enumerate(sets):
        for item_id, ratings in answers:
            if item_id in items:
                answer = Answer(FIRST_PART, "official", tuple(map(float, ratings)))
                (points,) = benchmark.score(items[item_id], answer)[:1]
                if points is not None:
                    scores.append((item_id, person, POINTS * points))
    return crossed_mean(scores), half_of(crossed_error(scores), len(items))
