"""Public score less private score, model by model: a check for items that a model may have seen.

Of the private bank only whole points are known here, as of everybody, and gaps are given in whole points too.

A private bank may simply be harder or easier: what tells is a model whose gap differs from that of the others. How far
it may differ by chance is computed inside, from the item scores of both banks, each less the mean of its item over the
models: how hard the items are is common to all. Of this, too, only the half interval in whole points leaves, and the
private part is rounded before the public one, which whoever serves a model chooses, comes to it. A gap within its
interval is left open, and no gap proves that an item was learnt.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from django.db.models import Q

from evaluation.models import Access, Item, ItemBank, Run
from evaluation.statistics.arrays import Floats
from evaluation.statistics.gaps import CentredGap, centred_gaps
from evaluation.statistics.intervals import Interval
from leaderboard.kinds import scale_of
from leaderboard.models import Standing
from leaderboard.standings import WITH_ANSWERS
from leaderboard.standings.counted import RUN_COLUMNS, CountedRun, score_matrix
from leaderboard.standings.results import COUNTED, counted_runs
from leaderboard.standings.rows import rows_from


@dataclass(frozen=True, slots=True)
class GapRow:
    """A model on both banks, in points.

    `beyond_median` is the gap less the median gap of all models in the table, and `interval` the 95 % interval of that;
    None where a model has no item scores, and for fewer than three models.
    """

    model: str
    slug: str
    public_score: float
    private_score: float
    difference: float
    beyond_median: float
    interval: Interval | None

    @property
    def is_open(self) -> bool:
        """Whether the data leave open that the model has the gap of the others."""
        return self.interval is None or self.interval.holds(0.0)


@dataclass(frozen=True, slots=True)
class Contamination:
    """All models that were run on both banks, the largest gap first. `median_gap` is None without any."""

    rows: tuple[GapRow, ...]
    median_gap: float | None


def contamination(public: str, private: str) -> Contamination:
    """The gaps between two rankings, named by their keys, over measured and imported scores.

    Raises:
        ValueError: the second is not the ranking of a private bank, or the first is.
    """
    check_banks(public, private)
    scores, others = standings(public), standings(private)
    models = [model for model in scores if model in others]
    if not models:
        return Contamination((), None)
    middle = float(round(median(scores[model].score - others[model].score for model in models)))
    errors = centred_gaps(item_points(public, models), item_points(private, models), coarse=True)
    rows = [gap_row(scores[model], others[model], middle, error) for model, error in zip(models, errors, strict=True)]
    return Contamination(tuple(sorted(rows, key=by_gap)), middle)


def check_banks(public: str, private: str) -> None:
    slugs = {key: key.partition("--")[0] for key in (public, private)}
    access = dict(ItemBank.objects.filter(slug__in=slugs.values()).values_list("slug", "access"))
    if access.get(slugs[private]) != Access.PRIVATE or access.get(slugs[public]) == Access.PRIVATE:
        raise ValueError(f"{public} and {private} are not a public and a private bank")


def standings(ranking: str) -> Mapping[int, Standing]:
    rows = Standing.objects.filter(ranking=ranking, origin__in=WITH_ANSWERS).select_related("model")
    return {row.model_id: row for row in rows}


def item_points(ranking: str, models: Sequence[int]) -> Floats:
    """Models x items in points, NaN where missing, from the runs behind the rows of a ranking.

    The rows of a private bank do not name their runs, so these are found as the standings find them. Four queries, and
    more where a run counts a later part.
    """
    slug = ranking.partition("--")[0]
    results, _ = counted_runs(COUNTED & Q(bank__slug=slug, model__in=models))
    own = [row for row in rows_from(each for each in results if each.place.ranking == ranking) if row.run_ids]
    at = {pk: models.index(row.model_id) for row in own for pk in row.run_ids}
    runs = [CountedRun(*row) for row in Run.objects.filter(pk__in=at).order_by("pk").values_list(*RUN_COLUMNS)]
    items = list(Item.objects.filter(bank__slug=slug).order_by("number").values_list("pk", flat=True))
    points = np.full((len(models), len(items)), np.nan)
    if runs and items:
        found = score_matrix(runs, {run.pk: at[run.pk] for run in runs}, items)
        points[: len(found)] = scale_of(runs[0].benchmark).score(found)
    return points


def gap_row(public: Standing, private: Standing, middle: float, error: CentredGap | None) -> GapRow:
    gap = float(round(public.score - private.score))
    beyond = gap - middle
    half = None if error is None else float(max(1, round(error.half)))
    return GapRow(
        model=str(public.model),
        slug=public.model.slug,
        public_score=public.score,
        private_score=private.score,
        difference=gap,
        beyond_median=beyond,
        interval=None if half is None else Interval(beyond - half, beyond + half),
    )


def by_gap(row: GapRow) -> tuple[float, str]:
    return -row.difference, row.model.casefold()
