"""Prompts for empathetic replies: the shipped ones, an operator's own, and verdicts of a file scored on them."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from evaluation.importers.banks import bank_sources
from evaluation.models import ItemBank, Reply, Run
from evaluation.runs.wanted import Refused, Wanted

pytestmark = [pytest.mark.django_db, pytest.mark.database]

OWN = "item_id,emotion,valence,situation,utterance\n" + "".join(
    f"p{n},sad,negative,I lost glove {n}.,It was the left one.\n" for n in range(1, 5)
)


def output(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def refusal(*arguments: str) -> str:
    with pytest.raises(CommandError) as refused:
        output(*arguments)
    return str(refused.value)


def written(tmp_path: Path, content: str, name: str = "own.csv") -> str:
    (tmp_path / name).write_text(content, encoding="utf-8")
    return str(tmp_path / name)


def test_the_shipped_prompts_are_loaded_without_a_file() -> None:
    source = bank_sources()["empathy"]
    assert output("load_bank", "empathy") == (
        f"Empathetic replies, 64 prompts (64 items, SHA-256 {source.sha256[:12]}) is loaded.\n"
    )
    bank = ItemBank.objects.get()
    assert (bank.slug, bank.benchmark, bank.access) == ("empathy", "empathy-replies", "open")
    assert output("load_bank", "empathy-replies").startswith("Nothing to do: Empathetic replies, 64 prompts (64 items")


def test_a_bank_that_was_loaded_under_an_older_title_gets_that_of_now() -> None:
    output("load_bank", "empathy")
    ItemBank.objects.update(title="Empathy prompts, demo")
    assert output("load_bank", "empathy").startswith("Empathetic replies, 64 prompts (64 items")
    assert ItemBank.objects.get().title == bank_sources()["empathy"].title
    assert output("load_bank", "empathy").startswith("Nothing to do: ")


def test_own_prompts_are_a_withheld_bank_beside_it(tmp_path: Path) -> None:
    output("load_bank", "empathy")
    file = written(tmp_path, OWN)
    assert "(4 items" in output("load_bank", "empathy", "--from", file, "--slug", "gloves")
    bank = ItemBank.objects.get(slug="gloves")
    assert (bank.benchmark, bank.access, bank.shows_texts) == ("empathy-replies", "withheld", False)
    assert output("load_bank", "empathy", "--from", file).startswith("Nothing to do: Own bank gloves")
    assert ItemBank.objects.count() == 2


def test_own_prompts_may_be_private_and_faulty_ones_load_nothing(tmp_path: Path) -> None:
    output("load_bank", "empathy", "--private", written(tmp_path, OWN), "--slug", "secret")
    assert ItemBank.objects.get().access == "private"
    said = refusal("load_bank", "empathy", "--from", written(tmp_path, OWN.replace("negative", "bad"), "b.csv"))
    assert "prompt 1: valence has to be positive or negative" in said
    assert ItemBank.objects.count() == 1


def test_other_banks_still_take_the_listed_file_alone(tmp_path: Path) -> None:
    said = refusal("load_bank", "eq-bench-v2", "--from", written(tmp_path, OWN), "--slug", "gloves")
    assert "--slug names a private bank" in said


def test_verdicts_of_a_file_are_read_and_scored(tmp_path: Path) -> None:
    output("load_bank", "empathy", "--from", written(tmp_path, OWN), "--slug", "gloves")
    verdicts = {
        "p1": '{"rating": "Good"}',
        "p2": {"reply": '```json\n{"rating": "okay"}\n```', "shown": {"words": 12}},
        "p3": "I would say Bad.",
        "p4": '{"rating": "Bad"}',
    }
    file = written(tmp_path, json.dumps(verdicts), "verdicts.json")
    found: dict[str, Any] = json.loads(output("score_replies", "empathy-judged", file, "--json"))
    assert [(entry["id"], entry["values"]["rating"], entry["reason"]) for entry in found["items"]] == [
        ("p1", 3.0, ""), ("p2", 2.0, ""), ("p3", None, "no verdict as JSON"), ("p4", 1.0, ""),
    ]  # fmt: skip
    third = pytest.approx(100 / 3)
    assert found["figures"] == {
        "good": third, "okay": third, "bad": third, "n": 3.0, "mean_length": 12.0, "coverage": 75.0,
    }  # fmt: skip
    assert found["reason"] == "only 3 of 4 replies have a judgement that could be read"
    assert "no verdict as JSON" in output("score_replies", "empathy-judged", file)


def test_replies_of_a_file_are_counted_and_not_ranked(tmp_path: Path) -> None:
    output("load_bank", "empathy", "--from", written(tmp_path, OWN), "--slug", "gloves")
    file = written(tmp_path, json.dumps({f"p{n}": "I am sorry about your glove." for n in range(1, 5)}), "replies.json")
    found = json.loads(output("score_replies", "empathy-replies", file, "--json"))
    assert found["figures"] == {}
    assert found["detail"] == {"replies": 4, "empty": 0, "longest": 6.0}
    assert "Read" in output("score_replies", "empathy-replies", file)


def test_nobody_asks_for_a_run_of_a_judge_by_hand() -> None:
    with pytest.raises(Refused) as refused:
        Wanted(model="m", base_url="http://127.0.0.1:1/v1", benchmark="empathy-judged").request()
    assert "opens by itself, for each judge of this board" in str(refused.value)


def test_replies_of_people_are_imported_once_and_may_be_judged(tmp_path: Path) -> None:
    output("load_bank", "empathy", "--from", written(tmp_path, OWN), "--slug", "gloves")
    file = written(tmp_path, json.dumps({f"p{n}": f"Poor glove {n}." for n in range(1, 5)}), "people.json")
    asked = ("import_replies", file, "--model", "Human", "--people", "--judging", "--bank", "gloves")
    assert "4 replies of Human, is imported" in output(*asked)
    run = Run.objects.get()
    assert (run.status, run.origin, run.score, run.ranks, run.judging) == ("finished", "imported", None, False, True)
    assert (run.settings, run.source, run.n_scored) == ({"responder": "people"}, "people.json", 4)
    assert (run.manifest or {})["replies_sha256"]
    assert "was imported before, so nothing was done" in output(*asked)


def test_two_responders_who_say_the_same_have_a_run_each(tmp_path: Path) -> None:
    output("load_bank", "empathy", "--from", written(tmp_path, OWN), "--slug", "gloves")
    file = written(tmp_path, json.dumps({f"p{n}": "I see." for n in range(1, 5)}), "short.json")
    for _ in range(2):
        for name in ("Human", "maker/brief", "maker/short"):
            output("import_replies", file, "--model", name, "--bank", "gloves")
    names = Run.objects.order_by("pk").values_list("model__name", flat=True)
    assert list(names) == ["Human", "maker/brief", "maker/short"]


@pytest.mark.parametrize("name", ["human", "HUMAN", "Human ", "Hum\u0430n"])
def test_a_responder_under_another_spelling_is_asked_about(tmp_path: Path, name: str) -> None:
    output("load_bank", "empathy", "--from", written(tmp_path, OWN), "--slug", "gloves")
    file = written(tmp_path, json.dumps({f"p{n}": "I see." for n in range(1, 5)}), "short.json")
    asked = ("import_replies", file, "--bank", "gloves", "--model")
    output(*asked, "Human")
    assert "the board knows a model as Human" in refusal(*asked, name)
    assert Run.objects.count() == 1
    assert "is imported" in output(*asked, name, "--new-model")
    assert "was imported before" in output(*asked, name), "a known name is not asked about again"


@pytest.mark.parametrize("name", ["", "  ", "x" * 121])
def test_a_responder_needs_a_name_that_fits(tmp_path: Path, name: str) -> None:
    output("load_bank", "empathy", "--from", written(tmp_path, OWN), "--slug", "gloves")
    file = written(tmp_path, json.dumps({f"p{n}": "I see." for n in range(1, 5)}), "short.json")
    assert "a name of 1 to 120 characters" in refusal("import_replies", file, "--model", name, "--bank", "gloves")
    hidden = refusal("import_replies", file, "--model", f"Hu\u200bman{name}"[:9], "--bank", "gloves")
    assert "Hu[U+200B]man" in hidden
    assert "holds a character that cannot be seen" in hidden
    assert not Run.objects.exists()


def test_imported_replies_are_kept_without_what_no_database_takes(tmp_path: Path) -> None:
    """A program that cuts a text after so many units leaves half of an emoji at its end."""
    output("load_bank", "empathy", "--from", written(tmp_path, OWN), "--slug", "gloves")
    replies = {f"p{n}": f"Poor\0 glove {n} \ud83d" for n in range(1, 5)}
    asked = ("import_replies", written(tmp_path, json.dumps(replies), "people.json"), "--model", "Human")
    assert "4 replies of Human, is imported" in output(*asked, "--bank", "gloves")
    kept = Reply.objects.order_by("pk").values_list("text", flat=True)
    assert list(kept) == [f"Poor glove {n} " for n in range(1, 5)]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"p9": "a"}', "replies to unknown items: p9"),
        ('{"p1": "a"}', "only 1 of 4 prompts have a reply"),
        ('{"p1": "a", "p1": "b"}', "an item stands in it twice"),
        ('{"p1": 3}', "one JSON object"),
        ("[]", "one JSON object"),
        ("{", "cannot be read"),
        ("[" * 200_000, "cannot be read"),
        ('{"p1": ' + 5_000 * "9" + "}", "cannot be read"),
    ],
    ids=["unknown", "too few", "doubled", "a number", "a list", "cut", "too deep", "a long number"],
)
def test_a_faulty_file_of_replies_imports_nothing(tmp_path: Path, content: str, words: str) -> None:
    output("load_bank", "empathy", "--from", written(tmp_path, OWN), "--slug", "gloves")
    file = written(tmp_path, content, "people.json")
    assert words in refusal("import_replies", file, "--model", "Human", "--bank", "gloves")
    assert not Run.objects.exists()
