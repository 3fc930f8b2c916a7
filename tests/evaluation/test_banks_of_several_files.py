"""Banks that an operator loads from a folder: the listed content alone, or an own bank; and no run of them yet."""

import io
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Bank, BankError
from evaluation.importers.banks import BankSource, bank_sources, content_sha256
from evaluation.management.commands.load_bank import Command as LoadBank
from evaluation.models import ItemBank
from evaluation.runs.summaries import as_bank
from tests.evaluation.benchmarks.emotion_files import emotion_files, numbered
from tests.evaluation.benchmarks.seceu_files import items_file, reply_of, seceu_files

pytestmark = [pytest.mark.django_db, pytest.mark.database]
SECEU = BENCHMARKS["seceu"]


def folder_of(files: dict[str, bytes], tmp_path: Path) -> str:
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    return str(tmp_path)


@pytest.fixture
def listed() -> BankSource:
    """A small bank of our own as the listed one."""
    content = content_sha256(SECEU.load(seceu_files()))
    return replace(bank_sources()["seceu"], n_items=4, sha256=content)


def output(command: str, *arguments: str, listed: BankSource | None = None) -> str:
    """What the command prints; `listed` is the listed bank of SECEU in place of the shipped one."""
    out = io.StringIO()
    known = command if listed is None else LoadBank(sources={**bank_sources(), "seceu": listed})
    call_command(known, *arguments, stdout=out)
    return out.getvalue()


def test_a_folder_becomes_a_withheld_bank_with_its_norms(listed: BankSource, tmp_path: Path) -> None:
    folder = folder_of(seceu_files(), tmp_path)
    said = output("load_bank", "seceu", "--from", folder, listed=listed)
    assert said == f"SECEU (4 items, SHA-256 {listed.sha256[:12]}) is loaded.\n"
    bank = ItemBank.objects.get()
    assert (bank.slug, bank.benchmark, bank.access, bank.sha256) == ("seceu", "seceu", "withheld", listed.sha256)
    assert as_bank(bank) == SECEU.load(seceu_files())
    assert content_sha256(as_bank(bank)) == listed.sha256


def test_loading_again_changes_nothing(listed: BankSource, tmp_path: Path) -> None:
    folder = folder_of(seceu_files(), tmp_path)
    output("load_bank", "seceu", "--from", folder, listed=listed)
    before = list(ItemBank.objects.values())
    for arguments in (["--from", folder], []):
        assert output("load_bank", "seceu", *arguments, listed=listed).startswith("Nothing to do: SECEU (4 items")
        assert list(ItemBank.objects.values()) == before


def test_layout_and_notes_of_a_file_do_not_matter(listed: BankSource, tmp_path: Path) -> None:
    content = items_file()
    content["items"][0]["note"] = "a slip in the source"
    files = seceu_files() | {"items_en.json": json.dumps(content, indent=3).encode()}
    assert "is loaded" in output("load_bank", "seceu-direct", "--from", folder_of(files, tmp_path), listed=listed)


def test_other_content_than_the_listed_one_is_refused(listed: BankSource, tmp_path: Path) -> None:
    content = items_file()
    content["items"][0]["standard_scores"] = [2.5, 2.5, 1.5, 3.5]
    with pytest.raises(CommandError, match="the one listed for seceu is"):
        output("load_bank", "seceu", "--from", folder_of(seceu_files(items=content), tmp_path), listed=listed)
    assert not ItemBank.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no public address in a form that can be loaded here. Give the folder of the files with --from FOLDER."),
        (["--from", "/nowhere"], "/nowhere is no folder. Give the folder of the files"),
    ],
)
def test_without_the_folder_the_command_says_what_it_needs(arguments: list[str], words: str) -> None:
    with pytest.raises(CommandError) as refused:
        output("load_bank", "seceu", *arguments)
    assert words in str(refused.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"norms\.json is missing"):
        output("load_bank", "seceu", "--from", folder_of(seceu_files(norms=None), tmp_path))


def test_an_own_bank_of_the_form_is_private(tmp_path: Path) -> None:
    folder = folder_of(seceu_files(), tmp_path)
    said = output("load_bank", "seceu", "--private", folder, "--slug", "office")
    assert said.startswith("Private bank office (4 items")
    assert "evaluate --benchmark seceu --bank office" in said
    bank = ItemBank.objects.get()
    assert (bank.access, bank.benchmark) == ("private", "seceu")
    assert output("load_bank", "seceu", "--private", folder).startswith("Nothing to do")
    with pytest.raises(CommandError, match="the name seceu-direct is taken"):
        output(
            "load_bank",
            "seceu",
            "--private",
            folder_of(seceu_files(items=items_file(3)), tmp_path),
            "--slug",
            "seceu-direct",
        )


def test_the_operators_files_are_the_listed_ones(shared_data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(shared_data / "seceu", folder)
    for name in ("seceu", "seceu-zh"):
        assert "(40 items" in output("load_bank", name, "--from", str(folder))
    assert {bank.language for bank in ItemBank.objects.filter(benchmark="seceu")} == {"en", "zh"}


# Scoring replies


@pytest.fixture
def office(tmp_path: Path) -> Bank:
    output("load_bank", "seceu", "--private", folder_of(seceu_files(), tmp_path), "--slug", "office")
    return as_bank(ItemBank.objects.get())


def scored(tmp_path: Path, content: Any, *arguments: str, benchmark: str = "seceu") -> dict[str, Any]:
    path = tmp_path / "replies.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    found: dict[str, Any] = json.loads(output("score_replies", benchmark, str(path), *arguments, "--json"))
    return found


def test_replies_get_values_and_figures_by_measure(office: Bank, tmp_path: Path) -> None:
    replies = {item.id: reply_of(item.labels, (4, 3, 2, 1)) for item in office.items}
    found = scored(tmp_path, replies, "--bank", "office")
    first = found["items"][0]
    distance = first["values"].pop("distance")
    assert distance == pytest.approx(((4 - 2.51) ** 2 + (3 - 2.49) ** 2 + 0.5**2 + 2.51**2) ** 0.5)
    assert first == {
        "id": "1",
        "values": {},
        "answer": dict(zip(office.items[0].labels, (4.0, 3.0, 2.0, 1.0), strict=True)),
        "reading": "JSON",
        "flags": [],
        "reason": "",
    }
    assert list(found["figures"]) == [measure.key for measure in SECEU.measures]
    mean = sum(item["values"]["distance"] for item in found["items"][1:]) + distance
    assert found["figures"]["distance"] == pytest.approx(mean / 4)
    assert found["reason"] == ""


def test_a_reply_with_what_was_shown_is_mapped_back(office: Bank, tmp_path: Path) -> None:
    entry = {"reply": "1, 2, 3, 4", "shown": [3, 2, 1, 0]}
    for shown in ([3, 2, 1, 0], {"attempt": 2, "order": [3, 2, 1, 0]}, [4, 3, 2, 1]):
        found = scored(tmp_path, {"2": entry | {"shown": shown}}, benchmark="seceu-shuffled")
        assert list(found["items"][1]["answer"].values()) == [4.0, 3.0, 2.0, 1.0]


def test_a_failed_file_has_a_reason_and_no_figures(office: Bank, tmp_path: Path) -> None:
    found = scored(tmp_path, {"1": "I would rather not."})
    assert [item["reason"] for item in found["items"]] == ["no scores found"] + ["not in the file"] * 3
    assert found["items"][0]["values"] == {"distance": None}
    assert found["reason"] == "FAILED: no answer to 4 of 4, more than half"
    assert [key for key, value in found["figures"].items() if value is not None] == ["nulls"]
    assert found["errors"] == {}
    assert found["figures"]["nulls"] == 4.0


def test_the_table_is_for_people(office: Bank, tmp_path: Path) -> None:
    path = tmp_path / "replies.json"
    path.write_text(json.dumps({item.id: "4, 3, 2, 1" for item in office.items}))
    table = output("score_replies", "seceu", str(path))
    assert "1     first_pass  numbers       3.01  4 3 2 1" in table
    assert "SECEU (seceu/3)" in table


@pytest.mark.parametrize(
    ("content", "arguments", "words"),
    [
        ({"2": {"reply": "1, 2, 3, 4", "shown": [0, 0, 1, 2]}}, [], "item 2 cannot be used: the order"),
        ({"2": {"reply": "1, 2, 3, 4", "order": [0]}}, [], 'item 2 has to hold "reply" and "shown" alone'),
        ({"2": {"shown": [0, 1, 2, 3]}}, [], "the reply to item 2 is no text"),
        ({"9": "1, 2, 3, 4"}, [], "unknown items: 9"),
        ({"2": "1, 2, 3, 4"}, ["--revision"], "seceu asks for no revision"),
    ],
)  # fmt: skip
def test_a_faulty_file_is_refused_in_a_sentence(
    office: Bank, tmp_path: Path, content: Any, arguments: list[str], words: str
) -> None:
    with pytest.raises(CommandError) as refused:
        scored(tmp_path, content, *arguments)
    assert words in str(refused.value)


def test_whole_tests_of_the_specification_come_out_of_the_command(shared_data: Path, tmp_path: Path) -> None:
    output("load_bank", "seceu", "--from", str(shared_data / "seceu"))
    constant = {str(number): "4, 3, 2, 1" for number in range(1, 41)}
    figures = scored(tmp_path, constant)["figures"]
    assert round(figures["eq"], 2) == 121.55
    assert round(figures["distance"], 4) == 1.6089
    assert round(scored(tmp_path, constant | {"1": "no"})["figures"]["eq"], 2) == 119.49


# EmotionBench


def test_the_authors_files_become_the_listed_bank(shared_data: Path) -> None:
    said = output("load_bank", "emotionbench", "--from", str(shared_data / "emotionbench"))
    assert said.startswith("EmotionBench (176 items")
    bank = ItemBank.objects.get()
    assert (bank.slug, bank.access) == ("emotionbench", "withheld")
    assert as_bank(bank).norms is not None


@pytest.fixture
def weather(tmp_path: Path) -> Bank:
    output("load_bank", "emotionbench", "--private", folder_of(emotion_files(), tmp_path), "--slug", "weather")
    return as_bank(ItemBank.objects.get())


def test_questionnaires_are_scored_with_their_shown_order(weather: Bank, tmp_path: Path) -> None:
    order = (*range(10, 20), *range(10))
    values = [1 + place % 5 for place in range(20)]
    shown_values = " ".join(str(values[label]) for label in order)
    replies: dict[str, Any] = {item.id: numbered([2] * 20) for item in weather.items}
    replies["Rain-0#0"] = {"reply": shown_values, "shown": {"attempt": 1, "order": order}}
    replies["Rain-1#0"] = {"reply": shown_values, "shown": [label + 1 for label in order]}
    found = scored(tmp_path, replies, benchmark="emotionbench")
    entries = {entry["id"]: entry for entry in found["items"]}
    for item_id in ("Rain-0#0", "Rain-1#0"):
        assert list(entries[item_id]["answer"].values()) == values
    assert entries["Rain-0#0"]["values"] == entries["Rain-1#0"]["values"]
    assert entries["default"]["values"] == {"positive": 20.0, "negative": 20.0}
    assert list(found["figures"]) == [measure.key for measure in BENCHMARKS["emotionbench"].measures]
    assert found["figures"]["alignment"] is not None
    assert found["errors"]["alignment"] > 0
    assert found["reason"] == ""


def test_unanswered_questionnaires_have_their_reasons_and_no_alignment(weather: Bank, tmp_path: Path) -> None:
    replies = {
        "default": numbered([3] * 20),
        "Rain-0#0": "I'm sorry, I can't.",
        "Rain-0#1": numbered([3] * 19 + [9]),
        "Rain-1#0": "1. Sunny: 3",
        "Rain-1#1": "?",
        "Snow-0#0": "[ERROR] 500",
    }
    found = scored(tmp_path, replies, benchmark="emotionbench")
    reasons = ["", "refusal", "out of range", "incomplete", "unreadable", "provider error"]
    assert [entry["reason"] for entry in found["items"]] == [*reasons, "not in the file", "not in the file"]
    assert found["items"][1]["values"] == {"positive": None, "negative": None}
    assert found["reason"] == "no answered questionnaire in 3 of 3 factors"
    assert found["figures"]["alignment"] is None
    assert found["figures"]["default_p"] == 30.0


def test_a_bank_of_one_benchmark_is_not_scored_by_another(weather: Bank, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="seceu scores banks of seceu, this one is of emotionbench"):
        scored(tmp_path, {}, "--bank", "weather")


def test_the_benchmarks_of_one_bank_fit_each_other(office: Bank) -> None:
    assert {benchmark.bank for name, benchmark in BENCHMARKS.items() if name.startswith("seceu")} == {"seceu"}
    with pytest.raises(BankError):
        SECEU.load({"items_en.json": b"[]", "norms.json": b"{}", "prompts.json": b"{}"})


ROWS_OF_THE_REFERENCE_CODE = {
    "per line": (numbered([3] * 20), 30.0, ""),
    "a full stop": (numbered(["3."] * 20), 30.0, ""),
    "a greeting first": ("Sure, here are my answers:\n" + numbered([3] * 20), 30.0, ""),
    "in one line": (", ".join(["3"] * 20), 30.0, ""),
    "of five": (numbered(["3/5"] * 20), 30.0, ""),
    "with the anchor": (numbered(["3 (moderately)"] * 20), 30.0, ""),
    "ten": (numbered([10] * 20), None, "out of range"),
    "a refusal": ("As an AI, I do not have feelings.", None, "refusal"),
    "nineteen of twenty": ("\n".join(numbered([3] * 20).splitlines()[:-1]), None, "incomplete"),
    "thinking aloud": ("<think>1. Sunny: 1</think>\n" + numbered([3] * 20), 30.0, ""),
}
"""What the authors' code reads wrongly or loses (section 4.1 of our specification), and what is right."""


@pytest.mark.parametrize("row", ROWS_OF_THE_REFERENCE_CODE)
def test_the_command_reads_what_the_authors_code_does_not(weather: Bank, tmp_path: Path, row: str) -> None:
    text, positive, reason = ROWS_OF_THE_REFERENCE_CODE[row]
    (entry,) = [each for each in scored(tmp_path, {"Rain-0#0": text}, benchmark="emotionbench")["items"]
                if each["id"] == "Rain-0#0"]  # fmt: skip
    assert (entry["values"]["positive"], entry["reason"]) == (positive, reason)
