"""Item banks: the listed files load once and unchanged; every other file is refused with the reason."""

import hashlib
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Bank
from evaluation.importers.banks import bank_sources, store_bank
from evaluation.importers.fetching import FetchError, content_of, read_capped
from evaluation.models import Item, ItemBank
from tests.evaluation.benchmarks.by_item import loaded
from tests.factories import question_file

pytestmark = [pytest.mark.django_db, pytest.mark.database]
FILES = {
    "eq-bench-v2": ("eq_bench_v2_questions_171.json", 171, "en"),
    "eq-bench-v1": ("eq_bench_v1_questions_60.json", 60, "en"),
    "eq-bench-v2-de": ("eq_bench_v2_questions_171_de.json", 171, "de"),
}


def load(benchmark: str, location: Path) -> None:
    call_command("load_bank", benchmark, "--from", str(location))


def written(tmp_path: Path, questions: Any) -> Path:
    path = tmp_path / "questions.json"
    path.write_text(json.dumps(questions), encoding="utf-8")
    return path


@pytest.mark.parametrize("benchmark", sorted(FILES))
def test_an_official_file_is_stored_item_for_item(shared_data: Path, benchmark: str) -> None:
    file, n_items, language = FILES[benchmark]
    load(benchmark, shared_data / "eqbench" / file)
    bank = ItemBank.objects.get()
    assert (bank.slug, bank.benchmark, bank.language, bank.access) == (benchmark, benchmark, language, "open")
    assert bank.sha256 == hashlib.sha256((shared_data / "eqbench" / file).read_bytes()).hexdigest()
    rows = list(bank.items.order_by("number"))
    items = loaded(BENCHMARKS[benchmark], (shared_data / "eqbench" / file).read_bytes())
    assert [(r.number, r.item_id, r.prompt, tuple(r.labels), tuple(r.reference)) for r in rows] == [
        (number, item.id, item.prompt, item.labels, item.reference) for number, item in enumerate(items, 1)
    ]
    assert len(rows) == n_items


def test_loading_twice_changes_nothing_and_says_so(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = shared_data / "eqbench" / FILES["eq-bench-v2"][0]
    load("eq-bench-v2", path)
    before = list(ItemBank.objects.values()), list(Item.objects.values_list("pk", "item_id"))
    capsys.readouterr()
    load("eq-bench-v2", path)
    assert (list(ItemBank.objects.values()), list(Item.objects.values_list("pk", "item_id"))) == before
    assert "Nothing to do: EQ-Bench v2 (171 items, SHA-256 b4e9bf11df7e) is loaded already." in capsys.readouterr().out


def test_a_loaded_bank_is_not_fetched_again(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    load("eq-bench-v1", shared_data / "eqbench" / FILES["eq-bench-v1"][0])
    capsys.readouterr()
    call_command("load_bank", "eq-bench-v1")
    assert "is loaded already" in capsys.readouterr().out


def test_the_code_rule_uses_the_bank_of_eq_bench_v2(shared_data: Path) -> None:
    path = shared_data / "eqbench" / FILES["eq-bench-v2"][0]
    load("eq-bench-v2-code", path)
    load("eq-bench-v2", path)
    assert list(ItemBank.objects.values_list("slug", flat=True)) == ["eq-bench-v2"]


def test_a_bank_is_never_loaded_as_another_benchmark(shared_data: Path) -> None:
    for benchmark, other in (("eq-bench-v1", "eq-bench-v2"), ("eq-bench-v2", "eq-bench-v2-de")):
        with pytest.raises(CommandError, match="is refused"):
            load(benchmark, shared_data / "eqbench" / FILES[other][0])
    assert not ItemBank.objects.exists()


def test_a_sound_file_with_another_hash_is_refused_naming_both_hashes(tmp_path: Path) -> None:
    path = written(tmp_path, question_file(171))
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(CommandError) as refusal:
        load("eq-bench-v2", path)
    assert found in str(refusal.value)
    assert bank_sources()["eq-bench-v2"].sha256 in str(refusal.value)
    assert not ItemBank.objects.exists()


def without_reference(questions: dict[str, Any]) -> None:
    del questions["17"]["reference_answer_fullscale"]


def with_three_emotions(questions: dict[str, Any]) -> None:
    del questions["17"]["reference_answer_fullscale"]["emotion4"]


def without_prompt(questions: dict[str, Any]) -> None:
    questions["17"]["prompt"] = ""


def with_an_endless_score(questions: dict[str, Any]) -> None:
    questions["17"]["reference_answer_fullscale"]["emotion1_score"] = "Infinity"


@pytest.mark.parametrize("spoil", [without_reference, with_three_emotions, without_prompt, with_an_endless_score])
def test_a_faulty_item_is_named_although_the_hash_is_wrong_as_well(tmp_path: Path, spoil: Any) -> None:
    questions = question_file(171)
    spoil(questions)
    with pytest.raises(CommandError, match=re.compile(r"item 17\b")):
        load("eq-bench-v2", written(tmp_path, questions))
    assert not ItemBank.objects.exists()
    assert not Item.objects.exists()


def test_a_doubled_item_is_named(tmp_path: Path) -> None:
    text = json.dumps(question_file(171))
    first = json.dumps({"17": question_file(17)["17"]})[1:-1]
    path = tmp_path / "questions.json"
    path.write_text(f"{text[:-1]}, {first}}}")
    with pytest.raises(CommandError, match="17"):
        load("eq-bench-v2", path)


def test_a_refusal_prints_no_item_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = question_file(171)
    for question in questions.values():
        question["prompt"] += "the plot twist nobody may read"
    with_three_emotions(questions)
    with pytest.raises(CommandError) as refusal:
        load("eq-bench-v2", written(tmp_path, questions))
    shown = capsys.readouterr()
    assert "plot twist" not in shown.out + shown.err + str(refusal.value)


def test_an_unknown_benchmark_is_refused_with_the_known_ones() -> None:
    with pytest.raises(CommandError, match=r"no benchmark eq-bench-v9\. Known: .*eq-bench-v2"):
        call_command("load_bank", "eq-bench-v9")


def test_a_file_that_is_not_there_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"nowhere\.json cannot be read .*--from"):
        load("eq-bench-v2", tmp_path / "nowhere.json")


def test_an_address_that_does_not_answer_is_refused_naming_the_option() -> None:
    with pytest.raises(CommandError, match=r"cannot be fetched .*--from"):
        call_command("load_bank", "eq-bench-v2", "--from", "https://127.0.0.1:9/questions.json")


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/questions.json", "file:///questions.json", "ftp://host/q"])
def test_only_https_addresses_are_fetched(address: str) -> None:
    with pytest.raises(FetchError, match="is not an https address"):
        content_of(address)


@pytest.mark.parametrize("address", ["https://127.0.0.1:9/fragen-für.json", "https://[bad/q", "https://a b/\nq"])
def test_an_address_that_is_none_is_refused_in_a_sentence(address: str) -> None:
    with pytest.raises(FetchError, match="cannot be fetched"):
        content_of(address)


def test_a_file_beyond_the_limit_is_refused_without_reading_on() -> None:
    stream = io.BytesIO(b"x" * 100)
    with pytest.raises(FetchError, match="big is larger than"):
        read_capped(stream, "big", limit=10)
    assert stream.tell() == 11
    assert read_capped(io.BytesIO(b"x" * 10), "small", limit=10) == b"x" * 10


def test_storing_is_all_or_nothing() -> None:
    source = bank_sources()["eq-bench-v1"]
    items = loaded(BENCHMARKS["eq-bench-v2"], json.dumps(question_file(171)).encode())
    with pytest.raises(Exception, match=r"(?i)unique"):
        store_bank(source, Bank((*items, items[0])))
    assert not ItemBank.objects.exists()


def test_every_listed_bank_has_a_pinned_address_and_its_licence() -> None:
    addressed = {slug: source for slug, source in bank_sources().items() if source.url}
    assert sorted(addressed) == sorted(FILES)
    for source in addressed.values():
        assert source.url.startswith("https://")
        assert "/d28c60c514fe6667dc5818114ed10088f91f09f3/data/" in source.url
        assert re.fullmatch(r"[0-9a-f]{64}", source.sha256)
        assert "Permission is hereby granted" in source.notice
        assert "2312.06281" in source.citation
    assert [slug for slug in bank_sources() if slug not in addressed] == [
        "eq-open-v1",
        "eq-open-v2",
        "seceu",
        "seceu-zh",
        "emotionbench",
        "empathy",
    ]
