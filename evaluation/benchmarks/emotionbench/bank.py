"""EmotionBench's bank from the files of an operator: one default item, the situations, and how people felt. Pure.

The files are `situations_used.csv`, `questionnaires.json`, `prompts.json` and `human_reference.csv`. Texts, the wording
of the questionnaire and people's figures are not in this repository.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.benchmarks.bank_files import json_file, json_list, list_of, number_of, object_of, text_of, within
from evaluation.benchmarks.base import Bank, BankError, Item, JsonValue
from evaluation.benchmarks.emotionbench.scoring import AFFECTS, Factor, Spread
from evaluation.benchmarks.strict_json import JsonObject

SITUATIONS, QUESTIONNAIRES = "situations_used.csv", "questionnaires.json"
PROMPTS, PEOPLE = "prompts.json", "human_reference.csv"
QUESTIONNAIRE = "PANAS"
WORDS = 20
DEFAULT = "default"
"""The id of the item that is asked without a situation."""

PLACEHOLDER = "SCENARIO"
LEAD = "Prompt: "
OVERALL = "Overall:avg"
_PEOPLE_COLUMNS = ("default_mean", "default_sd", "evoked_mean", "evoked_sd", "change_mean", "change_sd")
_TEST_COLUMNS = ("paired_t", "paired_p")


@dataclass(frozen=True, slots=True)
class Questionnaire:
    """The prompt with its placeholder, the words in their own order, and which of them are positive (from 0)."""

    prompt: str
    words: tuple[str, ...]
    positive: tuple[int, ...]


def load(files: Mapping[str, bytes], n_items: int | None = None) -> Bank:
    """The bank in these files. `n_items` counts the default item as well; None takes as many as there are.

    Raises:
        BankError: a file is missing, or a situation, the questionnaire or a row of people is faulty; the text names it.
    """
    questionnaire = _questionnaire(json_list(files, QUESTIONNAIRES))
    asking = within(json_file(files, PROMPTS), PROMPTS, "reference_code")
    people = _people(_rows(files, PEOPLE))
    rows = _rows(files, SITUATIONS)
    if n_items is not None and len(rows) + 1 != n_items:
        raise BankError(f"{n_items - 1} situations are expected, {SITUATIONS} holds {len(rows)}")
    default = text_filled(asking, "scenario_fill_default")
    evoked = text_filled(asking, "scenario_fill_evoked")
    if "{situation}" not in evoked:
        raise BankError(f"{PROMPTS}: scenario_fill_evoked has to hold {{situation}}")
    system = text_of(asking.get("system"), f"{PROMPTS}: system")
    items = [_item(DEFAULT, questionnaire, system, default)]
    for number, row in enumerate(rows, 1):
        items.append(_situation(row, number, questionnaire, system, evoked, people))
    if len({item.id for item in items}) < len(items):
        raise BankError(f"{SITUATIONS}: a situation stands in it twice")
    return Bank(tuple(items), people)


def text_filled(asking: JsonObject, key: str) -> str:
    """What stands for the placeholder: a single blank where no situation is given."""
    value = asking.get(key)
    if not isinstance(value, str) or not value:
        raise BankError(f"{PROMPTS}: {key} is missing")
    return value


def _questionnaire(entries: Sequence[object]) -> Questionnaire:
    entry = next((found for found in entries if _id_of(found) == QUESTIONNAIRE), None)
    found = object_of(entry, f"{QUESTIONNAIRES}: {QUESTIONNAIRE}")
    prompt = text_of(found.get("prompt"), f"{QUESTIONNAIRES}: prompt")
    if prompt.count(PLACEHOLDER) != 1:
        raise BankError(f"{QUESTIONNAIRES}: the prompt has to hold {PLACEHOLDER} once")
    words = [object_of(word, f"{QUESTIONNAIRES}: an item") for word in list_of(found.get("items"), QUESTIONNAIRES)]
    texts = tuple(text_of(word.get("text"), f"{QUESTIONNAIRES}: an item") for word in words)
    positive = tuple(number for number, word in enumerate(words) if word.get("affect") == "positive")
    if len(texts) != WORDS or len({text.casefold() for text in texts}) != WORDS or len(positive) != WORDS // 2:
        raise BankError(f"{QUESTIONNAIRES}: {WORDS} distinct words are expected, half of them positive")
    return Questionnaire(prompt, texts, positive)


def _id_of(entry: object) -> object:
    return entry.get("id") if isinstance(entry, JsonObject) else None


def _situation(
    row: Mapping[str, str], number: int, questionnaire: Questionnaire, system: str, evoked: str, people: JsonValue
) -> Item:
    place = f"{SITUATIONS}: row {number}"
    item_id, factor = (
        text_of(row.get("used_id"), f"{place}: used_id"),
        text_of(row.get("factor_id"), f"{place}: factor_id"),
    )
    if factor_of(item_id) != factor:
        raise BankError(f"{place}: {item_id[:40]} is not of the factor {factor[:40]}")
    if not isinstance(people, Mapping) or factor not in people:
        raise BankError(f"{PEOPLE}: the factor {factor[:40]} is missing")
    text = text_of(row.get("text"), f"{place}: text")
    named = {
        "emotion": text_of(row.get("emotion"), f"{place}: emotion"),
        "factor": text_of(row.get("factor"), f"{place}: factor"),
    }
    return _item(item_id, questionnaire, system, evoked.replace("{situation}", text), factor, named)


def _item(
    item_id: str,
    questionnaire: Questionnaire,
    system: str,
    situation: str,
    factor: str = "",
    named: Mapping[str, JsonValue] | None = None,
) -> Item:
    extra = {"system": system, "positive": list(questionnaire.positive), **(named or {})}
    prompt = LEAD + questionnaire.prompt.replace(PLACEHOLDER, situation)
    return Item(id=item_id, prompt=prompt, labels=questionnaire.words, extra=extra, group=factor)


def factor_of(item_id: str) -> str:
    """The factor of a situation, from an id such as "Anger-0#1"; "" for the default item."""
    return "" if item_id == DEFAULT else item_id.rpartition("#")[0]


def emotion_of(factor: str) -> str:
    return factor.rpartition("-")[0]


def _rows(files: Mapping[str, bytes], name: str) -> list[dict[str, str]]:
    if name not in files:
        raise BankError(f"{name} is missing")
    try:
        rows = list(csv.DictReader(io.StringIO(files[name].decode("utf-8-sig"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise BankError(f"{name} is no CSV file: {error}") from error
    if not rows:
        raise BankError(f"{name} has no rows")
    return rows


def _people(rows: Sequence[Mapping[str, str]]) -> JsonValue:
    """Row -> number of people and, for each affect, means, SDs and the paired test of their change."""
    found: dict[str, JsonValue] = {}
    for row in rows:
        name = text_of(row.get("row"), f"{PEOPLE}: row")
        entry: dict[str, JsonValue] = {"n": int(number_of(row.get("n"), f"{PEOPLE}: n of {name}", low=1))}
        for affect in AFFECTS:
            columns = {key: number_of(row.get(f"{affect}_{key}"), f"{PEOPLE}: {affect}_{key} of {name}")
                       for key in (*_PEOPLE_COLUMNS, *_TEST_COLUMNS)}  # fmt: skip
            if min(columns["evoked_sd"], columns["change_sd"]) <= 0:
                raise BankError(f"{PEOPLE}: an SD of {name} is not above zero")
            entry[affect] = {
                **columns,
                "arrow": text_of(row.get(f"{affect}_arrow"), f"{PEOPLE}: {affect}_arrow of {name}"),
            }
        found[name] = entry
    if OVERALL not in found:
        raise BankError(f"{PEOPLE}: the row {OVERALL} is missing")
    return found


def people_of(bank: Bank) -> dict[str, Factor]:
    """How people felt in each factor, by its id: what a model is compared with. Raises BankError without norms."""
    return {name: _factor(entry) for name, entry in rows_of_people(bank).items() if ":" not in name}


def rows_of_people(bank: Bank) -> Mapping[str, Mapping[str, JsonValue]]:
    """All rows of people: factors, emotions ("Anger:avg") and OVERALL."""
    if not isinstance(bank.norms, Mapping):
        raise BankError("the bank has no figures of people; load it again")
    return {str(name): entry for name, entry in bank.norms.items() if isinstance(entry, Mapping)}


def mood_of_people(bank: Bank, row: str, key: str) -> tuple[float, float]:
    """Positive and negative affect of people in a row, by a column such as "evoked_mean". Raises BankError."""
    found = rows_of_people(bank).get(row, {})
    values = [affect.get(key) for affect in map(found.get, AFFECTS) if isinstance(affect, Mapping)]
    if len(values) != len(AFFECTS):
        raise BankError("the bank has no figures of people; load it again")
    return number_of(values[0], row), number_of(values[1], row)


def _factor(entry: Mapping[str, JsonValue]) -> Factor:
    def spread(key: str) -> tuple[Spread, ...]:
        found = [entry[affect] for affect in AFFECTS]
        return tuple(
            Spread(number_of(each[f"{key}_mean"], PEOPLE), number_of(each[f"{key}_sd"], PEOPLE))
            for each in found
            if isinstance(each, Mapping)
        )

    return Factor(spread("evoked"), spread("change"))
