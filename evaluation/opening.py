"""Opening a run: the rows for model, endpoint and run, or the open run that is already there."""

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from evaluation.benchmarks.base import Benchmark
from evaluation.endpoints.address import locate
from evaluation.importers.names import model_named
from evaluation.models import OPEN_STATUSES, Driver, Endpoint, ItemBank, Origin, Run


class OpenRunDiffers(ValueError):
    """An open run stands on this endpoint and bank, and asks something else; the text names what differs."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What somebody wants evaluated. Times in seconds; `limit` None asks every item of the bank."""

    model: str
    base_url: str
    api_model: str
    benchmark: Benchmark
    bank: ItemBank
    repeats: int
    limit: int | None
    concurrency: int
    max_tokens: int
    timeout_seconds: float
    revision: bool = False
    system_prompt: str = ""
    origin: Origin = Origin.MEASURED
    driver: Driver = Driver.WORKER
    published: bool = False

    def settings(self) -> dict[str, Any]:
        generation = self.benchmark.generation
        return {
            "temperature": generation.temperature,
            "temperature_step": generation.temperature_step,
            "attempts": generation.attempts,
            "max_tokens": self.max_tokens,
            "timeout_seconds": self.timeout_seconds,
            "concurrency": self.concurrency,
            "revision": self.revision,
            "system_prompt": self.system_prompt,
        }


# What may change when a run goes on: how fast it asks, not what it asks.
PACE_SETTINGS = frozenset({"concurrency", "timeout_seconds"})


@transaction.atomic
def open_run(request: RunRequest) -> tuple[Run, bool]:
    """The run, and whether it is new. An open run of the same request is gone on with, at the new pace.

    Raises OpenRunDiffers.
    """
    model = model_named(request.model)
    endpoint, _ = Endpoint.objects.get_or_create(
        model=model, base_url=request.base_url, api_model=request.api_model, owner=""
    )
    running = Run.objects.filter(
        endpoint=endpoint, bank=request.bank, benchmark=request.benchmark.name, status__in=OPEN_STATUSES
    ).first()
    if running is None:
        return _create(request, endpoint), True
    _check_same(running, request)
    running.settings |= {name: request.settings()[name] for name in PACE_SETTINGS}
    Run.objects.filter(pk=running.pk).update(settings=running.settings)
    return running, False


def place_in_line(endpoint: Endpoint, driver: str, origin: str) -> dict[str, str]:
    """Host and owner of a run, which the queue compares. Our own runs, of the command and the demo, have none."""
    if driver != Driver.WORKER or origin == Origin.DEMO:
        return {"host": "", "owner": ""}
    return {"host": locate(endpoint.base_url).name, "owner": endpoint.owner}


def _create(request: RunRequest, endpoint: Endpoint) -> Run:
    n_bank = request.bank.items.count()
    return Run.objects.create(
        model=endpoint.model,
        endpoint=endpoint,
        bank=request.bank,
        benchmark=request.benchmark.name,
        origin=request.origin,
        driver=request.driver,
        published=request.published,
        repeats=request.repeats,
        limit=None if request.limit is None or request.limit >= n_bank else request.limit,
        n_items=min(request.limit or n_bank, n_bank),
        settings=request.settings(),
        queued_at=Now(),
        **place_in_line(endpoint, request.driver, request.origin),
    )


def _check_same(run: Run, request: RunRequest) -> None:
    asked = {**request.settings(), "repeats": request.repeats, "driver": request.driver.value}
    stands = {**run.settings, "repeats": run.repeats, "driver": run.driver}
    n_bank = request.bank.items.count()
    asked["limit"], stands["limit"] = min(request.limit or n_bank, n_bank), run.n_items
    differs = sorted(name for name, value in asked.items() if name not in PACE_SETTINGS and stands[name] != value)
    if differs:
        words = ", ".join(f"{name} {stands[name]} (now {asked[name]})" for name in differs)
        raise OpenRunDiffers(
            f"Run {run.pk} is still open on this endpoint and bank with {words}. "
            f"Go on with it by the same options, or cancel it first: manage.py evaluate --cancel {run.pk}"
        )
