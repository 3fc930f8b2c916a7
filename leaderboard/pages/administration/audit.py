"""What was done and by whom, in one list: keys, the history of the admin, submissions, logins. Five queries a page."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from axes.models import AccessLog
from django.contrib.admin.models import LogEntry
from django.db.models import F, Model, Q, QuerySet, Value
from django.utils.functional import Promise

from evaluation.models import KeyEvent
from leaderboard.administration.logging_in import NO_ADDRESS
from leaderboard.models import SubmissionEvent

PAGE = 100
LAST_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One thing that happened. `who` is "" where nobody was logged in; `about` names the row."""

    at: datetime
    kind: str
    who: str
    about: str
    text: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A source of lines: its rows, the column of their time, the right that shows them, and where a word is sought."""

    title: str
    right: str
    at: str
    rows: Callable[[], "QuerySet[Any]"]
    sought: tuple[str, ...]
    line: Callable[[Any], AuditLine]


@dataclass(frozen=True, slots=True)
class AuditPage:
    lines: tuple[AuditLine, ...]
    number: int
    has_older: bool


def of_key(event: KeyEvent) -> AuditLine:
    run = f", run {event.run_id}" if event.run_id else ""
    text = f"Key {event.kind}{f': {event.detail}' if event.detail else ''}."
    return AuditLine(event.at, "key", "", f"endpoint {event.endpoint_id}{run}", text)


def of_history(entry: LogEntry) -> AuditLine:
    kind = entry.content_type.name if entry.content_type else "row"
    about = f"{kind} {entry.object_id}: {entry.object_repr}"
    return AuditLine(entry.action_time, "admin", str(entry.user), about, plain(entry))


def plain(entry: LogEntry) -> str:
    """The message of an entry, or what its flag says where it has none."""
    message: str | Promise = entry.get_change_message()
    return str(message) or entry.get_action_flag_display() + "."


def of_submission(event: SubmissionEvent) -> AuditLine:
    submission = event.submission
    return AuditLine(event.at, "submission", "", f"submission {submission.pk} of {submission.model}", event.text)


def of_login(log: AccessLog) -> AuditLine:
    ended = f" Logged out {log.logout_time:%Y-%m-%d %H:%M}." if log.logout_time else ""
    return AuditLine(log.attempt_time, "login", log.username or "", f"from {_place(log)}", f"Logged in.{ended}")


def _place(log: AccessLog) -> str:
    return "an unknown address" if log.ip_address in {None, NO_ADDRESS} else str(log.ip_address)


KINDS: Mapping[str, Kind] = {
    "key": Kind("Keys", "evaluation.view_keyevent", "at", KeyEvent.objects.all, ("kind", "detail"), of_key),
    "admin": Kind(
        "Administration",
        "admin.view_logentry",
        "action_time",
        lambda: LogEntry.objects.select_related("user", "content_type"),
        ("change_message", "object_repr", "user__username"),
        of_history,
    ),
    "submission": Kind(
        "Submissions",
        "leaderboard.view_submissionevent",
        "at",
        lambda: SubmissionEvent.objects.select_related("submission__model"),
        ("text", "submission__model__name"),
        of_submission,
    ),
    "login": Kind("Logins", "axes.view_accesslog", "attempt_time", AccessLog.objects.all, ("username",), of_login),
}


def audit_page(kinds: Collection[str], *, word: str = "", day: str = "", number: int = 1) -> AuditPage:
    """The lines of these kinds, newest first.

    Args:
        word: Lines that hold it somewhere; "" for all.
        day: Up to and with that ISO day; "" for all.
        number: The page, from 1; none beyond LAST_PAGE is looked up.
    """
    number = min(max(number, 1), LAST_PAGE)
    marks = [_marks(name, word, day) for name in KINDS if name in kinds]
    if not marks:
        return AuditPage((), 1, has_older=False)
    first, *rest = marks
    start = (number - 1) * PAGE
    # Two columns of each source are put in order by the database; only what the page shows is then read.
    found = list(first.union(*rest, all=True).order_by("-moment", "-id")[start : start + PAGE + 1])
    return AuditPage(tuple(_lines(found[:PAGE])), number, has_older=len(found) > PAGE)


def _marks(name: str, word: str, day: str) -> "QuerySet[Any, Any]":
    kind = KINDS[name]
    rows = kind.rows().select_related(None).order_by()
    if word:
        rows = rows.filter(_any_of(kind.sought, word))
    if day:
        rows = rows.filter(**{f"{kind.at}__date__lte": day})
    marks: QuerySet[Any, Any] = rows.annotate(source=Value(name), moment=F(kind.at)).values_list(
        "source", "id", "moment"
    )
    return marks


def _any_of(columns: Sequence[str], word: str) -> Q:
    sought = Q()
    for column in columns:
        sought |= Q(**{f"{column}__icontains": word})
    return sought


def _lines(found: Sequence[tuple[str, int, datetime]]) -> list[AuditLine]:
    rows: dict[tuple[str, int], Model] = {}
    for name, kind in KINDS.items():
        ids = [pk for source, pk, _ in found if source == name]
        rows |= {(name, pk): row for pk, row in kind.rows().order_by().in_bulk(ids).items()} if ids else {}
    return [KINDS[name].line(rows[name, pk]) for name, pk, _ in found if (name, pk) in rows]
