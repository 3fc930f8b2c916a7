"""Sections computed anew where their inputs have changed, and stored. numpy and scipy are loaded only then."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

from django.db import transaction
from django.utils import timezone

from evaluation.models import Run
from leaderboard.kinds import kind_of
from leaderboard.models import StatisticsFile, StatisticsRow, StatisticsSection
from leaderboard.standings.keys import ranking_key
from leaderboard.statistics.marks import (
    Inputs,
    PrivateRanking,
    References,
    digest,
    inputs_of,
    private_rankings,
    references,
)
from leaderboard.statistics.outcomes import Outcome
from leaderboard.statistics.versions import AGREE, BANKS, CORRELATION, FILES, OF_A_RANKING

BOARD = ""
"""Stands in the place of a ranking for a section that belongs to none."""

FRAMES = "leaderboard.statistics.frames"
FILES_AT_ONCE = 400
"""Models with answers up to which a ranking's files are made right after a run."""


@dataclass(frozen=True, slots=True)
class Refreshed:
    """How many sections were computed and how many were left as they are."""

    computed: int
    kept: int


@dataclass(frozen=True, slots=True)
class Job:
    """A section that may have to be computed: where it stands, its version, and what its inputs hash to."""

    section: str
    ranking: str
    version: int
    inputs_hash: str
    compute: Callable[[], Outcome]

    @property
    def place(self) -> tuple[str, str]:
        return self.section, self.ranking


def refresh_statistics(run_id: int | None = None) -> Refreshed:
    """Brings the stored sections to what the standings and figures say now: those of the run's ranking, or all.

    Standings must have been refreshed before. Safe at any time and twice at once: a section is stored as a whole, and
    what one refresh wrote from older inputs the next finds by its hash and writes anew.
    """
    only = None if run_id is None else ranking_of(run_id)
    if run_id is not None and only is None:
        return Refreshed(0, 0)
    rankings, figures = inputs_of(), references()
    held = {(row[0], row[1]): (row[2], row[3]) for row in StatisticsSection.objects.values_list(*HELD_COLUMNS)}
    jobs = [*board_jobs(rankings, figures), *ranking_jobs(rankings, figures, only)]
    due = [job for job in jobs if held.get(job.place) != (job.version, job.inputs_hash)]
    for job in due:
        store(job, job.compute())
    forget(rankings)
    return Refreshed(len(due), len(jobs) - len(due))


HELD_COLUMNS = ("section", "ranking", "version", "inputs_hash")


def ranking_of(run_id: int) -> str | None:
    columns = ("bank__slug", "bank__benchmark", "benchmark", "variant")
    run = Run.objects.filter(pk=run_id).values_list(*columns).first()
    return ranking_key(*run) if run else None


def board_jobs(rankings: Mapping[str, Inputs], figures: References) -> list[Job]:
    private = private_rankings()
    marks = [each.mark for _, each in sorted(rankings.items())]
    return [
        Job("correlation", BOARD, CORRELATION, figures.mark, partial(of_references, figures)),
        Job("banks", BOARD, BANKS, digest(*marks, *map(repr, private)), partial(of_banks, rankings, private)),
        Job("agree", BOARD, AGREE, digest(*marks, figures.mark), partial(of_measures, rankings, figures)),
    ]


def ranking_jobs(rankings: Mapping[str, Inputs], figures: References, only: str | None) -> list[Job]:
    return [
        job
        for ranking, inputs in sorted(rankings.items())
        if only in {None, ranking}
        for job in jobs_of(inputs, figures, whole=only is None)
    ]


def jobs_of(inputs: Inputs, figures: References, *, whole: bool) -> list[Job]:
    """The sections of one ranking, which load its frame once, and only if one of them is due.

    Sections that do not apply to the kind of benchmark are left out. Of a ranking of published scores alone the board's
    own section tells the correlations already. The files of a large field are made by a `whole` refresh, which comes
    every two minutes: they take about a second of CPU and 20 MB, too much after each single run.
    """
    frame, applies = Frame(inputs), kind_of(inputs.rule).sections
    jobs = [
        Job(section, inputs.ranking, version, inputs.mark, partial(of_frame, section, frame))
        for section, version in OF_A_RANKING.items()
        if section in applies
    ]
    if inputs.runs and "correlation" in applies:
        mark = digest(inputs.mark, figures.mark)
        jobs.append(Job("correlation", inputs.ranking, CORRELATION, mark, partial(of_members, inputs, figures)))
    if "files" in applies and (whole or len(inputs.runs) <= FILES_AT_ONCE):
        jobs.append(Job("files", inputs.ranking, FILES, inputs.mark, partial(of_frame, "files", frame)))
    return jobs


def of_frame(section: str, frame: "Frame") -> Outcome:
    return function(section, "compute")(frame.load())


def of_members(inputs: Inputs, figures: References) -> Outcome:
    return function("correlation", "of_members")(inputs.members, figures)


def of_references(figures: References) -> Outcome:
    return function("correlation", "of_references")(figures)


def of_measures(rankings: Mapping[str, Inputs], figures: References) -> Outcome:
    return function("agree", "of_board")(rankings, figures)


def of_banks(rankings: Mapping[str, Inputs], private: Sequence[PrivateRanking]) -> Outcome:
    return function("banks", "of_rankings")(rankings, private)


class Frame:
    """The frame of a ranking, loaded when it is first asked for."""

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs
        self.loaded: Any = None

    def load(self) -> Any:
        if self.loaded is None:
            self.loaded = import_module(FRAMES).frame_of(self.inputs)
        return self.loaded


def function(section: str, name: str) -> Callable[..., Outcome]:
    """A function of a section's module, which is imported when it is first needed: it brings scipy along."""
    found: Callable[..., Outcome] = getattr(import_module(f"leaderboard.statistics.{section}"), name)
    return found


@transaction.atomic
def store(job: Job, outcome: Outcome) -> None:
    """Stores a section with its files, so that no reader sees files of another moment than their section."""
    StatisticsSection.objects.update_or_create(
        section=job.section,
        ranking=job.ranking,
        defaults={
            "version": job.version,
            "inputs_hash": job.inputs_hash,
            "n": outcome.n,
            "value": outcome.value,
            "computed_at": timezone.now(),
        },
    )
    if job.section == "files":
        StatisticsFile.objects.filter(ranking=job.ranking).exclude(name__in=outcome.files).delete()
    for name, content in outcome.files.items():
        StatisticsFile.objects.update_or_create(
            ranking=job.ranking, name=name, defaults={"content": content, "inputs_hash": job.inputs_hash}
        )


@transaction.atomic
def forget(rankings: Sequence[str] | Mapping[str, Inputs]) -> None:
    """Deletes what belongs to rankings that hold nothing any more."""
    known = [BOARD, *rankings]
    n_gone, _ = StatisticsSection.objects.exclude(ranking__in=known).delete()
    StatisticsRow.objects.exclude(ranking__in=known).delete()
    if n_gone:  # a ranking's files go with the section that lists them
        StatisticsFile.objects.exclude(ranking__in=known).delete()
