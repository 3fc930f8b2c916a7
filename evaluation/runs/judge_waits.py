"""How the run of a judge waits for its endpoint: as often as it takes, since no submitter answers for a judge."""

from typing import Any

from django.conf import settings

from evaluation.models import FaultKind, ItemState, Run
from evaluation.runs.recording import Lease


def step_of(run: Run) -> int:
    """Which wait is next. The last one repeats for a judge's run; for others it may lie behind the last."""
    return min(run.waits, len(settings.RUN_BREAKER_WAITS_SECONDS) - 1) if run.subject_id else run.waits


def wait_for_a_person(run: Run, lease: Lease, kind: FaultKind, sentence: str) -> None:
    """The longest wait: a key or an address has to be put right, and until then nothing is asked."""
    fields = {"failure_kind": kind, "failure_message": sentence}
    Run.objects.wait(run.pk, lease.token, seconds=settings.RUN_BREAKER_WAITS_SECONDS[-1], **fields)


def is_silent(run: Run) -> bool:
    """Whether the endpoint gave no reply at all more often than one that could not be read."""
    unread = run.results.filter(state=ItemState.UNREAD).count()
    return run.results.filter(state=ItemState.FAULT).count() > unread


def ask_again_later(run: Run, lease: Lease, counts: dict[str, Any]) -> None:
    """A judge that was silent is not one that cannot be read: what got no reply is asked anew after a wait."""
    silent = run.results.filter(state=ItemState.FAULT)
    why = silent.order_by("-pk").values_list("reason", flat=True).first() or ""
    silent.delete()
    step = step_of(run)
    fields = {"failure_kind": FaultKind.ENDPOINT, "failure_message": why, **counts, "waits": step + 1}
    Run.objects.wait(run.pk, lease.token, seconds=settings.RUN_BREAKER_WAITS_SECONDS[step], **fields)
