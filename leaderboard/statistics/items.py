"""Items over the field: difficulty, discrimination, reliability, families treated unlike others, and a short form.

Value: `items` has the columns of ITEM_COLUMNS in the bank's order, on the item scale of 10; `families` those of
FAMILY_COLUMNS, only flagged items; `short` is a short form whose errors are in points.
"""

from dataclasses import asdict

import numpy as np

from evaluation.statistics.arrays import Floats
from evaluation.statistics.correlation import fisher_interval
from evaluation.statistics.differential import DifferentialItem, differential_items
from evaluation.statistics.items import ItemFigures, complete_rows, item_figures
from evaluation.statistics.reliability import Reliability, alpha_interval, reliability
from evaluation.statistics.short_form import FOLDS, ShortForm, short_form
from leaderboard.statistics.families import family_of, large_families
from leaderboard.statistics.frames import Frame
from leaderboard.statistics.outcomes import Outcome, ends, outcome

POINTS = 10.0
SHORT_FORM_ERROR, SHORT_FORM_SEED = 2.0, 171
FAMILY_LEAST, MOST_FAMILIES = 5, 8
MOST_COMPARED = 400
FEW_FOLDS = 5
ALIAS_SHARE = 0.85
ITEM_COLUMNS = ("item", "item_id", "n", "difficulty", "sd", "discrimination", "low", "high", "negative", "families")
FAMILY_COLUMNS = ("family", "item", "item_id", "n_members", "n_others", "effect", "t", "p", "p_corrected")

Flagged = list[tuple[str, DifferentialItem]]


def compute(frame: Frame) -> Outcome:
    if not frame.has_items or len(frame.members) < 3:
        return Outcome(len(frame.members) if frame.has_items else 0, {})
    n_complete = len(complete_rows(frame.scores))
    apart = distinct_rows(frame.scores)
    tested, flagged = families_of(frame, apart)
    return outcome(
        len(frame.members),
        n_complete=n_complete,
        n_distinct=len(apart),
        reliability=reliability_figures(reliability(frame.scores)),
        families_tested=tested,
        families=[family_row(frame, family, item) for family, item in flagged],
        short=short_figures(frame, short_of(frame.scores[apart])),
        items=[item_row(frame, figures, n_complete, flagged) for figures in item_figures(frame.scores / POINTS)],
    )


def distinct_rows(scores: Floats) -> list[int]:
    """Rows without near copies of an earlier one: aliases of one model would make tests too keen and errors too small.

    A copy has the same score on at least 85 % of the items. Fields of more than 400 models are taken as they are.
    """
    if len(scores) > MOST_COMPARED:
        return list(range(len(scores)))
    kept: list[int] = []
    for at, row in enumerate(scores):
        same = np.isclose(scores[kept], row) | (np.isnan(scores[kept]) & np.isnan(row))
        if not kept or same.mean(axis=1).max() < ALIAS_SHARE:
            kept.append(at)
    return kept


def reliability_figures(found: Reliability | None) -> dict[str, object] | None:
    if found is None:
        return None
    alpha = None if found.alpha is None else alpha_interval(found.alpha, found.n_runs, found.n_items)
    low, high = ends(alpha)
    return asdict(found) | {"alpha_low": low, "alpha_high": high}


def families_of(frame: Frame, apart: list[int]) -> tuple[list[list[object]], Flagged]:
    """The families tested with their sizes, and the flagged items of each."""
    names = [frame.members[at].full_name for at in apart]
    scores = frame.scores[apart] / POINTS
    tested: list[list[object]] = []
    flagged: Flagged = []
    for family in large_families(names, least=FAMILY_LEAST)[:MOST_FAMILIES]:
        member = [family_of(name) == family for name in names]
        found = differential_items(scores, member)
        flagged += [(family, item) for item in found if item.flagged]
        tested.append([family, sum(member), len(found), sum(item.flagged for item in found)])
    return tested, flagged


def family_row(frame: Frame, family: str, item: DifferentialItem) -> list[object]:
    return [
        family, frame.items.numbers[item.column], frame.items.item_ids[item.column], item.n_members, item.n_others,
        item.effect, item.t, item.p, item.p_corrected,
    ]  # fmt: skip


def short_of(scores: Floats) -> ShortForm | None:
    """Ten folds, five in a large field, where the models left in are many anyway."""
    return short_form(scores, SHORT_FORM_ERROR, seed=SHORT_FORM_SEED, folds=folds_of(len(scores)))


def folds_of(n: int) -> int:
    return FOLDS if n <= MOST_COMPARED else FEW_FOLDS


def short_figures(frame: Frame, form: ShortForm | None) -> dict[str, object] | None:
    if form is None:
        return None
    return {
        "items": [frame.items.numbers[column] for column in form.columns],
        "intercept": form.intercept,
        "slope": form.slope,
        "error": form.error,
        "largest_error": SHORT_FORM_ERROR,
        "errors": form.errors,
        "n_runs": form.n_runs,
        "folds": min(folds_of(len(frame.members)), form.n_runs),
    }


def item_row(frame: Frame, figures: ItemFigures, n_complete: int, flagged: Flagged) -> list[object]:
    total = figures.item_total
    low, high = ends(None if total is None else fisher_interval(total, n_complete))
    families = ", ".join(family for family, item in flagged if item.column == figures.column)
    return [
        frame.items.numbers[figures.column], frame.items.item_ids[figures.column], figures.n, figures.difficulty,
        figures.sd, total, low, high, figures.negative, families,
    ]  # fmt: skip
