"""Words that visitors had to read twice stay out of the pages: each has an ordinary word in its place."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import ROOT

WORDS = {
    r"\banew\b": "again, or re- before the verb",
    r"left open": "possible, unknown, or not significant",
    r"asked alike": "with the same settings",
    r"stands? here\b": "is here, or appears here",
    r"stood at\b": "was, or scored",
    r"made again": "recomputed, or reproduced",
    r"drawn anew": "redrawn, or resampled",
    r"reads? nothing": "ignores the dialogue",
    r"told apart": "tied, or differ",
    r"\bmend": "fix",
    r"holds zero": "includes zero",
    r"no shape": "invisible",
    r"[Oo]ne (?:dot|mark|bar|track|line|answer|request) an? ": "per, or each",
    r"whoever runs": "the operator",
    r"at work on": "running",
}
"""A pattern -> what to write in its place."""

TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
WORDING = sorted(
    path
    for folder in ("wording", "pages", "charts", "submissions", "kinds", "sharing", "study")
    for path in (ROOT / "leaderboard" / folder).rglob("*.py")
)


def shown_by(template: str) -> str:
    """The text of a template without its tags and comments."""
    text = re.sub(r"\{#.*?#\}|\{% comment %\}.*?\{% endcomment %\}", " ", template, flags=re.DOTALL)
    return re.sub(r"<[^>]*>|\{[{%].*?[%}]\}", " ", text)


def sentences(module: str) -> Iterator[str]:
    """The strings of a module that hold several words, without docstrings."""
    tree = ast.parse(module)
    docs = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docs and " " in node.value:
            yield node.value


def found_in(text: str) -> list[str]:
    return [f"{match[0]!r}: write {better}" for word, better in WORDS.items() for match in re.finditer(word, text)]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_uses_ordinary_words(path: Path) -> None:
    assert found_in(" ".join(shown_by(path.read_text(encoding="utf-8")).split())) == []


@pytest.mark.parametrize("path", WORDING, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_sentences_in_code_use_ordinary_words(path: Path) -> None:
    assert [found for text in sentences(path.read_text(encoding="utf-8")) for found in found_in(text)] == []


def test_the_words_are_found() -> None:
    assert found_in("Its score is drawn anew.") == [
        "'anew': write again, or re- before the verb",
        "'drawn anew': write redrawn, or resampled",
    ]
    assert list(sentences('"""left open"""\nx = "left open"')) == ["left open"]
