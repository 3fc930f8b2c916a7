"""Results in, one row a model and ranking out: the best evidence, and its mean. No rank yet. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256
from statistics import fmean

import numpy as np

from evaluation.runs.summaries import interval_of
from evaluation.states import Origin
from evaluation.statistics.arrays import Floats
from evaluation.statistics.spreads import spread
from leaderboard.kinds import kind_of
from leaderboard.standings.results import Place, Result
from leaderboard.wording.other_settings import in_words
from leaderboard.wording.vouching import weakest

EVIDENCE = (
    (Origin.MEASURED, True), (Origin.IMPORTED, True), (Origin.PUBLISHED, True), (Origin.MEASURED, False),
    (Origin.IMPORTED, False), (Origin.BASELINE, True), (Origin.BASELINE, False), (Origin.DEMO, True),
    (Origin.DEMO, False),
)  # fmt: skip
"""Which results of a model make its row, the best evidence first: origin, and whether the benchmark's standard settings
were used. Published figures are taken to be by the standard settings."""
ORIGINS = tuple(dict.fromkeys(origin for origin, _ in EVIDENCE))
"""The order in which rows of different origins are listed."""

RANK_RULE = 4
"""Which rule makes scores, ranks and their ranges: raise it when what it gives changes, and all rows are computed
again. Rule 1 took the ranges from paired t tests, rule 2 from resampled items; rule 3 ranks measured, imported and
published scores together. Rule 4 takes Student's t for the interval of every score; rule 3 did below 30 items only."""


@dataclass(frozen=True, slots=True)
class Row:
    """The computed columns of a `Standing`; the names are those of the model's fields."""

    ranking: str
    model_id: int
    run_id: int | None
    origin: str
    score: float
    figures: dict[str, float | None]
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
    vouched_by: str
    measured_on: date | None
    approximate: bool = False
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    tie_group: int | None = None
    tied_with: int | None = None
    rank_low_all: int | None = None
    rank_high_all: int | None = None
    own_error: float | None = None
    evidence: str = ""
    rank_rule: int = RANK_RULE

    @property
    def place(self) -> Place:
        return Place(self.ranking, self.model_id)


def rows_from(results: Iterable[Result]) -> list[Row]:
    """One row a model and ranking, not yet ranked, from its best evidence, as far as the runs were asked alike."""
    by_place: defaultdict[Place, defaultdict[int, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        by_place[result.place][EVIDENCE.index((result.origin, not result.departures))].append(result)
    return [row_from(asked_alike(by_evidence[min(by_evidence)])) for by_evidence in by_place.values()]


def asked_alike(results: Sequence[Result]) -> list[Result]:
    """Those of one model's results, oldest first, that were asked as the newest one."""
    return [result for result in results if result.departures == results[-1].departures]


def row_from(results: Sequence[Result]) -> Row:
    """The row of one model's results that count together, oldest first. Counts and date are the newest's.

    All passes of all runs weigh alike. Score and error of several runs are preliminary here: where their item scores
    are stored, `with_all_passes` computes both from the mean of each item over all passes.
    """
    newest, passes = results[-1], [value for result in results for value in result.passes]
    runs = [result.run_id for result in results if result.run_id is not None]
    row = Row(
        ranking=newest.place.ranking,
        model_id=newest.place.model_id,
        run_id=newest.run_id,
        origin=newest.origin.value,
        score=results[0].score if len(results) == 1 else fmean(passes),
        figures=mean_figures(results),
        standard_error=None,
        cv_percent=cv_percent(passes, newest.benchmark),
        repeats=len(passes),
        interval_low=None,
        interval_high=None,
        n_items=newest.n_items,
        n_scored=newest.n_scored,
        runs_used=len(runs),
        run_ids=runs,
        other_settings=in_words(newest.departures),
        scorer_version=", ".join(dict.fromkeys(result.scorer_version for result in results if result.scorer_version)),
        vouched_by=weakest({result.vouched_by for result in results}),
        measured_on=newest.finished_at.date() if newest.finished_at else None,
        evidence=sha256(repr(results).encode()).hexdigest(),
    )
    if newest.interval:
        return replace(row, interval_low=newest.interval[0], interval_high=newest.interval[1])
    error = mean_by_passes([(result.standard_error, len(result.passes)) for result in results])
    return with_error(row, error, newest.n_behind, newest.benchmark)


def with_error(row: Row, error: float | None, n_behind: int | None, benchmark: str = "") -> Row:
    """The row with this standard error and its interval, from so many items.

    Without an interval where all items have the same score, as in a perfect run: no error can be computed of these.
    """
    interval = interval_of(benchmark, row.score, error, n_behind)
    return replace(
        row,
        standard_error=error,
        interval_low=interval.low if interval else None,
        interval_high=interval.high if interval else None,
    )


def with_all_passes(row: Row, points: Floats, n_scored: int) -> Row:
    """The row with score and standard error from the points of its items, each a mean over all its passes; NaN where
    missing. A single run keeps its own figures, which its summary made of the same item scores."""
    known = points[~np.isnan(points)]
    if row.runs_used < 2 or not known.size:
        return row
    error = float(known.std(ddof=1) / np.sqrt(known.size)) if known.size > 1 else None
    # The database adds up the passes in any order, which moves the last digits: models with the same answers would else
    # have different ranks.
    score = round(float(known.mean()), 9)
    return with_error(replace(row, score=score, n_scored=n_scored), error, int(known.size))


def cv_percent(passes: Sequence[float], benchmark: str) -> float | None:
    """The coefficient of variation over all passes; None for fewer than two, where their mean is not above 0, and for a
    score without a natural zero, to which a ratio says nothing."""
    scatter = spread(passes) if len(passes) > 1 and kind_of(benchmark).zero is None else None
    return scatter.cv_percent if scatter else None


def mean_figures(results: Sequence[Result]) -> dict[str, float | None]:
    """The mean of each further figure, by its measure."""
    keys = dict.fromkeys(key for result in results for key in result.figures)
    return {key: mean_by_passes([(result.figures.get(key), len(result.passes)) for result in results]) for key in keys}


def mean_by_passes(values: Sequence[tuple[float | None, int]]) -> float | None:
    """The mean of the values, each weighing as many passes as stand beside it; None as soon as one value is missing."""
    known = [(value, n) for value, n in values if value is not None]
    if not known or len(known) < len(values):
        return None
    return known[0][0] if len(known) == 1 else sum(value * n for value, n in known) / sum(n for _, n in known)
