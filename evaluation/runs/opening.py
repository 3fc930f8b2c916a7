"""Opening a run: the rows for model, endpoint and run, or the open run that is already there."""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from evaluation.benchmarks.base import Ask, Benchmark, Item, Options
from evaluation.command_line import command_line
from evaluation.endpoints.address import locate
from evaluation.importers.names import model_named
from evaluation.models import Driver, Endpoint, ItemBank, LanguageModel, Origin, Run
from evaluation.runs.departures import PACE_SETTINGS, standard_asking
from evaluation.runs.private_runs import CannotOpen, check_room
from evaluation.runs.summaries import as_item


class OpenRunDiffers(CannotOpen):
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
    system_prompt: str = ""
    switched: frozenset[str] = frozenset()
    variant: str = ""
    origin: Origin = Origin.MEASURED
    driver: Driver = Driver.WORKER
    published: bool = False
    judging: bool = False

    def settings(self) -> dict[str, Any]:
        generation = self.benchmark.generation
        return {
            "temperature": generation.temperature,
            "temperature_step": generation.temperature_step,
            "attempts": generation.attempts,
            "max_tokens": self.max_tokens,
            "timeout_seconds": self.timeout_seconds,
            "concurrency": self.concurrency,
            **{switch.name: switch.name in self.switched for switch in self.benchmark.switches},
            "system_prompt": self.system_prompt,
            **({"extra": dict(generation.extra)} if generation.extra else {}),
        }


def open_run(request: RunRequest) -> tuple[Run, bool]:
    """The run, and whether it is new. An open run of the same request is gone on with, at the new pace.

    Raises CannotOpen: OpenRunDiffers, an option that the benchmark has not, a system prompt beside its own, or too many
    runs count on a private bank already.
    """
    _check_options(request)
    try:
        return _opened(request)
    except (IntegrityError, LanguageModel.DoesNotExist):  # another process made the row, or merged it, in this moment
        return _opened(request)


@transaction.atomic
def _opened(request: RunRequest) -> tuple[Run, bool]:
    # The lock lets two processes that open the same at once find each other's endpoint and run.
    model = LanguageModel.objects.select_for_update().get(pk=model_named(request.model).pk)
    # After a merge of two models there may be several such endpoints, and the open run may be on any of them. A judge's
    # endpoint is its own: the fields that it sends along are settings of the judge.
    same = Endpoint.objects.filter(
        model=model, base_url=request.base_url, api_model=request.api_model, owner="", judge__isnull=True
    ).order_by("pk")
    running = Run.objects.open().filter(endpoint__in=same, bank=request.bank, benchmark=request.benchmark.name).first()
    if running is None:
        endpoint = same.first() or Endpoint.objects.create(
            model=model, base_url=request.base_url, api_model=request.api_model
        )
        return _create(request, endpoint), True
    _check_same(running, request)
    set_pace(running, {name: request.settings()[name] for name in PACE_SETTINGS})
    return running, False


def _check_options(request: RunRequest) -> None:
    benchmark = request.benchmark
    unknown = sorted(request.switched - {switch.name for switch in benchmark.switches})
    if unknown:
        raise CannotOpen(f"{benchmark.name} has no option {', '.join(unknown)}.")
    if request.variant not in benchmark.variants:
        known = ", ".join(variant or "none" for variant in benchmark.variants)
        raise CannotOpen(f"{benchmark.name} has no variant {request.variant or 'of no name'}. Known: {known}.")
    if sentence := why_no_system_prompt(benchmark, request.bank, request.system_prompt, request.switched):
        raise CannotOpen(sentence)


def why_no_system_prompt(
    benchmark: Benchmark, bank: ItemBank, system_prompt: str, switched: frozenset[str] = frozenset()
) -> str:
    """A sentence where the benchmark has a system message of its own and takes no other; "" where it takes this one."""
    row = bank.items.order_by("number").first() if system_prompt else None
    if row is None:
        return ""
    try:
        benchmark.prompt(Ask(as_item(row), 1, 1, 0), Options(system_prompt, switched))
    except ValueError as error:
        return f"{error}."
    return ""


def set_pace(run: Run, pace: Mapping[str, float]) -> None:
    """Changes how fast the run asks from its next slice on. `pace` holds some of PACE_SETTINGS."""
    run.settings |= pace
    Run.objects.filter(pk=run.pk).update(settings=run.settings)


def place_in_line(endpoint: Endpoint, driver: str, origin: str) -> dict[str, str]:
    """Host and owner of a run, which the queue compares. Our own runs, of the command and the demo, have none."""
    if driver != Driver.WORKER or origin == Origin.DEMO:
        return {"host": "", "owner": ""}
    return {"host": locate(endpoint.base_url).name, "owner": endpoint.owner}


def _create(request: RunRequest, endpoint: Endpoint) -> Run:
    items = [as_item(row) for row in request.bank.items.order_by("number")]
    n_bank = len(items)
    n_items = min(request.limit or n_bank, n_bank)
    limit = None if request.limit is None or request.limit >= n_bank else request.limit
    check_room(request.bank, endpoint.model, endpoint, limit=limit)
    return Run.objects.create(
        model=endpoint.model,
        endpoint=endpoint,
        bank=request.bank,
        benchmark=request.benchmark.name,
        origin=request.origin,
        driver=request.driver,
        published=request.published,
        judging=request.judging,
        repeats=request.repeats,
        limit=limit,
        n_items=n_items,
        n_asks=asks_of(request.benchmark, items[:n_items], request.repeats, request.variant),
        variant=request.variant,
        seed=new_seed(),
        ranks=n_items == n_bank and bool(request.benchmark.measures),
        settings=request.settings(),
        queued_at=Now(),
        **place_in_line(endpoint, request.driver, request.origin),
    )


def new_seed() -> int:
    """The seed of a new run, in 63 bits."""
    return secrets.randbits(63)


def asks_of(benchmark: Benchmark, items: Iterable[Item], wanted: int, variant: str) -> int:
    """How many results a run over these items has once nothing is left to ask."""
    return sum(benchmark.repeats(item, wanted, variant) for item in items)


def _check_same(run: Run, request: RunRequest) -> None:
    alike = ("repeats", "driver", "published", "variant", "judging")
    asked = {**request.settings(), **{name: getattr(request, name) for name in alike}}
    stands = {**standard_asking(request.benchmark), **run.settings, **{name: getattr(run, name) for name in alike}}
    n_bank = request.bank.items.count()
    asked["limit"], stands["limit"] = min(request.limit or n_bank, n_bank), run.n_items
    differs = sorted(name for name, value in asked.items() if name not in PACE_SETTINGS and stands[name] != value)
    if differs:
        words = ", ".join(f"{name} {stands[name]} (now {asked[name]})" for name in differs)
        raise OpenRunDiffers(
            f"Run {run.pk} is still open on this endpoint and bank with {words}. "
            f"Go on with it by the same options, or cancel it first: {command_line('evaluate', '--cancel', run.pk)}"
        )
