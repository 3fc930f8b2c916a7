"""Raw text on a page: escaped, with the signs that cannot be seen made visible."""

import sys
import unicodedata
from functools import partial

from leaderboard.visible import marked
from tests.counting import Copied, calls_of


def test_markup_is_escaped_and_line_ends_and_tabs_stay() -> None:
    assert marked("<b>&</b>\n\tx\r\ny") == "&lt;b&gt;&amp;&lt;/b&gt;\n\tx\ny"


def test_every_control_format_and_separator_sign_of_unicode_is_marked() -> None:
    hidden = {
        chr(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and chr(code) not in "\n\t"
    }
    assert [f"U+{ord(sign):04X}" for sign in sorted(hidden) if "<mark" not in marked(sign)] == []


def test_letters_marks_and_emoji_without_joiners_are_left_alone() -> None:
    text = "Wütend é e\u0301 ע ش 感情 😀 ½ ３"
    assert marked(text) == text


def test_a_row_of_signs_is_one_mark_that_counts_the_rest() -> None:
    assert "U+200B and 92 more</mark>" in marked("\u200b" * 100)
    assert marked("\u200b" * 100).count("<mark") == 1


def test_twice_a_text_of_signs_and_letters_takes_at_most_twice_the_work() -> None:
    def work(size: int) -> tuple[int, int]:
        text = Copied.of("a\u200b" * size)
        return calls_of(partial(marked, text)), text.seen[0]

    for once, twice in zip(work(16_384), work(32_768), strict=True):
        assert twice <= 2.05 * once
