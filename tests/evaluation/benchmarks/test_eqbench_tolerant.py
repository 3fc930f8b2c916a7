"""The tolerant reading: the usual shapes are read, nothing is guessed, and each refusal says why."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.benchmarks.base import Reply
from evaluation.benchmarks.eqbench_mentions import without_invisible
from tests.evaluation.benchmarks.standard import DRAFT, GERMAN, GERMAN_ITEM, OK, first, four, points, read, unhurried

VALUES = (3.0, 6.0, 0.0, 8.0)
SHAPES = {
    "lower case": four("{name}: {value}").lower(),
    "upper case": four("{name}: {value}").upper(),
    "no space": four("{name}:{value}"),
    "space before the colon": four("{name} : {value}"),
    "full-width colon": four("{name}：{value}"),
    "equals sign": four("{name} = {value}"),
    "hyphen": four("{name} - {value}"),
    "hyphen without spaces": four("{name}-{value}"),
    "en dash": four("{name} – {value}"),
    "em dash": four("{name} — {value}"),
    "em dash without spaces": four("{name}—{value}"),
    "bold name": four("**{name}**: {value}"),
    "bold name and colon": four("**{name}:** {value}"),
    "bold both": four("**{name}**: **{value}**"),
    "underscores": four("_{name}_: _{value}_"),
    "double underscores": four("__{name}__: {value}"),
    "code marks": four("`{name}`: `{value}`"),
    "escaped marks": four(r"\*\*{name}\*\*: {value}"),
    "star bullets": four("* {name}={value}"),
    "round bullets": four("• {name}: {value}").replace(": ", ":"),
    "numbered": four("1) {name}={value}"),
    "double quotes": four('"{name}" = {value}'),
    "single quotes": four("'{name}': '{value}'"),
    "curly quotes": four("“{name}”: {value}"),
    "number in brackets": four("{name}: ({value})"),
    "number in square brackets": four("{name}: [{value}]"),
    "number in angle brackets": four("{name}: <{value}>"),
    "number in brackets alone": four("{name} ({value})"),
    "number in brackets with words behind": four("**{name} ({value})**: x marks it"),
    "ratio in brackets alone": four("{name} ({value}/10)"),
    "note before the colon": four("{name} (0-10): {value}"),
    "over ten": four("{name} = {value}/10"),
    "over ten with spaces": four("{name} = {value} / 10"),
    "out of ten": four("{name} = {value} out of 10"),
    "bold over ten": four("{name}: **{value}**/10"),
    "decimals": four("{name} = {value}.0"),
    "comma decimals": four("{name} = {value},0"),
    "full-width digits": four("{name} = {value}", values=("３", "６", "０", "８")),
    "Arabic digits": four("{name} = {value}", values=("٣", "٦", "٠", "٨")),
    "table": four("| {name} | {value} |"),
    "tight table": four("|{name}|{value}|"),
    "padded table": four("| **{name}**      |       {value} |"),
    "numbered table": four("| 1 | {name} | {value} | because |"),
    "JSON": "{" + four('"{name}": {value}', joint=", ") + "}",
    "JSON with texts": "{" + four('"{name}":"{value}"', joint=",") + "}",
    "JSON on lines": "```json\n{\n" + four('  "{name}": {value}', joint=",\n") + "\n}\n```",
    "JSON nested": "{" + four('"{name}": {{"score": {value}}}', joint=", ") + "}",
    "JSON list": "[" + four('{{"emotion": "{name}", "score": {value}}}', joint=", ") + "]",
    "one line": four("{name}={value}", joint=", "),
    "one line with dashes": four("{name} - {value}", joint=" - "),
    "glued": four("{name}={value}", joint=""),
    "number on the next line": four("**{name}:**\n{value}"),
    "zero-width space": four("{name}: {value}").replace("Ang", "Ang\u200b"),
    "soft hyphen": four("{name}: {value}").replace("Hope", "Hope\u00ad"),
    "byte order mark": "\ufeff" + four("{name}={value}"),
    "invisible sign in a number": four("{name}:\u2060{value}"),
    "five pairs": f"{OK}\nPride: 4",
    "other words": f"Here you go: 4 scores.\n{OK}",
}


@pytest.mark.parametrize("reply", SHAPES.values(), ids=SHAPES)
def test_the_usual_shapes_are_read(reply: str) -> None:
    answer = first(reply)
    assert (answer.values, answer.reading, answer.reason, answer.flags) == (VALUES, "tolerant", "", ())


@pytest.mark.parametrize("written", ["3.5", "3,5", "3.50", "3.5/10"])
def test_decimals_are_taken_whole(written: str) -> None:
    assert first(four("{name} = {value}", values=(written, 6, 0, 8))).values == (3.5, 6.0, 0.0, 8.0)


def test_a_decimal_may_begin_with_its_point() -> None:
    assert first(four("{name} = {value}", values=(".5", 6, 0, 8))).values == (0.5, 6.0, 0.0, 8.0)


REFUSED = {
    "range": ("2-4", "Angry missing (saw 2-4)"),
    "range with en dash": ("2 – 4", "Angry missing (saw 2 – 4)"),
    "range in words": ("2 to 4", "Angry missing (saw 2 to 4)"),
    "alternative": ("2 or 4", "Angry missing (saw 2 or 4)"),
    "range of ratios": ("2/10-4/10", "Angry missing (saw 2/10-4/)"),
    "per cent": ("30%", "Angry missing (saw 30%)"),
    "per cent with space": ("30 %", "Angry missing (saw 30 %)"),
    "per cent in words": ("30 percent", "Angry missing (saw 30 perce)"),
    "negative": ("-3", "Angry missing (saw -3)"),
    "true minus": ("−3", "Angry missing (saw −3)"),
    "out of five": ("3/5", "Angry missing (saw 3/5)"),
    "out of a hundred": ("30 out of 100", "Angry missing (saw 30 out o)"),
    "thousands": ("1,000", "Angry missing (saw 1,000)"),
    "version": ("3.4.5", "Angry missing (saw 3.4.5)"),
    "exponent": ("9.2e+124", "Angry missing (saw 9.2e+124)"),
    "fraction": ("3½", "Angry missing (saw 3½)"),
    "word": ("three", "Angry missing"),
    "nothing": ("", "Angry missing"),
    "too large": ("101", "out of range"),
    "a little too large": ("100.5", "out of range"),
    "too many digits": ("0003", "out of range"),
    "very many digits": ("9" * 5000, "out of range"),
}


@pytest.mark.parametrize(("written", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_rating_is_refused_with_the_reason(written: str, reason: str) -> None:
    answer = first(four("{name} = {value}", values=(written, 6, 0, 8)))
    assert (answer.values, answer.reading, answer.reason) == (None, "none", reason)


def test_a_dash_with_a_space_before_and_a_digit_behind_is_a_sign() -> None:
    assert first(four("{name} -{value}")).reason == "Angry missing (saw -3)"


WHY = {
    "nothing": ("I cannot say.", "no scores found"),
    "only odd names": ("Mood: 3\nTone: 4", "no scores found (saw Mood, Tone)"),
    "two names missing": ("Angry = 3\nHopeful = 6", "Relieved, Ashamed missing"),
    "format": (four("{name} = <score>"), "placeholder"),
    "format in square brackets": (four("{name}: [your score]"), "placeholder"),
    "format with the scale": (four("{name}: <0-10>"), "placeholder"),
    "format with letters": (four("{name}: X"), "placeholder"),
    "half a format": ("Angry = 3\nHopeful = 6\nRelieved = <score>\nAshamed = 8", "placeholder"),
    "zeros": (four("{name} = {value}", values=(0, 0, "0.0", 0)), "all zero"),
    "shares": (four("{name} = {value}", values=("0.3", "0.6", 0, 1)), "looks like another scale"),
    "a name twice": ("Angry = 3\nHopeful = 6\nAngry = 4\nRelieved = 0\nAngry = 3\nAshamed = 8", "Hopeful missing"),
}


@pytest.mark.parametrize(("reply", "reason"), WHY.values(), ids=WHY)
def test_an_unread_reply_says_what_is_missing(reply: str, reason: str) -> None:
    assert first(reply).reason == reason


def test_ones_and_zeros_without_a_decimal_are_ratings() -> None:
    assert first(four("{name} = {value}", values=(1, 1, 0, 0))).values == (1.0, 1.0, 0.0, 0.0)


def test_a_rating_above_ten_is_flagged() -> None:
    assert first(four("{name} = {value}", values=(3, 6, 0, 80))).flags == ("above 10",)


def test_the_last_complete_block_wins() -> None:
    blocks = f"{DRAFT}\nOn reflection:\n{OK}".replace(":", " =")
    assert points(blocks) == 10.0
    assert points(f"{blocks}\nStill, Angry = 9 would be fair.") == 10.0


def test_a_name_corrected_inside_its_block_takes_the_later_number() -> None:
    assert first("Angry = 9\nHopeful = 6\nAngry = 3\nRelieved = 0\nAshamed = 8").values == VALUES


def test_a_name_inside_a_longer_word_is_not_taken() -> None:
    assert first(four("Un{name} = {value}")).reason == "no scores found"
    assert first(four("{name}ness = {value}")).reason == "no scores found"


def test_decomposed_umlauts_are_read() -> None:
    reply = unicodedata.normalize("NFD", four("{name}: {value}", item=GERMAN_ITEM))
    answer = first(reply, item=GERMAN_ITEM, by=GERMAN)
    assert (answer.values, answer.reading) == (VALUES, "tolerant")


@pytest.mark.parametrize("shape", ["{name} = {value} von 10", "{NAME} - {value}", "„{name}“: {value}"])
def test_german_shapes_are_read(shape: str) -> None:
    named = shape.replace("{NAME}", "{name}")
    reply = four(named, item=GERMAN_ITEM)
    reply = reply.upper() if named != shape else reply
    assert first(f"Also: 1, 2.\n{reply}", item=GERMAN_ITEM, by=GERMAN).values == VALUES


def test_german_per_cent_and_ranges_are_refused() -> None:
    for written in ("30 Prozent", "2 bis 4"):
        reply = four("{name} = {value}", values=(written, 6, 0, 8), item=GERMAN_ITEM)
        assert first(reply, item=GERMAN_ITEM, by=GERMAN).reason.startswith("Wütend missing (saw ")


def test_german_odd_names_are_shown_without_the_words_before_them() -> None:
    reply = four("{name}: {value}", item=GERMAN_ITEM).replace("Beschämt", "Scham")
    answer = first(f"Meine Antwort\n\n{reply}", item=GERMAN_ITEM, by=GERMAN)
    assert answer.reason == "Beschämt missing (saw Scham)"


def test_passes_are_parted_at_the_heading_of_the_revision() -> None:
    worse = four("{name} = {value}", values=(3, 6, 0, 9))
    better = four("{name} = {value}")
    answers = read(f"**First pass scores**\n{worse}\n\n**REVISED SCORES**\n{better}", revision=True).answers
    assert [(answer.reading, answer.values) for answer in answers] == [
        ("tolerant", (3.0, 6.0, 0.0, 9.0)),
        ("tolerant", VALUES),
    ]


def test_a_first_pass_is_never_passed_off_as_a_revised_one() -> None:
    answers = read(f"First pass scores:\n{OK}\n\nCritique: it is fine.", revision=True).answers
    assert (answers[0].reading, answers[0].values) == ("tolerant", VALUES)
    assert (answers[1].reading, answers[1].values, answers[1].reason) == ("none", None, "no scores found")


def test_every_format_character_of_unicode_is_dropped() -> None:
    characters = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == "Cf"]
    assert len(characters) > 100
    assert [sign for sign in characters if without_invisible(f"a{sign}b") != "ab"] == []


CAUSES = {
    "tool call": (Reply("", tool_call=True), "tool call"),
    "tool call beside text": (Reply("Let me look that up.", tool_call=True), "tool call"),
    "empty": (Reply(""), "no scores found"),
    "blank": (Reply(" \n\t"), "no scores found"),
    "empty and cut": (Reply("", finish_reason="length"), "cut off"),
    "reasoning only": (Reply("", reasoning=OK, finish_reason="stop"), "no answer after thinking"),
    "reasoning only and cut": (Reply("", reasoning=OK, finish_reason="length"), "cut off in thinking"),
    "thinking closed and cut": (Reply("<think>hm</think>", finish_reason="length"), "no answer after thinking"),
    "answer before thinking without end": (Reply(f"{OK}<think>hm"), "cut off in thinking"),
    "cut in the answer": (Reply("Angry: 3\nHope", finish_reason="length"), "cut off"),
    "cut in the format": (Reply("Angry: <score>\nHope", finish_reason="length"), "placeholder"),
    "four zeros and cut": (Reply(four("{name}: 0"), finish_reason="length"), "all zero"),
    "ranges and cut": (Reply(four("{name} = 1-2"), finish_reason="length"), "Angry missing (saw 1-2)"),
    "error text": (Reply(f"  [ERROR] upstream\n{OK}"), "endpoint fault"),
}


@pytest.mark.parametrize(("reply", "reason"), CAUSES.values(), ids=CAUSES)
def test_what_the_endpoint_says_of_a_reply_explains_why_it_is_unread(reply: Reply, reason: str) -> None:
    assert first(reply).reason == reason
    both = read(reply, revision=True)
    assert both.answers[1].values is None
    assert not both.complete


def test_a_read_reply_does_not_mind_how_it_ended() -> None:
    for reply in (Reply(OK, finish_reason="length"), Reply(OK, tool_call=True), Reply(OK, reasoning=DRAFT)):
        assert points(reply) == 10.0


@unhurried
@given(
    st.permutations(["Angry", "Hopeful", "Relieved", "Ashamed"]), st.sampled_from(["{} = {}", "**{}:** {}", "|{}|{}|"])
)
def test_the_order_of_the_names_never_matters(names: list[str], shape: str) -> None:
    wanted = dict(zip(("Angry", "Hopeful", "Relieved", "Ashamed"), (3, 6, 0, 8), strict=True))
    assert first("\n".join(shape.format(name, wanted[name]) for name in names)).values == VALUES


@unhurried
@given(
    st.text()
    | st.lists(
        st.sampled_from(
            [
                "Angry",
                "hopeful",
                "Relieved",
                "ASHAMED",
                " ",
                ":",
                "=",
                "-",
                "3",
                ".",
                ",",
                "%",
                "/",
                "10",
                "(",
                ")",
                "<",
                "|",
                "\n",
                "\ud800",
                "\x00",
                "½",
                "٣",
                '"',
                "{",
                "to",
                "e+9",
            ]
        )
    ).map("".join),
    st.booleans(),
    st.sampled_from(["", "length"]),
)
def test_no_text_raises_and_every_reason_can_be_stored(text: str, revision: bool, finish_reason: str) -> None:
    for item, by in ((None, None), (GERMAN_ITEM, GERMAN)):
        reply = Reply(text, finish_reason=finish_reason)
        reading = (
            read(reply, revision=revision)
            if item is None
            else read(reply, revision=revision, item=item, by=by or GERMAN)
        )
        for answer in reading.answers:
            assert (answer.values is None) == (answer.reading == "none") == bool(answer.reason)
            assert all(value is not None and 0 <= value <= 100 for value in answer.values or ())
            assert answer.reason.isprintable()
            assert len(answer.reason) <= 120
