"""Results in, one row a model and ranking out: which results count together, and their mean. No rank yet. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import fmean

from evaluation.states import Origin
from evaluation.statistics.intervals import around
from evaluation.statistics.spreads import spread
from leaderboard.standings.results import Place, Result
from leaderboard.wording.other_settings import in_words

PREFERENCE = (Origin.MEASURED, Origin.IMPORTED, Origin.PUBLISHED, Origin.BASELINE, Origin.DEMO)

RANK_RULE = 2
"""Which rule makes ranks and their ranges: raise it when what it gives changes, and stored ranges are made anew.
Rule 1 took the ranges from paired t tests, rule 2 takes them from resampled items."""


@dataclass(frozen=True, slots=True)
class Row:
    """The computed columns of a `Standing`; the names are those of the model's fields."""

    ranking: str
    model_id: int
    run_id: int | None
    origin: str
    score: float
    strict_score: float | None
    standard_error: float | None
    cv_percent: float | None
    repeats: int
    interval_low: float | None
    interval_high: float | None
    n_items: int | None
    n_scored: int | None
    runs_used: int
    run_ids: list[int]
    other_settings: str
    scorer_version: str
    measured_on: date | None
    approximate: bool = False
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    tie_group: int | None = None
    rank_rule: int = RANK_RULE

    @property
    def place(self) -> Place:
        return Place(self.ranking, self.model_id)


def rows_from(results: Iterable[Result]) -> list[Row]:
    """One row a model and ranking, not yet ranked, from the results of the origin that counts first, as far as they
    were asked alike."""
    by_place: defaultdict[Place, defaultdict[Origin, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        by_place[result.place][result.origin].append(result)
    return [
        row_from(asked_alike(next(by_origin[origin] for origin in PREFERENCE if origin in by_origin)))
        for by_origin in by_place.values()
    ]


def asked_alike(results: Sequence[Result]) -> list[Result]:
    """Those of one model's results, oldest first, that count together: asked by the benchmark's standard, and where
    none was, as the newest one was asked."""
    standard = [result for result in results if not result.departures]
    return standard or [result for result in results if result.departures == results[-1].departures]


def row_from(results: Sequence[Result]) -> Row:
    """The row of one model's results that count together, oldest first: their mean. Counts and date are the newest's.

    Over several runs the mean of their standard errors is taken and not divided by the root of their number: the runs
    share the items, and which items a bank happens to hold is most of the error, so replicates do not average it out.
    """
    newest, score = results[-1], fmean(result.score for result in results)
    error = mean_or_none([result.standard_error for result in results])
    interval = around(score, error)
    passes = [value for result in results for value in result.passes]
    runs = [result.run_id for result in results if result.run_id is not None]
    return Row(
        ranking=newest.place.ranking,
        model_id=newest.place.model_id,
        run_id=newest.run_id,
        origin=newest.origin.value,
        score=score,
        strict_score=mean_or_none([result.strict_score for result in results]),
        standard_error=error,
        cv_percent=cv_percent(passes),
        repeats=len(passes),
        interval_low=interval.low if interval else None,
        interval_high=interval.high if interval else None,
        n_items=newest.n_items,
        n_scored=newest.n_scored,
        runs_used=len(runs),
        run_ids=runs,
        other_settings=in_words(newest.departures),
        scorer_version=", ".join(dict.fromkeys(result.scorer_version for result in results if result.scorer_version)),
        measured_on=newest.finished_at.date() if newest.finished_at else None,
    )


def cv_percent(passes: Sequence[float]) -> float | None:
    """The coefficient of variation over all passes; None for fewer than two, and where their mean is not above 0."""
    scatter = spread(passes) if len(passes) > 1 else None
    return scatter.cv_percent if scatter else None


def mean_or_none(values: Sequence[float | None]) -> float | None:
    """The mean, or None as soon as one value is missing."""
    present = [value for value in values if value is not None]
    return fmean(present) if len(present) == len(values) else None
