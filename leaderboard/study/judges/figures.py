"""One judge in numbers: agreement with people, own-side lean, self-preference, shares. No query."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from evaluation.benchmarks.empathy.scoring import GOOD
from evaluation.statistics.judges import Agreement, JudgedPair, Lean, Ratings, agreement, judged_pairs, own_side_lean
from leaderboard.study.judges.reading import Judged

MOST_PAIRED = 12
"""With more responders the table of pairs would be long; the ranking tells of ties."""


@dataclass(frozen=True, slots=True)
class Figures:
    """`lean`: models' replies against those of people. `own`: those of the judge's maker against other makers'. Both
    are relative to people's ratings and None without them. `gap` is the second in the judge's ratings alone."""

    agreement: Agreement
    lean: Lean | None
    own: Lean | None
    gap: float | None
    n_read: int
    n_asked: int
    n_replies: int
    pairs: tuple[JudgedPair, ...]


def figures_of(judged: Sequence[Judged], *, with_pairs: bool = True) -> Figures:
    counted = [each for each in judged if each.counts]
    models, people = _sides(counted, [each.is_people for each in counted])
    makers = [each for each in counted if not each.is_people]
    others, own = _sides(makers, [each.is_own for each in makers])
    ended = [each for each in judged if each.counts or each.cannot_be_read]
    return Figures(
        agreement=agreement(both_rated(counted)),
        lean=lean_of(models, people),
        own=lean_of(own, others),
        gap=_gap(own, others),
        n_read=sum(len(each.ratings) for each in ended),
        n_asked=sum(each.asked for each in ended),
        n_replies=sum(each.asked for each in judged),
        pairs=_pairs(counted) if with_pairs else (),
    )


def both_rated(judged: Iterable[Judged]) -> list[tuple[int, int]]:
    """The rating of people and that of the judge, of each reply that has both."""
    return [
        (each.people[prompt], each.ratings[prompt])
        for each in judged
        for prompt in sorted(each.people.keys() & each.ratings.keys())
    ]


def lean_of(side: Sequence[Judged], other: Sequence[Judged]) -> Lean | None:
    """Over the replies that both rated: else the shares of a side would be of other responders for the judge than for
    people, where these rated only some of them."""
    rated, others = ([both_of(each) for each in group if each.people] for group in (side, other))
    return own_side_lean(
        judge=([judge for judge, _ in rated], [judge for judge, _ in others]),
        people=([people for _, people in rated], [people for _, people in others]),
    )


def both_of(judged: Judged) -> tuple[Ratings, Ratings]:
    """The ratings of the judge and those of people, of the replies that have both."""
    prompts = judged.ratings.keys() & judged.people.keys()
    return {each: judged.ratings[each] for each in prompts}, {each: judged.people[each] for each in prompts}


def share(ratings: Ratings) -> float | None:
    """Of Good, 0 to 1; None for no rating."""
    return sum(rating == GOOD for rating in ratings.values()) / len(ratings) if ratings else None


def _sides(judged: Sequence[Judged], marks: Sequence[bool]) -> tuple[list[Judged], list[Judged]]:
    """Those without the mark, and those with it."""
    marked = list(zip(judged, marks, strict=True))
    return [each for each, mark in marked if not mark], [each for each, mark in marked if mark]


def _gap(own: Sequence[Judged], others: Sequence[Judged]) -> float | None:
    shares = [[found for each in side if (found := share(each.ratings)) is not None] for side in (own, others)]
    if not all(shares):
        return None
    first, second = (sum(side) / len(side) for side in shares)
    return first - second


def _pairs(counted: Sequence[Judged]) -> tuple[JudgedPair, ...]:
    if not 2 <= len(counted) <= MOST_PAIRED:
        return ()
    best_first = sorted(counted, key=lambda each: -(share(each.ratings) or 0.0))
    labels = {str(each.run.pk): each.label for each in best_first}  # two models may have one label
    pairs = judged_pairs({str(each.run.pk): each.ratings for each in best_first})
    return tuple(replace(pair, first=labels[pair.first], second=labels[pair.second]) for pair in pairs)
