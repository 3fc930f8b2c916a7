"""A judge beside people and beside itself: the 3 × 3 table, own-side lean, and paired comparisons of responders.

Ratings are 1 (Bad), 2 (Okay) and 3 (Good), by the id of the prompt. Pure: may not import Django, HTTP or a clock.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from evaluation.statistics.agreement import kappa
from evaluation.statistics.corrections import holm
from evaluation.statistics.normal import Interval

LEVELS = (1, 2, 3)
GOOD = 3
DRAWS = 10_000
SEED = 171
FEWEST = 30
"""Below so many prompts that both sides rated there is no test and no interval."""

Floats = NDArray[np.float64]
Ratings = Mapping[str, int]
"""Id of a prompt -> rating of the reply to it."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a judge and people rated the same replies.

    `table` has people's levels as rows and the judge's as columns, from Bad to Good. The three kappas are None where
    both sides use one level only, or nothing was rated by both.
    """

    table: tuple[tuple[int, ...], ...]
    n: int
    same: int
    kappa: float | None
    linear: float | None
    quadratic: float | None


def agreement(pairs: Sequence[tuple[int, int]]) -> Agreement:
    """Of pairs of ratings of one reply each: people's first, the judge's second."""
    table = np.zeros((len(LEVELS), len(LEVELS)), dtype=np.int64)
    for people, judge in pairs:
        table[people - 1, judge - 1] += 1
    return Agreement(
        table=tuple(tuple(int(cell) for cell in row) for row in table),
        n=len(pairs),
        same=int(np.trace(table)),
        kappa=kappa(table),
        linear=kappa(table, "linear"),
        quadratic=kappa(table, "quadratic"),
    )


@dataclass(frozen=True, slots=True)
class Lean:
    """How much more than people a judge prefers one side's replies to another's, in shares of Good (−2 to 2).

    `judge` and `people` are the differences of the two shares; `lean` is the first less the second. The interval is a
    95 % bootstrap over prompts; None below FEWEST prompts. `n` prompts have all four ratings.
    """

    judge: float
    people: float
    lean: float
    interval: Interval | None
    n: int


def own_side_lean(
    judge: tuple[Sequence[Ratings], Sequence[Ratings]],
    people: tuple[Sequence[Ratings], Sequence[Ratings]],
    *,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Lean | None:
    """Of the replies of one side (models, or the judge's maker) and of the other (people, or other makers).

    Args:
        judge, people: For both sides the ratings of each responder. A prompt counts where the judge and people each
            rated a reply of both sides to it; the share of a side is the mean over its responders.

    Returns:
        None where no prompt has all four.
    """
    shares = [_shares(side) for rater in (judge, people) for side in rater]
    prompts = sorted(set.intersection(*map(set, shares)))
    if not prompts:
        return None
    own_judge, other_judge, own_people, other_people = (np.array([side[p] for p in prompts]) for side in shares)
    by_judge, by_people = own_judge - other_judge, own_people - other_people
    return Lean(
        judge=float(by_judge.mean()),
        people=float(by_people.mean()),
        lean=float((by_judge - by_people).mean()),
        interval=bootstrap_mean(by_judge - by_people, draws=draws, seed=seed),
        n=len(prompts),
    )


def _shares(responders: Sequence[Ratings]) -> dict[str, float]:
    """Id of a prompt -> share of Good over the responders whose reply to it was rated."""
    prompts = {prompt for ratings in responders for prompt in ratings}
    return {
        prompt: float(np.mean([ratings[prompt] == GOOD for ratings in responders if prompt in ratings]))
        for prompt in prompts
    }


def bootstrap_mean(values: Floats, *, draws: int = DRAWS, seed: int = SEED) -> Interval | None:
    """The 95 % percentile interval of the mean, by drawing values with replacement; None below FEWEST values."""
    if len(values) < FEWEST:
        return None
    chance = np.random.default_rng(seed)
    n = len(values)
    means = np.concatenate(
        [values[chance.integers(0, n, (size, n))].mean(axis=1) for size in _parts(draws, max(1, 2_000_000 // n))]
    )
    low, high = np.quantile(means, (0.025, 0.975))
    return Interval(float(low), float(high))


def _parts(total: int, size: int) -> list[int]:
    """Draws in parts, so that a long list of prompts takes little memory."""
    return [min(size, total - done) for done in range(0, total, size)]


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """Two responders whose replies to the same prompts one judge rated.

    `only_first` and `only_second` count the prompts at which one of them alone was rated Good; `difference` is that of
    the shares of Good. `p` is McNemar's exact test, `p_adjusted` Holm's over all pairs of the judge. No test and no
    interval below FEWEST prompts.
    """

    first: str
    second: str
    n: int
    only_first: int
    only_second: int
    difference: float
    interval: Interval | None
    p: float | None
    p_adjusted: float | None = None


def judged_pairs(ratings: Mapping[str, Ratings], *, draws: int = DRAWS, seed: int = SEED) -> tuple[JudgedPair, ...]:
    """All pairs of responders of one judge, by name; those without a common prompt are left out."""
    pairs = [
        pair
        for first, second in combinations(ratings, 2)
        if (pair := _pair(first, second, ratings, draws=draws, seed=seed)) is not None
    ]
    tested = [pair.p for pair in pairs if pair.p is not None]
    adjusted = iter(holm(tested))
    return tuple(replace(pair, p_adjusted=next(adjusted)) if pair.p is not None else pair for pair in pairs)


def _pair(first: str, second: str, ratings: Mapping[str, Ratings], *, draws: int, seed: int) -> JudgedPair | None:
    prompts = sorted(ratings[first].keys() & ratings[second].keys())
    if not prompts:
        return None
    one, two = (np.array([float(ratings[name][prompt] == GOOD) for prompt in prompts]) for name in (first, second))
    only_first, only_second = int((one > two).sum()), int((two > one).sum())
    return JudgedPair(
        first=first,
        second=second,
        n=len(prompts),
        only_first=only_first,
        only_second=only_second,
        difference=float((one - two).mean()),
        interval=bootstrap_mean(one - two, draws=draws, seed=seed),
        p=mcnemar(only_first, only_second) if len(prompts) >= FEWEST else None,
    )


def mcnemar(only_first: int, only_second: int) -> float:
    """Two-sided p of McNemar's exact test; 1 where the two never differ.

    Source: McNemar 1947, Psychometrika 12; the exact form is the binomial test of the discordant pairs.
    """
    discordant = only_first + only_second
    return min(1.0, float(2 * bdtr(min(only_first, only_second), discordant, 0.5))) if discordant else 1.0
