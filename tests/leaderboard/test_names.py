"""Names of models and organisations: what may be one, and what looks like another."""

import pytest

from evaluation.importers.spellings import look_alike, skeleton
from leaderboard.submissions.names import checked_model_id, checked_name, odd_letters


@pytest.mark.parametrize("name", ["Qwen/Qwen2.5-7B", "gpt-4o:free", "a", "org/model@v1+x_y", "x" * 120])
def test_an_id_of_the_usual_signs_is_taken_as_it_is(name: str) -> None:
    assert checked_model_id(f"  {name}\n") == name


@pytest.mark.parametrize(
    "name",
    ["", "a b", "Qwen\u200b", "\u202eQwen", "Qwеn", "mo\u2011del", "a\x00b", "=1+1", "<b>", "org/", "...", "x" * 121],
)
def test_an_id_with_any_other_sign_is_refused_with_a_sentence(name: str) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        checked_model_id(name)


def test_a_shown_name_is_composed_and_its_spaces_trimmed() -> None:
    assert checked_name(" Universite\u0301 de Test ") == "Universit\u00e9 de Test"


@pytest.mark.parametrize(
    "name",
    ["safe\u202eevil", "a\u200bb", "a\u00adb", "a\nb", "a\x00b", "\ud800", "\ue000", "\u3164", "\u0301", "x" * 81],
)
def test_a_shown_name_that_hides_something_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        checked_name(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("OpenAI", "ОреnАІ"),  # Cyrillic О р е А І
        ("OpenAI", "openai"),
        ("OpenAI", "0penAl"),
        ("Mistral AI", "Mistral-AI"),
        ("Microsoft", "Micr\u03bfsoft"),  # Greek omicron
        ("Mistral", "Mistra1"),
        ("modern", "rnodem"),
        ("Meta", "Métа"),
        ("Qwen", "\uff31wen"),  # full width
    ],
)
def test_look_alikes_have_one_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)
    assert look_alike(other, [one]) == one


@pytest.mark.parametrize(("one", "other"), [("Qwen2.5-7B", "Qwen2.5-1.5B"), ("Meta", "Beta"), ("yi-34b", "yi-6b")])
def test_different_names_have_different_skeletons(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)
    assert look_alike(other, [one]) is None


def test_a_name_is_no_look_alike_of_itself() -> None:
    assert look_alike("Qwen", ["Qwen"]) is None


@pytest.mark.parametrize(
    "name",
    [
        "ᏀooglE", "ᎪppIe", "Ꭲencent", "ᎪᏢᏢᏞᎬ",  # Cherokee
        "ꓳpenAI", "ꓮnthropic", "ꓟꓲꓢꓔꓣꓮꓡ",  # Lisu
        "ⴖvidia", "Ⲟpenai", "ⲙeta",  # Georgian of churches, Coptic
        "Aɴthropic", "ᴍeta", "ɢoogle", "ꞯwen",  # small capitals
        "𝐎penAI", "𝓜eta", "𝟘penAI", "ℳeta", "ℂohere",  # mathematical letters and digits
        "Ｑwen", "ｍeta", "Mistral１",  # full width
        "Ⓜeta", "🅼eta", "M℮ta", "Meta․AI", "Open⁄AI",  # in circles, signs
        "Օpenai", "оpenai", "Αnthropic", "Mistrаl", "Gооgle",  # Armenian, and mixed Cyrillic, Greek
        "ᖴacebook", "ߊpple", "Ɩbm", "ƽoogle", "ꮯohere", "ꙅun", "ҽlia", "Меta", "AI口opic", "٥penai",
    ],
)  # fmt: skip
def test_a_letter_that_may_be_taken_for_another_is_a_doubt_whatever_it_looks_like(name: str) -> None:
    assert checked_name(name)
    assert odd_letters(name).startswith(("It holds ", "It mixes "))


@pytest.mark.parametrize(
    "name",
    [
        "OpenAI", "Mistral AI", "Université Paris-Saclay", "Łódź", "Ørsted", "Straße & Söhne", "01.AI", "Tiếng Việt",
        "Яндекс", "Сбер AI", "Київ", "Δημόκριτος", "智谱 AI", "百度", "株式会社プリファード",
        "카카오", "NAVER 네이버", "الذكاء", "בינה מלאכותית", "सर्वम", "বাংলা", "தமிழ்", "ไทย",
        "Meta “Research” – Lab", "İTÜ",
    ],
)  # fmt: skip
def test_names_as_people_write_them_are_no_doubt(name: str) -> None:
    assert odd_letters(name) == ""
