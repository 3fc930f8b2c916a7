"""Scores replies that lie in a file, without an endpoint and without storing: to try a scorer, or to check a number."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from django.core.management.base import CommandError, CommandParser

from evaluation.benchmarks import BENCHMARKS, check_bank, switch_names
from evaluation.benchmarks.base import (
    Answer,
    Ask,
    BankError,
    Benchmark,
    Figure,
    Item,
    ItemScore,
    JsonValue,
    Measure,
    Options,
    Reply,
    Summary,
)
from evaluation.benchmarks.eqbench_summary import STRICT_SCORE
from evaluation.benchmarks.strict_json import JsonObject, read_object
from evaluation.command_line import command_line
from evaluation.importers.banks import listed_for
from evaluation.management.base import BaseCommand
from evaluation.models import ItemBank
from evaluation.runs.summaries import as_bank, strict_figures, summary_fields
from evaluation.signs import escaped

MAX_BYTES = 100_000_000
NOT_IN_FILE = "not in the file"


@dataclass(frozen=True, slots=True)
class Given:
    """A reply of the file, and what its prompt showed; None where it shows nothing of chance."""

    reply: str
    shown: JsonValue = None


@dataclass(frozen=True, slots=True)
class ScoredPart:
    """One pass of one item's reply: what was read, and its values in the order of the benchmark's item measures."""

    item: Item
    answer: Answer
    values: tuple[float | None, ...]

    @property
    def score(self) -> float | None:
        return self.values[0]

    @property
    def strict_score(self) -> float | None:
        return self.score if self.answer.reading == "official" else None


class Command(BaseCommand):
    help = "Read and score the replies of a file with a benchmark whose item bank is loaded. Nothing is stored."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("benchmark", metavar="BENCHMARK", help=f"one of {', '.join(BENCHMARKS)}")
        parser.add_argument(
            "file",
            metavar="FILE",
            help='JSON, {"item id": "reply"} or {"item id": {"reply": …, "shown": …}} where an order was shown; '
            "- reads standard input",
        )
        for name in switch_names():
            parser.add_argument(
                f"--{name.replace('_', '-')}",
                action="append_const",
                dest="switched",
                const=name,
                help=f"the replies answer the prompt with {name}",
            )
        parser.add_argument(
            "--variant", default="", help="one of the benchmark's variants (default: one reply to each item)"
        )
        parser.add_argument("--bank", default="", metavar="SLUG", help="the item bank, if several are loaded")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")

    def handle(
        self, *args: Any, benchmark: str, file: str, variant: str, bank: str, as_json: bool, **options: Any
    ) -> None:
        scorer = _benchmark(benchmark)
        asked = Options(switched=frozenset(options["switched"] or ()))
        _check(scorer, asked, variant)
        loaded = as_bank(_bank(scorer, bank))
        replies = _replies(file, loaded.items)
        parts = [part for item in loaded.items for part in _scored(scorer, item, replies.get(item.id), asked)]
        try:
            summary = scorer.summarise([_item_score(part) for part in parts], loaded, repeats=1, variant=variant)
        except BankError as error:
            raise CommandError(f"The bank cannot be scored: {error}.") from error
        write = _as_json if as_json else _as_text
        self.stdout.write(write(scorer, parts, summary, n_items=len(loaded.items)))


def _benchmark(name: str) -> Benchmark:
    if name not in BENCHMARKS:
        raise CommandError(f"There is no benchmark {name}. Known: {', '.join(BENCHMARKS)}.")
    return BENCHMARKS[name]


def _check(scorer: Benchmark, asked: Options, variant: str) -> None:
    unknown = sorted(asked.switched - {switch.name for switch in scorer.switches})
    if unknown:
        raise CommandError(f"{scorer.name} asks for no {', '.join(unknown)}.")
    if variant and variant not in scorer.variants:
        known = ", ".join(filter(None, scorer.variants)) or "none"
        raise CommandError(f"{scorer.name} has no variant {variant}. Known: {known}.")


def _bank(benchmark: Benchmark, slug: str) -> ItemBank:
    """The bank of that slug; without one the only bank of the benchmark's family, or the one named like the family."""
    if slug:
        return _named_bank(benchmark, slug)
    banks = list(ItemBank.objects.filter(benchmark=benchmark.bank))
    if not banks:
        raise CommandError(
            f"The item bank {benchmark.bank} is not loaded. Load it first: {command_line('load_bank', benchmark.name)}"
        )
    own = listed_for(benchmark)
    chosen = banks if len(banks) == 1 else [bank for bank in banks if own and bank.slug == own.slug]
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


def _replies(file: str, items: Sequence[Item]) -> Mapping[str, Given]:
    """Item id -> reply, with what its prompt showed.

    Raises CommandError with a sentence that names the file and what is wrong with it.
    """
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
    return {item_id: _given(item_id, entry) for item_id, entry in replies.items()}


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
    ask = Ask(item, 1, 1, 0)
    if given is None:
        missing = benchmark.read(ask, None, Reply(""), options).answers
        answers = tuple(Answer(answer.part, "none", reason=NOT_IN_FILE) for answer in missing)
    else:
        answers = _read(benchmark, ask, given, options)
    return [ScoredPart(item, answer, benchmark.score(item, answer)) for answer in answers]


def _read(benchmark: Benchmark, ask: Ask, given: Given, options: Options) -> tuple[Answer, ...]:
    """Raises CommandError where the benchmark cannot use what the file says was shown."""
    try:
        return benchmark.read(ask, given.shown, Reply(given.reply), options).answers
    except ValueError as error:
        raise CommandError(f"What was shown with item {ask.item.id} cannot be used: {error}.") from error


def _item_score(part: ScoredPart) -> ItemScore:
    return ItemScore(part.item.id, 1, part.answer.part, part.answer.reading, part.values)


def _as_json(benchmark: Benchmark, parts: Sequence[ScoredPart], summary: Summary, *, n_items: int) -> str:
    by_item: dict[str, list[ScoredPart]] = {}
    for part in parts:
        by_item.setdefault(part.item.id, []).append(part)
    keys = [measure.key for measure in benchmark.item_measures]
    has_strict = any(measure.key == STRICT_SCORE for measure in benchmark.measures)
    items = [_item_entry(item_id, of_item, keys, strict=has_strict) for item_id, of_item in by_item.items()]
    content = {
        "benchmark": benchmark.name,
        "items": items,
        "figures": {measure.key: _figure_of(summary, measure).value for measure in benchmark.measures},
        "errors": _errors(benchmark, summary),
        "coverage": summary.coverage,
        "reason": summary.reason,
        "detail": summary.detail,
        "summary": _summary_entry(benchmark, summary, n_items),
    }
    return escaped(json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2))


def _figure_of(summary: Summary, measure: Measure) -> Figure:
    return summary.figures.get(measure.key, Figure(None))


def _errors(benchmark: Benchmark, summary: Summary) -> dict[str, float]:
    """The standard errors of the figures that have one."""
    errors = {measure.key: _figure_of(summary, measure).error for measure in benchmark.measures}
    return {key: error for key, error in errors.items() if error is not None}


def _summary_entry(benchmark: Benchmark, summary: Summary, n_items: int) -> dict[str, object]:
    """The run's numbers by the names that runs have in other files."""
    fields = summary_fields(summary, benchmark)
    numbers = {**fields, **strict_figures(fields["figures"])}
    names = ("score", "strict_score", "standard_error", "n_scored", "n_strict", "parse_share", "strict_share")
    return {
        **{name: value for name, value in numbers.items() if name in names},
        "n_items": n_items,
        "repeat_scores": list(summary.repeat_scores),
        "counted_parts": list(summary.counted_parts),
        "reason": summary.reason,
    }


def _item_entry(item_id: str, parts: Sequence[ScoredPart], keys: Sequence[str], *, strict: bool) -> dict[str, object]:
    """The first pass in the entry itself; with a revision both passes again under `parts`."""
    entry: dict[str, object] = {"id": item_id, **_part_entry(parts[0], keys, strict=strict)}
    if len(parts) > 1:
        entry["parts"] = {part.answer.part: _part_entry(part, keys, strict=strict) for part in parts}
    return entry


def _part_entry(part: ScoredPart, keys: Sequence[str], *, strict: bool) -> dict[str, object]:
    answer = part.answer
    return {
        "answer": None if answer.values is None else dict(zip(part.item.labels, answer.values, strict=True)),
        "reading": answer.reading,
        "flags": list(answer.flags),
        "reason": answer.reason,
        "values": dict(zip(keys, part.values, strict=True)),
        **({"score": part.score, "strict_score": part.strict_score} if strict else {}),
    }


def _as_text(benchmark: Benchmark, parts: Sequence[ScoredPart], summary: Summary, *, n_items: int) -> str:
    width = max([4, *(len(part.item.id) for part in parts)])
    measure = benchmark.item_measures[0]
    value_width = max(8, len(measure.title))
    lines = [f"{'item':<{width}}  part        reading   {measure.title.lower():>{value_width}}  answer"]
    lines += [_line(part, width, value_width) for part in parts]
    return "\n".join([*lines, "", *_summary_lines(benchmark, summary, n_items)])


def _line(part: ScoredPart, width: int, value_width: int) -> str:
    answer = part.answer
    points = "-" if part.score is None else f"{part.score:.2f}"
    notes = f"  [{', '.join(answer.flags)}]" if answer.flags else ""
    said = answer.reason if answer.values is None else " ".join(map(_value, answer.values))
    return f"{part.item.id:<{width}}  {answer.part:<10}  {answer.reading:<8}  {points:>{value_width}}  {said}{notes}"


def _value(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def _summary_lines(benchmark: Benchmark, summary: Summary, n_items: int) -> list[str]:
    width = max((len(measure.title) for measure in benchmark.measures), default=4)
    strict = summary.figures.get(STRICT_SCORE)
    official = f", {strict.n} by the official parser" if strict else ""
    return [
        f"{benchmark.title} ({benchmark.scorer_version})",
        *(f"{measure.title:<{width}}  {_figure(summary, measure)}" for measure in benchmark.measures),
        f"{'Read':<{width}}  {summary.n_scored} of {n_items} items{official}",
        *([f"No score: {summary.reason}."] if summary.reason else []),
    ]


def _figure(summary: Summary, measure: Measure) -> str:
    value = summary.figures.get(measure.key, Figure(None)).value
    return "none" if value is None else f"{value:.{measure.digits}f}"
