"""The cases P01 to P47, drawn from public bug reports, as far as reading, scoring and summarising can show them."""

import pytest

from evaluation.benchmarks import BENCHMARKS, check_bank
from evaluation.benchmarks.base import BankError, Item, ItemScore, Options, ReadingName, Reply, Summary
from tests.evaluation.benchmarks.standard import (
    DRAFT,
    DRAFT_POINTS,
    GERMAN,
    GERMAN_ITEM,
    GERMAN_OK,
    ITEM,
    OK,
    V2,
    first,
    four,
    points,
    read,
    strict_points,
)

UNREADABLE = "I'd rather not."


def summary_of(replies: list[Reply], *, n_items: int = 171) -> Summary:
    """A run of one repeat in which each reply answers an item of its own."""
    scores = []
    for number, reply in enumerate(replies, 1):
        item = Item(str(number), ITEM.prompt, ITEM.labels, ITEM.reference)
        answer = first(reply, item=item)
        scores.append(ItemScore(item.id, 1, answer.part, answer.reading, (V2.score(item, answer),)))
    return V2.summarise(scores, n_items=n_items, repeats=1)


def assert_unread(reply: str | Reply, reason: str) -> None:
    answer = first(reply)
    assert (answer.values, answer.reading, answer.reason) == (None, "none", reason)
    assert not read(reply).complete


def assert_read(reply: str | Reply, expected: float, reading: ReadingName, flags: tuple[str, ...] = ()) -> None:
    answer = first(reply)
    assert (points(reply), answer.reading, answer.flags) == (expected, reading, flags)
    assert read(reply).complete


def test_p01_an_unreadable_reply_leaves_the_other_170_items_intact() -> None:
    assert_unread(UNREADABLE, "no scores found")
    summary = summary_of([Reply(OK)] * 56 + [Reply(UNREADABLE)] + [Reply(OK)] * 114)
    assert (summary.score, summary.n_scored) == (100.0, 170)


def test_p02_a_revision_cut_off_keeps_the_first_pass_and_is_asked_again() -> None:
    reading = read(Reply(f"First pass scores:\n{OK}\n\nRevised scores:\n", finish_reason="length"), revision=True)
    first_pass, revised = reading.answers
    assert (first_pass.part, first_pass.reading, V2.score(ITEM, first_pass)) == ("first_pass", "official", 10.0)
    assert (revised.part, revised.values, revised.reason) == ("revised", None, "cut off")
    assert not reading.complete


def test_p03_a_system_prompt_is_sent_ahead_of_the_same_question() -> None:
    plain = V2.messages(ITEM, Options())
    with_system = V2.messages(ITEM, Options(system_prompt="Be brief."))
    assert [message.role for message in plain] == ["user"]
    assert [(message.role, message.content) for message in with_system] == [
        ("system", "Be brief."),
        ("user", plain[0].content),
    ]


def test_p04_repeats_of_60_70_and_80_give_70_and_never_the_best() -> None:
    scores = [ItemScore(str(i), r, "first_pass", "official", (r + 5.0,)) for r in (1, 2, 3) for i in range(10)]
    summary = V2.summarise(scores, n_items=10, repeats=3)
    assert summary.score == pytest.approx(70.0)
    assert summary.repeat_scores == pytest.approx((60.0, 70.0, 80.0))


def test_p05_a_draft_in_a_closed_thinking_block_is_taken_off_and_kept_apart() -> None:
    reply = f"<think>{DRAFT}</think>\n{OK}"
    assert_read(reply, 10.0, "official", ("thinking",))
    assert read(reply).thinking == DRAFT


def test_p06_an_answer_inside_the_thinking_block_alone_is_no_answer() -> None:
    assert_unread(f"<think>{OK}</think>", "no answer after thinking")


def test_p07_thinking_that_used_up_the_tokens_is_named_and_not_scored() -> None:
    assert_unread(Reply("", reasoning=OK, finish_reason="length"), "cut off in thinking")


def test_p08_a_german_comma_decimal_is_unread_by_the_strict_reading_and_whole_in_the_standard_one() -> None:
    answer = first(GERMAN_OK.replace("Wütend: 3", "Wütend: 3,5"), item=GERMAN_ITEM, by=GERMAN)
    assert (answer.reading, answer.values) == ("tolerant", (3.5, 6.0, 0.0, 8.0))


@pytest.mark.parametrize(
    ("reply", "reason"), [(four("{name}: <score>"), "placeholder"), (four("{name}: 0"), "all zero")]
)
def test_p09_placeholders_and_four_zeros_are_no_answer(reply: str, reason: str) -> None:
    assert_unread(reply, reason)


def test_p10_an_error_text_is_an_endpoint_fault_and_is_never_read() -> None:
    assert_unread(f"[ERROR] 429: {OK}", "endpoint fault")


def test_p10_a_rating_of_80_is_scored_unclipped_and_flagged() -> None:
    assert_read(OK.replace("8", "80"), -43.83, "official", ("above 10",))


def test_p11_lower_case_names_are_scored_on_their_own_differences() -> None:
    assert_read(DRAFT.lower(), DRAFT_POINTS, "tolerant")


def test_p13_a_repeated_format_before_an_unpaired_closing_tag_is_thinking() -> None:
    assert_read(f"Format: {four('{name}: <0-10>')}\nLet me see.</think>\n{OK}", 10.0, "official", ("thinking",))


def test_p14_bold_names_and_numbers_are_read_by_the_tolerant_reading() -> None:
    assert_read(four("**{name}**: **{value}**"), 10.0, "tolerant")


def test_p15_the_mean_is_over_the_151_read_items_and_the_share_stands_beside_it() -> None:
    summary = summary_of([Reply(OK)] * 151 + [Reply(UNREADABLE)] * 20)
    assert (summary.score, summary.n_scored) == (100.0, 151)
    assert round(100 * summary.parse_share, 1) == 88.3


def test_p16_signs_stuck_to_a_number_do_not_hide_it() -> None:
    assert_read("Angry: 3.\nHopeful: 6,\nRelieved: 0;\nAshamed: 8!", 10.0, "official")
    assert_read(four("{name}: ({value})"), 10.0, "tolerant")


@pytest.mark.parametrize("reply", ["", "Sure, here are my scores.", four("{name} feels {value}")])
def test_p17_p27_a_run_of_unreadable_replies_has_no_score_and_says_why(reply: str) -> None:
    summary = summary_of([Reply(reply)] * 171)
    assert (summary.score, summary.strict_score, summary.standard_error) == (None, None, None)
    assert (summary.parse_share, summary.n_scored) == (0.0, 0)
    assert summary.reason == "not enough readable items: 0 of 171 read, at least 143 needed"


def test_p18_blank_lines_behind_numbers_do_not_matter_and_a_cut_decimal_is_flagged() -> None:
    assert_read("Angry: 3\n\n\nHopeful: 6\n\n\nRelieved: 0\n\n\nAshamed: 8.0", 10.0, "official", ("decimal cut",))


def test_p19_out_of_ten_is_not_read_as_ten() -> None:
    assert_read(four("{name}: {value} out of 10"), 10.0, "official")
    assert_read(four("{name} - {value} out of 10"), 10.0, "tolerant")


def test_p20_a_rating_of_the_reply_itself_does_not_win() -> None:
    assert_read(f"{OK}\nOverall I'd call this reply 7/10.", 10.0, "official")


def test_p21_bold_lines_are_read() -> None:
    assert_read(four("**{name}: {value}**"), 10.0, "official")


def test_p22_numbers_of_the_prose_are_never_taken() -> None:
    prose = "Of the 4 feelings, 2 dominate."
    assert_read(f"{prose}\n{four('{name} = {value}')}", 10.0, "tolerant")
    assert_unread(prose, "no scores found")


def test_p23_a_rating_of_85_is_scored_and_flagged() -> None:
    assert_read(OK.replace("8", "85"), -47.57, "official", ("above 10",))


def test_p24_a_huge_number_is_no_answer_and_the_mean_stays_finite() -> None:
    huge = OK.replace("3", "9" * 22)
    assert_unread(huge, "out of range")
    summary = summary_of([Reply(OK)] * 170 + [Reply(huge)])
    assert summary.score == 100.0


def test_p25_shares_of_one_are_another_scale_and_are_not_multiplied() -> None:
    assert_unread(four("{name}: {value}", values=(0.3, 0.6, 0, 0.8)), "looks like another scale")


@pytest.mark.parametrize("sign", [",", ".", ", .", ".,"])
def test_p26_a_sign_without_digits_is_no_number(sign: str) -> None:
    assert_unread(four("{name}: {value}", values=(sign,) * 4), "no scores found")
    assert_unread(OK.replace("3", sign), "Angry missing")


def test_p28_a_denied_rating_before_the_answer_is_not_taken() -> None:
    assert_read(f"Not angry: 9 would be too much.\n{OK}", 10.0, "tolerant")


def test_p29_bold_labels_in_a_list_are_read_by_the_tolerant_reading() -> None:
    assert_read(four("- **{name}:** {value}"), 10.0, "tolerant")


def test_p30_decimals_of_zero_are_read_and_flagged() -> None:
    assert_read(four("{name}: {value}.0"), 10.0, "official", ("decimal cut",))


@pytest.mark.parametrize("name", sorted(BENCHMARKS))
def test_p31_a_benchmark_takes_its_own_bank_and_refuses_all_others(name: str) -> None:
    benchmark = BENCHMARKS[name]
    check_bank(benchmark, benchmark.bank)
    for other in {scorer.bank for scorer in BENCHMARKS.values()} - {benchmark.bank}:
        with pytest.raises(BankError, match=f"{name} scores banks of {benchmark.bank}, this one is of {other}"):
            check_bank(benchmark, other)


def test_p32_three_names_are_no_answer_and_the_fourth_is_named() -> None:
    assert_unread("Angry: 3\nHopeful: 6\nAshamed: 8", "Relieved missing")


def test_p33_a_fraction_sign_is_no_number() -> None:
    assert_unread(OK.replace("3", "½"), "Angry missing")


@pytest.mark.parametrize("digit", ["３", "٣"])
def test_p33_digits_of_other_scripts_are_read(digit: str) -> None:
    assert_read(OK.replace("3", digit), 10.0, "official")


def test_p34_a_thinking_block_without_end_is_no_answer() -> None:
    assert_unread(f"<think>{OK}", "cut off in thinking")


def test_p35_thinking_before_and_after_the_answer_is_taken_off() -> None:
    ones = four("{name}: 1")
    assert_read(f"<think>{DRAFT}</think>\n{OK}\n<think>{ones}</think>", 10.0, "official", ("thinking",))


def test_p36_glued_lines_are_read() -> None:
    assert_read(OK.replace("\n", ""), 10.0, "official")


def test_p37_a_draft_behind_the_answer_overwrites_it_as_in_the_official_reading() -> None:
    assert_read(f"{OK}\nMy first idea was\n{DRAFT}", DRAFT_POINTS, "official")


def test_p38_the_first_number_of_a_range_is_read_and_flagged() -> None:
    assert_read(four("{name}: {value}", values=("2-4", "5-7", 0, "7-9")), 9.61, "official", ("range",))


def test_p38_the_tolerant_reading_refuses_ranges() -> None:
    assert_unread(four("{name} - {value}", values=("2-4", "5-7", 0, "7-9")), "Angry missing (saw 2-4)")


def test_p39_a_negative_number_is_refused_and_a_dash_is_a_separator() -> None:
    assert_unread(OK.replace("Angry: 3", "Angry: -3"), "Angry missing (saw -3)")
    assert_read(OK.replace("Angry: 3", "Angry - 3"), 10.0, "tolerant")
    assert_read(OK.replace("Angry: 3", "Angry: 13"), 2.52, "official", ("above 10",))


@pytest.mark.parametrize("name", ["Ashmed", "Shame", "Beschämt"])
def test_p40_a_wrong_name_is_shown_and_not_guessed(name: str) -> None:
    assert_unread(OK.replace("Ashamed", name), f"Ashamed missing (saw {name})")


@pytest.mark.parametrize("line", ["Confidence: 9", "Total: 17"])
def test_p41_a_fifth_line_voids_the_strict_reading_alone(line: str) -> None:
    assert_read(f"{OK}\n{line}", 10.0, "tolerant")
    assert strict_points(f"{OK}\n{line}") is None


def test_p42_per_cent_is_read_as_it_stands_and_flagged() -> None:
    reply = four("{name}: {value}%", values=(30, 60, 0, 80))
    assert_read(reply, -104.40, "official", ("per cent", "above 10"))


def test_p42_the_tolerant_reading_refuses_per_cent() -> None:
    assert_unread(four("{name} - {value}%", values=(30, 60, 0, 80)), "Angry missing (saw 30%)")


@pytest.mark.parametrize("line", ["An\u200bgry: 3", "Ang\u00adry: 3", "Angry： 3"])
def test_p43_invisible_signs_and_a_full_width_colon_are_seen_through(line: str) -> None:
    assert_read(OK.replace("Angry: 3", line), 10.0, "tolerant")


def test_p44_the_order_of_the_names_does_not_matter() -> None:
    assert_read("Ashamed: 8\nAngry: 3\nRelieved: 0\nHopeful: 6", 10.0, "official")


@pytest.mark.parametrize(
    ("reply", "flags"), [(OK, ()), (f"so: </think>{OK}", ("thinking",))], ids=["plain", "opening tag swallowed"]
)
def test_p46_an_answer_without_an_opening_tag_is_not_unfinished_thinking(reply: str, flags: tuple[str, ...]) -> None:
    assert_read(reply, 10.0, "official", flags)


@pytest.mark.parametrize(("cut", "score"), [(40, None), (20, 100.0)])
def test_p47_replies_cut_off_by_the_token_limit_are_named_and_counted(cut: int, score: float | None) -> None:
    cut_reply = Reply("Let me think about each of them.", finish_reason="length")
    assert_unread(cut_reply, "cut off")
    summary = summary_of([Reply(OK)] * (171 - cut) + [cut_reply] * cut)
    assert (summary.score, summary.n_scored) == (score, 171 - cut)
    assert bool(summary.reason) == (score is None)
