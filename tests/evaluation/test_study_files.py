"""Files of ratings and counts of the study: what is read, and how each fault is named with a way out."""

import csv
import io
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.importers import study_files
from evaluation.importers.study_files import MAX_BYTES, Coding, Known, StudyFile, StudyFileError, read_study

HEADER = "item_id,responder,rater,value"
COUNTS = "scope,responder,bad,okay,good"


def read(*lines: str, coding: Coding = "words", per_reply: int = 1, per_rater: int | None = None) -> StudyFile:
    content = "\n".join(lines).encode()
    return read_study("r.csv", content, coding=coding, ratings_per_reply=per_reply, items_per_rater=per_rater)


def refusal(*lines: str, coding: Coding = "words", per_reply: int = 1, per_rater: int | None = None) -> str:
    with pytest.raises(StudyFileError) as refused:
        read(*lines, coding=coding, per_reply=per_reply, per_rater=per_rater)
    return str(refused.value)


def test_ratings_become_cells_by_scope_and_emotion() -> None:
    found = read(
        f"{HEADER},emotion",
        "1,human,p1,Good,sad",
        "2,human,p1, okay ,joyful",
        "1,gpt-4,p2,GOOD,Sad",
        "2,gpt-4,p3,bad,joyful",
    )
    assert (found.kind, found.rows, found.responders) == ("ratings", 4, ["human", "gpt-4"])
    assert list(found.cells) == ["all", "positive", "negative", "joyful", "sad"]
    human, model = found.cells["all"]
    assert (human.levels, model.levels) == ((0, 1, 1), (1, 0, 1))
    assert human.raters is not None
    assert model.raters is not None
    assert (human.raters.good.tolist(), human.raters.n.tolist()) == ([1], [2])
    assert (model.raters.good.tolist(), model.raters.n.tolist()) == ([0, 1], [1, 1]), "sorted"
    assert [cell.levels for cell in found.cells["sad"]] == [(0, 0, 1), (0, 0, 1)]


def test_without_emotions_there_is_one_scope_and_without_codes_no_rater() -> None:
    found = read(HEADER, "1,human,,Good", "2,human,,Bad")
    assert list(found.cells) == ["all"]
    assert found.cells["all"][0].raters is None


@pytest.mark.parametrize(("coding", "values"), [("1-3", "123"), ("0-2", "012")])
def test_numbers_are_read_with_their_coding(coding: Coding, values: str) -> None:
    lines = [f"{at},human,,{value}" for at, value in enumerate((values[0], values[2], values[2], values[1]))]
    assert read(HEADER, *lines, coding=coding).cells["all"][0].levels == (1, 1, 2)


@pytest.mark.parametrize("coding", ["1-3", "0-2"])
def test_a_file_with_both_0_and_3_is_refused_under_either_coding(coding: Coding) -> None:
    assert "is not one of" in refusal(HEADER, "1,human,,0", "2,human,,3", coding=coding)


def test_numbers_need_a_coding() -> None:
    said = refusal(HEADER, "1,human,,3")
    assert said == (
        'r.csv, line 2, value: "3" is a number. Fix: say how the file counts, with --coding 1-3 or --coding 0-2.'
    )


def test_columns_come_in_any_order_with_a_byte_order_mark_and_windows_lines() -> None:
    content = (
        b"\xef\xbb\xbfvalue,rater,item_id,created_at,responder,seconds\r\nGood,p,1,2026-01-05T10:00:00Z,human,3.5\r\n"
    )
    assert read_study("r.csv", content).cells["all"][0].levels == (0, 0, 1)


def test_a_cell_of_several_lines_does_not_shift_the_count() -> None:
    assert "line 4, value" in refusal(HEADER, '"1\n",human,,Good', "2,human,,Gut")


FAULTS: Sequence[tuple[str, Sequence[str]]] = (
    ("line 2, value: \"Gut\" is not one of Bad, Okay, Good.", [HEADER, "1,human,,Gut"]),
    ("line 2, value: \"\" is not one of Bad, Okay, Good.", [HEADER, "1,human,,"]),
    ("line 2, item_id: is empty.", [HEADER, ",human,,Good"]),
    ("line 3, responder: is empty.", [HEADER, "1,human,,Good", "2, ,,Good"]),
    ("line 3, rater: has rated \"human\" in line 2 already", [HEADER, "1,human,p,Good", "2,gpt-4,p,Good"]),
    ("line 3, item_id: this reply was rated in line 2 already", [HEADER, "1,human,p,Good", "1,human,q,Good"]),
    ("line 3, item_id: the same rater rated this reply in line 2", [HEADER, "1,human,p,Good", "1,human,p,Bad"]),
    ("line 3, rater: is empty, while line 2 names a rater", [HEADER, "1,human,p,Good", "2,human,,Good"]),
    ("line 3, responder: \"Human\" looks like \"human\" of line 2", [HEADER, "1,human,,Good", "2,Human,,Good"]),
    ("line 2, emotion: \"cross\" is not one of the 32 labels", [f"{HEADER},emotion", "1,human,,Good,cross"]),
    ("line 2, emotion: \"\" is not one of the 32 labels", [f"{HEADER},emotion", "1,human,,Good,"]),
    (
        "line 3, emotion: the same item has \"sad\" in line 2",
        [f"{HEADER},emotion", "1,human,,Good,sad", "1,gpt-4,,Good,angry"],
    ),
    ("line 2, seconds: \"fast\" is no number of seconds", [f"{HEADER},seconds", "1,human,,Good,fast"]),
    ("line 2, created_at: \"today\" is no time", [f"{HEADER},created_at", "1,human,,Good,today"]),
    (
        'line 2, created_at: "9999-12-31T23:59:59-05:00" is no time',
        [f"{HEADER},created_at", "1,human,,Good,9999-12-31T23:59:59-05:00"],
    ),
    (
        'line 2, created_at: "0001-01-01T00:00:00+05:00" is no time',
        [f"{HEADER},created_at", "1,human,,Good,0001-01-01T00:00:00+05:00"],
    ),
    ("line 2, responder: \"[U+202E]x\" holds a sign that cannot be seen", [HEADER, "1,\u202ex,,Good"]),
    ("line 2, rater: \"p[U+0000]\" holds a sign that cannot be seen", [HEADER, "1,human,p\0,Good"]),
    ("line 2, item_id: \"[U+001B][2J\" holds a sign", [HEADER, "\x1b[2J,human,,Good"]),
    ("line 2, responder: has more than 80 characters", [HEADER, f"1,{'x' * 81},,Good"]),
    ("line 2: has 3 cells where the header has 4", [HEADER, "1,human,Good"]),
    ("line 2: there is no rating", [HEADER]),
    ("line 1, rater: is missing from the header", ["item_id,responder,value", "1,human,Good"]),
    ("line 1, text: is no column of this table", [f"{HEADER},text", "1,human,,Good,hello"]),
    ("line 1, value: is in the header twice", [f"{HEADER},value", "1,human,,Good,Good"]),
    ("line 1, header: has a column without a name", [f"{HEADER},", "1,human,,Good,"]),
    ("line 1, header: the cells are separated by semicolons", [HEADER.replace(",", ";"), "1;human;;Good"]),
    ("line 1, header: the cells are separated by tabs", [HEADER.replace(",", "\t")]),
    ("line 1, header: names neither ratings nor counts", ["a,b", "1,2"]),
    ("line 1, header: names neither ratings nor counts", [""]),
    ("line 2: is no line of a CSV file", [HEADER, '1,human,,"Good']),
    ("line 2, scope: \"some\" is no scope", [COUNTS, "some,human,1,2,3"]),
    ("line 3, scope: this scope of the responder is in line 2 already", [COUNTS, "all,human,1,2,3", "all,human,1,2,3"]),
    ("line 2, bad: \"-1\" is no whole number", [COUNTS, "all,human,-1,2,3"]),
    ("line 2, okay: \"2.0\" is no whole number", [COUNTS, "all,human,1,2.0,3"]),
    ("line 2, good: \"1e3\" is no whole number", [COUNTS, "all,human,1,2,1e3"]),
    ("line 2, good: \"٣\" is no whole number", [COUNTS, "all,human,1,2,٣"]),
    ("line 2, good: is empty", [COUNTS, "all,human,1,2,"]),
    ("line 2, okay: is empty. Fix: fill in both bad and okay", [COUNTS, "all,human,1,,3"]),
    ("line 2, n: no number of ratings", [COUNTS, "all,human,,,3"]),
    ("line 2, n: no number of ratings", ["scope,responder,good,n", "all,human,0,0"]),
    ("line 2, n: is 7, while bad, okay and good add up to 6", [f"{COUNTS},n", "all,human,1,2,3,7"]),
    ("line 2, good: is 4 of 3 ratings", ["scope,responder,good,n", "all,human,4,3"]),
    ("line 3, raters: is 9 here and 8 in line 2", [f"{COUNTS},raters", "all,human,1,2,3,8", "sad,human,1,2,3,9"]),
    (
        "line 2, n: 6 is not the sum 5 of positive and negative",
        [COUNTS, "all,human,1,2,3", "positive,human,1,0,1", "negative,human,0,1,2"],
    ),
    (
        "line 2, okay: 2 is not the sum 1 of positive and negative",
        [COUNTS, "all,human,1,2,3", "positive,human,1,0,1", "negative,human,1,1,2"],
    ),
    ("line 2, n: 6 is less than the sum 7 of positive", [COUNTS, "all,human,1,2,3", "positive,human,1,2,4"]),
    (
        "line 2, good: leaves 3 that are not Good, less than the sum 4 of the positive emotions",
        ["scope,responder,good,n", "positive,human,3,6", "proud,human,0,2", "joyful,human,0,2"],
    ),
    ("line 2, raters: nobody rated", [f"{COUNTS},raters", "all,human,1,2,3,0"]),
    ("line 2, n: is more than 999,999,999 ratings", [COUNTS, "all,human,999999999,999999999,999999999"]),
    ("line 1, header: the cells are separated by semicolons", ["rating_human;item_id", "Good;1"]),
    ("line 2: there is no cell", [COUNTS]),
)  # fmt: skip


@pytest.mark.parametrize(("reason", "lines"), FAULTS, ids=[reason[:60] for reason, _ in FAULTS])
def test_a_fault_is_named_with_line_field_and_fix(reason: str, lines: Sequence[str]) -> None:
    said = refusal(*lines)
    assert said.startswith(f"r.csv, {reason}")
    assert ". Fix: " in said
    assert said.endswith(".")


def test_all_faults_of_a_file_are_named_up_to_twenty() -> None:
    assert refusal(HEADER, "1,human,,Gut", "2,human,,Good", ",human,,Good").count("\n") == 1
    many = refusal(HEADER, *(f"{at},human,,Gut" for at in range(50))).splitlines()
    assert len(many) == 21
    assert many[19].startswith("r.csv, line 21, ")
    assert many[20] == "and 30 further faults"


def test_a_file_that_is_wrong_throughout_is_not_read_to_its_end() -> None:
    said = refusal(HEADER, *(f"{at},human,,Gut" for at in range(5000))).splitlines()
    assert said[-1] == "and 980 or more further faults"


def test_a_refusal_quotes_no_code_of_a_rater() -> None:
    for lines in (["1,human,SECRET,Good", "2,gpt-4,SECRET,Good"], ["1,human,SECRET,Good", "1,human,SECRET,Bad"]):
        assert "SECRET" not in refusal(HEADER, *lines)
    assert "SECRET" not in refusal(HEADER, "1,human,SECRET,Good", per_rater=2)


def test_more_ratings_a_reply_can_be_allowed_but_never_two_of_one_rater() -> None:
    twice = (HEADER, "1,human,p,Good", "1,human,q,Bad")
    assert read(*twice, per_reply=2).rows == 2
    assert "the same rater" in refusal(HEADER, "1,human,p,Good", "1,human,p,Good", per_reply=2)
    assert "line 4, item_id" in refusal(*twice, "1,human,r,Bad", per_reply=2)


def test_a_number_of_items_a_rater_can_be_asked_for() -> None:
    lines = (HEADER, "1,human,p,Good", "2,human,p,Good", "3,human,q,Good")
    assert read(*lines).rows == 3
    assert refusal(*lines, per_rater=2).startswith("r.csv, line 4, rater: has 1 rating in all, not 2.")


def test_what_looks_like_a_formula_is_a_name_like_any_other() -> None:
    assert read(HEADER, "1,=1+1,,Good").responders == ["=1+1"]


def test_more_than_26_responders_are_refused() -> None:
    names = [f"model-{letter}x" for letter in "abcdefghjkmnopqrstuvwxyz23456"]
    lines = [f"{at},{name},,Good" for at, name in enumerate(names)]
    assert read(HEADER, *lines[:26]).rows == 26
    assert refusal(HEADER, *lines[:27]).startswith("r.csv, line 28, responder: is number 27 of the file")


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_a_file_that_is_not_utf8_is_refused_with_its_line(start: bytes) -> None:
    with pytest.raises(StudyFileError, match=r"r\.csv, line 3: is not UTF-8\. Fix: "):
        read_study("r.csv", start + HEADER.encode() + b"\n1,human,,Good\n2,human,,\xff")


def test_a_file_that_is_too_large_is_refused_unread() -> None:
    with pytest.raises(StudyFileError, match="is larger than 20 MB"):
        read_study("r.csv", b"x" * (MAX_BYTES + 1))


def test_a_cell_without_end_is_refused() -> None:
    assert "line 2: is no line of a CSV file" in refusal(HEADER, f"{'x' * 200_000},human,,Good")


def test_counts_become_cells() -> None:
    found = read(
        "scope,responder,good,n,bad,okay,raters,basis",
        "all,human,3,6,1,2,200,counted",
        "all,gpt-4,4,6,,,,recovered",
        "Sad,human,1,1,,,200,",
    )
    assert (found.kind, found.rows, found.n_raters) == ("counts", 3, {"human": 200})
    human, model = found.cells["all"]
    assert (human.levels, human.basis, model.levels, model.basis) == ((1, 2, 3), "counted", None, "recovered")
    assert list(found.cells) == ["all", "sad"]


def written(rows: Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode("utf-8", "surrogatepass")


CELLS = st.one_of(st.sampled_from(["1", "2", "human", "gpt-4", "Good", "bad", "", "all", "sad"]), st.text(max_size=6))
HEADERS = st.sampled_from([study_files.RATING_COLUMNS, (*study_files.COUNT_COLUMNS, "n"), ("a", "value")])


@given(HEADERS, st.lists(st.lists(CELLS, min_size=3, max_size=5), max_size=5))
def test_any_table_is_read_or_refused_in_words(header: Sequence[str], rows: list[list[str]]) -> None:
    try:
        assert read_study("r.csv", written([header, *rows])).rows == sum(bool(row) for row in rows)
    except StudyFileError as error:
        assert "Fix: " in str(error)  # noqa: PT017


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_in_words(content: bytes) -> None:
    with pytest.raises(StudyFileError, match="Fix: "):
        read_study("r.csv", content)


KNOWN = Known({"1": "sad", "2": "joyful"}, ["human", "gpt-4"])


def read_known(*lines: str) -> StudyFile:
    return read_study("r.csv", "\n".join(lines).encode(), coding="1-3", known=KNOWN)


def test_a_file_of_a_stored_study_takes_its_emotions_from_there_and_gives_each_rating() -> None:
    found = read_known(f"{HEADER},seconds,created_at", "1,human,p1,3,12.5,2026-11-28T09:30:00", "2,gpt-4,p2,1,,")
    assert list(found.cells) == ["all", "positive", "negative", "joyful", "sad"]
    first, second = found.ratings
    assert (first.line, first.item, first.responder, first.rater, first.level, first.seconds) == (
        2, "1", "human", "p1", 2, 12.5,
    )  # fmt: skip
    assert first.at is not None
    assert first.at.isoformat() == "2026-11-28T09:30:00+00:00"
    assert (second.level, second.seconds, second.at) == (0, None, None)


@pytest.mark.parametrize(
    ("reason", "lines"),
    [
        ('line 2, item_id: "9" is no item of this study. Fix: ', (HEADER, "9,human,p,3")),
        ('line 3, responder: "gpt-5" is no responder of this study. Fix: ', (HEADER, "1,human,p,3", "1,gpt-5,p,3")),
        ('line 2, emotion: this item has "sad" in the study. Fix: ', (f"{HEADER},emotion", "1,human,p,3,joyful")),
        ('line 2, responder: "gpt-5" is no responder', (COUNTS, "all,gpt-5,1,1,1")),
    ],
)
def test_what_the_study_does_not_have_is_named_with_its_line(reason: str, lines: Sequence[str]) -> None:
    with pytest.raises(StudyFileError) as refused:
        read_known(*lines)
    assert reason in str(refused.value)


WIDE = "conv_id,emotion,situation,rating_human,annotator_human,rating_chatgpt_empathy,annotator_chatgpt_empathy"


def test_the_wide_form_has_a_line_a_prompt_and_skips_texts() -> None:
    found = read_known(WIDE, "1,sad,It rained.,3,p1,1,p9", "2,joyful,It shone.,2,p1,,")
    rated = [(rating.item, rating.responder, rating.rater, rating.level) for rating in found.ratings]
    assert rated == [("1", "human", "p1", 2), ("1", "gpt-4", "p9", 0), ("2", "human", "p1", 1)]
    assert found.skipped == ("situation",)


@pytest.mark.parametrize(
    ("reason", "lines"),
    [
        ("line 3, rating_human: ", (WIDE, "1,sad,x,3,p1,1,p9", "2,joyful,x,4,p1,1,p9")),
        ("line 2, annotator_chatgpt_empathy: has rated", (WIDE, "1,sad,x,3,p1,1,p1")),
        ("line 2, conv_id: ", (WIDE, "7,sad,x,3,p1,1,p9")),
        ("line 1, item_id: is missing from the header", ("prompt,rating_human", "1,3")),
        ("line 1, rating_human: is in the header twice", ("item_id,rating_human,rating_human", "1,3,3")),
    ],
)
def test_a_fault_of_the_wide_form_names_the_columns_that_it_has(reason: str, lines: Sequence[str]) -> None:
    with pytest.raises(StudyFileError) as refused:
        read_known(*lines)
    assert reason in str(refused.value)
