"""Frames of a ranking made of arrays, without a database: members get their names from their rows."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Floats, as_floats, present_mean
from evaluation.statistics.one_order import OneOrder, one_order
from evaluation.statistics.scores import score_estimate
from leaderboard.standings.field import PublishedField
from leaderboard.statistics.frames import Frame
from leaderboard.statistics.marks import BankFacts, Member
from leaderboard.statistics.outcomes import Value
from leaderboard.statistics.rows import BankItems

BANK = BankFacts(1, "eq-bench-v2", "eq-bench-v2", "en", "0" * 64, access="open")


def member(
    at: int,
    name: str,
    score: float,
    *,
    strict: float | None = None,
    error: float | None = None,
    origin: str = "measured",
) -> Member:
    return Member(at, name, name.lower(), name, "", origin, score, strict, error, at, None, None, None, 1)


def frame(
    scores: ArrayLike,
    *,
    names: Sequence[str] = (),
    answers: ArrayLike | None = None,
    words: Sequence[Sequence[str]] = (),
    reference: ArrayLike = (),
    repeats: Sequence[Value] = (),
    strict: Sequence[float | None] = (),
    origins: Sequence[str] = (),
    bank: BankFacts = BANK,
) -> Frame:
    """A frame of item scores in points, best model first whatever the order given."""
    points = as_floats(scores)
    totals = present_mean(points, axis=1)
    order = np.argsort(-totals, kind="stable").tolist()
    called = list(names) or [f"Model {at}" for at in range(len(points))]
    unranked = [
        member(
            place,
            called[at],
            float(totals[at]),
            strict=strict[at] if strict else float(totals[at]),
            error=error_of(points[at]),
            origin=origins[at] if origins else "measured",
        )
        for place, at in enumerate(order, 1)
    ]
    found = one_order([each.score for each in unranked], points[order], np.full(len(order), np.nan))
    members = with_ranges(unranked, found)
    given = np.full((len(points), 0), np.nan) if answers is None else as_floats(answers)
    return Frame(
        ranking=bank.slug,
        rule=bank.benchmark,
        bank=bank,
        members=tuple(members),
        items=items(points.shape[1], words, as_floats(reference)),
        scores=points[order],
        answers=given[order],
        repeats=tuple(repeats[at] for at in order) if repeats else tuple({} for _ in order),
        published=None,
        everyone=tuple(members),
        ahead=found.ahead,
    )


def with_ranges(members: Sequence[Member], found: OneOrder) -> list[Member]:
    """The ranges that the standings would hold."""
    ends = zip(
        found.ranges.low.tolist(),
        found.ranges.high.tolist(),
        found.ranges_all.low.tolist(),
        found.ranges_all.high.tolist(),
        strict=True,
    )
    names = ("low", "high", "low_all", "high_all")
    return [each._replace(**dict(zip(names, own, strict=True))) for each, own in zip(members, ends, strict=True)]


def error_of(points: Floats) -> float | None:
    found = score_estimate(points)
    return found.standard_error if found else None


def items(n: int, words: Sequence[Sequence[str]], reference: Floats) -> BankItems:
    numbers = tuple(range(1, n + 1))
    starts = np.cumsum([0, *(len(labels) for labels in words or [()] * n)]).tolist()
    return BankItems(
        keys=numbers,
        numbers=numbers,
        item_ids=tuple(map(str, numbers)),
        words=tuple(word for labels in words for word in labels),
        reference=reference,
        starts=tuple(starts),
    )


def published_frame(scores: Sequence[float], field: PublishedField | None) -> Frame:
    """A ranking of which only the scores are public."""
    members = [member(at, f"Model {at}", score) for at, score in enumerate(sorted(scores, reverse=True), 1)]
    empty = np.empty((len(members), 0))
    none = BankItems((), (), (), (), as_floats([]), (0,))
    own = [field.own_error.at(score) if field else np.nan for score in sorted(scores, reverse=True)]
    ahead = one_order([each.score for each in members], empty, own).ahead
    everyone = tuple(members)
    return Frame("eq-bench-v2", "eq-bench-v2", None, everyone, none, empty, empty, (), field, everyone, ahead)
