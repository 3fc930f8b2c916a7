"""Our own item bank: each property that it is meant to have, measured on the files that we ship."""

import hashlib
import io
import json
import re
from collections import Counter
from functools import cache
from itertools import product
from math import isclose
from pathlib import Path
from statistics import correlation, fmean, stdev
from typing import Any

import pytest
from django.core.management import call_command

from evaluation.baselines import constant, random_answers, run_score
from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Answer, Item, Options, Reply
from evaluation.demo.questions import read_question
from evaluation.importers.banks import DATA_FOLDER, bank_sources, checked_bank, second_reading
from evaluation.models import ItemBank
from evaluation.statistics.score_interval import half_of
from tests.evaluation.benchmarks.by_item import points_by, read_by, sent
from tests.processes import ROOT

V2 = BENCHMARKS["eq-bench-v2"]
SOURCE = bank_sources()["eq-open-v1"]
PLACES = range(4)
# Lines of the form that any EQ-Bench v2 bank has: the program that edits the prompt looks for them.
FORM = (
    " Then critique your answer by thinking it through step by step. Finally, give your revised scores.",
    "First pass scores:",
    "Critique: <your critique here>",
    "Revised scores:",
    "[End of answer]",
    "[End dialogue]",
)


@cache
def items() -> list[Item]:
    return list(checked_bank(V2, SOURCE, (DATA_FOLDER / SOURCE.path).read_bytes()).items)


@cache
def questions() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA_FOLDER / SOURCE.path).read_text(encoding="utf-8"))
    return found


@cache
def ratings_file() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA_FOLDER / "eq_open_v1_ratings.json").read_text(encoding="utf-8"))
    return found


def entries() -> list[tuple[str, dict[str, Any]]]:
    """Item id and emotion: word, reference, second reading and reason."""
    return [(item_id, emotion) for item_id, entry in ratings_file()["items"].items() for emotion in entry["emotions"]]


def turns(item: Item) -> list[tuple[str, str]]:
    """Speaker and line of each turn."""
    dialogue = item.prompt.partition(":\n\n")[2].partition("\n[End dialogue]")[0]
    return [(speaker, line) for speaker, _, line in (turn.partition(": ") for turn in dialogue.split("\n"))]


def runs_of_six(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z']+", text.lower())
    return {tuple(words[at : at + 6]) for at in range(len(words) - 5)}


def strongest(ratings: list[int]) -> int | None:
    """The place of the highest rating; None where two are tied, which names no strongest emotion."""
    places = [at for at, value in enumerate(ratings) if value == max(ratings)]
    return places[0] if len(places) == 1 else None


def figures(pairs: list[tuple[str, int, int]]) -> dict[str, float]:
    """Agreement of two ratings, from (item id, first, second)."""
    gaps = [abs(first - second) for _, first, second in pairs]
    rated = [
        ([a for item, a, _ in pairs if item == each], [b for item, _, b in pairs if item == each])
        for each in dict.fromkeys(item for item, _, _ in pairs)
    ]
    return {
        "ratings": len(gaps),
        "mean_absolute_difference": round(fmean(gaps), 3),
        "pearson_r": round(correlation([first for _, first, _ in pairs], [second for _, _, second in pairs]), 3),
        "share_equal": round(fmean(gap == 0 for gap in gaps), 3),
        "share_within_1": round(fmean(gap <= 1 for gap in gaps), 3),
        "share_within_2": round(fmean(gap <= 2 for gap in gaps), 3),
        "largest_difference": max(gaps),
        "items_with_a_difference_of_4_or_more": len({item for item, a, b in pairs if abs(a - b) >= 4}),
        "items_with_the_same_strongest_emotion": sum(strongest(first) == strongest(second) for first, second in rated),
    }


def test_it_has_sixty_items_of_six_to_twelve_turns_and_the_character_speaks() -> None:
    assert [item.id for item in items()] == [str(number) for number in range(1, 61)]
    for item in items():
        entry = ratings_file()["items"][item.id]
        assert 6 <= len(turns(item)) <= 12, item.id
        assert entry["character"] in {speaker for speaker, _ in turns(item)}, item.id
        assert all(line for _, line in turns(item)), item.id
        assert f"As the conversation closes, {entry['character']} feels..." in item.prompt


def test_the_emotions_are_varied() -> None:
    uses = Counter(label for item in items() for label in item.labels)
    assert len(uses) >= 80
    assert max(uses.values()) <= 6


def test_the_strongest_emotion_stands_in_each_place_equally_often_and_is_clear() -> None:
    places = Counter(item.reference.index(max(item.reference)) for item in items())
    assert set(places) == set(PLACES)
    assert all(12 <= n <= 18 for n in places.values()), places
    assert all(item.reference.count(max(item.reference)) == 1 for item in items())


def test_each_item_has_a_trap_that_is_hardly_felt() -> None:
    assert all(min(item.reference) <= 2 for item in items())


def test_no_constant_answer_scores_forty_five() -> None:
    scores = [run_score(V2, constant(V2, items(), level)) for level in range(11)]
    assert max(scores) < 45, scores


def test_random_answers_score_about_zero() -> None:
    assert abs(run_score(V2, random_answers(V2, items()))) <= 5


def test_the_expected_value_is_the_mean_over_every_answer() -> None:
    item = items()[0]
    answers = [tuple(map(float, values)) for values in product(range(11), repeat=4) if any(values)]
    points = [points_by(V2, item, Answer("first_pass", "official", answer)) for answer in answers]
    every = fmean(score for score in points if score is not None)
    found = random_answers(V2, [item]).scores[0].score
    assert found is not None
    assert isclose(found, every, abs_tol=1e-9)


def test_no_run_of_six_words_is_taken_from_the_official_questions(v2_questions: dict[str, Any]) -> None:
    official = set().union(*(runs_of_six(question["prompt"]) for question in v2_questions.values()))
    for item in items():
        own = item.prompt
        for line in FORM:
            own = own.replace(line, "\n")
        shared = {run for line in own.split("\n") for run in runs_of_six(line)} & official
        assert not shared, item.id


def test_no_two_dialogues_share_a_speaker() -> None:
    speakers = Counter(speaker for item in items() for speaker in {speaker for speaker, _ in turns(item)})
    assert max(speakers.values()) == 1


def test_no_dialogue_names_the_emotions_that_are_asked_for() -> None:
    for item in items():
        spoken = " ".join(line for _, line in turns(item)).lower()
        assert not [label for label in item.labels if re.search(rf"\b{label.lower()}\b", spoken)], item.id


def test_each_emotion_has_two_ratings_and_a_reason_that_fit_the_shipped_questions() -> None:
    assert len(entries()) == 240
    for item in items():
        entry = ratings_file()["items"][item.id]
        assert tuple(emotion["word"] for emotion in entry["emotions"]) == item.labels
        assert tuple(float(emotion["reference"]) for emotion in entry["emotions"]) == item.reference
        assert entry["setting"]
        assert entry["scene"]
    for item_id, emotion in entries():
        assert emotion["second_reading"] in range(11), item_id
        assert len(emotion["reason"].split()) >= 5, item_id
    assert len({emotion["reason"] for _, emotion in entries()}) == 240


def test_the_readings_agree_as_the_file_says_before_and_after_revision() -> None:
    facts = ratings_file()["facts"]
    after = [(item, emotion["reference"], emotion["second_reading"]) for item, emotion in entries()]
    earlier = "second_reading_before_revision"
    before = [
        (item, emotion["reference"], emotion.get(earlier, emotion["second_reading"])) for item, emotion in entries()
    ]
    assert figures(after).items() <= facts["agreement"].items()
    assert figures(before).items() <= facts["agreement_before_revision"].items()
    assert max(abs(first - second) for _, first, second in after) < 4
    revised = {item for item, entry in ratings_file()["items"].items() if "revision" in entry}
    assert revised == set(facts["revised_items"]) == {item for item, emotion in entries() if earlier in emotion}


def test_the_file_says_who_wrote_and_rated_it_and_under_which_licence() -> None:
    file = ratings_file()
    assert "no human panel yet" in file["facts"]["who"]
    assert file["facts"]["human_panel"] is False
    assert file["licence"] == SOURCE.licence == "CC-BY-4.0"
    assert "creativecommons.org/licenses/by/4.0" in SOURCE.notice
    assert "no human panel yet" in SOURCE.citation


def test_the_pinned_hash_is_that_of_both_files() -> None:
    found = hashlib.sha256((DATA_FOLDER / SOURCE.path).read_bytes()).hexdigest()
    assert found == SOURCE.sha256 == ratings_file()["questions_sha256"]


def test_the_two_references_say_the_same_on_two_scales() -> None:
    for item_id, question in questions().items():
        full, shared = question["reference_answer_fullscale"], question["reference_answer"]
        total = sum(full[f"emotion{n}_score"] for n in range(1, 5))
        assert isclose(sum(shared[f"emotion{n}_score"] for n in range(1, 5)), 10, abs_tol=1e-9), item_id
        for n in range(1, 5):
            assert shared[f"emotion{n}"] == full[f"emotion{n}"]
            assert isclose(shared[f"emotion{n}_score"], 10 * full[f"emotion{n}_score"] / total, abs_tol=1e-5), item_id


def test_the_prompt_is_edited_and_read_like_an_official_one() -> None:
    for item in items():
        (plain,) = sent(V2, item, Options())
        (revised,) = sent(V2, item, Options(switched=frozenset({"revision"})))
        assert not [line for line in FORM[:4] if line in plain.content]
        assert plain.content.endswith("\nYour answer:\n")
        assert all(line in revised.content for line in FORM)
        seen = read_question(plain.content)
        assert seen.names == item.labels
        assert seen.key == read_question(item.prompt).key
        reply = "\n".join(f"{label}: {value:.0f}" for label, value in zip(item.labels, item.reference, strict=True))
        (answer,) = read_by(V2, item, Reply(reply), Options()).answers
        assert (answer.reading, answer.values) == ("official", item.reference)
        assert points_by(V2, item, answer) == 10.0


@pytest.mark.django_db
@pytest.mark.database
def test_it_loads_by_its_name_once_with_its_facts() -> None:
    out = io.StringIO()
    call_command("load_bank", "eq-open-v1", stdout=out)
    call_command("load_bank", "eq-open-v1", stdout=out)
    said = out.getvalue().splitlines()
    assert said[0] == f"EQ Open v1 (60 items, SHA-256 {SOURCE.sha256[:12]}) is loaded."
    assert said[1].startswith("Nothing to do: EQ Open v1 (60 items")
    bank = ItemBank.objects.get()
    assert (bank.slug, bank.benchmark, bank.access) == ("eq-open-v1", "eq-bench-v2", "open")
    assert bank.facts == ratings_file()["facts"]
    assert bank.licence == "CC-BY-4.0"
    assert Path(bank.source) == Path("evaluation/data/eq_open_v1.json")
    assert bank.items.count() == 60


def test_the_document_names_the_items_whose_two_strongest_emotions_lie_close_together() -> None:
    close = [item.id for item in items() if sorted(item.reference)[-1] - sorted(item.reference)[-2] == 1]
    text = " ".join((ROOT / "docs/banks.md").read_text(encoding="utf-8").split())
    assert (
        f"In {len(close)} items the two strongest emotions lie 1 apart: {', '.join(close[:-1])} and {close[-1]}."
        in text
    )


def test_the_second_reading_scores_as_the_document_says() -> None:
    """The ceiling: a reading by the rules that knows no reference."""
    second = {
        item_id: tuple(float(emotion["second_reading"]) for emotion in entry["emotions"])
        for item_id, entry in ratings_file()["items"].items()
    }
    points = [10 * (score or 0.0) for score in (points_by(V2, item, official(second[item.id])) for item in items())]
    found = f"{fmean(points):.2f} ± {half_of(stdev(points) / 60**0.5, 60):.2f}"
    assert f"The second reading itself scores {found}" in " ".join((ROOT / "docs/banks.md").read_text().split())


def official(values: tuple[float, ...]) -> Answer:
    return Answer("first_pass", "official", values)


@pytest.mark.django_db
@pytest.mark.database
def test_a_corrected_figure_reaches_a_bank_that_was_loaded_before() -> None:
    call_command("load_bank", "eq-open-v1", stdout=io.StringIO())
    stale = {**ratings_file()["facts"], "agreement": {"items_with_the_same_strongest_emotion": 54}}
    ItemBank.objects.update(facts=stale)
    call_command("load_bank", "eq-open-v1", stdout=io.StringIO())
    bank = ItemBank.objects.get()
    assert bank.facts == ratings_file()["facts"]
    assert bank.items.count() == 60


def test_the_second_version_asks_for_the_same_items_in_the_official_way() -> None:
    second = bank_sources()["eq-open-v2"]
    others = checked_bank(V2, second, (DATA_FOLDER / second.path).read_bytes()).items
    assert len(others) == 60
    for item, other in zip(items(), others, strict=True):
        assert (other.id, other.labels, other.reference) == (item.id, item.labels, item.reference)
        assert turns(other) == turns(item)
        character = ratings_file()["items"][item.id]["character"]
        asked = other.prompt.partition("[End dialogue]")[2]
        assert f"At the end of this conversation, {character} would feel..." in asked
        assert "a score from 0-10" in asked
        assert "zero is a valid score" in asked
        (plain,) = sent(V2, other, Options())
        assert read_question(plain.content).names == other.labels
        assert plain.content.endswith("\nYour answer:\n")


@pytest.mark.django_db
@pytest.mark.database
def test_both_versions_are_banks_of_their_own_with_the_same_facts_and_second_reading() -> None:
    for slug in ("eq-open-v1", "eq-open-v2"):
        call_command("load_bank", slug, stdout=io.StringIO())
    first, second = ItemBank.objects.order_by("slug")
    assert (first.slug, second.slug) == ("eq-open-v1", "eq-open-v2")
    assert first.facts == second.facts
    assert second_reading(first) == second_reading(second) != {}
