"""What a backup holds and how a value stands in it. Pure but for the registry of models."""

import base64
import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.apps import apps as newest
from django.apps.registry import Apps
from django.db.models import Field, Model

FORM = 2
READ_FORMS = (1, 2)  # the first held accounts without their groups, permissions and history
MANIFEST = "manifest.json"
APPS = ("evaluation", "leaderboard", "study")
LATER_APPS = ("study",)  # backups from before them do not name them
# Who may do what, and who did what in the administration.
STAFF = (
    "auth.Group",
    "auth.Group_permissions",
    "auth.User",
    "auth.User_groups",
    "auth.User_user_permissions",
    "admin.LogEntry",
)
# Model -> why a backup is without it.
LEFT_OUT = {
    "evaluation.Pulse": "signs of life of the processes of one installation",
    "leaderboard.FieldFigures": "computed anew from the results",
    "leaderboard.AheadTable": "computed anew from the results",
    "leaderboard.ItemAnswers": "computed anew from the results",
    "leaderboard.Mail": "still to be sent, by one installation: a copy of the board would send it a second time",
    "leaderboard.ReadyPart": "computed anew from the results",
    "leaderboard.StatisticsFile": "computed anew from the results",
    "leaderboard.StatisticsRow": "computed anew from the results",
    "leaderboard.StatisticsSection": "computed anew from the results",
    "contenttypes.ContentType": "made by migrate; rows that refer to one carry its name",
    "auth.Permission": "made by migrate; rows that refer to one carry its name",
    "sessions.Session": "a log-in is of one installation: whoever holds an old cookie must not be logged in to another",
    "axes.AccessAttempt": "failed log-ins with network addresses, which count for minutes",
    "axes.AccessAttemptExpiration": "goes with the failed log-ins",
    "axes.AccessFailureLog": "failed log-ins with network addresses, which outlive no move",
    "axes.AccessLog": "log-ins with network addresses, which outlive no move",
}
BATCH = 500


@dataclass(frozen=True, slots=True)
class Table:
    """What the manifest says of one table."""

    name: str
    rows: int
    sha256: str

    @property
    def entry(self) -> str:
        return f"{self.name}.jsonl"


def labels(apps: Apps = newest) -> list[str]:
    """The models of a backup, those between two models among them: ours by name, then those of the staff."""
    ours = [model for app in APPS for model in apps.get_app_config(app).get_models(include_auto_created=True)]
    return [*sorted({model._meta.label for model in ours} - LEFT_OUT.keys()), *STAFF]


def columns(model: type[Model]) -> list["Field[Any, Any]"]:
    return list(model._meta.concrete_fields)


def line(values: list[Any]) -> bytes:
    return json.dumps(values, default=as_text, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def as_text(value: object) -> str:
    """Times to the microsecond, which Django's own encoder cuts. Raises TypeError for what no column of ours holds."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(value).decode()
    raise TypeError(f"a backup holds no {type(value).__name__}")


def lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The lines of a text that comes in pieces."""
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole
    if rest:
        yield rest
