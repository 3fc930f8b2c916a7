"""Official run files that are refused: each with the item, the line or the command that helps, and nothing stored."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from evaluation.models import ItemBank, ItemResult, LanguageModel, Run
from tests.factories import make_bank, official_ratings, official_run

pytestmark = [pytest.mark.django_db, pytest.mark.database]
N_ITEMS = 6
Spoil = Callable[[dict[str, Any]], None]
FileMaker = Callable[..., Path]


@pytest.fixture
def bank() -> ItemBank:
    return make_bank(N_ITEMS, slug="eq-bench-v2")


@pytest.fixture
def written(tmp_path: Path, bank: ItemBank) -> FileMaker:
    def write(spoil: Spoil | None = None, name: str = "run.json") -> Path:
        data = official_run(N_ITEMS)
        if spoil:
            spoil(data)
        path = tmp_path / name
        path.write_text(json.dumps(data, indent=1), encoding="utf-8")
        return path

    return write


def answers_of(data: dict[str, Any]) -> dict[str, Any]:
    answers: dict[str, Any] = data["raw_results"]["1"]["respondent_answers"]
    return answers


def import_files(*paths: Path, **options: Any) -> None:
    call_command("import_results", *map(str, paths), **options)


def refusal_of(path: Path) -> str:
    with pytest.raises(CommandError) as refusal:
        import_files(path)
    assert not Run.objects.exists()
    assert not ItemResult.objects.exists()
    assert not LanguageModel.objects.exists()
    return str(refusal.value)


def drop(name: str) -> Spoil:
    return lambda data: data.pop(name)


def drop_answers(data: dict[str, Any]) -> None:
    del data["raw_results"]["1"]["respondent_answers"]


def unknown_item(data: dict[str, Any]) -> None:
    answers_of(data)["172"] = answers_of(data)["1"]


def other_emotions(data: dict[str, Any]) -> None:
    for item_id in ("2", "3", "4", "5"):
        answers_of(data)[item_id]["first_pass"] = {"Froh": "1", "Wach": "2", "Matt": "3", "Kalt": "4"}


def rating(value: Any) -> Spoil:
    def spoil(data: dict[str, Any]) -> None:
        answers_of(data)["3"]["first_pass"]["Proud"] = value

    return spoil


def change(**fields: Any) -> Spoil:
    return lambda data: data.update(fields)


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (drop("model_path"), "model_path missing"),
        (drop("raw_results"), "raw_results missing"),
        (drop("benchmark_score"), "benchmark_score missing"),
        (drop_answers, "respondent_answers missing"),
        (change(raw_results={}), "raw_results holds no iteration"),
        (change(eqbench_version="v3"), "eqbench_version v3"),
        (change(model_path=""), "model_path is not a printable text"),
        (change(model_path="m" * 150), "model_path is longer than 120 characters"),
        (change(run_completed="yesterday"), "run_completed"),
        (unknown_item, r"lacks item 172"),
        (other_emotions, "made from another item bank than eq-bench-v2: other emotions in items 2, 3, 4, 5"),
        (rating("NaN"), r"item 3, line \d+: a rating is not a finite number"),
        (rating(float("nan")), r"line \d+ holds NaN"),
        (rating(float("-inf")), r"line \d+ holds -Infinity"),
        (change(benchmark_score=float("inf")), "line 2 holds Infinity"),
        (rating("nine"), "item 3: a rating is not a number"),
        (rating(True), "item 3: a rating is not a number"),
        (rating(-1), "item 3: a rating is not between"),
        (rating(10**400), "item 3: a rating is not a finite number"),
    ],
)
def test_a_doubtful_file_is_refused_with_the_reason(written: FileMaker, spoil: Spoil, complaint: str) -> None:
    assert re.search(complaint, refusal_of(written(spoil)))


def test_the_line_of_a_bad_number_is_the_right_one(written: FileMaker) -> None:
    path = written(rating("NaN"))
    line = next(n for n, text in enumerate(path.read_text().splitlines(), 1) if '"NaN"' in text)
    assert f"item 3, line {line}:" in refusal_of(path)
    path.write_text(path.read_text().replace('"NaN"', "1e999"))
    assert f"line {line} holds 1e999" in refusal_of(path)


def test_a_doubled_item_is_refused_by_its_id(written: FileMaker) -> None:
    path = written()
    text = path.read_text()
    doubled = json.dumps({"first_pass": official_ratings(4), "revised": {}})
    path.write_text(text.replace('"respondent_answers": {', f'"respondent_answers": {{"4": {doubled},', 1))
    assert "listed twice (doubled JSON key): 4" in refusal_of(path)


@pytest.mark.parametrize("content", [b"", b"[1, 2]", b'{"eqbench_version": ', b"\xff\xfe\x00", b"[" * 200_000])
def test_broken_files_are_refused(written: FileMaker, content: bytes) -> None:
    path = written()
    path.write_bytes(content)
    assert "run.json: " in refusal_of(path)


@pytest.mark.parametrize("sign", ["\u200b", "\u202e", "\x07", "\u3164", "\u2800", "\ufe0e", "e" + "\u0301" * 9])
def test_a_model_s_name_that_hides_something_is_refused_and_the_sign_is_spelled(written: FileMaker, sign: str) -> None:
    said = refusal_of(written(lambda data: data.update(model_path=f"OpenAI/gpt{sign}-4")))
    assert "is not a printable text" in said or "holds a character that cannot be seen" in said
    assert sign not in said


def test_a_file_beyond_twenty_megabytes_is_refused(written: FileMaker) -> None:
    path = written()
    path.write_bytes(b" " * (20 * 1024 * 1024 + 1))
    assert "larger than 20 MB" in refusal_of(path)


def test_a_bad_file_does_not_stop_the_others(written: FileMaker, capsys: pytest.CaptureFixture[str]) -> None:
    bad, good = written(drop_answers, "a.json"), written(name="b.json")
    with pytest.raises(CommandError, match="1 of 2 files were refused") as refusal:
        import_files(bad.parent, as_json=True)
    assert refusal.value.returncode == 1
    assert "a.json: iteration 1: respondent_answers missing" in str(refusal.value)
    first, second = json.loads(capsys.readouterr().out)
    assert (first["file"], first["error"]) == (bad.name, "iteration 1: respondent_answers missing")
    run = Run.objects.get()
    assert second == {"file": good.name, "run": run.pk, "created": True, "score": 100.0, "published_score": 100.0}


def test_without_its_bank_a_file_is_refused_with_the_command_that_loads_it(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(official_run(N_ITEMS)))
    with pytest.raises(CommandError, match=r"manage\.py load_bank eq-bench-v2"):
        import_files(path)


def test_a_file_of_version_one_goes_to_its_own_bank_only(written: FileMaker) -> None:
    complaint = refusal_of(written(change(eqbench_version="v1")))
    assert "load_bank eq-bench-v1" in complaint


def test_a_german_file_goes_to_the_german_bank_only(written: FileMaker) -> None:
    assert "load_bank eq-bench-v2-de" in refusal_of(written(change(language="de")))


def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"no \.json file"):
        import_files(tmp_path)


def test_neither_prompts_nor_replies_are_printed(written: FileMaker, capsys: pytest.CaptureFixture[str]) -> None:
    def secret(data: dict[str, Any]) -> None:
        data["raw_results"]["1"]["raw_inference"]["1"] = "whispered in confidence"

    def secret_and_refused(data: dict[str, Any]) -> None:
        secret(data)
        unknown_item(data)

    with pytest.raises(CommandError) as refusal:
        import_files(written(secret, "a.json"), written(secret_and_refused, "b.json"))
    shown = capsys.readouterr()
    assert "whispered" not in shown.out + shown.err + str(refusal.value)
