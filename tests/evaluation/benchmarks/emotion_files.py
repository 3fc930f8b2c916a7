"""A small EmotionBench bank of our own making, as the files of an operator: our own words, situations and people."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

WORDS = (
    *("Sunny", "Gloomy", "Brisk", "Sour", "Bright", "Bleak", "Tense", "Grim", "Merry", "Keen"),
    *("Cross", "Clear", "Uneasy", "Fresh", "Low", "Bold", "Warm", "Jumpy", "Lively", "Wary"),
)
POSITIVE = (0, 2, 4, 8, 9, 11, 13, 15, 16, 18)
FACTORS = {"Rain-0": 2, "Rain-1": 2, "Snow-0": 3}
PROMPT = "Rate each word from 1 to 5. SCENARIO Rate all of them:"
SYSTEM = "Numbers only, please."


def situations(factors: Mapping[str, int] = FACTORS) -> list[dict[str, str]]:
    return [
        {
            "used_id": f"{factor}#{number}",
            "emotion": factor.partition("-")[0],
            "factor_id": factor,
            "factor": f"Standing in {factor}",
            "text": f"You stand in the {factor} for {number + 1} hours.",
        }
        for factor, n in factors.items()
        for number in range(n)
    ]


def people(factors: Mapping[str, int] = FACTORS) -> list[dict[str, str]]:
    emotions = dict.fromkeys(factor.partition("-")[0] for factor in factors)
    names = [*factors, *(f"{emotion}:avg" for emotion in emotions), "Overall:avg"]
    return [_person_row(name, number) for number, name in enumerate(names)]


def _person_row(name: str, number: int) -> dict[str, str]:
    row = {"row": name, "n": str(20 + number)}
    for affect, default, change in (("pos", 28.0, -4.0 - number % 12), ("neg", 14.0, 9.0 + 2 * number % 5)):
        row |= {
            f"{affect}_{key}": str(value)
            for key, value in (
                ("default_mean", default), ("default_sd", 8.0), ("evoked_mean", default + change), ("evoked_sd", 7.5),
                ("change_mean", change), ("change_sd", 6.5), ("paired_t", change), ("paired_p", 0.001),
                ("arrow", "up" if change > 0 else "down"),
            )
        }  # fmt: skip
    return row


def questionnaires() -> list[dict[str, Any]]:
    items = [
        {"id": number + 1, "text": word, "affect": "positive" if number in POSITIVE else "negative"}
        for number, word in enumerate(WORDS)
    ]
    return [{"id": "OTHER", "items": []}, {"id": "PANAS", "prompt": PROMPT, "items": items}]


def prompts() -> dict[str, Any]:
    return {
        "reference_code": {
            "system": SYSTEM,
            "scenario_fill_default": " ",
            "scenario_fill_evoked": 'Imagine this: "{situation}"',
        }
    }


def emotion_files(**changed: Any) -> dict[str, bytes]:
    """File name -> content. Args: `situations`, `people`, `questionnaires` and `prompts` replace what the file holds;
    None leaves it out.
    """
    content = {
        "situations": situations(),
        "people": people(),
        "questionnaires": questionnaires(),
        "prompts": prompts(),
    } | changed
    names = {
        "situations": "situations_used.csv",
        "people": "human_reference.csv",
        "questionnaires": "questionnaires.json",
        "prompts": "prompts.json",
    }
    return {names[key]: _written(names[key], value) for key, value in content.items() if value is not None}


WEATHER = ("Rain", "Snow", "Hail", "Fog", "Wind", "Frost", "Heat", "Mud", "Dust")
FULL_SIZE = {f"{weather}-{number}": 5 for weather in WEATHER for number in range(4)} | {"Wind-2": 2, "Wind-3": 3}
"""36 factors with 175 situations in all, as the authors' bank has."""


def full_size() -> dict[str, bytes]:
    """Files with as many factors and situations as the authors'."""
    return emotion_files(situations=situations(FULL_SIZE), people=people(FULL_SIZE))


def _written(name: str, value: Any) -> bytes:
    return _as_csv(value) if name.endswith(".csv") else json.dumps(value).encode()


def _as_csv(rows: Sequence[Mapping[str, str]]) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]) if rows else ["row"])
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def numbered(values: Sequence[object], order: Sequence[int] | None = None) -> str:
    """A reply in the form that is asked for: `values` by word, each under the number that the word was shown at."""
    places = order or range(len(values))
    return "\n".join(f"{place}. {WORDS[label]}: {values[label]}" for place, label in enumerate(places, 1))
