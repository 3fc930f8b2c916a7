"""EQ-Bench question files: checked whole, then read. Pure.

A file is one JSON object: item id ("1", "2", ...) -> `prompt` and reference answers with `emotion1` to `emotion4`
and `emotion1_score` to `emotion4_score`.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from evaluation.benchmarks.bank_files import finite_number
from evaluation.benchmarks.base import BankError, Item
from evaluation.benchmarks.eqbench_prompt import Language, other_language_in
from evaluation.benchmarks.strict_json import JsonObject, read_object

MAX_BYTES = 20_000_000
EMOTIONS = 4
HIGHEST = 10.0


@dataclass(frozen=True, slots=True)
class BankForm:
    """What a question file must be: how many items, in which language, and which of its references counts.

    `n_items` None takes as many items as the file holds, at least one.
    """

    n_items: int | None
    reference_key: str
    language: Language
    reference_sum: float | None = None


def read_bank(content: bytes, form: BankForm) -> list[Item]:
    """The items of a question file, in file order.

    Raises:
        BankError: with item id and reason, for a file that is no JSON object of exactly the form's items ("1" to
            `n_items`, without a gap), each with a prompt in the form's language, four distinct one-word emotions and
            finite reference ratings from 0 to 10 (numbers or numeric strings).
    """
    questions = _parsed(content)
    if questions.doubled is not None:
        raise BankError(f"item {questions.doubled}: stands in the file twice")
    _check_ids(questions, form.n_items or max(len(questions), 1))
    return [_item(item_id, question, form) for item_id, question in questions.items()]


def _parsed(content: bytes) -> JsonObject:
    try:
        return read_object(content, max_bytes=MAX_BYTES)
    except ValueError as error:
        raise BankError(str(error)) from error


def _check_ids(questions: Iterable[str], n_items: int) -> None:
    found = set(questions)
    expected = [str(number) for number in range(1, n_items + 1)]
    count = f"{n_items} items are expected, the file holds {len(found)}"
    missing = [item_id for item_id in expected if item_id not in found]
    if missing:
        raise BankError(f"item {_listed(missing)}: missing ({count})")
    unknown = sorted(found.difference(expected), key=lambda item_id: (len(item_id), item_id))
    if unknown:
        raise BankError(f"item {_listed(unknown)}: not an item of this bank ({count})")


def _listed(item_ids: list[str]) -> str:
    shown = ", ".join(item_id[:40] for item_id in item_ids[:5])
    return shown if len(item_ids) <= 5 else f"{shown} and {len(item_ids) - 5} more"


def _item(item_id: str, question: object, form: BankForm) -> Item:
    entry = _checked_object(item_id, question, "the item")
    answer = _checked_object(item_id, entry.get(form.reference_key), form.reference_key)
    labels = tuple(_emotion(item_id, answer, number) for number in range(1, EMOTIONS + 1))
    if len({label.casefold() for label in labels}) < EMOTIONS:
        raise BankError(f"item {item_id}: its four emotions are not distinct")
    reference = tuple(_rating(item_id, answer, number) for number in range(1, EMOTIONS + 1))
    _check_sum(item_id, reference, form)
    return Item(id=item_id, prompt=_prompt(item_id, entry, form.language), labels=labels, reference=reference)


def _checked_object(item_id: str, value: object, name: str) -> JsonObject:
    if not isinstance(value, JsonObject):
        raise BankError(f"item {item_id}: {name} is missing or no JSON object")
    if value.doubled is not None:
        raise BankError(f"item {item_id}: {value.doubled} stands in it twice")
    return value


def _prompt(item_id: str, entry: JsonObject, language: Language) -> str:
    prompt = entry.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        raise BankError(f"item {item_id}: prompt is missing or empty")
    if other_language_in(prompt, language):
        raise BankError(f"item {item_id}: the prompt is in another language than this bank ({language})")
    return prompt


def _emotion(item_id: str, answer: JsonObject, number: int) -> str:
    emotion = answer.get(f"emotion{number}")
    if not isinstance(emotion, str) or not emotion:
        raise BankError(f"item {item_id}: emotion{number} is missing, four emotions are expected")
    if not emotion.isalpha():
        raise BankError(f"item {item_id}: emotion{number} is not one word")
    return emotion


def _rating(item_id: str, answer: JsonObject, number: int) -> float:
    rating = finite_number(answer.get(f"emotion{number}_score"))
    if rating is None or not 0 <= rating <= HIGHEST:
        raise BankError(f"item {item_id}: emotion{number}_score is not a number from 0 to 10")
    return rating


def _check_sum(item_id: str, reference: tuple[float, ...], form: BankForm) -> None:
    if form.reference_sum is None:
        return
    if not math.isclose(sum(reference), form.reference_sum, abs_tol=1e-6):
        raise BankError(
            f"item {item_id}: the reference sums to {sum(reference):g}, not to {form.reference_sum:g}; "
            "this is not a bank of this benchmark"
        )
