"""What a fresh board is filled with, so that its first visitor sees one: published figures, our own item bank, the
baselines, and demo runs that go through the real queue. Each step does nothing where its work is there already.
"""

from collections.abc import Iterable

from django.core.management import call_command

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import Driver, Endpoint, ItemBank, Origin, ReferenceScore, Run
from evaluation.published_tables import PUBLISHED
from evaluation.runs.opening import RunRequest, open_run
from leaderboard.models import StatisticsSection
from leaderboard.starting import demo_judges

OWN_BANK = "eq-open-v2"
BENCHMARK = "eq-bench-v2"
# Personas of the demo endpoint, best first as they are meant: they answer by rule, and are marked demo everywhere.
PERSONAS = ("careful", "thinking", "markdown", "hasty", "lower-case", "random")
N_DEMO_RUNS = len(PERSONAS) + demo_judges.N_RUNS
DEMO_CONCURRENCY = 2
DEMO_LATENCY_MS = 150


def fill() -> None:
    """Published figures, our own bank and its baselines."""
    if lacks_a_table():
        call_command("load_published", verbosity=0)
    if not ItemBank.objects.filter(slug=OWN_BANK).exists():
        call_command("load_bank", OWN_BANK, verbosity=0)
        call_command("load_baselines", verbosity=0)
    call_command("load_study", verbosity=0)
    demo_judges.fill()
    if not StatisticsSection.objects.exists():  # as after an update from a release that had none
        call_command("refresh_statistics", verbosity=0)


def lacks_a_table() -> bool:
    """Whether published figures are still to be loaded, or those of a table that a newer release brought."""
    return bool({*PUBLISHED} - {*ReferenceScore.objects.values_list("benchmark", flat=True).distinct()})


def needs_demo() -> bool:
    """Whether demo runs are still to be made, as after an update with another bank, or to be ended."""
    return not _has_demo() or demo_judges.is_missing() or Run.objects.filter(origin=Origin.DEMO).open().exists()


def _has_demo() -> bool:
    return Run.objects.filter(origin=Origin.DEMO, bank__slug=OWN_BANK).exists()


def queue_demo(address: str) -> list[int]:
    """Sends the personas through the queue, or the ones that a stop left open on to the demo endpoint's new address."""
    left = Run.objects.filter(origin=Origin.DEMO).open()
    Endpoint.objects.filter(runs__in=left).update(base_url=address)
    runs = [*left.values_list("pk", flat=True), *demo_judges.queue(address)]
    if not _has_demo():
        runs += _queued(ItemBank.objects.get(slug=OWN_BANK), address, PERSONAS)
    return runs


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
