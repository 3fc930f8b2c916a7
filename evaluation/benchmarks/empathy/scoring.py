"""Gathered and judged replies in numbers: the median of a judge's repeats, shares, coverage. Pure; no numpy.

Source: our specification of the study, sections 6.3 and 10.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, sqrt

from evaluation.benchmarks.base import FIRST_PART, Bank, Figure, Item, ItemScore, JsonValue, Measure, Summary
from evaluation.benchmarks.empathy.bank import LENGTH, RATING, VALENCES

BAD, OKAY, GOOD = 1, 2, 3
LEVELS: Mapping[int, str] = {BAD: "bad", OKAY: "okay", GOOD: "good"}
NEEDED = 0.9
"""The share of the prompts that has to have a reply, or a judgement that was read."""

WORDS = Measure(LENGTH, "Length", "words", 0, "neither", low=0, note="Words of the reply, parted by blanks.")
REPLY_MEASURES = (WORDS,)
JUDGED_MEASURES = (
    Measure(
        "good",
        "Good rating",
        "",
        0,
        "higher",
        low=0,
        high=1,
        note="1 where the judge's rating is Good, else 0.",
    ),
    Measure(RATING, "Rating", "", 0, "higher", low=BAD, high=GOOD, note="3 is Good, 2 is Okay and 1 is Bad."),
    WORDS,
)
MEASURES = (
    Measure(
        "good",
        "Good",
        "%",
        2,
        "higher",
        low=0,
        high=100,
        note="Share of the judged replies that one LLM judge rated Good. It is no rating by people.",
    ),
    Measure(
        "okay", "Okay", "%", 2, "neither", low=0, high=100, note="Share of the judged replies rated Okay.", shown=False
    ),
    Measure("bad", "Bad", "%", 2, "lower", low=0, high=100, note="Share of the judged replies rated Bad."),
    Measure(
        "n",
        "Judged",
        "replies",
        0,
        "neither",
        low=0,
        note="Replies with a median of the judge's three ratings.",
        shown=False,
    ),
    Measure("mean_length", "Length", "words", 1, "neither", low=0, note="Mean number of words of the judged replies."),
    Measure(
        "coverage",
        "Read",
        "%",
        1,
        "neither",
        low=0,
        high=100,
        note="Share of all prompts whose reply has a judgement that could be read. Others count here and never as Bad.",
        shown=False,
    ),
)


def certain_median(ratings: Sequence[int], asked: int) -> int | None:
    """The median of so many ratings, some of which were not read; None unless it is the same whatever those were.

    Of three ratings with one unread there is a median only where the other two agree.
    """
    unread = asked - len(ratings)
    lowest, highest = ([fill] * unread for fill in (BAD, GOOD))
    found = {middle for fill in (lowest, highest) for middle in _middles(sorted([*ratings, *fill]))}
    return found.pop() if len(found) == 1 else None


def _middles(ordered: Sequence[int]) -> tuple[int, ...]:
    """One for an odd number, two for an even one, none for none."""
    return tuple(ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1])


def medians(scores: Iterable[ItemScore], repeats: int) -> dict[str, int | None]:
    """Item id -> median rating; None where it is not certain. Items without any result are not in it."""
    read: dict[str, list[int]] = defaultdict(list)
    for score in scores:
        ratings, rating = read[score.item_id], score.values[1]
        if rating is not None:
            ratings.append(round(rating))
    return {item_id: certain_median(ratings, repeats) for item_id, ratings in read.items()}


def summarise_judged(scores: Sequence[ItemScore], bank: Bank, *, repeats: int) -> Summary:
    """Shares of the median ratings. `detail` holds counts by scope and by emotion, and the medians by item."""
    found = medians(scores, repeats)
    settled = {item.id: rating for item in bank.items if (rating := found.get(item.id)) is not None}
    lengths = _lengths(scores)
    n, asked = len(settled), len(bank.items)
    coverage = n / asked if asked else 0.0
    return Summary(
        figures={
            **{LEVELS[level]: _share(settled.values(), level) for level in (GOOD, OKAY, BAD)},
            "n": Figure(float(n), n=n),
            "mean_length": _mean([lengths[item_id] for item_id in settled if item_id in lengths]),
            "coverage": Figure(100 * coverage, n=asked),
        },
        coverage=coverage,
        n_scored=n,
        repeat_scores=tuple(_repeat_share(scores, repeat) for repeat in range(1, repeats + 1)),
        counted_parts=(FIRST_PART,) * repeats,
        detail={
            "scopes": _scopes(bank.items, settled),
            "emotions": _by(bank.items, settled, "emotion"),
            "judgements": {
                "asked": asked * repeats,
                "read": sum(score.values[1] is not None for score in scores),
            },
            "medians": dict(settled),
        },
        reason="" if coverage >= NEEDED else f"only {n} of {asked} replies have a judgement that could be read",
    )


def summarise_replies(scores: Sequence[ItemScore], bank: Bank) -> Summary:
    """How many replies came and how long they are. A reply without words is a reply."""
    lengths = [length for item_id, length in _lengths(scores).items()]
    n, asked = len(lengths), len(bank.items)
    coverage = n / asked if asked else 0.0
    return Summary(
        figures={"n": Figure(float(n), n=n), "mean_length": _mean(lengths)},
        coverage=coverage,
        n_scored=n,
        repeat_scores=(None,),
        counted_parts=(FIRST_PART,),
        detail={
            "replies": n,
            "empty": sum(length == 0 for length in lengths),
            "longest": max(lengths, default=None),
        },
        reason="" if coverage >= NEEDED else f"only {n} of {asked} prompts have a reply",
    )


def _lengths(scores: Iterable[ItemScore]) -> dict[str, float]:
    """Item id -> words of its reply, from whichever repeat knows them."""
    return {score.item_id: length for score in scores if (length := score.values[-1]) is not None}


def _share(ratings: Iterable[int], level: int) -> Figure:
    """In per cent, with the standard error over the items; no error for fewer than two."""
    hits = [rating == level for rating in ratings]
    n = len(hits)
    if not n:
        return Figure(None, n=0)
    share = sum(hits) / n
    return Figure(100 * share, 100 * sqrt(share * (1 - share) / (n - 1)) if n > 1 else None, n)


def _mean(values: Sequence[float]) -> Figure:
    return Figure(fsum(values) / len(values) if values else None, n=len(values))


def _repeat_share(scores: Iterable[ItemScore], repeat: int) -> float | None:
    return _share([round(rating) for score in scores if score.repeat == repeat
                   if (rating := score.values[1]) is not None], GOOD).value  # fmt: skip


def _scopes(items: Sequence[Item], settled: Mapping[str, int]) -> JsonValue:
    every = {"all": _counts(list(settled.values()), len(items))}
    by_valence = _by(items, settled, "valence")
    return {**every, **{valence: by_valence[valence] for valence in VALENCES if valence in by_valence}}


def _by(items: Sequence[Item], settled: Mapping[str, int], key: str) -> dict[str, JsonValue]:
    """The counts of the items that have the same word under this key, in the order of their first item."""
    groups: dict[str, list[str]] = defaultdict(list)
    for item in items:
        groups[str(item.extra.get(key, item.group))].append(item.id)
    return {
        name: _counts([settled[item_id] for item_id in ids if item_id in settled], len(ids))
        for name, ids in groups.items()
    }


def _counts(ratings: Sequence[int], asked: int) -> JsonValue:
    """`share` is Good of the judged ones, 0 to 1; None without any."""
    counted, n = Counter(ratings), len(ratings)
    return {
        "asked": asked,
        "n": n,
        **{LEVELS[level]: counted[level] for level in (BAD, OKAY, GOOD)},
        "share": counted[GOOD] / n if n else None,
    }
