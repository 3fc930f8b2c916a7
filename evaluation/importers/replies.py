"""Replies that people or a model wrote elsewhere, as a finished run of a benchmark that gathers replies."""

import hashlib
from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from evaluation.benchmarks import JUDGES_OF
from evaluation.benchmarks.base import Ask, Benchmark, Options
from evaluation.benchmarks.base import Reply as BenchmarkReply
from evaluation.endpoints.json_text import storable
from evaluation.importers.names import model_named
from evaluation.models import Driver, ItemBank, ItemResult, Origin, Reply, Run, Status
from evaluation.runs.manifest import sealed_columns
from evaluation.runs.summaries import as_item, result_fields, summarise_run, summary_fields

PEOPLE = {"responder": "people"}
"""What the settings of a run say whose replies were written by people."""


class RepliesError(ValueError):
    """Replies that cannot be imported; the text names the file's fault and quotes no reply."""


@transaction.atomic
def import_replies(
    benchmark: Benchmark,
    bank: ItemBank,
    replies: Mapping[str, str],
    *,
    model: str,
    source: str,
    by_people: bool = False,
    judging: bool = False,
    published: bool = True,
) -> tuple[Run, bool]:
    """The run, and whether it is new: the same replies of the same responder are imported once.

    Args:
        replies: Id of an item -> the reply to it. NUL and lone surrogates, which no database takes, are left out.
        source: The name of the file, which the run's page shows.

    Raises:
        RepliesError: the benchmark gathers no replies, or the replies are not those to this bank.
    """
    if benchmark.name not in JUDGES_OF.values():
        raise RepliesError(f"{benchmark.name} gathers no replies")
    rows = list(bank.items.order_by("number"))
    unknown = sorted(replies.keys() - {row.item_id for row in rows})
    if unknown:
        raise RepliesError(f"there are replies to unknown items: {', '.join(unknown[:20])}")
    replies = {item_id: storable(text)[0] for item_id, text in replies.items()}
    sha256 = hashlib.sha256("\0".join(f"{key}\0{replies[key]}" for key in sorted(replies)).encode()).hexdigest()
    responder = model_named(model)
    known = Run.objects.filter(bank=bank, benchmark=benchmark.name, source_sha256=sha256).first()
    if known is not None:
        return known, False
    now = timezone.now()
    run = Run.objects.create(
        model=responder, bank=bank, benchmark=benchmark.name, origin=Origin.IMPORTED, driver=Driver.COMMAND,
        status=Status.QUEUED, published=published, judging=judging, ranks=False, n_items=len(rows), n_asks=len(rows),
        settings=dict(PEOPLE) if by_people else {}, source=source[:300], source_sha256=sha256, started_at=now,
    )  # fmt: skip
    for row in rows:
        if row.item_id in replies:
            _store(run, row.pk, BenchmarkReply(replies[row.item_id]), benchmark, Ask(as_item(row), 1, 1, 0))
    summary = summarise_run(run)
    if summary.reason:
        raise RepliesError(summary.reason)
    Run.objects.filter(pk=run.pk).update(
        **summary_fields(summary, benchmark), status=Status.FINISHED, finished_at=now, unannounced_since=now
    )
    run.refresh_from_db()
    Run.objects.filter(pk=run.pk).update(**sealed_columns(run))
    run.refresh_from_db()
    return run, True


def _store(run: Run, item_pk: int, reply: BenchmarkReply, benchmark: Benchmark, ask: Ask) -> None:
    fields = result_fields(benchmark.read(ask, None, reply, Options()), benchmark, ask.item)
    result = ItemResult.objects.create(run=run, item_id=item_pk, repeat=1, attempts=0, **fields)
    Reply.objects.create(result=result, text=reply.text)
