"""Whether two imported runs are one and the same result: by what their files say, not by the bytes of the files.

The same are runs of one model name in the file, on one bank, by one benchmark, that ended at the same time, were asked
with the same settings, and hold the same replies and answers. So order of keys, line ends, byte order marks, white
space, names of files and keys that nobody reads make no second run of one result.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction

from evaluation.benchmarks.base import FIRST_PART
from evaluation.models import ItemBank, Run
from evaluation.states import Origin

NO_TIME_IN_FILES = frozenset({"evalscope"})  # its only time is the name of a folder, which anybody may change
NO_SETTING = frozenset({"engine"})  # names the tool and its version: another word for the same replies


class Subject(NamedTuple):
    """What a file says its results are of. `peer` is "" for an official file, `ended_at` None where no file says it."""

    bank_id: int
    benchmark: str
    peer: str
    model: str
    ended_at: datetime | None


def stored_once(store: Callable[[], Run], *, bank: ItemBank, benchmark: str, sha256: str) -> tuple[Run, bool]:
    """The run that `store` makes, and True; or the earlier run of the same file or the same result, and False.

    Nothing that `store` wrote stays when there is an earlier run.
    """
    with transaction.atomic():
        # Two imports of one result at once follow each other, so that the second finds what the first has stored.
        ItemBank.objects.select_for_update(no_key=True).get(pk=bank.pk)
        known = Run.objects.filter(bank=bank, benchmark=benchmark, source_sha256=sha256).first()
        if known is not None:
            return known, False
        before = transaction.savepoint()
        run = store()
        earlier = _earlier(run)
        if earlier is None:
            transaction.savepoint_commit(before)
            return run, True
        transaction.savepoint_rollback(before)
        return earlier, False


def doubles() -> list[tuple[Run, list[Run]]]:
    """Each imported result that is stored more than once: the run to keep, and the others.

    A published run is kept rather than one that is not, and then the oldest.
    """
    by_subject: defaultdict[Subject, list[Run]] = defaultdict(list)
    for run in _imported().order_by("-published", "pk"):
        by_subject[subject_of(run)].append(run)
    return [group for runs in by_subject.values() if len(runs) > 1 for group in _grouped(runs)]


def _grouped(runs: Iterable[Run]) -> list[tuple[Run, list[Run]]]:
    groups: list[tuple[Run, list[Run]]] = []
    for run in runs:
        others = next((others for kept, others in groups if is_same(kept, run)), None)
        if others is None:
            groups.append((run, []))
        else:
            others.append(run)
    return [group for group in groups if group[1]]


def _imported() -> Any:
    return Run.objects.filter(origin=Origin.IMPORTED, manifest__isnull=False).select_related("model", "bank")


def _earlier(run: Run) -> Run | None:
    subject = subject_of(run)
    others = _imported().filter(bank=run.bank_id, benchmark=run.benchmark, manifest__model_path=subject.model)
    if subject.ended_at is not None:
        others = others.filter(finished_at=subject.ended_at)
    alike = (other for other in others.exclude(pk=run.pk).order_by("pk") if subject_of(other) == subject)
    return next((other for other in alike if is_same(run, other)), None)


def subject_of(run: Run) -> Subject:
    manifest = run.manifest or {}
    peer = str(manifest.get("peer", {}).get("name", ""))
    ended_at = None if peer in NO_TIME_IN_FILES else run.finished_at
    return Subject(run.bank_id, run.benchmark, peer, str(manifest.get("model_path", "")), ended_at)


def is_same(run: Run, other: Run) -> bool:
    """Whether two runs of one subject have the same settings, as far as both name them, and the same answers."""
    shared = run.settings.keys() & other.settings.keys() - NO_SETTING
    if any(run.settings[name] != other.settings[name] for name in shared):
        return False
    erased = bool(run.replies_erased_at or other.replies_erased_at)
    return _answers(run, without_replies=erased) == _answers(other, without_replies=erased)


def _answers(run: Run, *, without_replies: bool) -> list[list[str]]:
    """What was answered, each pass sorted by item, and the passes sorted: their order in a file says nothing.

    The answers of an official file are its own. Those of a peer's run are what our reader makes of its replies, and
    another version of the reader may make something else of them.
    """
    by_reply = not without_replies and bool(subject_of(run).peer)
    passes: defaultdict[int, list[str]] = defaultdict(list)
    columns = ("repeat", "item_id", "part", "answer", "other_parts", "reply__text", "reply__reasoning")
    for repeat, item, part, answer, others, text, reasoning in run.results.values_list(*columns).iterator():
        read = None if by_reply else _read(part or FIRST_PART, answer, others)
        said = None if without_replies else [text, reasoning]
        passes[repeat].append(json.dumps([item, read, said]))
    return sorted(sorted(answers) for answers in passes.values())


def _read(
    part: str, answer: list[float] | None, others: Mapping[str, Mapping[str, Any]] | None
) -> dict[str, list[float]]:
    """Name of a part -> its answer, of those that were read; whichever of them counts."""
    answers = {part: answer, **{name: fields["answer"] for name, fields in (others or {}).items()}}
    return {name: [float(value) for value in found] for name, found in sorted(answers.items()) if found is not None}
