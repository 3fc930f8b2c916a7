"""Scores replies that lie in a file, without an endpoint and without storing: to try a scorer, or to check a number."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from django.core.management.base import CommandError, CommandParser

from evaluation.benchmarks import BENCHMARKS, WITHOUT_RUNS, check_bank
from evaluation.benchmarks.base import (
    FIRST_PART,
    Answer,
    Ask,
    Bank,
    BankError,
    Benchmark,
    Figure,
    Item,
    ItemScore,
    JsonValue,
    Measure,
    NextBenchmark,
    Options,
    Reply,
    Summary,
)
from evaluation.benchmarks.eqbench_prompt import REVISION
from evaluation.benchmarks.strict_json import JsonObject, read_object
from evaluation.command_line import command_line
from evaluation.management.base import BaseCommand
from evaluation.models import ItemBank
from evaluation.summaries import as_bank

MAX_BYTES = 100_000_000
NOT_IN_FILE = "not in the file"
KNOWN: dict[str, Benchmark | NextBenchmark] = {**BENCHMARKS, **WITHOUT_RUNS}


@dataclass(frozen=True, slots=True)
class Given:
    """The reply to one item, and what was shown with it, such as an order of options; None where nothing was."""

    reply: str
    shown: JsonValue = None


@dataclass(frozen=True, slots=True)
class ScoredPart:
    """One pass of one item's reply: what was read, and its points on the item's own scale."""

    item: Item
    answer: Answer
    score: float | None

    @property
    def strict_score(self) -> float | None:
        return self.score if self.answer.reading == "official" else None


@dataclass(frozen=True, slots=True)
class ScoredItem:
    """One item's reply: what was read, and its values in the order of the benchmark's item measures."""

    item: Item
    answer: Answer
    values: tuple[float | None, ...]


class Command(BaseCommand):
    help = "Read and score the replies of a file with a benchmark whose item bank is loaded. Nothing is stored."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("benchmark", metavar="BENCHMARK", help=f"one of {', '.join(KNOWN)}")
        parser.add_argument(
            "file",
            metavar="FILE",
            help='JSON, {"item id": "reply"} or {"item id": {"reply": "...", "shown": [order]}}; - is standard input',
        )
        parser.add_argument("--revision", action="store_true", help="the replies answer the prompt with revision")
        parser.add_argument("--bank", default="", metavar="SLUG", help="the item bank, if several are loaded")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")

    def handle(
        self, *args: Any, benchmark: str, file: str, revision: bool, bank: str, as_json: bool, **options: Any
    ) -> None:
        if benchmark not in KNOWN:
            raise CommandError(f"There is no benchmark {benchmark}. Known: {', '.join(KNOWN)}.")
        loaded = as_bank(_bank(KNOWN[benchmark], bank))
        replies = _replies(file, loaded.items)
        if benchmark in BENCHMARKS:
            self.stdout.write(_with_parts(BENCHMARKS[benchmark], loaded, replies, revision=revision, as_json=as_json))
        elif revision:
            raise CommandError(f"{benchmark} asks for no revision.")
        else:
            self.stdout.write(_with_measures(WITHOUT_RUNS[benchmark], loaded, replies, as_json=as_json))


def _with_parts(scorer: Benchmark, bank: Bank, replies: Mapping[str, Given], *, revision: bool, as_json: bool) -> str:
    """What is printed of a benchmark whose replies may have a second part."""
    asked = Options(switched=frozenset((REVISION,)) if revision else frozenset())
    parts = [part for item in bank.items for part in _scored(scorer, item, replies.get(item.id), asked)]
    summary = scorer.summarise([_item_score(part) for part in parts], n_items=len(bank.items), repeats=1)
    return _as_json(scorer, parts, summary) if as_json else _as_text(scorer, parts, summary)


def _with_measures(scorer: NextBenchmark, bank: Bank, replies: Mapping[str, Given], *, as_json: bool) -> str:
    """What is printed of a benchmark that names its measures."""
    scored = [_scored_item(scorer, item, replies.get(item.id)) for item in bank.items]
    scores = [ItemScore(each.item.id, 1, each.answer.part, each.answer.reading, each.values) for each in scored]
    try:
        summary = scorer.summarise(scores, bank, repeats=1, variant="")
    except BankError as error:
        raise CommandError(f"The bank cannot be scored: {error}.") from error
    return _measures_json(scorer, scored, summary) if as_json else _measures_text(scorer, scored, summary)


def _scored_item(scorer: NextBenchmark, item: Item, given: Given | None) -> ScoredItem:
    if given is None:
        answer = Answer(FIRST_PART, "none", reason=NOT_IN_FILE)
        return ScoredItem(item, answer, scorer.score(item, answer))
    try:
        (answer,) = scorer.read(Ask(item, 1, 1, 0), given.shown, Reply(given.reply), Options()).answers
    except ValueError as error:
        raise CommandError(f"What was shown with item {item.id} cannot be used: {error}.") from error
    return ScoredItem(item, answer, scorer.score(item, answer))


def _measures_json(scorer: NextBenchmark, scored: Sequence[ScoredItem], summary: Summary) -> str:
    figures = {measure.key: summary.figures[measure.key] for measure in scorer.measures}
    content = {
        "benchmark": scorer.name,
        "items": [_measured_entry(scorer, each) for each in scored],
        "figures": _values_of(figures),
        "errors": _errors_of(figures),
        "coverage": summary.coverage,
        "reason": summary.reason,
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2)


def _values_of(figures: Mapping[str, Figure]) -> dict[str, float | None]:
    return {key: figure.value for key, figure in figures.items()}


def _errors_of(figures: Mapping[str, Figure]) -> dict[str, float]:
    """The standard errors of the figures that have one."""
    return {key: figure.error for key, figure in figures.items() if figure.error is not None}


def _measured_entry(scorer: NextBenchmark, scored: ScoredItem) -> dict[str, object]:
    answer = scored.answer
    return {
        "id": scored.item.id,
        "values": {measure.key: value for measure, value in zip(scorer.item_measures, scored.values, strict=True)},
        "answer": None if answer.values is None else dict(zip(scored.item.labels, answer.values, strict=True)),
        "reading": answer.reading,
        "flags": list(answer.flags),
        "reason": answer.reason,
    }


def _measures_text(scorer: NextBenchmark, scored: Sequence[ScoredItem], summary: Summary) -> str:
    width = max(4, *(len(each.item.id) for each in scored)) if scored else 4
    heads = " ".join(f"{measure.key:>10}" for measure in scorer.item_measures)
    lines = [f"{'item':<{width}}  reading   {heads}  answer"]
    for each in scored:
        values = " ".join(
            f"{_written(value, measure):>10}" for measure, value in zip(scorer.item_measures, each.values, strict=True)
        )
        lines.append(f"{each.item.id:<{width}}  {each.answer.reading:<8}  {values}  {_said(each.answer)}")
    titles = max(len(measure.title) for measure in scorer.measures)
    figures = [f"{each.title:<{titles}}  {_figure_text(summary.figures[each.key], each)}" for each in scorer.measures]
    reason = [f"No score: {summary.reason}."] if summary.reason else []
    return "\n".join([*lines, "", f"{scorer.title} ({scorer.scorer_version})", *figures, *reason])


def _figure_text(figure: Figure, measure: Measure) -> str:
    error = "" if figure.error is None else f" ± {figure.error:.{measure.digits}f}"
    return f"{_written(figure.value, measure)}{error}{f' {measure.unit}' if measure.unit else ''}"


def _written(value: float | None, measure: Measure) -> str:
    return "none" if value is None else f"{value:.{measure.digits}f}"


def _said(answer: Answer) -> str:
    notes = f"  [{', '.join(answer.flags)}]" if answer.flags else ""
    if answer.values is None:
        return f"{answer.reason}{notes}"
    return " ".join("-" if value is None else f"{value:g}" for value in answer.values) + notes


def _bank(benchmark: Benchmark | NextBenchmark, slug: str) -> ItemBank:
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


def _named_bank(benchmark: Benchmark | NextBenchmark, slug: str) -> ItemBank:
    bank = ItemBank.objects.filter(slug=slug).first()
    if bank is None:
        loaded = ", ".join(ItemBank.objects.values_list("slug", flat=True)) or "none"
        raise CommandError(f"There is no item bank {slug}. Loaded: {loaded}.")
    try:
        check_bank(benchmark, bank.benchmark)
    except BankError as error:
        raise CommandError(f"{slug} is refused: {error}.") from error
    return bank


def _replies(file: str, items: Sequence[Item]) -> Mapping[str, Given]:
    """Item id -> reply with what was shown. Raises CommandError with a sentence that names the file and its fault."""
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


def _checked_replies(parsed: JsonObject) -> Mapping[str, Given]:
    replies = parsed.get("replies", parsed)
    if not isinstance(replies, JsonObject):
        raise ValueError("replies is not a JSON object")
    doubled = replies.doubled or parsed.doubled
    if doubled is not None:
        raise ValueError(f"{doubled} stands in it twice")
    return {item_id: _given(item_id, reply) for item_id, reply in replies.items()}


def _given(item_id: str, entry: object) -> Given:
    shown: object = None
    if isinstance(entry, JsonObject):
        if entry.doubled is not None or not entry.keys() <= {"reply", "shown"}:
            raise ValueError(f'the entry of item {item_id} has to hold "reply" and "shown" alone, each once')
        reply, shown = entry.get("reply"), entry.get("shown")
    else:
        reply = entry
    if not isinstance(reply, str):
        raise ValueError(f"the reply to item {item_id} is no text")
    return Given(reply, cast("JsonValue", shown))


def _scored(benchmark: Benchmark, item: Item, given: Given | None, options: Options) -> list[ScoredPart]:
    if given is None:
        missing = benchmark.read(item, Reply(""), options).answers
        answers = tuple(Answer(answer.part, "none", reason=NOT_IN_FILE) for answer in missing)
    else:
        answers = benchmark.read(item, Reply(given.reply), options).answers
    return [ScoredPart(item, answer, benchmark.score(item, answer)) for answer in answers]


def _item_score(part: ScoredPart) -> ItemScore:
    return ItemScore(part.item.id, 1, part.answer.part, part.answer.reading, (part.score,))


def _as_json(benchmark: Benchmark, parts: Sequence[ScoredPart], summary: Summary) -> str:
    by_item: dict[str, list[ScoredPart]] = {}
    for part in parts:
        by_item.setdefault(part.item.id, []).append(part)
    items = [_item_entry(item_id, of_item) for item_id, of_item in by_item.items()]
    content = {
        "benchmark": benchmark.name,
        "items": items,
        "figures": _values_of(_figures_of(summary)),
        "errors": _errors_of(_figures_of(summary)),
        "reason": summary.reason,
        "summary": asdict(summary),
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2)


def _figures_of(summary: Summary) -> dict[str, Figure]:
    return {"score": Figure(summary.score, summary.standard_error), "strict_score": Figure(summary.strict_score)}


def _item_entry(item_id: str, parts: Sequence[ScoredPart]) -> dict[str, object]:
    """The first pass in the entry itself; with a revision both passes again under `parts`."""
    entry: dict[str, object] = {"id": item_id, **_part_entry(parts[0])}
    if len(parts) > 1:
        entry["parts"] = {part.answer.part: _part_entry(part) for part in parts}
    return entry


def _part_entry(part: ScoredPart) -> dict[str, object]:
    answer = part.answer
    return {
        "values": {"score": part.score},
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
