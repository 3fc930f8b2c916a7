"""Official EQ-Bench run files into the database: one run a file, scored anew by our scorer from the file's answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Answer, Benchmark, Item, Reading
from evaluation.command_line import command_line
from evaluation.endpoints.json_text import storable
from evaluation.importers.configurations import configured
from evaluation.importers.eqbench_files import (
    MAX_FILE_BYTES,
    PARTS,
    ItemRecord,
    OfficialRun,
    Ratings,
    file_name,
    read_official_run,
    shown,
)
from evaluation.importers.names import NAME_LENGTH, model_named, other_spelling
from evaluation.importers.published import page_models
from evaluation.importers.refusals import FileError, Refusal
from evaluation.importers.sameness import stored_once
from evaluation.models import ItemBank, ItemResult, Reply, Run
from evaluation.runs.parts import settle_parts
from evaluation.runs.summaries import as_item, result_fields, summarise_run, summary_fields, why_unscored
from evaluation.signs import hides_something, spelled
from evaluation.states import FaultKind, Origin, Status

ABOVE_TEN = "above 10"
_NAMED_ITEMS = 8


@dataclass(frozen=True, slots=True)
class Imported:
    """The run of a file; `created` is False where the same result was imported before, from this file or another."""

    run: Run
    created: bool


@dataclass(frozen=True, slots=True)
class Bank:
    """A loaded bank with its items as rows' keys and as benchmarks know them, by item id."""

    row: ItemBank
    benchmark: Benchmark
    keys: Mapping[str, int]
    items: Mapping[str, Item]


def import_official_file(path: Path, *, configuration: str = "", new_model: bool = False) -> Imported:
    """Stores the run of one official file, or finds the one stored before. All or nothing.

    Raises:
        FileError: unreadable, or refused (see `import_official`).
    """
    return import_official(file_name(path), _content(path), configuration=configuration, new_model=new_model)


def import_official(name: str, content: bytes, *, configuration: str = "", new_model: bool = False) -> Imported:
    """As `import_official_file`, from a file's name and bytes.

    Args: `configuration` is how the model was set; such a run gets a row of its own. `new_model` says that a name which
        looks like a known model's is another model's.

    Raises:
        FileError: refused (see `read_official_run`), of a bank that is not loaded, of other items, or of a model whose
            name looks like a known one.
    """
    official = read_official_run(content)
    bank = _loaded_bank(official.benchmark)
    _check_items(official, bank)
    model = named(_model_name(name, official), configuration)
    check_spelling(model, new_model=new_model)
    return Imported(
        *stored_once(
            lambda: _store(name, model, official, bank),
            bank=bank.row,
            benchmark=official.benchmark,
            sha256=official.sha256,
        )
    )


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise FileError(f"cannot be read ({error.strerror})", Refusal.OTHER) from error


def _loaded_bank(name: str) -> Bank:
    benchmark = BENCHMARKS[name]
    row = ItemBank.objects.filter(slug=benchmark.bank).first()
    if row is None:
        raise FileError(
            f"the item bank {benchmark.bank} is not loaded. Load it first: {command_line('load_bank', benchmark.bank)}",
            Refusal.BANK_NOT_LOADED,
        )
    return bank_with(row, benchmark)


def bank_with(row: ItemBank, benchmark: Benchmark) -> Bank:
    """A stored bank with its items, in its own order, as the benchmark scores them."""
    rows = list(row.items.all())
    return Bank(row, benchmark, {r.item_id: r.pk for r in rows}, {r.item_id: as_item(r) for r in rows})


def _check_items(official: OfficialRun, bank: Bank) -> None:
    """Refuses items that the bank lacks, and a file most of whose items name other emotions than the bank's."""
    records = [record for records in official.iterations for record in records]
    unknown = [record.item_id for record in records if record.item_id not in bank.items]
    if unknown:
        raise FileError(f"the item bank {bank.row.slug} lacks {_listed(unknown)}", Refusal.LACKS_ITEM)
    answered = [record for record in records if any(record.parts.values())]
    foreign = [record.item_id for record in answered if not _names_fit(record, bank.items[record.item_id])]
    if 2 * len(foreign) > len(answered):
        raise FileError(
            f"made from another item bank than {bank.row.slug}: other emotions in {_listed(foreign)}",
            Refusal.OTHER_BANK,
        )


def _names_fit(record: ItemRecord, item: Item) -> bool:
    return any(set(ratings) == set(item.labels) for ratings in record.parts.values())


def _listed(ids: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(shown(item_id) for item_id in ids))
    rest = f" and {len(distinct) - _NAMED_ITEMS} more" if len(distinct) > _NAMED_ITEMS else ""
    return f"item{'s' if len(distinct) > 1 else ''} {', '.join(distinct[:_NAMED_ITEMS])}{rest}"


def _store(file_name: str, model: str, official: OfficialRun, bank: Bank) -> Run:
    run = Run.objects.create(**_run_fields(file_name, model, official, bank))
    pairs = [
        (_result(run, repeat, record, bank), storable(record.reply)[0])
        for repeat, records in enumerate(official.iterations, 1)
        for record in sorted(records, key=lambda record: bank.keys[record.item_id])  # a file may sort "10" before "2"
    ]
    results = ItemResult.objects.bulk_create(result for result, _ in pairs)
    replies = (text for _, text in pairs)
    Reply.objects.bulk_create(Reply(result=result, text=text) for result, text in zip(results, replies, strict=True))
    return sealed(run, bank.benchmark)


def named(name: str, configuration: str) -> str:
    """The name with its configuration, which a reader can see whole. Raises FileError."""
    try:
        found = configured(name, configuration)
    except ValueError as error:
        raise FileError(str(error), Refusal.OTHER) from None
    if len(found) > NAME_LENGTH:
        raise FileError(f"the model's name is longer than {NAME_LENGTH} characters", Refusal.OTHER)
    if hides_something(found):
        raise FileError(f"the model's name {spelled(found)} holds a character that cannot be seen", Refusal.OTHER)
    return found


def check_spelling(name: str, *, new_model: bool) -> None:
    """Refuses a name that looks like a known model's, unless it is said to be another model. Raises FileError."""
    known = "" if new_model else other_spelling(name)
    if known:
        raise FileError(
            f"the model's name is {name}, which looks like {known}, a known model. Write the known name into the file; "
            "or, if it is another model, say so (--new-model)",
            Refusal.LIKE_A_KNOWN_MODEL,
        )


def _model_name(file_name: str, official: OfficialRun) -> str:
    """The name under which the official page lists this file, where the file holds that model and no adapter; else the
    one in the file, with its adapter."""
    adapter = f" + {official.lora_path}" if official.lora_path else ""
    listed = page_models().get((file_name, official.model_path)) if not adapter else None
    name = listed or f"{official.model_path}{adapter}"
    if len(name) > NAME_LENGTH:
        raise FileError(f"model_path is longer than {NAME_LENGTH} characters", Refusal.OTHER)
    return name


def _run_fields(file_name: str, model: str, official: OfficialRun, bank: Bank) -> dict[str, object]:
    return {
        "model": model_named(model),
        "bank": bank.row,
        "benchmark": official.benchmark,
        "origin": Origin.IMPORTED,
        "status": Status.FAILED,
        "published": True,
        "repeats": len(official.iterations),
        "n_items": len(bank.items),
        "n_asks": len(bank.items) * len(official.iterations),
        "settings": _settings(official),
        "manifest": _manifest(file_name, official, bank),
        "source": file_name[:300],
        "source_sha256": official.sha256,
        "published_score": official.published_score,
        "started_at": official.completed_at,
        "finished_at": official.completed_at,
    }


def _settings(official: OfficialRun) -> dict[str, str | int | bool]:
    return {
        "engine": official.engine,
        "template": official.template,
        "quant": official.quant,
        "lora": official.lora_path,
        "iterations": len(official.iterations),
        "revision": official.revision,
        "system_prompt": "",
    }


def _manifest(file_name: str, official: OfficialRun, bank: Bank) -> dict[str, str | float | None]:
    return {
        "file": file_name,
        "sha256": official.sha256,
        "model_path": official.model_path,
        "bank": bank.row.slug,
        "bank_sha256": bank.row.sha256,
        "benchmark": official.benchmark,
        "scorer_version": bank.benchmark.scorer_version,
        "published_score": official.published_score,
    }


def _result(run: Run, repeat: int, record: ItemRecord, bank: Bank) -> ItemResult:
    item = bank.items[record.item_id]
    answers = tuple(_answer(part, record.parts[part], item) for part in PARTS if part in record.parts)
    fields = result_fields(Reading(answers, complete=True), bank.benchmark, item)
    return ItemResult(run=run, item_id=bank.keys[record.item_id], repeat=repeat, **fields)


def _answer(part: str, ratings: Ratings, item: Item) -> Answer:
    """The file's own answer, by the official rule: exactly four names, and they are the item's. Not read anew.

    Four zeros and values above 10 count as the file counted them.
    """
    if set(ratings) == set(item.labels):
        values = tuple(ratings[label] for label in item.labels)
        return Answer(part, "official", values, flags=(ABOVE_TEN,) if max(values) > 10 else ())
    return Answer(part, "none", reason=_reason(ratings, item))


def _reason(ratings: Ratings, item: Item) -> str:
    if not ratings:
        return "no scores found"
    missing = [label for label in item.labels if label not in ratings]
    return f"{missing[0]} missing" if missing else "other names beside the item's"


def sealed(run: Run, benchmark: Benchmark) -> Run:
    """The run with its summary. Without a score it stays failed, with its replies."""
    summary = summarise_run(run)
    reason = why_unscored(summary, benchmark)
    ending = {"failure_kind": FaultKind.PARSE.value, "failure_message": reason}
    if not reason:
        ending = {"status": Status.FINISHED.value}
    settle_parts(run, summary.counted_parts)
    Run.objects.filter(pk=run.pk).update(**summary_fields(summary, benchmark), **ending)
    run.refresh_from_db()
    return run
