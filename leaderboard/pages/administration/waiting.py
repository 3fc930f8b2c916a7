"""The front page of the administration: what waits for staff, as counts with links. One query for each count.

A line shows only to those who may open the list behind it, and its count is that of the list.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from axes.models import AccessAttempt
from django.apps import apps
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from evaluation.disclosure import sees_private
from evaluation.models import Access, Judge, LanguageModel, Run
from leaderboard.administration.waiting import (
    LOOK,
    failed_lately,
    imported_unpublished,
    in_trouble,
    locked,
    look_alikes,
    newly_given,
    stand_still,
    troubled,
    without_facts,
)
from leaderboard.models import HumanSet, Note, Report, Schedule, UploadedResults
from leaderboard.pages.administration.moderation import to_decide, to_list
from leaderboard.pages.shared.stalls import queue_now

SEE_STUDIES = "study.view_study"


@dataclass(frozen=True, slots=True)
class Line:
    """One kind of thing that waits: `n` of them, and the page that shows exactly these."""

    n: int
    one: str
    many: str
    link: str
    note: str = ""
    urgent: bool = False

    @property
    def words(self) -> str:
        return self.one if self.n == 1 else self.many


@dataclass(frozen=True, slots=True)
class Part:
    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks: which runs they may see decides what is counted."""

    user: Any
    private: bool

    @property
    def runs(self) -> "QuerySet[Run]":
        return Run.objects.all() if self.private else Run.objects.shown()


@dataclass(frozen=True, slots=True)
class Source:
    """A line before it is counted. `page` is the name of an address, `query` what its list is filtered by."""

    rights: tuple[str, ...]
    one: str
    many: str
    page: str
    query: str
    count: Callable[[Asked], int]
    note: str = ""
    urgent: bool = False

    def line(self, asked: Asked) -> Line:
        return Line(self.count(asked), self.one, self.many, reverse(self.page) + self.query, self.note, self.urgent)


def _stopped(asked: Asked) -> int:
    """Schedules that could not run, of those that the admin lists to whoever asks."""
    schedules = Schedule.objects.all() if asked.private else Schedule.objects.exclude(bank__access=Access.PRIVATE)
    return troubled(schedules).count()


def _undecided(asked: Asked) -> int:
    return to_decide().count()


def _doubted(asked: Asked) -> int:
    return to_decide().filter(flagged=True).count()


def _reports(kind: str) -> Callable[[Asked], int]:
    return lambda asked: Report.objects.filter(done=False, kind=kind).count()


def _sets(asked: Asked) -> int:
    return newly_given(HumanSet.objects.all()).count()


def _to_list(asked: Asked) -> int:
    finished = to_list() if asked.private else to_list().exclude(bank__access=Access.PRIVATE)
    return finished.order_by().count()


def _never_started(asked: Asked) -> int:
    now = timezone.now()
    queue = queue_now(now)
    return queue.due if queue.is_stalled(now) else 0


def _notes(asked: Asked) -> int:
    notes = Note.objects.filter(seen=False)
    return (notes if asked.private else notes.exclude(run__bank__access=Access.PRIVATE)).count()


def _uploads(asked: Asked) -> int:
    return UploadedResults.objects.filter(uploaded_by=asked.user).count()


def _open_studies(asked: Asked) -> int:
    """Not by an import: the package of studies lies above this one."""
    groups = apps.get_model("study", "Group")._base_manager.filter(state="open")
    return int(groups.values("study").distinct().count())


RUNS, MODELS = "admin:evaluation_run_changelist", "admin:evaluation_languagemodel_changelist"
SUBMISSIONS, REPORTS = "admin:leaderboard_submission_changelist", "admin:leaderboard_report_changelist"
SEE_RUN, SEE_MODEL, SEE_SUBMISSION = (
    "evaluation.view_run",
    "evaluation.view_languagemodel",
    "leaderboard.view_submission",
)
SEE_REPORT = "leaderboard.view_report"

PARTS: tuple[tuple[str, tuple[Source, ...]], ...] = (
    (
        "From visitors",
        (
            Source((SEE_SUBMISSION,), "submission waits for a decision", "submissions wait for a decision",
                   SUBMISSIONS, "?state__exact=pending", _undecided),
            Source((SEE_SUBMISSION,), "of them has a doubt about its name", "of them have a doubt about their name",
                   SUBMISSIONS, "?flagged__exact=1&state__exact=pending", _doubted,
                   "It looks like a listed model, or comes from another source."),
            Source((SEE_REPORT,), "mistake was reported", "mistakes were reported",
                   REPORTS, "?done__exact=0&kind__exact=mistake", _reports(Report.Kind.MISTAKE)),
            Source((SEE_REPORT,), "model was suggested", "models were suggested",
                   REPORTS, "?done__exact=0&kind__exact=suggestion", _reports(Report.Kind.SUGGESTION)),
            Source(("leaderboard.view_humanset",), "set of answers from a visitor", "sets of answers from visitors",
                   "admin:leaderboard_humanset_changelist", f"?{LOOK}=new", _sets, "In the last 7 days."),
        ),
    ),
    (
        "Runs",
        (
            Source((SEE_RUN,), "finished run waits to be published", "finished runs wait to be published",
                   "admin-queue", "#awaiting-publication", _to_list),
            Source((SEE_RUN,), "run could start, but no worker takes it", "runs could start, but no worker takes them",
                   "admin-queue", "", _never_started, urgent=True),
            Source((SEE_RUN,), "run stands still", "runs stand still",
                   RUNS, f"?{LOOK}=still", lambda asked: stand_still(asked.runs).count(), urgent=True),
            Source((SEE_RUN,), "run failed in the last day", "runs failed in the last day",
                   RUNS, f"?{LOOK}=failed", lambda asked: failed_lately(asked.runs).count()),
            Source(("evaluation.view_judge",), "judge does not answer", "judges do not answer",
                   "admin:evaluation_judge_changelist", f"?{LOOK}=trouble",
                   lambda asked: in_trouble(Judge.objects.all()).count(), urgent=True),
            Source(("leaderboard.view_schedule",), "schedule could not run", "schedules could not run",
                   "admin:leaderboard_schedule_changelist", f"?{LOOK}=trouble",
                   _stopped),
            Source(("leaderboard.view_note",), "note on a changed score is new", "notes on changed scores are new",
                   "admin:leaderboard_note_changelist", "?seen__exact=0", _notes),
        ),
    ),
    (
        "Models and imports",
        (
            Source((SEE_MODEL,), "listed model lacks facts", "listed models lack facts",
                   MODELS, f"?{LOOK}=facts", lambda asked: without_facts(LanguageModel.objects.all()).count(),
                   "Maker, size, release date or open weights."),
            Source((SEE_MODEL,), "model looks like another by its name", "models look like another by their names",
                   MODELS, f"?{LOOK}=alike", lambda asked: look_alikes(LanguageModel.objects.all()).count(),
                   "Two entries may be one model: merge them."),
            Source((SEE_RUN,), "imported run is not published", "imported runs are not published",
                   RUNS, f"?{LOOK}=imported", lambda asked: imported_unpublished(asked.runs).count()),
            Source(("evaluation.add_run",), "file that you uploaded is not imported",
                   "files that you uploaded are not imported", "admin-import", "", _uploads,
                   "After a day it is deleted: upload it again to import it."),
        ),
    ),
    (
        "Studies and accounts",
        (
            Source((SEE_STUDIES,), "study has open groups", "studies have open groups", "studies", "", _open_studies),
            Source(("axes.view_accessattempt",), "log-in is locked", "log-ins are locked",
                   "admin:axes_accessattempt_changelist", f"?{LOOK}=locked",
                   lambda asked: locked(AccessAttempt.objects.all()).count()),
        ),
    ),
)  # fmt: skip


def waiting_for(user: Any) -> tuple[Part, ...]:
    """The parts of the dashboard that this account may see; no part without a line."""
    asked = Asked(user, sees_private(user))
    parts = (
        Part(title, tuple(each.line(asked) for each in sources if user.has_perms(each.rights)))
        for title, sources in PARTS
    )
    return tuple(part for part in parts if part.lines)
