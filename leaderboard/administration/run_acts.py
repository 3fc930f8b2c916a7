"""What staff may do to one run by a button, wherever it stands: on the queue board, a run's page, a model's page."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest

from evaluation.models import Driver, Run, Status
from leaderboard.administration.rights import ACT_ON_RUNS, may
from leaderboard.submissions.moderating import (
    RESUMED_AFTER,
    Refused,
    cancel_by_staff,
    replicate,
    resume,
    set_public,
    try_now,
    why_not_public,
)


@dataclass(frozen=True, slots=True)
class Act:
    """A button: what it says, the word for what it did, and the change, which tells whether there was one."""

    label: str
    done: str
    change: Callable[[Run], bool]


def publish(run: Run) -> bool:
    """Raises: Refused, with the reason why it may not be listed."""
    if sentence := why_not_public(run):
        raise Refused(sentence)
    return bool(set_public([run], public=True))


def unpublish(run: Run) -> bool:
    return bool(set_public([run], public=False))


ACTS: Mapping[str, Act] = {
    "try-now": Act("Try now", "is due now", try_now),
    "resume": Act("Resume", "goes on", resume),
    "cancel": Act("Cancel", "was cancelled", cancel_by_staff),
    "publish": Act("Publish", "is public now; the standings are computed anew", publish),
    "unpublish": Act("Take off the board", "is off the board; the standings are computed anew", unpublish),
}

LISTING = frozenset({"publish", "unpublish"})


@dataclass(frozen=True, slots=True)
class Button:
    """One act that the state of a run allows."""

    name: str
    label: str


def buttons(run: Run) -> tuple[Button, ...]:
    """The acts that make sense for the run as it stands; whether each is granted is looked at when it is pressed."""
    names = {
        "try-now": run.status == Status.WAITING,
        "resume": is_resumable(run),
        "cancel": run.is_open,
        "publish": run.status in {Status.FINISHED, Status.FAILED} and not run.published,
        "unpublish": run.published,
    }
    return tuple(Button(name, ACTS[name].label) for name, shown in names.items() if shown)


@dataclass(frozen=True, slots=True)
class StaffRun:
    """The buttons of one run on a public page; `again` where a replicate may be asked for."""

    run: Run
    buttons: tuple[Button, ...]
    again: bool


def staff_part(request: HttpRequest, runs: Iterable[Run]) -> tuple[StaffRun, ...] | None:
    """The buttons for staff who may press them; None for everybody else, whose page is then the public one."""
    if not may(request, ACT_ON_RUNS):
        return None
    return tuple(StaffRun(run, buttons(run), may_run_again(run)) for run in runs)


def is_resumable(run: Run) -> bool:
    return (
        run.status == Status.FAILED
        and run.failure_kind in RESUMED_AFTER
        and run.driver == Driver.WORKER
        and run.endpoint_id is not None
    )


def may_run_again(run: Run) -> bool:
    """Whether the admin's confirmation page for a replicate is worth a button."""
    return run.endpoint_id is not None and run.driver == Driver.WORKER and not run.is_open


def perform(name: str, run: Run, user: User) -> str:
    """Does it once and says so in a sentence; a second press changes nothing and says that.

    Raises: Refused, KeyError.
    """
    act = ACTS[name]
    if not act.change(run):
        return f"Run {run.pk} was left as it is: {_state_of(run, listing=name in LISTING)}."
    note(user, [run], f"{act.label}: by a button.")
    return f"Run {run.pk} {act.done}."


def _state_of(run: Run, *, listing: bool) -> str:
    """Why an act changed nothing: as the run stands now, or by whether it is listed, for acts that change that."""
    found = Run.objects.filter(pk=run.pk).first()
    if found is None:
        return "it was deleted"
    if listing:
        return "it is on the board already" if found.published else "it is not on the board"
    return f"it is {found.status} already"


def run_again(run: Run, user: User) -> bool:
    """Opens a replicate; True, or Refused is raised."""
    again = replicate(run)
    note(user, [run], f"Run again, as run {again.pk}.")
    return True


def who(request: HttpRequest) -> User:
    """The user of a page that only those see who are logged in."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def note(user: User, rows: Iterable[Model], text: str) -> None:
    """A line for each row in its history and in the audit log."""
    for row in rows:
        LogEntry.objects.log_actions(user.pk, [row], CHANGE, change_message=text, single_object=True)
