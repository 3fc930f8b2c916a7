"""EmotionBench's questionnaires from a table into the database: a run a model, of the plan that its numbers make."""

from evaluation.benchmarks.base import FIRST_PART, Answer, Reading
from evaluation.benchmarks.emotionbench import EMOTION_BENCH, PLANS
from evaluation.benchmarks.emotionbench.bank import DEFAULT
from evaluation.command_line import command_line
from evaluation.importers.eqbench_files import shown
from evaluation.importers.eqbench_runs import Bank, Imported, bank_with, check_spelling, named, sealed
from evaluation.importers.names import known_model, model_named
from evaluation.importers.published_names import meant_by
from evaluation.importers.questionnaire_files import Questionnaire, QuestionnaireRun, read_questionnaires
from evaluation.importers.refusals import FileError, Refusal
from evaluation.importers.sameness import stored_once
from evaluation.models import ItemBank, ItemResult, Run
from evaluation.runs.opening import asks_of
from evaluation.runs.summaries import result_fields
from evaluation.states import Origin, Status

READING = "file"
"""How the answers of a table were read: by those who made it."""


def import_questionnaires(
    name: str, content: bytes, model: str, *, configuration: str = "", new_model: bool = False
) -> Imported:
    """Stores the run of one model of a table, or finds the one stored before. All or nothing.

    Raises:
        FileError: a faulty row, an item that the bank lacks, numbers of questionnaires that no plan has, a bank that is
            not loaded, or a name that looks like a known model's.
    """
    found = read_questionnaires(content, model)
    bank = _loaded_bank()
    _check_items(found, bank)
    plan = _plan_of(found)
    row_name = named(_own_name(model.strip()), configuration)
    check_spelling(row_name, new_model=new_model)
    return Imported(
        *stored_once(
            lambda: _store(name, row_name, found, bank, plan),
            bank=bank.row,
            benchmark=EMOTION_BENCH.name,
            sha256=found.sha256,
        )
    )


def _own_name(name: str) -> str:
    """The board's name of the model: a known one, else the one that the name means in the authors' table."""
    return name if known_model(name) else meant_by(name, EMOTION_BENCH.name) or name


def _loaded_bank() -> Bank:
    row = ItemBank.objects.filter(slug=EMOTION_BENCH.bank).first()
    if row is None:
        command = command_line("load_bank", EMOTION_BENCH.bank, "--from", "FOLDER")
        raise FileError(
            f"the item bank {EMOTION_BENCH.bank} is not loaded. Load it first: {command}", Refusal.BANK_NOT_LOADED
        )
    return bank_with(row, EMOTION_BENCH)


def _check_items(found: QuestionnaireRun, bank: Bank) -> None:
    for each in found.questionnaires:
        if each.item_id not in bank.items:
            raise FileError(f"line {each.line}: the bank has no situation {shown(each.item_id)}", Refusal.OTHER)
        if each.sums is not None and each.sums != _sums(each, bank):
            raise FileError(f"line {each.line}: the sums are not those of the answers", Refusal.EDITED_FILE)


def _sums(each: Questionnaire, bank: Bank) -> tuple[float | None, ...]:
    return EMOTION_BENCH.score(bank.items[each.item_id], _answer(each))


def _answer(each: Questionnaire) -> Answer:
    if each.answers:
        return Answer(FIRST_PART, READING, tuple(map(float, each.answers)))
    return Answer(FIRST_PART, "none", reason=each.reason)


def _plan_of(found: QuestionnaireRun) -> str:
    """The plan whose numbers of questionnaires the table has; single ones may be missing."""
    default = max((each.repeat for each in found.questionnaires if each.item_id == DEFAULT), default=0)
    evoked = max((each.repeat for each in found.questionnaires if each.item_id != DEFAULT), default=0)
    plan = next((name for name, numbers in PLANS.items() if numbers == (default, evoked)), "")
    if not plan:
        known = "; ".join(f"{name} {numbers[0]} and {numbers[1]}" for name, numbers in PLANS.items())
        raise FileError(
            f"holds {default} runs without a situation and {evoked} runs a situation, which no plan has ({known})",
            Refusal.NOT_WHOLE,
        )
    return plan


def _store(name: str, model: str, found: QuestionnaireRun, bank: Bank, plan: str) -> Run:
    run = Run.objects.create(
        model=model_named(model),
        bank=bank.row,
        benchmark=EMOTION_BENCH.name,
        variant=plan,
        origin=Origin.IMPORTED,
        status=Status.FAILED,
        published=True,
        ranks=True,
        repeats=1,
        n_items=len(bank.items),
        n_asks=asks_of(EMOTION_BENCH, bank.items.values(), 1, plan),
        settings={"system_prompt": ""},
        manifest=_manifest(name, found, bank, plan),
        source=name[:300],
        source_sha256=found.sha256,
    )
    order = sorted(found.questionnaires, key=lambda each: (bank.keys[each.item_id], each.repeat))
    ItemResult.objects.bulk_create((_result(run, each, bank) for each in order), batch_size=2_000)
    return sealed(run, EMOTION_BENCH)


def _result(run: Run, each: Questionnaire, bank: Bank) -> ItemResult:
    fields = result_fields(Reading((_answer(each),), complete=True), EMOTION_BENCH, bank.items[each.item_id])
    return ItemResult(run=run, item_id=bank.keys[each.item_id], repeat=each.repeat, **fields)


def _manifest(name: str, found: QuestionnaireRun, bank: Bank, plan: str) -> dict[str, str]:
    return {
        "file": name,
        "sha256": found.sha256,
        "model_path": found.model,
        "bank": bank.row.slug,
        "bank_sha256": bank.row.sha256,
        "benchmark": EMOTION_BENCH.name,
        "plan": plan,
        "scorer_version": EMOTION_BENCH.scorer_version,
    }
