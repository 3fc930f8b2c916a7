"""What the comparison page says in words. Pure: no query, no request.

Names of models are left to the template, which isolates their direction; sentences here hold figures alone.
"""

from collections.abc import Iterable, Sequence

from evaluation.statistics.differences import PairedDifference
from leaderboard.rounding import counted, number, points

NUMBERS = ("no", "one", "two", "three", "four")


def p_text(p: float | None) -> str:
    """ "p < 0.001", "p = 0.091"; "" where it is not known."""
    if p is None:
        return ""
    return "p < 0.001" if p < 0.001 else f"p = {number(p, 3)}"


def difference_text(difference: PairedDifference, gap: float, unit: str = "points", *, tied: bool) -> str:
    """The figures of a pair, the first model being the one that is not behind.

    `gap` is the difference of the two scores that are shown, in `unit`; `tied` is the verdict of the ranking.
    """
    lead = gap_text(difference, gap, unit)
    if difference.interval is None:
        return f"{lead} One item leaves all open."
    low, high = number(difference.interval.low, 1), number(difference.interval.high, 1)
    holds = "includes zero" if difference.tied else "excludes zero"
    start = "Tied: the" if tied and difference.tied else "The"
    figures = ", ".join(filter(None, [p_text(difference.p), effect_text(difference.effect_size)]))
    return " ".join(
        filter(None, [lead, f"{start} 95 % interval {low} to {high} {holds}; {figures}.", edge_text(difference, tied)])
    )


def gap_text(difference: PairedDifference, gap: float, unit: str = "points") -> str:
    """The difference of the scores, and that over the shared items where it is another one."""
    shared = f"over {counted(difference.n, 'shared item')}"
    if points(gap) == points(difference.mean):
        return f"By {points(gap)} {unit} {shared}."
    return f"By {points(gap)} {unit}; {shared}, by {points(difference.mean)}."


def edge_text(difference: PairedDifference, tied: bool) -> str:
    """Why the ranking decides otherwise than the paired test; "" where both agree."""
    if tied == difference.tied:
        return ""
    verdict = "the two are tied" if tied else "one is ahead"
    return f"The ranking compares all models together, and there {verdict}: this pair is close to the limit."


def effect_text(effect: float | None) -> str:
    return "" if effect is None else f"effect size {number(effect, 2)}"


LEVEL = 0.05


def wins_text(difference: PairedDifference, unit: str = "points", *, tied: bool) -> str:
    equal = f", equal on {difference.n_equal}" if difference.n_equal else ""
    count = f"Better on {counted(difference.n_better, 'item')}, worse on {difference.n_worse}{equal}."
    return " ".join(filter(None, [count, lopsided_text(difference, tied, unit)]))


def lopsided_text(difference: PairedDifference, tied: bool, unit: str = "points") -> str:
    """Why the verdict, which goes by the mean, is not that of the number of items; "" where the two agree."""
    if not (tied and difference.sign_p < LEVEL) and not (not tied and difference.n_worse > difference.n_better):
        return ""
    counted_alone = f"sign test {p_text(difference.sign_p)}, median difference {number(difference.median, 1)} {unit}"
    sizes = f"{number(difference.gain, 1)} {unit} on average, its losses {number(difference.loss, 1)}"
    if tied:
        start = f"By the number of items alone this would be no tie ({counted_alone})"
        return f"{start}, but the verdict goes by the mean: its gains are {sizes}."
    return f"It is ahead by its mean though not by the number of items ({counted_alone}): its gains are {sizes}."


def headline(n_models: int, tied: Sequence[bool], n_chosen: int) -> str:
    """The finding over three or four models of the chosen ones; "" for a pair, whose headline names the models."""
    if n_models < 3 or not tied:
        return ""
    some = f"{NUMBERS[n_models].capitalize()} of the {NUMBERS[n_chosen]}" if n_models < n_chosen else ""
    if all(tied):
        return f"{some or f'The {NUMBERS[n_models]}'} are tied"
    if not any(tied):
        return f"{some or f'All {NUMBERS[n_models]}'} differ significantly"
    return f"{sum(tied)} of {len(tied)} pairs are tied"


def shared_text(numbers: Iterable[int], title: str) -> str:
    """How many items the pairs share: "On the same 171 items of EQ-Bench v2."."""
    counts = sorted(set(numbers))
    if not counts:
        return ""
    if len(counts) == 1:
        return f"On the same {counted(counts[0], 'item')} of {title}."
    return f"On {counts[0]} to {counts[-1]} shared items of {title}."


def scatter_text(first: Sequence[float], second: Sequence[float], apart: float = 2.0) -> str:
    """How often the item scores of two models part by more than `apart`, on the items' own scale."""
    better = sum(a - b > apart for a, b in zip(first, second, strict=True))
    worse = sum(b - a > apart for a, b in zip(first, second, strict=True))
    return (
        f"They differ by more than {number(apart, 0)} on {better + worse} of {counted(len(first), 'item')}: "
        f"the first is higher on {better}, the second on {worse}."
    )
