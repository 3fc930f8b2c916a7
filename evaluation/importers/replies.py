"""Replies that people or a model wrote elsewhere, as a finished run of a benchmark that gathers replies."""

import hashlib
from collections.abc import Mapping, Set

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from evaluation.benchmarks import JUDGES_OF
from evaluation.benchmarks.base import Ask, Benchmark, Options
from evaluation.benchmarks.base import Reply as BenchmarkReply
from evaluation.endpoints.json_text import storable
from evaluation.importers.names import NAME_LENGTH, model_named, other_spelling
from evaluation.models import Driver, ItemBank, ItemResult, LanguageModel, Origin, Reply, Run, Status
from evaluation.runs.manifest import sealed_columns
from evaluation.runs.summaries import as_item, result_fields, summarise_run, summary_fields
from evaluation.signs import hides_something, spelled

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
    new_model: bool = False,
) -> tuple[Run, bool]:
    """The run, and whether it is new: the same replies of the same responder are imported once.

    Args:
        new_model: Whether a name that looks like a known model's is another model's all the same.
        replies: Id of an item -> the reply to it. NUL and lone surrogates, which no database takes, are left out.
        source: The name of the file, which the run's page shows.

    Raises:
        RepliesError: the benchmark gathers no replies, the replies are not those to this bank, or a name is too long or
            looks like a known one.
    """
    rows = list(bank.items.order_by("number"))
    _check(replies, {row.item_id for row in rows}, benchmark, model)
    if not new_model:
        _check_spelling(model)
    replies = {item_id: storable(text)[0] for item_id, text in replies.items()}
    responder = model_named(model)
    runs = Run.objects.filter(bank=bank, benchmark=benchmark.name)
    sha256 = _mark_of(replies, responder, runs)
    known = runs.filter(source_sha256=sha256).first()
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
    _finish(run, benchmark)
    return run, True


def _finish(run: Run, benchmark: Benchmark) -> None:
    """Raises RepliesError where the replies make no run."""
    summary = summarise_run(run)
    if summary.reason:
        raise RepliesError(summary.reason)
    ended = run.started_at
    Run.objects.filter(pk=run.pk).update(
        **summary_fields(summary, benchmark), status=Status.FINISHED, finished_at=ended, unannounced_since=ended
    )
    run.refresh_from_db()
    Run.objects.filter(pk=run.pk).update(**sealed_columns(run))
    run.refresh_from_db()


def _check_spelling(model: str) -> None:
    """Raises RepliesError for a name that looks like a known model's."""
    if alike := other_spelling(model):
        raise RepliesError(
            f"the board knows a model as {alike}. Give that name; or, if {model} is another model, say so (--new-model)"
        )


def _check(replies: Mapping[str, str], item_ids: Set[str], benchmark: Benchmark, model: str) -> None:
    """Raises RepliesError."""
    if not model.strip() or len(model) > NAME_LENGTH:
        raise RepliesError(f"who replied needs a name of 1 to {NAME_LENGTH} characters")
    if hides_something(model):
        raise RepliesError(f"the name {spelled(model)} holds a character that cannot be seen")
    if benchmark.name not in JUDGES_OF.values():
        raise RepliesError(f"{benchmark.name} gathers no replies")
    unknown = sorted(replies.keys() - item_ids)
    if unknown:
        raise RepliesError(f"there are replies to unknown items: {', '.join(unknown[:20])}")


def _mark_of(replies: Mapping[str, str], responder: LanguageModel, runs: QuerySet[Run]) -> str:
    """The hash of the replies; with the responder's name where another one is known to have said the very same."""
    content = "\0".join(f"{key}\0{replies[key]}" for key in sorted(replies))
    sha256 = hashlib.sha256(content.encode()).hexdigest()
    if not runs.filter(source_sha256=sha256).exclude(model=responder).exists():
        return sha256
    return hashlib.sha256(f"{content}\0{responder.name}".encode()).hexdigest()


def _store(run: Run, item_pk: int, reply: BenchmarkReply, benchmark: Benchmark, ask: Ask) -> None:
    fields = result_fields(benchmark.read(ask, None, reply, Options()), benchmark, ask.item)
    result = ItemResult.objects.create(run=run, item_id=item_pk, repeat=1, attempts=0, **fields)
    Reply.objects.create(result=result, text=reply.text)
