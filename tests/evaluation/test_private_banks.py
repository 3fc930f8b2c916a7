"""An operator's own bank: loaded from any file of the form, named, never confused with a public one."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from evaluation.models import Item, ItemBank
from tests.factories import question_file

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def written(folder: Path, n: int, **changes: str) -> Path:
    questions: dict[str, Any] = question_file(n)
    questions["1"] |= changes
    path = folder / f"own-{n}-{len(changes)}.json"
    path.write_text(json.dumps(questions), encoding="utf-8")
    return path


def load(path: Path, *options: str, benchmark: str = "eq-bench-v2") -> str:
    out = io.StringIO()
    call_command("load_bank", benchmark, "--private", str(path), *options, stdout=out)
    return out.getvalue()


def refusal(path: Path, *options: str, benchmark: str = "eq-bench-v2") -> str:
    with pytest.raises(CommandError) as refused:
        load(path, *options, benchmark=benchmark)
    return str(refused.value)


def test_a_file_of_any_length_is_loaded_without_a_pinned_hash(tmp_path: Path) -> None:
    said = load(written(tmp_path, 7), "--slug", "office")
    bank = ItemBank.objects.get()
    assert (bank.slug, bank.benchmark, bank.language) == ("office", "eq-bench-v2", "en")
    assert (bank.access, bank.shows_texts, bank.shows_items, bank.items.count()) == ("private", False, False, 7)
    assert "manage.py evaluate --bank office --model NAME --base-url ADDRESS" in said
    assert str(tmp_path) not in "".join(map(str, ItemBank.objects.values_list("source", "title", "citation", "facts")))


def test_without_a_name_it_gets_one_that_tells_nothing_of_its_hash(tmp_path: Path) -> None:
    load(written(tmp_path, 5))
    load(written(tmp_path, 6))
    banks = ItemBank.objects.all()
    assert all(re.fullmatch("private-eq-bench-v2-[0-9a-f]{8}", bank.slug) for bank in banks)
    assert not any(bank.sha256[:4] in f"{bank.slug} {bank.title}" for bank in banks)
    assert sorted(bank.items.count() for bank in banks) == [5, 6]


def test_the_same_file_again_is_the_bank_that_is_there(tmp_path: Path) -> None:
    path = written(tmp_path, 5)
    load(path, "--slug", "office")
    before = list(Item.objects.values_list("pk", flat=True))
    assert load(path).startswith("Nothing to do: Private bank office (5 items")
    assert list(Item.objects.values_list("pk", flat=True)) == before


def test_another_file_never_takes_a_name_that_is_there(tmp_path: Path) -> None:
    load(written(tmp_path, 5), "--slug", "office")
    assert "the name office is taken" in refusal(written(tmp_path, 6), "--slug", "office")
    assert ItemBank.objects.get().items.count() == 5


@pytest.mark.parametrize("name", ["eq-bench-v2", "eq-open-v1", "eq-bench-v2-code"])
def test_no_name_of_a_listed_bank_or_a_benchmark_is_given_away(tmp_path: Path, name: str) -> None:
    assert f"the name {name} is taken" in refusal(written(tmp_path, 5), "--slug", name)


@pytest.mark.parametrize("name", ["Office", "a--b", "-a", "a b", "a" * 61, "ä"])
def test_a_name_that_would_read_as_something_else_is_refused(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, 5)
    with pytest.raises(CommandError, match="has to be of lower-case letters"):
        call_command("load_bank", "eq-bench-v2", f"--private={path}", f"--slug={name}")
    assert not ItemBank.objects.exists()


def test_a_public_bank_is_never_loaded_as_a_private_one() -> None:
    path = Path("evaluation/data/eq_open_v1.json").resolve()
    assert "this file is the public bank eq-open-v1" in refusal(path)
    call_command("load_bank", "eq-open-v1", stdout=io.StringIO())
    assert "this file is the public bank eq-open-v1" in refusal(path)


def test_a_faulty_item_is_named_and_none_of_its_words_is_shown(tmp_path: Path) -> None:
    path = written(tmp_path, 5, prompt="", secret="the parrot knew")
    said = refusal(path)
    assert "item 1: prompt is missing or empty" in said
    assert "parrot" not in said
    assert not ItemBank.objects.exists()


def test_an_empty_file_is_no_bank(tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_text("{}")
    assert "item 1: missing" in refusal(path)


def test_a_gap_in_the_numbers_is_refused(tmp_path: Path) -> None:
    questions = question_file(5)
    questions["9"] = questions.pop("3")
    path = tmp_path / "gap.json"
    path.write_text(json.dumps(questions))
    assert "item 3: missing" in refusal(path)


def test_options_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    path = str(written(tmp_path, 5))
    with pytest.raises(CommandError, match="give --private FILE"):
        call_command("load_bank", "eq-bench-v2", "--slug", "office")
    with pytest.raises(CommandError, match="either --from"):
        call_command("load_bank", "eq-bench-v2", "--private", path, "--from", path)
    assert "There is no benchmark eq-open-v1" in refusal(Path(path), benchmark="eq-open-v1")
    assert "nowhere.json cannot be read" in refusal(tmp_path / "nowhere.json")
