"""Question files: a sound one is read item for item, every other is refused with the item and the reason (P12)."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import BankError
from evaluation.benchmarks.eqbench_bank import BankForm, read_bank
from tests.evaluation.benchmarks.by_item import loaded
from tests.evaluation.benchmarks.standard import unhurried
from tests.factories import question_file, scene_labels, scene_prompt, scene_reference

FULL = BankForm(n_items=3, reference_key="reference_answer_fullscale", language="en")
SHARED = BankForm(n_items=3, reference_key="reference_answer", language="en", reference_sum=10.0)
Change = Callable[[dict[str, Any]], object]


def written(change: Change | None = None) -> bytes:
    questions = question_file(3)
    if change:
        change(questions)
    return json.dumps(questions).encode()


def refusal(content: bytes, form: BankForm = FULL) -> str:
    with pytest.raises(BankError) as refused:
        read_bank(content, form)
    return str(refused.value)


def answer(questions: dict[str, Any], item_id: str = "2") -> dict[str, Any]:
    found: dict[str, Any] = questions[item_id]["reference_answer_fullscale"]
    return found


def test_items_come_in_file_order_with_names_and_ratings_in_reference_order() -> None:
    items = read_bank(written(), FULL)
    assert [item.id for item in items] == ["1", "2", "3"]
    assert [item.labels for item in items] == [scene_labels(n) for n in (1, 2, 3)]
    assert [item.reference for item in items] == [tuple(map(float, scene_reference(n))) for n in (1, 2, 3)]
    assert items[1].prompt == scene_prompt(2)


def test_numeric_strings_become_numbers() -> None:
    items = read_bank(written(lambda q: answer(q).update(emotion1_score="8", emotion3_score=" 7.5 ")), FULL)
    assert items[1].reference == (8.0, 0.0, 7.5, 0.0)


def test_v1_takes_the_ratings_that_share_out_ten() -> None:
    assert all(sum(item.reference) == pytest.approx(10) for item in read_bank(written(), SHARED))


FAULTS: list[tuple[str, Change, str]] = [
    ("missing item", lambda q: q.pop("2"), "item 2: missing (3 items are expected, the file holds 2)"),
    ("foreign item", lambda q: q.update({"4": q["1"]}), "item 4: not an item of this bank"),
    ("odd id", lambda q: q.update({"01": q.pop("1")}), "item 1: missing"),
    ("no object", lambda q: q.update({"2": []}), "item 2: the item is missing or no JSON object"),
    ("no prompt", lambda q: q["2"].pop("prompt"), "item 2: prompt is missing or empty"),
    ("blank prompt", lambda q: q["2"].update(prompt=" \n"), "item 2: prompt is missing or empty"),
    ("no reference", lambda q: q["2"].pop("reference_answer_fullscale"), "item 2: reference_answer_fullscale"),
    ("three emotions", lambda q: answer(q).pop("emotion4"), "item 2: emotion4 is missing"),
    ("no text", lambda q: answer(q).update(emotion4=4), "item 2: emotion4 is missing"),
    ("two words", lambda q: answer(q).update(emotion1="Very Sad"), "item 2: emotion1 is not one word"),
    ("twins", lambda q: answer(q).update(emotion1="bored"), "item 2: its four emotions are not distinct"),
    ("no rating", lambda q: answer(q).pop("emotion3_score"), "item 2: emotion3_score is not a number"),
    ("word", lambda q: answer(q).update(emotion3_score="high"), "item 2: emotion3_score is not a number"),
    ("true", lambda q: answer(q).update(emotion3_score=True), "item 2: emotion3_score is not a number"),
    ("text nan", lambda q: answer(q).update(emotion3_score="nan"), "item 2: emotion3_score is not a number"),
    ("text infinity", lambda q: answer(q).update(emotion3_score="inf"), "item 2: emotion3_score is not a number"),
    ("huge", lambda q: answer(q).update(emotion3_score=10**400), "item 2: emotion3_score is not a number"),
    ("above ten", lambda q: answer(q).update(emotion3_score=10.5), "item 2: emotion3_score is not a number from 0"),
    ("negative", lambda q: answer(q).update(emotion3_score=-1), "item 2: emotion3_score is not a number from 0"),
    ("nan", lambda q: answer(q).update(emotion3_score=float("nan")), "the file is not valid JSON: it holds NaN"),
    ("infinity", lambda q: answer(q).update(emotion3_score=float("inf")), "not valid JSON: it holds Infinity"),
]


@pytest.mark.parametrize(("change", "reason"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS])
def test_p12_a_faulty_item_is_refused_by_its_id(change: Change, reason: str) -> None:
    assert reason in refusal(written(change))


def test_a_doubled_item_is_named() -> None:
    doubled = written().replace(b'"3": {', b'"2": {', 1)
    assert refusal(doubled) == "item 2: stands in the file twice"


def test_a_doubled_name_in_an_item_is_named_with_the_item() -> None:
    assert refusal(written().replace(b'"prompt"', b'"prompt": "", "prompt"', 1)) == "item 1: prompt stands in it twice"
    twice = written().replace(b'"emotion1": "Disappointed"', b'"emotion1": "", "emotion1": "Disappointed"')
    assert refusal(twice) == "item 1: emotion1 stands in it twice"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
        (b"\xef\xbb\xbf{", "not valid JSON"),
        (b"[]", "not a JSON object"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"1": ' + b"9" * 5000 + b"}", "not valid JSON"),
        (b" " * 20_000_001, "larger than 20 MB"),
        (b"{}", "item 1, 2, 3: missing"),
    ],
)
def test_a_file_that_is_no_bank_is_refused_with_a_sentence(content: bytes, reason: str) -> None:
    assert reason in refusal(content)


def test_many_missing_items_are_counted_and_not_all_listed() -> None:
    form = BankForm(n_items=171, reference_key="reference_answer_fullscale", language="en")
    assert refusal(written(), form).startswith("item 4, 5, 6, 7, 8 and 163 more: missing (171 items are expected")


def test_a_bank_whose_reference_is_no_sharing_of_ten_is_no_v1_bank() -> None:
    full_only = BankForm(n_items=3, reference_key="reference_answer_fullscale", language="en", reference_sum=10.0)
    assert "item 1: the reference sums to 11, not to 10" in refusal(written(), full_only)


def test_p31_a_file_of_60_items_is_no_v2_bank_and_one_of_171_no_v1_bank() -> None:
    with pytest.raises(BankError, match="171 items are expected, the file holds 60"):
        loaded(BENCHMARKS["eq-bench-v2"], json.dumps(question_file(60)).encode())
    with pytest.raises(BankError, match=r"item 61, 62.*60 items are expected, the file holds 171"):
        loaded(BENCHMARKS["eq-bench-v1"], json.dumps(question_file(171)).encode())


def test_an_english_file_is_no_german_bank() -> None:
    with pytest.raises(BankError, match="item 1: the prompt is in another language"):
        loaded(BENCHMARKS["eq-bench-v2-de"], json.dumps(question_file(171)).encode())


@pytest.mark.parametrize(("name", "n_items"), [("eq-bench-v1", 60), ("eq-bench-v2", 171), ("eq-bench-v2-code", 171)])
def test_a_file_of_the_right_form_is_loaded(name: str, n_items: int) -> None:
    assert len(loaded(BENCHMARKS[name], json.dumps(question_file(n_items)).encode())) == n_items


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@unhurried
@given(st.binary() | _JSON.map(lambda value: json.dumps(value).encode()))
def test_any_other_content_is_refused_and_never_crashes(content: bytes) -> None:
    assert refusal(content)
