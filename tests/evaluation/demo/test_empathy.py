"""Demo personas that reply and judge: our own prompts are recognised, and each judge answers in its form."""

from collections import Counter

import pytest

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Ask, Bank, Options, Reply
from evaluation.benchmarks.empathy.verdicts import read_verdict
from evaluation.demo.empathy import PROMPTS, REFUSAL, said_of_feelings
from evaluation.demo.personas import JUDGES, Says

REPLIES, JUDGED = BENCHMARKS["empathy-replies"], BENCHMARKS["empathy-judged"]


@pytest.fixture(scope="module")
def bank() -> Bank:
    return REPLIES.load({PROMPTS.name: PROMPTS.read_bytes()}, 64)


def said(persona: str, text: str) -> Says:
    found = said_of_feelings(persona, text, 0)
    assert found is not None
    return found


def replied(persona: str, bank: Bank) -> list[str]:
    asks = [Ask(item, 1, 1, 0) for item in bank.items]
    return [said(persona, REPLIES.prompt(ask, Options()).messages[-1].content).text for ask in asks]


def verdict(judge: str, bank: Bank, reply: str) -> str:
    prompt = JUDGED.prompt(Ask(bank.items[0], 1, 1, 0, (reply,)), Options())
    return said(judge, prompt.messages[-1].content).text


def test_another_prompt_is_left_to_the_other_personas() -> None:
    assert said_of_feelings("judge", "What is the capital of France?", 0) is None


def test_replies_differ_and_name_the_feeling(bank: Bank) -> None:
    texts = replied("careful", bank)
    assert len(set(texts)) > 40
    assert any(item.group in text for item, text in zip(bank.items, texts, strict=True))
    assert replied("careful", bank) == texts
    assert set(replied("refusing", bank)) == {REFUSAL}


def test_a_judge_rates_warm_replies_higher_and_strictness_tells(bank: Bank) -> None:
    def good(persona: str, judge: str = "judge") -> int:
        ratings = Counter(read_verdict(Reply(verdict(judge, bank, text))).rating for text in replied(persona, bank))
        assert None not in ratings
        return ratings[3]

    assert good("careful") > good("hasty") > good("refusing") == 0
    assert good("careful", "judge-strict") < good("careful") <= good("careful", "judge-lenient")


@pytest.mark.parametrize("judge", JUDGES)
def test_judges_that_cannot_be_read_are_not_read(judge: str, bank: Bank) -> None:
    readable = judge in {"judge", "judge-strict", "judge-lenient", "judge-in-fences", "judge-with-reasons"}
    texts = [verdict(judge, bank, reply) for reply in replied("noisy", bank)]
    read = [read_verdict(Reply(text)).rating is not None for text in texts]
    if judge == "judge-in-turn":
        assert 0 < sum(read) < len(read)
    else:
        assert set(read) == {readable}
