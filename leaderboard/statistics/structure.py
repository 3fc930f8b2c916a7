"""What a score measures: how many factors lie in the items, and where on the scale models are told apart.

Value: `factors` and `scale` are each null where the field is too small. `factors.rows` has the columns of
FACTOR_COLUMNS, the largest first. `scale.groups` has those of GROUP_COLUMNS and `scale.steps` those of STEP_COLUMNS,
both from the lowest scores to the highest; errors are in points.
"""

from evaluation.statistics.dimensionality import DRAWS, SEED, ParallelAnalysis, parallel_analysis
from evaluation.statistics.exactness import Exactness, ScoreGroup, Step, exactness
from leaderboard.statistics.frames import Frame
from leaderboard.statistics.items import distinct_rows
from leaderboard.statistics.outcomes import Outcome, ends, outcome

MANY, FEW_DRAWS = 400, 20
"""In a field of more models chance scatters little, so few draws do."""
FACTOR_COLUMNS = ("factor", "eigenvalue", "share", "chance", "chance_low", "chance_95", "chance_high", "above")
GROUP_COLUMNS = ("from", "to", "n", "error", "low", "high", "information", "gap")
STEP_COLUMNS = ("from", "to", "gap", "n_items", "n_rising", "rising", "low", "high")


def compute(frame: Frame) -> Outcome:
    if not frame.has_items:
        return Outcome(0, {})
    apart = distinct_rows(frame.scores)
    scores = frame.scores[apart]
    factors = parallel_analysis(scores, seed=SEED, draws=DRAWS if len(apart) <= MANY else FEW_DRAWS)
    scale = exactness(scores, [frame.members[at].score for at in apart])
    if factors is None and scale is None:
        return Outcome(0, {})
    return outcome(len(apart), factors=factor_figures(factors), scale=scale_figures(scale))


def factor_figures(found: ParallelAnalysis | None) -> dict[str, object] | None:
    if found is None:
        return None
    return {
        "n": found.n_models,
        "n_items": found.n_items,
        "draws": found.draws,
        "seed": SEED,
        "n_above": found.n_above,
        "first_share": found.first_share,
        "rows": [
            [
                at, each.value, each.value / found.n_items, each.chance, each.chance_low, each.chance_95,
                each.chance_high, at <= found.n_above,
            ]
            for at, each in enumerate(found.eigenvalues, 1)
        ],
    }  # fmt: skip


def scale_figures(found: Exactness | None) -> dict[str, object] | None:
    if found is None:
        return None
    return {
        "n": found.n_models,
        "groups": [group_row(group) for group in found.groups],
        "steps": [step_row(step) for step in found.steps],
    }


def group_row(group: ScoreGroup) -> list[object]:
    low, high = ends(group.error.interval)
    return [group.low, group.high, group.n, group.error.value, low, high, group.information, group.gap]


def step_row(step: Step) -> list[object]:
    return [step.low, step.high, step.gap, step.n_items, step.n_rising, step.rising, *ends(step.interval)]
