"""A pattern that is put off is compiled once, when something is first asked of it, and then is what `re` gives."""

import re

import pytest

from evaluation.late import LatePattern, late


def test_nothing_is_compiled_before_it_is_used_and_then_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []

    def compile_it() -> "re.Pattern[str]":
        compiled.append("x")
        return re.compile("x")

    pattern = LatePattern(compile_it)
    assert compiled == []
    assert pattern.search("axb").span() == (1, 2)
    assert pattern.match("ab") is None
    assert pattern.sub("y", "xx") == "yy"
    assert compiled == ["x"]


def test_it_takes_flags_and_a_pattern_that_is_put_together_late() -> None:
    assert late("NOTE", re.IGNORECASE).fullmatch("note")
    assert late(lambda: "[0-9]" + "+").findall("12 and 3") == ["12", "3"]
    assert late("a|b").pattern == "a|b"


def test_what_a_pattern_does_not_have_is_an_error_as_ever() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        late("a").nonsense  # type: ignore[attr-defined]  # noqa: B018
