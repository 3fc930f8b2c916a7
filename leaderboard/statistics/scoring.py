"""How far ranks hang on the scoring rule: other constants of its curve, and errors or correlations in its place.

Value: `rules` has the columns of RULE_COLUMNS, a row another rule; `models` those of MODEL_COLUMNS followed by one rank
for each rule, in the same order, best model first. All rules score the same answers, those of each model's newest run,
and so does the published rule that they are compared with: its ranks need not be those of the board. `beyond` counts
models whose rank by the other rule lies outside of what their items leave open; None where no ranges are known. The
value is empty where the bank's rule has no such curve.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.statistics.arrays import Floats, Ints, without_rounding
from evaluation.statistics.correlation import bonett_wright_interval, spearman
from evaluation.statistics.other_scores import (
    MIDPOINT,
    MULTIPLIER,
    STEEPNESS,
    absolute_errors,
    correlations,
    curve_scores,
    root_mean_squares,
)
from evaluation.statistics.ranks import RankRanges, open_ranges, ranks_of
from leaderboard.kinds import kind_of
from leaderboard.statistics.frames import Frame
from leaderboard.statistics.marks import Member
from leaderboard.statistics.outcomes import Outcome, ends, outcome

LEAST_MODELS = 4
"""Fewer leave rho without an interval."""
RULE_COLUMNS = (
    "rule", "constant", "value", "n", "moved", "largest_move", "mean_move", "beyond", "same_first", "rho", "rho_low",
    "rho_high",
)  # fmt: skip
MODEL_COLUMNS = ("model", "slug", "score", "rank")

Scorer = Callable[[Floats, Floats, Sequence[int]], Floats]


@dataclass(frozen=True, slots=True)
class Rule:
    """Another way to score: `constant` is the one that differs, "" for a rule without the curve. High is good."""

    name: str
    constant: str
    value: float | None
    scores: Scorer


def with_constant(constant: str, value: float) -> Rule:
    def scores(answers: Floats, reference: Floats, starts: Sequence[int]) -> Floats:
        return curve_scores(answers, reference, starts, **{constant: value})

    return Rule(f"{constant} {value:g}", constant, value, scores)


RULES = (
    *(with_constant("multiplier", value) for value in (1.0,)),
    *(with_constant("steepness", value) for value in (0.8, 1.5, 2.0)),
    *(with_constant("midpoint", value) for value in (3.0, 3.5, 4.5, 5.0)),
    Rule("mean absolute error", "", None, lambda answers, reference, _: -absolute_errors(answers, reference)),
    Rule("root mean squared error", "", None, lambda answers, reference, _: -root_mean_squares(answers, reference)),
    # Ratings that are all equal correlate with nothing, which counts as 0 here.
    Rule("correlation", "", None, lambda answers, reference, _: np.nan_to_num(correlations(answers, reference))),
)
PUBLISHED = {"multiplier": MULTIPLIER, "steepness": STEEPNESS, "midpoint": MIDPOINT}


def compute(frame: Frame) -> Outcome:
    family = frame.bank.benchmark if frame.bank else ""
    if family not in kind_of(family).full_scale or not frame.answers.size:
        return Outcome(0, {})
    items = zip(frame.items.starts, frame.items.starts[1:], strict=False)
    starts = [start for start, end in items if end > start]
    base = curve_scores(frame.answers, frame.items.reference, starts)
    others = [rule.scores(frame.answers, frame.items.reference, starts) for rule in RULES]
    known = ~np.isnan(base)
    members = [member for member, is_known in zip(frame.members, known.tolist(), strict=True) if is_known]
    if len(members) < LEAST_MODELS:
        return Outcome(0, {})
    base, others = without_rounding(base[known]), [without_rounding(scores[known]) for scores in others]
    ranks, other_ranks = ranks_of(base), [ranks_of(scores) for scores in others]
    ranges = ranges_among(frame, members, base)
    return outcome(
        len(members),
        n_items=len(starts),
        n_left_out=len(frame.members) - len(members),
        rules=[
            rule_row(rule, ranges, ranks, other, spearman(base, scores))
            for rule, other, scores in zip(RULES, other_ranks, others, strict=True)
        ],
        names=[rule.name for rule in RULES],
        models=[
            [
                members[at].name, members[at].slug, float(base[at]), int(ranks[at]),
                *(int(each[at]) for each in other_ranks),
            ]
            for at in np.argsort(ranks, kind="stable").tolist()
        ],
    )  # fmt: skip


def ranges_among(frame: Frame, members: Sequence[Member], scores: Floats) -> RankRanges | None:
    """The possible ranks of these members among each other, by the ranking's own table; None where there is none."""
    if frame.ahead is None:
        return None
    places = {member.model_id: at for at, member in enumerate(frame.everyone)}
    at = [places[member.model_id] for member in members]
    return open_ranges(frame.ahead[np.ix_(at, at)], scores)


def rule_row(rule: Rule, ranges: RankRanges | None, ranks: Ints, other: Ints, rho: float | None) -> list[object]:
    moves = np.abs(other - ranks)
    low, high = ends(None if rho is None else bonett_wright_interval(rho, ranks.size))
    beyond = None if ranges is None else int(((other < ranges.low) | (other > ranges.high)).sum())
    return [
        rule.name, rule.constant or None, rule.value, ranks.size, int((moves > 0).sum()), int(moves.max()),
        float(moves.mean()), beyond, bool((ranks[other == 1] == 1).any()), rho, low, high,
    ]  # fmt: skip
