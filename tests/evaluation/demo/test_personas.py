"""Made-up models answer in their own way, the same each time."""

import json
import re
from pathlib import Path

import pytest

from evaluation.demo.personas import NEEDS_REFERENCES, PERSONAS, answer
from evaluation.demo.questions import no_references, read_question, references_from, references_from_file
from tests.evaluation.demo.prompts import GERMAN_NAMES, NAMES, english, german

REFERENCE = {"Angry": 3.0, "Hopeful": 6.0, "Relieved": 0.0, "Ashamed": 8.0}
REFERENCES = references_from([(english(revision=True), REFERENCE)])


def say(persona: str, prompt: str | None = None, seed: int = 0) -> str:
    return answer(persona, read_question(prompt or english()), REFERENCES, seed).text


def pairs(text: str) -> dict[str, int]:
    """As the official English reader finds them."""
    return {name: int(score) for name, score in re.findall(r"(\w+):\s+(\d+)", text)}


@pytest.mark.parametrize("revision", [False, True])
def test_a_question_is_known_again_in_either_form(revision: bool) -> None:
    question = read_question(english(revision=revision))
    assert (question.names, question.revision, question.german) == (NAMES, revision, False)
    assert question.key == read_question(english()).key != read_question(english("Bob won.")).key


@pytest.mark.parametrize("revision", [False, True])
def test_a_german_question_is_known_as_one(revision: bool) -> None:
    question = read_question(german(revision=revision))
    assert (question.names, question.revision, question.german) == (GERMAN_NAMES, revision, True)


def test_a_prompt_of_another_sort_has_no_names_and_still_gets_an_answer() -> None:
    question = read_question("What is the capital of France?")
    assert question.names == ()
    assert all(answer(persona, question, no_references, 0).text for persona in PERSONAS)


def test_perfect_gives_the_reference() -> None:
    assert say("perfect") == "Angry: 3\nHopeful: 6\nRelieved: 0\nAshamed: 8"


def test_perfect_gives_both_passes_where_a_revision_is_asked_for() -> None:
    text = say("perfect", english(revision=True))
    first, revised = text.split("Revised scores:")
    assert first.startswith("First pass scores:\n")
    assert pairs(revised) == REFERENCE
    assert revised.endswith("[End of answer]")


@pytest.mark.parametrize("persona", PERSONAS)
def test_a_persona_says_the_same_for_one_seed(persona: str) -> None:
    assert say(persona, seed=5) == say(persona, seed=5)


@pytest.mark.parametrize("persona", ["noisy", "random", "hasty"])
def test_another_seed_or_story_gives_another_answer(persona: str) -> None:
    stories = [english(f"Story {number}.") for number in range(5)]
    assert len({say(persona, prompt, seed) for prompt in stories for seed in range(5)}) > 15


def test_more_noise_lies_further_from_the_reference() -> None:
    def distance(persona: str) -> float:
        answers = [pairs(say(persona, seed=seed)) for seed in range(200)]
        return sum(abs(given[name] - REFERENCE[name]) for given in answers for name in NAMES) / 200

    assert 0 < distance("careful") < distance("noisy") < distance("hasty")


@pytest.mark.parametrize("persona", ["perfect", "careful", "noisy", "hasty", "random", "constant-3", "prose"])
def test_a_plain_answer_is_four_whole_numbers_from_0_to_10_that_are_not_all_zero(persona: str) -> None:
    for seed in range(50):
        given = pairs(say(persona, seed=seed))
        assert tuple(given) == NAMES
        assert all(0 <= score <= 10 for score in given.values())
        assert any(given.values())


def test_each_persona_has_its_own_form() -> None:
    assert pairs(say("constant-3")) == dict.fromkeys(NAMES, 3)
    assert pairs(say("all-zero")) == dict.fromkeys(NAMES, 0)
    assert re.fullmatch(r"(\*\*\w+\*\*: \d+\n?){4}", say("markdown"))
    assert set(pairs(say("lower-case"))) == {name.lower() for name in NAMES}
    assert re.fullmatch(r"(\w+: \d\.5\n?){4}", say("decimal"))
    assert pairs(say("refusing")) == {}
    assert "\n\n" in say("prose")


def test_thinking_holds_other_scores_before_the_answer() -> None:
    thinking, _, rest = say("thinking").partition("</think>\n\n")
    assert thinking.startswith("<think>\n")
    assert set(pairs(thinking)) == set(pairs(rest)) == set(NAMES)
    assert pairs(thinking) != pairs(rest)


def test_thinking_apart_files_its_draft_as_reasoning() -> None:
    said = answer("thinking-apart", read_question(english()), REFERENCES, 0)
    assert set(pairs(said.text)) == set(pairs(said.reasoning)) == set(NAMES)
    assert pairs(said.text) != pairs(said.reasoning)


def test_the_slow_thinker_is_cut_off_before_its_answer() -> None:
    said = answer("slow-thinker", read_question(english()), REFERENCES, 0)
    assert said.finish_reason == "length"
    assert "</think>" not in said.text


def test_revised_gives_two_passes_that_differ_even_unasked() -> None:
    first, revised = say("revised").split("Revised scores:")
    assert pairs(first) != pairs(revised)


@pytest.mark.parametrize("persona", NEEDS_REFERENCES)
def test_without_references_an_answer_is_made_up_from_the_question(persona: str) -> None:
    said = answer(persona, read_question(english("A new story.")), no_references, 0).text
    assert said == answer(persona, read_question(english("A new story.")), no_references, 0).text
    assert all(name in said for name in NAMES)


@pytest.mark.parametrize("content", [b"[]", b"{", b'{"1": {"prompt": "x"}}', b'{"1": 3}'])
def test_a_file_that_holds_no_questions_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError):
        references_from_file(content)


@pytest.mark.parametrize(
    "name",
    ["eq_bench_v1_questions_60.json", "eq_bench_v2_questions_171.json", "eq_bench_v2_questions_171_de.json"],
)
def test_perfect_gives_the_reference_of_every_official_question(shared_data: Path, name: str) -> None:
    content = (shared_data / "eqbench" / name).read_bytes()
    references = references_from_file(content)
    for entry in json.loads(content).values():
        question = read_question(entry["prompt"])
        reference = entry["reference_answer_fullscale"]
        expected = {reference[f"emotion{n}"]: float(reference[f"emotion{n}_score"]) for n in range(1, 5)}
        assert question.names == tuple(expected)
        assert question.revision
        assert pairs(answer("perfect", question, references, 0).text) == expected
