"""Rows for tests: plain functions with defaults. All texts in here are our own."""

import hashlib
import itertools
import json
import uuid
from collections.abc import Sequence
from typing import Any

from evaluation.models import Endpoint, Item, ItemBank, ItemResult, LanguageModel, Reply, Run
from evaluation.states import ItemState, Origin, Status

# In all the tests of a process: names of as many digits each, so that what is made later is last by its name as well.
_serial = itertools.count(10_001)

# One scene an item: who speaks, what was said, the four feelings and their reference on the full scale.
_SCENES: tuple[tuple[str, str, tuple[str, str, str, str], tuple[int, int, int, int]], ...] = (
    ("Mara", "The ferry left without us.", ("Disappointed", "Amused", "Relieved", "Guilty"), (7, 1, 0, 3)),
    ("Tomas", "I kept every one of your postcards.", ("Touched", "Bored", "Nostalgic", "Angry"), (8, 0, 7, 0)),
    ("Ilse", "They gave the part to my sister.", ("Envious", "Proud", "Hurt", "Calm"), (6, 3, 7, 1)),
    ("Noor", "You may open your eyes now.", ("Curious", "Joyful", "Ashamed", "Bitter"), (8, 6, 0, 0)),
    ("Piet", "The dog slept at the door all week.", ("Sad", "Grateful", "Defiant", "Lonely"), (6, 2, 0, 7)),
)


def scene_prompt(number: int) -> str:
    """A prompt of our own in the form of EQ-Bench v2, with the parts that the benchmark edits."""
    speaker, line, labels, _ = _SCENES[(number - 1) % len(_SCENES)]
    first = "\n".join(f"{label}: <score>" for label in labels)
    revised = "\n".join(f"{label}: <revised score>" for label in labels)
    return (
        f"\nRead scene {number} and say how {speaker} feels:\n\nA friend: {line}\n[End dialogue]\n\n"
        + "\n".join(labels)
        + "\n\nGive each of these possible emotions a score from 0-10 for the relative intensity that they are likely "
        "to be feeling each. Then critique your answer by thinking it through step by step. Finally, give your revised "
        f"scores.\n\nAnswer in this format:\n\nFirst pass scores:\n{first}\n\nCritique: <your critique here>\n\n"
        f"Revised scores:\n{revised}\n\n[End of answer]\n\nOne emotion at least must score above zero.\n"
    )


def scene_labels(number: int) -> tuple[str, ...]:
    return _SCENES[(number - 1) % len(_SCENES)][2]


def scene_reference(number: int) -> tuple[int, ...]:
    return _SCENES[(number - 1) % len(_SCENES)][3]


def scene_reply(number: int, values: Sequence[float] | None = None) -> str:
    """A reply that the official reader reads; without values it repeats the reference, which scores full marks."""
    ratings = scene_reference(number) if values is None else values
    return "\n".join(f"{label}: {value}" for label, value in zip(scene_labels(number), ratings, strict=True))


def question_file(n: int = 5) -> dict[str, Any]:
    """A question file of n items in the official form, ready for json.dumps."""
    return {str(number): _question(number) for number in range(1, n + 1)}


def _question(number: int) -> dict[str, Any]:
    names = {f"emotion{i}": label for i, label in enumerate(scene_labels(number), 1)}
    full = {f"emotion{i}_score": value for i, value in enumerate(scene_reference(number), 1)}
    total = sum(scene_reference(number))
    shared = {key: 10 * value / total for key, value in full.items()}
    return {
        "prompt": scene_prompt(number),
        "reference_answer": {**names, **shared},
        "reference_answer_fullscale": {**names, **full},
    }


def official_ratings(number: int) -> dict[str, str]:
    """The reference answer as official run files hold answers: texts, in the order of the alphabet."""
    return {k: str(v) for k, v in sorted(zip(scene_labels(number), scene_reference(number), strict=True))}


def official_iteration(n: int) -> dict[str, Any]:
    numbers = range(1, n + 1)
    return {
        "individual_scores": {str(i): {"first_pass_score": 1.0, "revised_score": None} for i in numbers},
        "raw_inference": {str(i): scene_reply(i) for i in numbers},
        "respondent_answers": {str(i): {"first_pass": official_ratings(i), "revised": {}} for i in numbers},
    }


def official_run(n: int = 6) -> dict[str, Any]:
    """An official EQ-Bench v2 run file of perfect answers to the first n items, ready for json.dumps."""
    return {
        "benchmark_score": 100.0,
        "bitsandbytes_quant": "8bit",
        "eqbench_version": "v2",
        "inference_engine": "ooba",
        "instruction_template": "ChatML",
        "lora_path": "",
        "model_path": "maker/Model-7B",
        "raw_results": {"1": official_iteration(n)},
        "run_completed": 1706498894,
    }


def make_model(name: str = "", **fields: Any) -> LanguageModel:
    serial = next(_serial)
    name = name or f"maker/model-{serial}"
    defaults = {"slug": f"model-{serial}", "display_name": name.rpartition("/")[2]}
    return LanguageModel.objects.create(name=name, **{**defaults, **fields})


def make_bank(n: int = 5, **fields: Any) -> ItemBank:
    """A bank of n items of our own in the form of EQ-Bench v2, item ids "1" to str(n)."""
    slug = f"own-scenes-{next(_serial)}"
    defaults = {
        "slug": slug,
        "benchmark": "eq-bench-v2",
        "title": "Own scenes",
        "version": "1",
        "sha256": hashlib.sha256(f"{slug} {json.dumps(question_file(n))}".encode()).hexdigest(),
        "access": "open",
    }
    bank = ItemBank.objects.create(**{**defaults, **fields})
    Item.objects.bulk_create(_item(bank, number) for number in range(1, n + 1))
    return bank


def _item(bank: ItemBank, number: int) -> Item:
    return Item(
        bank=bank,
        number=number,
        item_id=str(number),
        prompt=scene_prompt(number),
        labels=list(scene_labels(number)),
        reference=[float(value) for value in scene_reference(number)],
    )


def make_endpoint(**fields: Any) -> Endpoint:
    model = fields.pop("model", None) or make_model()
    defaults = {"base_url": "https://models.example/v1", "api_model": model.display_name}
    return Endpoint.objects.create(model=model, **{**defaults, **fields})


def make_run(**fields: Any) -> Run:
    """A queued, measured run; a finished one gets a score and a running one a lease unless given.

    `strict_score` is put among its figures.
    """
    endpoint = fields.get("endpoint")
    model = fields.pop("model", None) or (endpoint.model if endpoint else make_model())
    bank = fields.pop("bank", None) or make_bank()
    status = fields.get("status", Status.QUEUED)
    defaults: dict[str, Any] = {
        "benchmark": bank.benchmark,
        "origin": Origin.MEASURED,
        "n_items": fields.get("limit") or bank.items.count(),
    }
    if status == Status.FINISHED:
        defaults |= {"score": 60.0, "n_scored": defaults["n_items"], "published": True}
    if status == Status.RUNNING:
        defaults["lease_token"] = uuid.uuid4()
    if "strict_score" in fields:
        defaults["figures"] = {"strict_score": {"value": fields.pop("strict_score"), "error": None, "n": None}}
    columns = {**defaults, **fields}
    columns.setdefault("ranks", columns.get("limit") is None)
    columns.setdefault("n_asks", columns["n_items"] * columns.get("repeats", 1))
    return Run.objects.create(model=model, bank=bank, **columns)


def make_result(run: Run, item_id: str = "1", *, reply: str | None = None, **fields: Any) -> ItemResult:
    """A read result of the run's item, official reading; with `reply` its raw text is stored beside it."""
    item = run.bank.items.get(item_id=item_id)
    defaults: dict[str, Any] = {
        "state": ItemState.READ,
        "reading": "official",
        "answer": list(item.reference),
        "score": 10.0,
        "attempts": 1,
    }
    result = ItemResult.objects.create(run=run, item=item, **{**defaults, **fields})
    if reply is not None:
        Reply.objects.create(result=result, text=reply)
    return result
