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

FORM = 1
MANIFEST = "manifest.json"
APPS = ("evaluation", "leaderboard")
ACCOUNTS = "auth.User"
# Signs of life of this installation, and figures that the restored board computes anew.
LEFT_OUT = frozenset(
    {"evaluation.Pulse", "leaderboard.FieldFigures", "leaderboard.StatisticsRow", "leaderboard.StatisticsSection"}
)
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
    """The models of a backup, those between two models among them, by name."""
    ours = [model for app in APPS for model in apps.get_app_config(app).get_models(include_auto_created=True)]
    return [*sorted({model._meta.label for model in ours} - LEFT_OUT), ACCOUNTS]


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
