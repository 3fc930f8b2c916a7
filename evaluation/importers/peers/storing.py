"""A peer's run into the database: its replies read and scored by our rules, beside what its own files claim."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Ask, Bank, Benchmark, Item, JsonValue, Options, Reading
from evaluation.benchmarks.base import Reply as GivenReply
from evaluation.benchmarks.eqbench_summary import SCORE
from evaluation.endpoints.json_text import storable, storable_json
from evaluation.importers.eqbench_runs import Imported, check_spelling, named, sealed
from evaluation.importers.names import NAME_LENGTH, model_named
from evaluation.importers.peers.comparison import KINDS, PeerComparison, compared, comparison_of
from evaluation.importers.peers.files import PeerRun, PeerSample
from evaluation.importers.peers.matching import Matched, MaySee, everything, matched
from evaluation.importers.refusals import FileError, Refusal
from evaluation.importers.sameness import stored_once
from evaluation.models import ItemResult, Reply, Run
from evaluation.runs.private_runs import CannotOpen, check_room
from evaluation.runs.summaries import result_fields
from evaluation.states import Origin, Status

CODE_RULE = BENCHMARKS["eq-bench-v2-code"]
UNREAD_AS_ZERO = "an unreadable reply counts as 0"
UNREAD_LEFT_OUT = "an unreadable reply is left out of the mean"
CUT_TO_ZERO = "a negative score is cut to 0"


@dataclass(frozen=True, slots=True)
class _Read:
    """A sample with its item and what our reader made of the reply."""

    sample: PeerSample
    item: Item
    reading: Reading


def import_peer_run(
    peer: PeerRun, *, configuration: str = "", new_model: bool = False, may_see: MaySee = everything
) -> Imported:
    """Stores the run, or finds the one stored before of the same result. All or nothing.

    Raises:
        FileError: of a bank that is not loaded, of other items or references than the bank's, of a configuration that
            cannot be, a name too long, or one that looks like a known model's without `new_model`.
    """
    if not peer.model.strip() or len(peer.model) > NAME_LENGTH or not peer.model.isprintable():
        raise FileError(f"the model's name is not a printable text of at most {NAME_LENGTH} characters", Refusal.OTHER)
    settings = cast("Mapping[str, JsonValue]", storable_json(peer.settings))
    peer = replace(
        peer,
        model=named(peer.model.strip(), configuration),
        version=storable(peer.version)[0],
        settings=settings,
    )
    check_spelling(peer.model, new_model=new_model)
    match = matched(peer, may_see)
    return Imported(
        *stored_once(
            lambda: _store(peer, match),
            bank=match.bank.row,
            benchmark=match.bank.benchmark.name,
            sha256=peer.sha256,
        )
    )


def _store(peer: PeerRun, match: Matched) -> Run:
    reads = [
        _Read(sample, item, _reading(sample, item, match.bank.benchmark))
        for sample, item in zip(peer.samples, match.items, strict=True)
    ]
    comparison = _comparison(peer, match, reads)
    fields = _run_fields(peer, match, comparison)
    _check_room(fields)
    run = Run.objects.create(**fields)
    results = ItemResult.objects.bulk_create(_result(run, read, match) for read in reads)
    Reply.objects.bulk_create(_reply(result, read) for result, read in zip(results, reads, strict=True))
    return sealed(run, match.bank.benchmark)


def _reading(sample: PeerSample, item: Item, benchmark: Benchmark) -> Reading:
    reply = GivenReply(sample.reply, sample.reasoning)
    return benchmark.read(Ask(item, sample.repeat, 1, 0), None, reply, Options())


def _check_room(fields: Mapping[str, Any]) -> None:
    """Raises: FileError, where as many runs of the maker count on a private bank as may."""
    try:
        check_room(fields["bank"], fields["model"], None, limit=fields["limit"])
    except CannotOpen as error:
        raise FileError(str(error), Refusal.OTHER) from None


def _repeats(peer: PeerRun) -> int:
    return max(sample.repeat for sample in peer.samples)


def _n_items(peer: PeerRun, match: Matched) -> int:
    """How many of the bank's items were asked; at least those that stand in the files."""
    present = len({item.id for item in match.items})
    return min(max(peer.n_asked, present), len(match.bank.items))


def _comparison(peer: PeerRun, match: Matched, reads: list[_Read]) -> PeerComparison:
    items = [compared(read.sample, read.item, read.reading.answers[0], CODE_RULE) for read in reads]
    asked = Bank(tuple(match.bank.items.values())[: _n_items(peer, match)])
    items.sort(key=lambda item: (match.bank.keys[item.item_id], item.repeat))
    return comparison_of(items, CODE_RULE, asked, repeats=_repeats(peer))


def _run_fields(peer: PeerRun, match: Matched, comparison: PeerComparison) -> dict[str, Any]:
    n_items = _n_items(peer, match)
    return {
        "model": model_named(peer.model),
        "bank": match.bank.row,
        "benchmark": match.bank.benchmark.name,
        "origin": Origin.IMPORTED,
        "status": Status.FAILED,
        "published": True,
        "repeats": _repeats(peer),
        "n_items": n_items,
        "ranks": n_items == len(match.bank.items),
        "n_asks": n_items * _repeats(peer),
        "limit": n_items if n_items < len(match.bank.items) else None,
        "settings": {**peer.settings, "attempts": 1, "iterations": _repeats(peer), "revision": False},
        "manifest": _manifest(peer, match, comparison),
        "observed": {"peer": _observed(comparison)},
        "source": peer.source[:300],
        "source_sha256": peer.sha256,
        "published_score": peer.published_score,
        "finished_at": peer.finished_at,
    }


def _manifest(peer: PeerRun, match: Matched, comparison: PeerComparison) -> dict[str, JsonValue]:
    return {
        "file": peer.source,
        "sha256": peer.sha256,
        "model_path": peer.model,
        "bank": match.bank.row.slug,
        "bank_sha256": match.bank.row.sha256,
        "benchmark": match.bank.benchmark.name,
        "scorer_version": match.bank.benchmark.scorer_version,
        "settings": dict(peer.settings),
        "published_score": peer.published_score,
        "peer": {
            "name": peer.peer,
            "version": peer.version,
            "rules": rules_of(comparison),
            "code_rule_score": comparison.summary.figures[SCORE].value,
            "replies": comparison.counts,
            **{kind: comparison.ids(kind) for kind in KINDS if kind != "equal" and comparison.ids(kind)},
        },
    }


def rules_of(comparison: PeerComparison) -> list[str]:
    """What the peer's figures show of its rules, in words; empty where nothing in the run tells them."""
    unread = [item.counted for item in comparison.items if item.theirs is None]
    rules = [UNREAD_AS_ZERO] if 0.0 in unread else []
    if None in unread:
        rules.append(UNREAD_LEFT_OUT)
    return [*rules, CUT_TO_ZERO] if comparison.counts["cut to 0"] else rules


def _observed(comparison: PeerComparison) -> dict[str, JsonValue]:
    """The run by the code rule, and each reply that the two did not score alike."""
    return {
        "code_rule_score": comparison.summary.figures[SCORE].value,
        "code_rule_n_scored": comparison.summary.n_scored,
        "replies": comparison.counts,
        "items": [item.as_json() for item in comparison.items if item.kind != "equal"],
    }


def _result(run: Run, read: _Read, match: Matched) -> ItemResult:
    fields = result_fields(read.reading, match.bank.benchmark, read.item)
    key = match.bank.keys[read.item.id]
    return ItemResult(run=run, item_id=key, repeat=read.sample.repeat, attempts=1, **fields)


def _reply(result: ItemResult, read: _Read) -> Reply:
    text, reasoning = storable(read.sample.reply)[0], storable(read.sample.reasoning)[0]
    return Reply(result=result, text=text, reasoning=reasoning)
