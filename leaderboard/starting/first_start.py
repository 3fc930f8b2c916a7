"""What a fresh board is filled with, so that its first visitor sees one: published figures, our own item bank, the
baselines, and demo runs that go through the real queue. Each step does nothing where its work is there already.
"""

from collections.abc import Iterable

from django.core.management import call_command

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import Driver, Endpoint, ItemBank, Origin, ReferenceScore, Run
from evaluation.opening import RunRequest, open_run
from leaderboard.models import StatisticsSection

OWN_BANK = "eq-open-v1"
BENCHMARK = "eq-bench-v2"
# Personas of the demo endpoint, best first as they are meant: they answer by rule, and are marked demo everywhere.
PERSONAS = ("careful", "thinking", "markdown", "hasty", "lower-case", "random")
DEMO_CONCURRENCY = 2
DEMO_LATENCY_MS = 150


def fill() -> None:
    """Published figures, our own bank and its baselines."""
    if not ReferenceScore.objects.exists():
        call_command("load_published", verbosity=0)
    if not ItemBank.objects.filter(slug=OWN_BANK).exists():
        call_command("load_bank", OWN_BANK, verbosity=0)
        call_command("load_baselines", verbosity=0)
    if not StatisticsSection.objects.exists():  # as after an update from a release that had none
        call_command("refresh_statistics", verbosity=0)


def needs_demo() -> bool:
    """Whether demo runs are still to be made or to be ended."""
    demo = Run.objects.filter(origin=Origin.DEMO)
    return not demo.exists() or demo.open().exists()


def queue_demo(address: str) -> list[int]:
    """Sends the personas through the queue, or the ones that a stop left open on to the demo endpoint's new address."""
    left = Run.objects.filter(origin=Origin.DEMO).open()
    if left.exists():
        Endpoint.objects.filter(runs__in=left).update(base_url=address)
        return list(left.values_list("pk", flat=True))
    bank = ItemBank.objects.get(slug=OWN_BANK)
    return list(_queued(bank, address, PERSONAS))


def _queued(bank: ItemBank, address: str, personas: Iterable[str]) -> Iterable[int]:
    benchmark = BENCHMARKS[BENCHMARK]
    for persona in personas:
        request = RunRequest(
            model=f"demo/{persona}",
            base_url=address,
            api_model=persona,
            benchmark=benchmark,
            bank=bank,
            repeats=1,
            limit=None,
            concurrency=DEMO_CONCURRENCY,
            max_tokens=benchmark.generation.max_tokens,
            timeout_seconds=30,
            origin=Origin.DEMO,
            driver=Driver.WORKER,
            published=True,
        )
        yield open_run(request)[0].pk
