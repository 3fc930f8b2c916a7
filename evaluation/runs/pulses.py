"""Signs of life that every process can see: when the reaper last ran, and how often leases were lost."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import F
from django.utils import timezone

from evaluation.models import Pulse

REAPER = "reaper"  # a tick of the clock that a worker took up: clock, broker and worker all live
LEASE_EXPIRED = "lease expired"  # a worker died or hung; the reaper gave its run back to the queue
WRITE_TRIED = "write tried"  # for /readyz: whether the database can be written
LEASE_LOST = "lease lost"  # a worker found at its next write that its run had gone to another, or was cancelled


@dataclass(frozen=True, slots=True)
class Beat:
    """When it last happened and how often in all."""

    at: datetime
    count: int


def note(name: str, times: int = 1) -> None:
    """Counts that it happened now. Nothing is written for zero times."""
    if not times:
        return
    now = timezone.now()
    if not Pulse.objects.filter(pk=name).update(at=now, count=F("count") + times):
        Pulse.objects.bulk_create([Pulse(name=name, at=now, count=times)], ignore_conflicts=True)


def beats() -> dict[str, Beat]:
    """All that was ever noted, by name. One query."""
    return {pulse.name: Beat(pulse.at, pulse.count) for pulse in Pulse.objects.all()}
