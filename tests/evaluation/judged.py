"""Runs of judges for tests: own prompts, gathered replies, registered judges, and the demo endpoint as both."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

from evaluation.benchmarks import BENCHMARKS
from evaluation.demo.server import make_app
from evaluation.endpoints.retrying import Patience
from evaluation.models import Item, ItemBank, ItemResult, Judge, Reply, Run, Status
from evaluation.runs import runner
from evaluation.runs.judging import register_judge
from evaluation.runs.manifest import sealed_columns
from evaluation.runs.slices import Limits
from tests.evaluation.test_runner import Demo
from tests.factories import make_run
from tests.fakes import serve

_serial = count(10_001)  # as in tests/factories.py
REPLIES, JUDGED = BENCHMARKS["empathy-replies"], BENCHMARKS["empathy-judged"]
WARM = "I am so sorry. Anybody would feel lost in your place. What would help you most right now?"
CURT = "Okay."
QUICK = Limits(
    heartbeat=5,
    slice=60,
    drain=1,
    patience=Patience(tries=2, backoff_seconds=0.01, longest_backoff_seconds=0.02, faults_in_a_row=4),
)


def prompt_bank(n: int = 6, **fields: Any) -> ItemBank:
    """n prompts of our own, two to an emotion, the first of two positive emotions in each four."""
    serial = next(_serial)
    defaults = {"slug": f"own-prompts-{serial}", "benchmark": "empathy-replies", "title": "Own prompts", "version": "1",
                "sha256": f"{serial:064x}", "access": "open"}  # fmt: skip
    bank = ItemBank.objects.create(**{**defaults, **fields})
    words = [("joyful", "positive"), ("sad", "negative"), ("proud", "positive"), ("lonely", "negative")]
    rows = "".join(
        f"p{at},{words[at // 2 % 4][0]},{words[at // 2 % 4][1]},Something happened in week {at}.,It was week {at}.\n"
        for at in range(n)
    )
    loaded = REPLIES.load({"own.csv": f"item_id,emotion,valence,situation,utterance\n{rows}".encode()})
    Item.objects.bulk_create(
        Item(bank=bank, number=number, item_id=item.id, prompt=item.prompt, labels=list(item.labels), reference=[],
             extra=dict(item.extra), group=item.group)
        for number, item in enumerate(loaded.items, 1)
    )  # fmt: skip
    return bank


def gathered(bank: ItemBank | None = None, texts: Sequence[str | None] = (), **fields: Any) -> Run:
    """A finished run of replies whose submitter agreed to judges; a text of None is an item without a reply."""
    bank = bank or prompt_bank()
    defaults = {"benchmark": "empathy-replies", "status": Status.FINISHED, "judging": True, "ranks": False,
                "score": None, "published": True}  # fmt: skip
    run = make_run(bank=bank, **{**defaults, **fields})
    items = list(bank.items.order_by("number"))
    for item, text in zip(items, texts or [WARM] * len(items), strict=True):
        words = len((text or "").split())
        state, answer = ("fault", None) if text is None else ("read", [None, words])
        result = ItemResult.objects.create(
            run=run, item=item, state=state, answer=answer, score=None if text is None else words
        )
        Reply.objects.create(result=result, text=text or "")
    Run.objects.filter(pk=run.pk).update(**sealed_columns(Run.objects.get(pk=run.pk)))
    run.refresh_from_db()
    return run


def make_judge(name: str = "", **changes: Any) -> Judge:
    name = name or f"Judge {next(_serial)}"
    fields = {"maker": "Demo works", "base_url": "https://judges.example/v1", "api_model": name.lower(), **changes}
    return register_judge(name=name, **fields)


@contextmanager
def judging(persona: str = "judge", *faults: str, **settings: Any) -> Iterator[Demo]:
    """The demo endpoint; a judge at its address answers as this persona."""
    with serve(make_app(persona=persona, faults=faults, **settings)) as address:
        yield Demo(address)


def judge_at(endpoint: Demo, name: str = "", **changes: Any) -> Judge:
    return make_judge(name, base_url=f"{endpoint.address}/v1", **{"api_model": "as-the-server-says", **changes})


def carried(run: Run, limits: Limits = QUICK) -> Run:
    """The run after one slice."""
    lease = runner.claim(run.pk, run.driver)
    assert lease, "the run could not be claimed"
    return runner.carry(lease, stop=threading.Event(), limits=limits)


__all__ = ["CURT", "WARM", "carried", "gathered", "judge_at", "judging", "make_judge", "prompt_bank"]
