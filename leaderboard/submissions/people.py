"""People who answer items of a bank: which items they get, which sets count, and the storing of a set.

What does not count was fixed before the first set came and is printed on the page: a set of equal answers, and one in
which a dialogue was answered in less than `FASTEST` seconds.
"""

import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Q
from django.utils import timezone

from evaluation.models import Access, ItemBank
from leaderboard.models import HumanSet

BANKS = ("eq-open-v2", "eq-open-v1")
"""Slugs of the banks that visitors can answer: the first that is loaded is offered. Their texts are our own."""
COUNTS = Q(excluded=HumanSet.Excluded.NO, dropped=False)
"""Of a set: it counts."""
SET_SIZE = 10
FASTEST = 3.0
"""Seconds for one dialogue; nobody reads one in less."""
CONSENT_VERSION = 2
HIGHEST = 10
SESSION_KEY = "you"

chance = random.SystemRandom()


def moment() -> float:
    """Seconds since 1970."""
    return timezone.now().timestamp()


@dataclass(slots=True)
class Play:
    """What one visitor has done so far; kept in the session and nowhere else.

    `items` are item ids in the order shown, `answers` and `seconds` are by item id. `shown_at` is when an item was
    first shown, in seconds since 1970. `seen` are items of earlier plays of the same session. `joined` is "" until the
    visitor gives a set, then "counts" or the reason why it does not.
    """

    items: list[str]
    answers: dict[str, list[int]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    shown_at: dict[str, float] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    joined: str = ""

    @property
    def is_complete(self) -> bool:
        return all(item in self.answers for item in self.items)

    @property
    def next_number(self) -> int:
        """The first dialogue without an answer, from 1."""
        return next((at for at, item in enumerate(self.items, 1) if item not in self.answers), len(self.items))

    def show(self, item_id: str) -> None:
        self.shown_at.setdefault(item_id, moment())

    def answer(self, item_id: str, ratings: Sequence[int]) -> None:
        now = moment()
        self.answers[item_id] = list(ratings)
        self.seconds[item_id] = max(0.0, now - self.shown_at.get(item_id, now))


def offered_bank() -> ItemBank | None:
    """The bank that visitors can answer; None where it is not loaded, is not open or has too few items."""
    banks = ItemBank.objects.filter(slug__in=BANKS, access=Access.OPEN).annotate(n=Count("items"))
    able = [bank for bank in banks if bank.n >= SET_SIZE]
    return min(able, key=lambda bank: BANKS.index(bank.slug), default=None)


def play_of(session: Mapping[str, Any]) -> Play | None:
    stored = session.get(SESSION_KEY)
    return Play(**stored) if stored else None


def new_play(bank: ItemBank, before: Play | None) -> Play:
    """Ten items of the bank: those that fewest people have answered so far, by chance among equals, and none that this
    session has seen while there are enough others."""
    seen = [*before.seen, *before.items] if before else []
    every = list(bank.items.order_by("number").values_list("item_id", flat=True))
    fresh = [item for item in every if item not in seen]
    pool = fresh if len(fresh) >= SET_SIZE else every
    answered = times_answered(bank)
    chosen = sorted(pool, key=lambda item: (answered[item], chance.random()))[:SET_SIZE]
    chance.shuffle(chosen)
    return Play(items=chosen, seen=seen, joined=before.joined if before else "")


def times_answered(bank: ItemBank) -> Counter[str]:
    """Item id -> how many counted answers of people it has. One query."""
    return Counter(item for answers in counted_sets(bank) for item, _ in answers)


def counted_sets(bank: ItemBank) -> list[list[tuple[str, list[int]]]]:
    """The answers of each set that counts, oldest first."""
    rows = HumanSet.objects.filter(COUNTS, bank=bank).order_by("pk")
    return list(rows.values_list("answers", flat=True))


def excluded_by(answers: Collection[Sequence[int]], seconds: Collection[float]) -> HumanSet.Excluded:
    """Why a set does not count, or `NO`.

    Equal answers: the four numbers are equal in every dialogue, or every dialogue has the same four numbers.
    """
    flat = all(len(set(ratings)) == 1 for ratings in answers)
    same = len({tuple(ratings) for ratings in answers}) == 1
    if flat or same:
        return HumanSet.Excluded.EQUAL
    if min(seconds) < FASTEST:
        return HumanSet.Excluded.FAST
    return HumanSet.Excluded.NO


def store_set(bank: ItemBank, play: Play) -> HumanSet:
    """Stores a complete play, without anything that tells who it was. The visitor has agreed."""
    answers = [play.answers[item] for item in play.items]
    return HumanSet.objects.create(
        bank=bank,
        answers=[[item, play.answers[item]] for item in sorted(play.items)],
        consent_version=CONSENT_VERSION,
        day=timezone.now().date(),
        excluded=excluded_by(answers, [play.seconds[item] for item in play.items]),
    )
