"""The runs of a model as replicates: which count and why the others do not, their mean and spread, their history."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from evaluation.benchmarks.base import Measure
from evaluation.models import Origin, Run, Status
from evaluation.runs.summaries import half_of_run
from evaluation.statistics.spreads import Spread, spread
from leaderboard.drawings.model import History, history
from leaderboard.kinds import kind_of
from leaderboard.pages.models.standing import Agreement, StandingRow
from leaderboard.pages.shared.measures import ranking_measure
from leaderboard.rounding import day
from leaderboard.standings import ranking_key
from leaderboard.standings.vouchers import with_voucher
from leaderboard.wording.model_findings import NOTHING, Counting, verdict
from leaderboard.wording.other_settings import in_words
from leaderboard.wording.sentences import State, state
from leaderboard.wording.vouching import word_of

HIDDEN_COLUMNS = ("manifest", "settings", "observed", "fault_counts", "failure_message")


@dataclass(frozen=True, slots=True)
class Change:
    """An older score of a run, replaced when its stored replies were scored anew."""

    score: float | None
    scorer_version: str
    replaced_at: datetime


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in the table. `at` is when it ended, else when it was made; `verdict` says why it does not count,
    `other_settings` how it asked otherwise than the benchmark's standard."""

    run: Run
    ranking: str
    at: datetime
    origin: str
    state: State
    score: float | None
    standard_error: float | None
    n_scored: int
    n_items: int
    repeats: int
    counts: bool
    verdict: str
    changes: tuple[Change, ...]
    scorer_version: str
    other_settings: str
    vouched_for: str

    @property
    def pk(self) -> int:
        return self.run.pk


@dataclass(frozen=True, slots=True)
class Replicates:
    """All runs of a model in one ranking, newest first.

    `mean` is that of the runs that count, as the ranking has it: all their passes weigh alike. `spread` is that of
    these passes (a run has as many as it has repeats). Both are None where nothing counts. `history` needs two runs
    with a score. `agreement` is as old as the statistics are.
    """

    key: str
    title: str
    runs: tuple[RunRow, ...]
    n_counted: int
    mean: float | None
    spread: Spread | None
    history: History | None
    agreement: Agreement | None = None

    @property
    def measure(self) -> Measure:
        """The figure that ranks these runs."""
        return ranking_measure(self.runs[0].run.benchmark)

    @property
    def changed(self) -> tuple[RunRow, ...]:
        return tuple(run for run in self.runs if run.changes)


def runs_of(slug: str, *, hidden: bool) -> list[Run]:
    """The model's public runs, with `hidden` also those that are not listed, newest first. One query.

    Runs on private banks are on nobody's list: scores beside each other would tell more than the ranking does."""
    runs = (
        with_voucher(Run.objects.shown())
        .filter(model__slug=slug)
        .select_related("bank")
        .defer(*HIDDEN_COLUMNS)
        .order_by("-pk")
    )
    return list(runs if hidden else runs.listed())


def key_of(run: Run) -> str:
    return ranking_key(run.bank.slug, run.bank.benchmark, run.benchmark, run.variant)


def run_row(run: Run, standing: StandingRow | None) -> RunRow:
    why = verdict(run, Counting(standing.origin, standing.run_ids, standing.other_settings) if standing else NOTHING)
    return RunRow(
        run=run,
        ranking=key_of(run),
        at=run.finished_at or run.created_at,
        origin=run.origin,
        state=state(run),
        score=run.score,
        standard_error=run.standard_error,
        n_scored=run.n_scored,
        n_items=run.n_items,
        repeats=run.repeats,
        counts=not why,
        verdict=why,
        changes=tuple(changes_of(run)),
        scorer_version=run.scorer_version,
        other_settings=in_words(run.departures),
        vouched_for=word_of(run.vouched_by),  # type: ignore[attr-defined]  # annotated by `runs_of`
    )


def changes_of(run: Run) -> list[Change]:
    return [
        Change(entry["score"], entry["scorer_version"], datetime.fromisoformat(entry["replaced_at"]))
        for entry in run.score_history
    ]


def replicates(key: str, title: str, rows: Sequence[RunRow], standing: StandingRow | None) -> Replicates:
    """The runs of one ranking, newest first, with what they come to: the score of the standing, where they count."""
    counted = [row for row in rows if row.counts and row.score is not None]
    passes = [score for row in counted for score in passes_of(row.run)]
    found = spread(passes) if passes else None
    if found and kind_of(rows[0].run.benchmark).zero is not None:  # a ratio to such a score says nothing
        found = replace(found, cv_percent=None)
    return Replicates(
        key=key,
        title=title,
        runs=tuple(rows),
        n_counted=len(counted),
        mean=standing.score if counted and standing else None,
        spread=found,
        history=history_of(rows, found),
        agreement=standing.agreement if standing else None,
    )


def passes_of(run: Run) -> list[float]:
    """The scores of a run's repeats; its own score where they are not stored."""
    return [score for score in [*run.repeat_scores, *([] if run.repeat_scores else [run.score])] if score is not None]


def history_of(rows: Sequence[RunRow], found: Spread | None) -> History | None:
    scored = sorted((row for row in rows if row.score is not None), key=lambda row: (row.at, row.pk))
    if len(scored) < 2:
        return None
    points = [(day(row.at), row.score, half_of(row), row.counts) for row in scored if row.score is not None]
    return history(points, (found.mean, found.sd) if found and found.sd is not None else None)


def half_of(row: RunRow) -> float | None:
    return half_of_run(row.run)


def shown_run(rows: Sequence[RunRow], asked: str, current: StandingRow | None, key: str) -> RunRow | None:
    """The run whose answers are shown: the one asked for, else the newest that counts, else the newest at all."""
    newest = [row for row in rows if current is not None and row.pk == current.run_id]
    ended = [row for row in rows if row.ranking == key and row.run.status == Status.FINISHED]
    named = [row for row in rows if str(row.pk) == asked]
    return next(iter([*named, *newest, *ended, *(row for row in rows if row.ranking == key), *rows]), None)


def profiled_run(rows: Sequence[RunRow], current: StandingRow | None, key: str) -> RunRow | None:
    """The newest run that counts in a ranking: it stands for the model beside the field."""
    counted = [row for row in rows if row.ranking == key and row.counts and row.origin != Origin.PUBLISHED]
    return next((row for row in counted if current is not None and row.pk == current.run_id), next(iter(counted), None))
