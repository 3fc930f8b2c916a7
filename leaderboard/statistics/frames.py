"""A whole field of models as arrays, loaded once for all sections of a ranking."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from evaluation.models import Access, Item
from evaluation.statistics.arrays import Bools, Floats, as_floats
from evaluation.statistics.copies import near_copies
from leaderboard.standings.ahead import ahead_among
from leaderboard.standings.field import FIELDS, PublishedField
from leaderboard.statistics.marks import BankFacts, Inputs, Member
from leaderboard.statistics.outcomes import Value
from leaderboard.statistics.rows import BankItems, by_model, refresh_rows

NO_ITEMS = BankItems((), (), (), (), as_floats([]), (0,))


@dataclass(frozen=True, eq=False)  # without slots, so that what two sections need is computed once
class Frame:
    """A ranking's members, best first, and in the same order their item scores (points), answers and repeats.

    The members are the models with stored answers, or all where none has any; `everyone` are all that compete, and
    `ahead` is the stored table of who of these is ahead of whom, None where there is none.
    `scores` is members x items, `answers` members x slots, NaN where missing; both have no column where no results are
    stored. `published` is what is known of a field of which only the scores are public. Names of feelings may be shown
    where `shows_words`.
    """

    ranking: str
    rule: str
    bank: BankFacts | None
    members: tuple[Member, ...]
    items: BankItems
    scores: Floats
    answers: Floats
    repeats: tuple[Value, ...]
    published: PublishedField | None
    everyone: tuple[Member, ...]
    ahead: Bools | None

    @property
    def shows_words(self) -> bool:
        return self.bank is not None and self.bank.access == Access.OPEN

    @property
    def has_items(self) -> bool:
        return bool(self.scores.size)

    @cached_property
    def near_copies(self) -> dict[int, int]:
        """Row of a member -> row of the better one whose answers it gives, on 95 % of the items or more."""
        return near_copies(self.scores, self.answers, self.items.starts) if self.has_items else {}

    def only(self, rows: Sequence[int]) -> "Frame":
        """The frame of these members alone, in this order. Who competes and who is ahead stay those of the ranking."""
        at = list(rows)
        return replace(
            self,
            members=tuple(self.members[row] for row in at),
            scores=self.scores[at],
            answers=self.answers[at],
            repeats=tuple(self.repeats[row] for row in at) if self.repeats else (),
        )


def frame_of(inputs: Inputs) -> Frame:
    """The frame of a ranking; rows of models that changed are read anew and stored on the way. Five queries and more
    where models changed."""
    items = bank_items(inputs.bank)
    refresh_rows(inputs, items)
    held = by_model(inputs.ranking)
    members = [member for member in inputs.members if member.model_id in held] or list(inputs.members)
    own = [held[member.model_id] for member in members if member.model_id in held]
    return Frame(
        ranking=inputs.ranking,
        rule=inputs.rule,
        bank=inputs.bank,
        members=tuple(members),
        items=items,
        scores=stacked([scores for scores, _, _ in own], len(members)),
        answers=stacked([answers for _, answers, _ in own], len(members)),
        repeats=tuple(repeats for _, _, repeats in own),
        published=FIELDS.get(inputs.ranking),
        everyone=inputs.members,
        ahead=ahead_among(inputs.ranking, [member.model_id for member in inputs.members]),
    )


def stacked(rows: Sequence[Floats], n: int) -> Floats:
    return np.array(rows) if rows else np.empty((n, 0))


def bank_items(bank: BankFacts | None) -> BankItems:
    """The items in the order of the bank. One query; none without a bank."""
    if bank is None:
        return NO_ITEMS
    columns = ("pk", "number", "item_id", "labels", "reference")
    rows = list(Item.objects.filter(bank=bank.pk).order_by("number").values_list(*columns))
    rated = [labels if labels and len(labels) == len(reference or ()) else [] for *_, labels, reference in rows]
    return BankItems(
        keys=tuple(row[0] for row in rows),
        numbers=tuple(row[1] for row in rows),
        item_ids=tuple(row[2] for row in rows),
        words=tuple(word for labels in rated for word in labels),
        reference=as_floats([value for row, labels in zip(rows, rated, strict=True) if labels for value in row[4]]),
        starts=tuple(np.cumsum([0, *map(len, rated)]).tolist()),
    )
