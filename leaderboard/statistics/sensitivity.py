"""How far ranks hang on choices: strict against standard reading, README against code rule, one item more or less.

Value: `strict`, `rule` and `items` are each null where they cannot be told. `models` of each has the columns named in
its COLUMNS, the largest move first; those of `strict` are in its `choice`. Ranks by rule come from each model's newest
run alone, so that both rules score the same answers; they need not be the ranks of the board.
"""

from collections.abc import Callable, Sequence

import numpy as np

from evaluation.benchmarks.eqbench_curve import ADJUSTMENT, FULL_MARKS, code_penalty, readme_penalty
from evaluation.states import Origin
from evaluation.statistics.arrays import Bools, Floats, Ints, as_floats, present_mean, without_rounding
from evaluation.statistics.correlation import spearman
from evaluation.statistics.ranks import ranks_of
from leaderboard.kinds import kind_of
from leaderboard.statistics.frames import Frame
from leaderboard.statistics.marks import Member
from leaderboard.statistics.outcomes import Outcome, outcome

POINTS = 10.0
CHOICE_COLUMNS = ("model", "slug", "score", "other_score", "rank", "other_rank", "move")
ITEM_MODEL_COLUMNS = ("model", "slug", "score", "rank", "lowest_rank", "highest_rank", "move")
ITEM_COLUMNS = ("item", "item_id", "moved", "largest_move", "new_first")


def compute(frame: Frame) -> Outcome:
    if len(frame.members) < 2 or not frame.has_items:
        return Outcome(0, {})
    return outcome(
        len(frame.members), strict=strict_reading(frame.members), rule=scoring_rule(frame), items=left_out(frame)
    )


def strict_reading(members: Sequence[Member]) -> dict[str, object] | None:
    """The standard reading against the strict one over the measured models; None without one.

    `without` names those that have no strict score. Answers of imported models were read elsewhere, so their two scores
    are one and the same: they only stand in both orders, and are counted in `n_imported`. `choice` is null where no
    measured model has both scores, or no other model is there to be ranked with.
    """
    measured = [member for member in members if member.origin == Origin.MEASURED]
    if not measured:
        return None
    known = [member for member in members if member.origin != Origin.MEASURED or member.strict_score is not None]
    is_shown = np.array([member.origin == Origin.MEASURED for member in known], dtype=np.bool_)
    scores = as_floats([each.score for each in known])
    strict = np.array(
        [each.strict_score if shown else each.score for each, shown in zip(known, is_shown, strict=True)],
        dtype=np.float64,
    )
    return {
        "n_measured": len(measured),
        "n_imported": len(members) - len(measured),
        "without": [member.name for member in measured if member.strict_score is None],
        "choice": choice(known, scores, strict, is_shown) if is_shown.any() and len(known) > 1 else None,
    }


def choice(
    members: Sequence[Member], scores: Floats, others: Floats, is_shown: Bools | None = None
) -> dict[str, object]:
    """One choice against another over the same models, each ranked among all; figures of those that are shown."""
    shown = np.flatnonzero(np.ones(len(members)) if is_shown is None else is_shown)
    scores, others = without_rounding(scores), without_rounding(others)
    ranks, other_ranks = (ranks_of(values)[shown] for values in (scores, others))
    members, scores, others = [members[at] for at in shown.tolist()], scores[shown], others[shown]
    moves = other_ranks - ranks
    order = np.lexsort((ranks, -np.abs(moves)))
    return {
        "n": len(members),
        "moved": int((moves != 0).sum()),
        "largest_move": int(np.abs(moves).max()),
        "mean_move": float(np.abs(moves).mean()),
        "largest_difference": float(np.abs(others - scores).max()),
        "rho": spearman(scores, others) if len(members) > 2 else None,
        "models": [
            [
                members[at].name, members[at].slug, float(scores[at]), float(others[at]), int(ranks[at]),
                int(other_ranks[at]), int(moves[at]),
            ]
            for at in order.tolist()
        ],
    }  # fmt: skip


def scoring_rule(frame: Frame) -> dict[str, object] | None:
    """The README rule against the code rule on the answers of each model's newest run."""
    family = frame.bank.benchmark if frame.bank else ""
    if family not in kind_of(family).full_scale or not frame.answers.size:
        return None
    readme, code = rule_scores(frame)
    known = ~np.isnan(readme)
    members = [member for member, is_known in zip(frame.members, known, strict=True) if is_known]
    return choice(members, readme[known], code[known]) if len(members) > 1 else None


def rule_scores(frame: Frame) -> tuple[Floats, Floats]:
    """The scores of all models by both rules, in points; an item with a missing rating is left out."""
    distances = np.abs(frame.answers - frame.items.reference)
    return points_of(frame, penalties(distances, readme_penalty)), points_of(frame, penalties(distances, code_penalty))


def penalties(distances: Floats, rule: Callable[[float], float]) -> Floats:
    """The rule for each distance, which is asked once for each value that occurs; NaN where one is missing."""
    known = ~np.isnan(distances)
    distinct, at = np.unique(distances[known], return_inverse=True)
    costs = np.full(distances.shape, np.nan)
    costs[known] = as_floats([rule(value) for value in distinct.tolist()])[at]
    return costs


def points_of(frame: Frame, costs: Floats) -> Floats:
    starts = [start for start, end in zip(frame.items.starts, frame.items.starts[1:], strict=False) if end > start]
    sums = np.add.reduceat(costs, starts, axis=1)
    return POINTS * present_mean(FULL_MARKS - ADJUSTMENT * sums, axis=1)


def left_out(frame: Frame) -> dict[str, object] | None:
    """The ranks of the models when one item is left out, each item in turn."""
    n, k = frame.scores.shape
    present = ~np.isnan(frame.scores)
    if k < 3 or (present.sum(axis=1) < 2).any():
        return None
    filled = np.where(present, frame.scores, 0.0)
    sums, counts = filled.sum(axis=1), present.sum(axis=1)
    ranks = ranks_of(without_rounding(sums / counts))
    left = [(sums - filled[:, at]) / (counts - present[:, at]) for at in range(k)]
    without = np.stack([ranks_of(without_rounding(means)) for means in left])
    moves = without - ranks
    keeps_first = ((without == 1) == (ranks == 1)).all(axis=1)
    return {
        "n": n,
        "n_items": k,
        "largest_move": int(np.abs(moves).max()),
        "mean_move": float(np.abs(moves).mean()),
        "keeps_first": int(keeps_first.sum()),
        "models": item_models(frame.members, sums / counts, ranks, without),
        "items": [
            [
                frame.items.numbers[at], frame.items.item_ids[at], int((moves[at] != 0).sum()),
                int(np.abs(moves[at]).max()), not keeps_first[at],
            ]
            for at in np.argsort(-np.abs(moves).sum(axis=1), kind="stable").tolist()
        ],
    }  # fmt: skip


def item_models(members: Sequence[Member], scores: Floats, ranks: Ints, without: Ints) -> list[list[object]]:
    low, high = without.min(axis=0), without.max(axis=0)
    reach = np.maximum(ranks - low, high - ranks)
    return [
        [
            members[at].name, members[at].slug, float(scores[at]), int(ranks[at]), int(low[at]), int(high[at]),
            int(reach[at]),
        ]
        for at in np.lexsort((ranks, -reach)).tolist()
    ]  # fmt: skip
