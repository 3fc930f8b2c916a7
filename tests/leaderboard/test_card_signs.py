"""No card shows a box: what the font lacks is written another way, or the model's slug stands in for its name."""

import pytest

pytest.importorskip("PIL")

from leaderboard.drawings.card_signs import in_signs_of
from leaderboard.drawings.card_words import Card, Track
from leaderboard.drawings.cards import covered, has

NAMES = (
    "gpt-4-0314", "Ünïcodé-7B", "Tiếng Việt 7B", "Ждун-7Б", "Ωμέγα", "नमस्ते", "通义千问-7B", "文心一言", "ひらがな",
    "トーキョー", "한국어 모델", "שלום", "مرحبا", "🤖", "🤖 Robo 7B", "👩\u200d💻 Coder", "𝗕𝗼𝗹𝗱", "ＦＵＬＬ", "≈ model",
    "→ ★ ✓", "a\ufe0f", "\u0301\u0301",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_no_sign_of_a_card_is_drawn_as_a_box(name: str) -> None:
    track = Track(0.5, labels=(f"8 for {name}", "≈ 0", name))
    card = Card(f"{name} is ahead of gpt-4", name, ((f"≈{name}", name),), track, f"≈ {name}", ((name, "a-slug"),))
    found = covered(card)
    assert found.track is not None
    texts = (found.title, found.subject, *found.figures[0], found.foot, *found.track.labels)
    assert [sign for sign in "".join(texts) if not has(sign)] == []
    assert all(any(map(str.isalnum, text)) for text in texts)
    assert "…" not in found.title


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("Ждун-7Б", "Ждун-7Б"),
        ("🤖 Robo 7B", "Robo 7B"),
        ("한국어", "hangugeo"),
        ("トーキョー", "tokiyo"),
        ("ＦＵＬＬ", "FULL"),
        ("通义千问-7B", "qwen-7b"),
        ("🤖", "qwen-7b"),
        ("a…b", "a…b"),
    ],
)
def test_a_name_is_written_in_other_letters_or_gives_way_to_its_slug(name: str, written: str) -> None:
    assert in_signs_of(has, f"{name} leads", [(name, "qwen-7b")]) == f"{written} leads"


def test_about_is_a_word_and_an_unknown_letter_of_other_texts_is_omitted() -> None:
    assert in_signs_of(has, "≈ 3.1, ≈1–28") == "about 3.1, about 1–28"
    assert in_signs_of(has, "阿里巴巴 · EQ-Bench v2") == "… · EQ-Bench v2"


def test_a_letter_that_the_font_has_is_no_box() -> None:
    assert all(map(has, "aÄжΩ±−…· "))
    assert not any(map(has, "中≈🤖"))
