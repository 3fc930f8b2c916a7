"""Scores replies that lie in a file, without an endpoint and without storing: to try a scorer, or to check a number."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from evaluation.benchmarks import BENCHMARKS, check_bank
from evaluation.benchmarks.base import Answer, BankError, Benchmark, Item, ItemScore, Options, Reply, Summary
from evaluation.benchmarks.eqbench_prompt import REVISION
from evaluation.benchmarks.strict_json import JsonObject, read_object
from evaluation.command_line import command_line
from evaluation.management.base import BaseCommand
from evaluation.models import ItemBank
from evaluation.summaries import as_item

MAX_BYTES = 100_000_000
NOT_IN_FILE = "not in the file"


@dataclass(frozen=True, slots=True)
class ScoredPart:
    """One pass of one item's reply: what was read, and its points on the item's own scale."""

    item: Item
    answer: Answer
    score: float | None

    @property
    def strict_score(self) -> float | None:
        return self.score if self.answer.reading == "official" else None


class Command(BaseCommand):
    help = "Read and score the replies of a file with a benchmark whose item bank is loaded. Nothing is stored."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("benchmark", metavar="BENCHMARK", help=f"one of {', '.join(BENCHMARKS)}")
        parser.add_argument("file", metavar="FILE", help='JSON, {"item id": "reply"}; - reads standard input')
        parser.add_argument("--revision", action="store_true", help="the replies answer the prompt with revision")
        parser.add_argument("--bank", default="", metavar="SLUG", help="the item bank, if several are loaded")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")

    def handle(
        self, *args: Any, benchmark: str, file: str, revision: bool, bank: str, as_json: bool, **options: Any
    ) -> None:
        scorer = _benchmark(benchmark)
        items = [as_item(row) for row in _bank(scorer, bank).items.order_by("number")]
        replies = _replies(file, items)
        asked = Options(switched=frozenset((REVISION,)) if revision else frozenset())
        parts = [part for item in items for part in _scored(scorer, item, replies.get(item.id), asked)]
        summary = scorer.summarise([_item_score(part) for part in parts], n_items=len(items), repeats=1)
        self.stdout.write(_as_json(scorer, parts, summary) if as_json else _as_text(scorer, parts, summary))


def _benchmark(name: str) -> Benchmark:
    if name not in BENCHMARKS:
        raise CommandError(f"There is no benchmark {name}. Known: {', '.join(BENCHMARKS)}.")
    return BENCHMARKS[name]


def _bank(benchmark: Benchmark, slug: str) -> ItemBank:
    """The bank of that slug; without one the only bank of the benchmark's family, or the one named like the family."""
    if slug:
        return _named_bank(benchmark, slug)
    banks = list(ItemBank.objects.filter(benchmark=benchmark.bank))
    if not banks:
        raise CommandError(
            f"The item bank {benchmark.bank} is not loaded. Load it first: {command_line('load_bank', benchmark.name)}"
        )
    chosen = banks if len(banks) == 1 else [bank for bank in banks if bank.slug == benchmark.bank]
    if not chosen:
        slugs = ", ".join(bank.slug for bank in banks)
        raise CommandError(f"Several item banks fit {benchmark.name}: {slugs}. Choose one with --bank SLUG.")
    return chosen[0]


def _named_bank(benchmark: Benchmark, slug: str) -> ItemBank:
    bank = ItemBank.objects.filter(slug=slug).first()
    if bank is None:
        loaded = ", ".join(ItemBank.objects.values_list("slug", flat=True)) or "none"
        raise CommandError(f"There is no item bank {slug}. Loaded: {loaded}.")
    try:
        check_bank(benchmark, bank.benchmark)
    except BankError as error:
        raise CommandError(f"{slug} is refused: {error}.") from error
    return bank


def _replies(file: str, items: Sequence[Item]) -> Mapping[str, str]:
    """Item id -> reply. Raises CommandError with a sentence that names the file and what is wrong with it."""
    name = "Standard input" if file == "-" else file
    try:
        found = _checked_replies(read_object(_content(file), max_bytes=MAX_BYTES))
    except (OSError, ValueError) as error:
        raise CommandError(f"{name} cannot be read: {error}.") from error
    unknown = sorted(found.keys() - {item.id for item in items})
    if unknown:
        raise CommandError(f"{name} holds replies to unknown items: {', '.join(unknown[:20])}.")
    return found


def _content(file: str) -> bytes:
    """At most one byte more than is allowed, so that a file without end is refused and not read."""
    if file == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    with Path(file).open("rb") as opened:
        return opened.read(MAX_BYTES + 1)


def _checked_replies(parsed: JsonObject) -> Mapping[str, str]:
    replies = parsed.get("replies", parsed)
    if not isinstance(replies, JsonObject):
        raise ValueError("replies is not a JSON object")
    doubled = replies.doubled or parsed.doubled
    if doubled is not None:
        raise ValueError(f"{doubled} stands in it twice")
    odd = [item_id for item_id, reply in replies.items() if not isinstance(reply, str)]
    if odd:
        raise ValueError(f"the reply to item {odd[0]} is no text")
    return {item_id: reply for item_id, reply in replies.items() if isinstance(reply, str)}


def _scored(benchmark: Benchmark, item: Item, reply: str | None, options: Options) -> list[ScoredPart]:
    if reply is None:
        missing = benchmark.read(item, Reply(""), options).answers
        answers = tuple(Answer(answer.part, "none", reason=NOT_IN_FILE) for answer in missing)
    else:
        answers = benchmark.read(item, Reply(reply), options).answers
    return [ScoredPart(item, answer, benchmark.score(item, answer)) for answer in answers]


def _item_score(part: ScoredPart) -> ItemScore:
    return ItemScore(part.item.id, 1, part.answer.part, part.answer.reading, (part.score,))


def _as_json(benchmark: Benchmark, parts: Sequence[ScoredPart], summary: Summary) -> str:
    by_item: dict[str, list[ScoredPart]] = {}
    for part in parts:
        by_item.setdefault(part.item.id, []).append(part)
    items = [_item_entry(item_id, of_item) for item_id, of_item in by_item.items()]
    content = {"benchmark": benchmark.name, "items": items, "summary": asdict(summary)}
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2)


def _item_entry(item_id: str, parts: Sequence[ScoredPart]) -> dict[str, object]:
    """The first pass in the entry itself; with a revision both passes again under `parts`."""
    entry: dict[str, object] = {"id": item_id, **_part_entry(parts[0])}
    if len(parts) > 1:
        entry["parts"] = {part.answer.part: _part_entry(part) for part in parts}
    return entry


def _part_entry(part: ScoredPart) -> dict[str, object]:
    answer = part.answer
    return {
        "answer": None if answer.values is None else dict(zip(part.item.labels, answer.values, strict=True)),
        "reading": answer.reading,
        "flags": list(answer.flags),
        "reason": answer.reason,
        "score": part.score,
        "strict_score": part.strict_score,
    }


def _as_text(benchmark: Benchmark, parts: Sequence[ScoredPart], summary: Summary) -> str:
    width = max((len(part.item.id) for part in parts), default=4)
    lines = [f"{'item':<{max(width, 4)}}  part        reading     points  answer"]
    lines += [_line(part, max(width, 4)) for part in parts]
    return "\n".join([*lines, "", *_summary_lines(benchmark, summary)])


def _line(part: ScoredPart, width: int) -> str:
    answer = part.answer
    points = "-" if part.score is None else f"{part.score:.2f}"
    notes = f"  [{', '.join(answer.flags)}]" if answer.flags else ""
    said = answer.reason if answer.values is None else " ".join(f"{value:g}" for value in answer.values)
    return f"{part.item.id:<{width}}  {answer.part:<10}  {answer.reading:<8}  {points:>8}  {said}{notes}"


def _summary_lines(benchmark: Benchmark, summary: Summary) -> list[str]:
    return [
        f"{benchmark.title} ({benchmark.scorer_version})",
        f"Score         {_points(summary.score)}",
        f"Strict score  {_points(summary.strict_score)}",
        f"Read          {summary.n_scored} of {summary.n_items} items, {summary.n_strict} by the official reader",
        *([f"No score: {summary.reason}."] if summary.reason else []),
    ]


def _points(score: float | None) -> str:
    return "none" if score is None else f"{score:.2f}"
