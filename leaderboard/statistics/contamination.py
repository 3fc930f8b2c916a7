"""Public score less private score, model by model: a check for items that a model may have seen. Three queries.

Of the private bank only whole points are known here, as of everybody, and gaps are given in whole points too.

The two banks hold different items, so a gap is the gap of two independent means, with the errors of both. A private
bank may simply be harder or easier: what tells is a model whose gap differs from that of the others. A gap within its
interval is left open, and no gap proves that an item was learnt.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from evaluation.models import Access, ItemBank
from evaluation.statistics.differences import unpaired_difference
from evaluation.statistics.intervals import Interval
from evaluation.statistics.scores import Estimate
from evaluation.statistics.students_t import critical_of
from leaderboard.models import Standing
from leaderboard.standings import WITH_ANSWERS


@dataclass(frozen=True, slots=True)
class GapRow:
    """A model on both banks, in points. `interval` (95 %) is None where one of the scores has no standard error.

    `beyond_median` is the gap less the median gap of all models in the table.
    """

    model: str
    slug: str
    public_score: float
    private_score: float
    difference: float
    interval: Interval | None
    beyond_median: float

    @property
    def is_open(self) -> bool:
        """Whether the data leave open that there is no gap."""
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
    both = [(scores[model], others[model]) for model in scores if model in others]
    middle = float(round(median(first.score - second.score for first, second in both))) if both else None
    rows = sorted((gap_row(first, second, middle or 0.0) for first, second in both), key=by_gap)
    return Contamination(tuple(rows), middle)


def check_banks(public: str, private: str) -> None:
    slugs = {key: key.partition("--")[0] for key in (public, private)}
    access = dict(ItemBank.objects.filter(slug__in=slugs.values()).values_list("slug", "access"))
    if access.get(slugs[private]) != Access.PRIVATE or access.get(slugs[public]) == Access.PRIVATE:
        raise ValueError(f"{public} and {private} are not a public and a private bank")


def standings(ranking: str) -> Mapping[int, Standing]:
    rows = Standing.objects.filter(ranking=ranking, origin__in=WITH_ANSWERS).select_related("model", "run")
    return {row.model_id: row for row in rows}


def gap_row(public: Standing, private: Standing, middle: float) -> GapRow:
    gap = float(round(public.score - private.score))
    found = unpaired_difference(estimate(public), estimate(private))
    interval = found.interval if found else None
    return GapRow(
        model=str(public.model),
        slug=public.model.slug,
        public_score=public.score,
        private_score=private.score,
        difference=gap,
        interval=interval and Interval(float(round(interval.low)), float(round(interval.high))),
        beyond_median=gap - middle,
    )


def estimate(row: Standing) -> Estimate:
    """The score with its error; over several runs the newest run's error where none is stored with the row, and of a
    private bank the error that its interval leaves open."""
    error = row.standard_error
    if error is None and row.run is not None:
        error = row.run.standard_error
    elif error is None and row.interval_low is not None and row.interval_high is not None:
        error = max(row.score - row.interval_low, row.interval_high - row.score) / critical_of(row.n_items)
    return Estimate(row.score, error, row.n_scored or 0, max(row.repeats, 1))


def by_gap(row: GapRow) -> tuple[float, str]:
    return -row.difference, row.model.casefold()
