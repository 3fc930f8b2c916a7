"""Items over the field: difficulty, discrimination, reliability, families treated unlike others, and a short form.

Value: `items` has the columns of ITEM_COLUMNS in the bank's order, on the items' own scale; `families` those of
FAMILY_COLUMNS, only flagged items; `alphas` those of ALPHA_COLUMNS; `short` is a short form whose errors are in points;
`copies` are the near copies that are left out of all of this, each with the model that it copies.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from evaluation.statistics.arrays import Floats
from evaluation.statistics.correlation import fisher_interval
from evaluation.statistics.differential import DifferentialItem, can_be_tested, differential_items
from evaluation.statistics.items import ItemFigures, complete_rows, item_figures
from evaluation.statistics.reliability import PartAlpha, Reliability, alpha_by_part, alpha_interval, reliability
from evaluation.statistics.short_form import FOLDS, ShortForm, short_form
from leaderboard.kinds import scale_of
from leaderboard.statistics.families import family_of, large_families
from leaderboard.statistics.frames import Frame
from leaderboard.statistics.outcomes import Outcome, ends, outcome

SHORT_FORM_ERROR, SHORT_FORM_SEED = 2.0, 171
FAMILY_LEAST, MOST_FAMILIES = 5, 8
MOST_COMPARED = 400
FEW_FOLDS = 5
SPLITS = 9
ALIAS_SHARE = 0.85
ITEM_COLUMNS = ("item", "item_id", "n", "difficulty", "sd", "discrimination", "low", "high", "negative", "families")
FAMILY_COLUMNS = ("family", "item", "item_id", "n_members", "n_others", "effect", "p", "p_corrected")
ALPHA_COLUMNS = ("share", "from_score", "below_score", "n", "sd", "alpha", "low", "high")
"""A part of the field, by its share of the best models or by bounds of the score, each null where there is none."""


def compute(frame: Frame) -> Outcome:
    """Near copies of a model are left out of all figures, and named."""
    if not frame.has_items or len(frame.members) < 3:
        return Outcome(len(frame.members) if frame.has_items else 0, {})
    copies = frame.near_copies
    field = frame.only([row for row in range(len(frame.members)) if row not in copies])
    named = [[frame.members[row].name, frame.members[first].name] for row, first in copies.items()]
    if len(field.members) < 3:
        return outcome(len(field.members), copies=named)
    return outcome(len(field.members), copies=named, **figures_of(field))


def figures_of(field: Frame) -> dict[str, object]:
    n_complete, own = len(complete_rows(field.scores)), scale_of(field.rule).item(field.scores)
    apart = distinct_rows(field.scores)
    families = families_of(field, apart)
    flagged = [item for item in families.found if item.flagged]
    return {
        "n_complete": n_complete,
        "n_distinct": len(apart),
        "reliability": reliability_figures(reliability(field.scores)),
        "alphas": [alpha_row(part) for part in alpha_by_part(field.scores)],
        "families_tested": families.sizes,
        "families_too_few": families.too_few,
        "families": [family_row(field, item) for item in flagged],
        "short": short_figures(field, short_of(field.scores[apart])),
        "items": [item_row(field, figures, n_complete, flagged) for figures in item_figures(own)],
    }


def alpha_row(part: PartAlpha) -> list[object]:
    return [part.share, part.low, part.high, part.n_runs, part.sd, part.alpha, *ends(part.interval)]


def distinct_rows(scores: Floats) -> list[int]:
    """Rows without aliases of an earlier one, which would make tests too keen and errors of a short form too small.

    These two tell models apart more strictly than `Frame.near_copies` does: an alias has the same score on at least
    85 % of the items. Fields of more than 400 models are taken as they are.
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


@dataclass(frozen=True, slots=True)
class Families:
    """`sizes` holds name, members and flagged items of each family that is tested; `too_few` name and members of those
    that have too few others of their strength beside them; `found` the tested items of all families."""

    sizes: list[list[object]]
    too_few: list[list[object]]
    found: tuple[DifferentialItem, ...]


def families_of(frame: Frame, apart: Sequence[int]) -> Families:
    names = [frame.members[at].full_name for at in apart]
    scores = frame.scores[apart] / abs(scale_of(frame.rule).slope)  # as the score goes, on the width of the items
    large = large_families(names, least=FAMILY_LEAST)[:MOST_FAMILIES]
    members = {family: [family_of(name) == family for name in names] for family in large}
    found = differential_items(scores, members)
    tested = [family for family in large if can_be_tested(scores, members[family])]
    flagged = [item.family for item in found if item.flagged]
    return Families(
        sizes=[[family, sum(members[family]), flagged.count(family)] for family in tested],
        too_few=[[family, sum(members[family])] for family in large if family not in tested],
        found=found,
    )


def family_row(frame: Frame, item: DifferentialItem) -> list[object]:
    return [
        item.family, frame.items.numbers[item.column], frame.items.item_ids[item.column], item.n_members, item.n_others,
        item.effect, item.p, item.p_corrected,
    ]  # fmt: skip


def short_of(scores: Floats) -> ShortForm | None:
    """Ten folds, five in a large field, where the models left in are many anyway. A large field is split once."""
    n = len(scores)
    return short_form(scores, SHORT_FORM_ERROR, seed=SHORT_FORM_SEED, folds=folds_of(n), splits=splits_of(n))


def folds_of(n: int) -> int:
    return FOLDS if n <= MOST_COMPARED else FEW_FOLDS


def splits_of(n: int) -> int:
    return SPLITS if n <= MOST_COMPARED else 1


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
        "shortest": form.shortest,
        "longest": form.longest,
        "splits": splits_of(len(frame.members)),
        "folds": min(folds_of(len(frame.members)), form.n_runs),
    }


def item_row(frame: Frame, figures: ItemFigures, n_complete: int, flagged: Sequence[DifferentialItem]) -> list[object]:
    total = figures.item_total
    low, high = ends(None if total is None else fisher_interval(total, n_complete))
    families = ", ".join(item.family for item in flagged if item.column == figures.column)
    return [
        frame.items.numbers[figures.column], frame.items.item_ids[figures.column], figures.n, figures.difficulty,
        figures.sd, total, low, high, figures.negative, families,
    ]  # fmt: skip
