"""The judged demonstration of a fresh board: personas reply to our own prompts, and two judge personas rate them.

Their runs go through the real queue, and those of the judges open by themselves. The judges are marked as a
demonstration and read no other replies.
"""

from collections.abc import Mapping

from django.core.management import call_command

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import Driver, Endpoint, ItemBank, Judge, Origin, Run
from evaluation.runs.judging import register_judge
from evaluation.runs.opening import RunRequest, open_run

BANK = "empathy"
REPLIES = "empathy-replies"
RESPONDERS = ("careful", "hasty", "random")
JUDGES: Mapping[str, str] = {"Demo judge": "judge", "Demo judge, lenient": "judge-lenient"}
"""Name of a judge -> persona of the demo endpoint."""

MAKER = "the board’s demonstration"
N_RUNS = len(RESPONDERS) * (1 + len(JUDGES))
CONCURRENCY = 4


def fill() -> None:
    if not ItemBank.objects.filter(slug=BANK).exists():
        call_command("load_bank", BANK, verbosity=0)


def is_missing() -> bool:
    """Whether the prompts are loaded and no persona has replied to them yet."""
    demo = Run.objects.filter(origin=Origin.DEMO, bank__slug=BANK, benchmark=REPLIES)
    return ItemBank.objects.filter(slug=BANK, benchmark=REPLIES).exists() and not demo.exists()


def queue(address: str) -> list[int]:
    """Registers the judges at the demo endpoint, or moves them to its new address, and opens what replies are missing.

    Returns the ids of the new runs.
    """
    Endpoint.objects.filter(judge__is_demo=True).update(base_url=address)
    if not is_missing():
        return []
    bank = ItemBank.objects.get(slug=BANK)
    for name, persona in JUDGES.items():
        if not Judge.objects.filter(name=name).exists():
            register_judge(
                name=name, maker=MAKER, base_url=address, api_model=persona, concurrency=CONCURRENCY, is_demo=True
            )
    return [open_run(_request(bank, address, persona))[0].pk for persona in RESPONDERS]


def _request(bank: ItemBank, address: str, persona: str) -> RunRequest:
    benchmark = BENCHMARKS[REPLIES]
    return RunRequest(
        model=f"demo/{persona}",
        base_url=address,
        api_model=persona,
        benchmark=benchmark,
        bank=bank,
        repeats=1,
        limit=None,
        concurrency=CONCURRENCY,
        max_tokens=benchmark.generation.max_tokens,
        timeout_seconds=30,
        origin=Origin.DEMO,
        driver=Driver.WORKER,
        published=True,
        judging=True,
    )
