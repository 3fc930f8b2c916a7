"""What is sent: the stored prompt, or the same without critique and revised scores."""

import pytest

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Item, Message, Options
from evaluation.benchmarks.eqbench_prompt import other_language_in, without_revision
from tests.evaluation.benchmarks.by_item import sent as messages_sent
from tests.factories import scene_prompt

EQ_BENCHES = [name for name, benchmark in BENCHMARKS.items() if benchmark.family == "eq-bench"]
GERMAN_PROMPT = (
    "Lies die Szene.\n\nGeben Sie jeder dieser möglichen Emotionen eine Zahl. Kritisieren Sie dann Ihre Antwort.\n\n"
    "Erste Bewertung:\nTraurig: <Punktzahl>\n\nKritik: <Ihre Kritik hier>\n\n"
    "Überarbeitete Bewertung:\nTraurig: <überarbeitete Punktzahl>\n\n[Ende der Antwort]\n\nDanke.\n"
)


def item(prompt: str) -> Item:
    return Item("1", prompt, ("Sad", "Glad", "Calm", "Proud"))


def sent(benchmark: str, prompt: str, *, revision: bool) -> str:
    (message,) = messages_sent(
        BENCHMARKS[benchmark], item(prompt), Options(switched=frozenset({"revision"} if revision else ()))
    )
    assert message.role == "user"
    return message.content


def test_the_english_prompt_loses_what_asks_for_a_revision() -> None:
    prompt = without_revision(scene_prompt(1), "en")
    for gone in ("critique", "Critique", "revised", "Revised", "First pass"):
        assert gone not in prompt
    assert "are likely to be feeling each.\n\nAnswer in this format:\n\nDisappointed: <score>\n" in prompt
    assert prompt.endswith(
        "Guilty: <score>\n\n\n[End of answer]\n\nOne emotion at least must score above zero.\n\nYour answer:\n"
    )


def test_the_german_prompt_gets_its_request_anew_as_a_whole_line() -> None:
    assert without_revision(GERMAN_PROMPT, "de") == (
        "Lies die Szene.\n\nGeben Sie jeder dieser möglichen Emotionen eine Punktzahl von 0-10 für die relative "
        "Intensität, die sie wahrscheinlich fühlen werden.\n\nTraurig: <Punktzahl>\n\n\n[Ende der Antwort]\n\n"
        "Danke.\n\nIhre Antwort:\n"
    )


def test_a_prompt_without_a_critique_only_gets_the_invitation() -> None:
    assert without_revision("How do they feel?\n", "en") == "How do they feel?\n\nYour answer:\n"


@pytest.mark.parametrize("benchmark", ["eq-bench-v2", "eq-bench-v2-code"])
def test_v2_sends_the_edited_prompt_and_with_revision_the_stored_one(benchmark: str) -> None:
    assert sent(benchmark, scene_prompt(1), revision=False) == without_revision(scene_prompt(1), "en")
    assert sent(benchmark, scene_prompt(1), revision=True) == scene_prompt(1)


def test_german_v2_edits_in_german() -> None:
    assert sent("eq-bench-v2-de", GERMAN_PROMPT, revision=False) == without_revision(GERMAN_PROMPT, "de")


@pytest.mark.parametrize("revision", [False, True])
def test_v1_never_edits_its_prompt(revision: bool) -> None:
    assert sent("eq-bench-v1", scene_prompt(1), revision=revision) == scene_prompt(1)


def test_a_system_prompt_goes_ahead_as_a_system_message() -> None:
    messages = messages_sent(BENCHMARKS["eq-bench-v1"], item("Q"), Options(system_prompt="Be kind."))
    assert messages == (Message("system", "Be kind."), Message("user", "Q"))


@pytest.mark.parametrize("benchmark", EQ_BENCHES)
def test_replies_are_asked_for_as_the_official_pipeline_asks(benchmark: str) -> None:
    generation = BENCHMARKS[benchmark].generation
    temperatures = [generation.temperature + n * generation.temperature_step for n in range(generation.attempts)]
    assert temperatures == pytest.approx([0.01, 0.16, 0.31])
    assert generation.max_tokens == 60


def test_each_benchmark_stands_under_its_own_name_with_a_versioned_scorer() -> None:
    assert EQ_BENCHES == ["eq-bench-v2", "eq-bench-v2-code", "eq-bench-v1", "eq-bench-v2-de"]
    for name in EQ_BENCHES:
        assert (BENCHMARKS[name].name, BENCHMARKS[name].scorer_version) == (name, f"{name}/5")
    for name, benchmark in BENCHMARKS.items():
        assert benchmark.name == name
        assert "/" in benchmark.scorer_version
    assert BENCHMARKS["eq-bench-v2"].bank == BENCHMARKS["eq-bench-v2-code"].bank == "eq-bench-v2"


def test_the_language_of_a_prompt_is_told_by_its_headings() -> None:
    assert other_language_in(GERMAN_PROMPT, "en")
    assert other_language_in(scene_prompt(1), "de")
    assert not other_language_in(GERMAN_PROMPT, "de")
    assert not other_language_in(scene_prompt(1), "en")
    assert not other_language_in("no heading at all", "en")
