"""Sentences that name a command: it can be pasted as it is printed, wherever and however manage.py was called."""

import ast
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import get_commands, load_command_class

from evaluation.command_line import command_line
from tests.processes import ROOT

PYTHON = Path(sys.executable)
# A command of manage.py, in a sentence, without what calls it.
BARE = re.compile(rf"(?<![\w/.-])manage\.py (?:{'|'.join(get_commands())})\b")


def called(monkeypatch: pytest.MonkeyPatch, folder: Path, first: str) -> str:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", [first, "evaluate"])
    return command_line("migrate", "--plan")


def test_it_begins_with_the_python_and_the_file_that_were_called(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = str(PYTHON.relative_to(ROOT)) if PYTHON.is_relative_to(ROOT) else str(PYTHON)
    assert called(monkeypatch, ROOT, "manage.py") == f"{program} manage.py migrate --plan"
    assert called(monkeypatch, ROOT, "./manage.py") == f"{program} ./manage.py migrate --plan"
    outside = called(monkeypatch, tmp_path, f"{ROOT}/manage.py")
    assert outside == f"{PYTHON} {ROOT}/manage.py migrate --plan"


@pytest.mark.parametrize("first", ["", "/usr/lib/ipykernel_launcher.py", "-c", "celery"])
def test_a_notebook_a_script_and_a_worker_name_the_file_of_the_checkout(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, first: str
) -> None:
    assert called(monkeypatch, tmp_path, first) == f"{PYTHON} {ROOT}/manage.py migrate --plan"
    assert called(monkeypatch, ROOT, first).endswith(" manage.py migrate --plan")


def test_another_program_in_front_of_it_is_named_instead(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.MANAGE_COMMAND = "sudo 'a folder/deploy/manage'"
    assert called(monkeypatch, ROOT, "manage.py") == "sudo 'a folder/deploy/manage' migrate --plan"


def test_words_and_folders_with_blanks_survive_the_shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [f"{folder}/manage.py"])
    assert shlex.split(command_line("backup", "my file.zip")) == [
        sys.executable, f"{folder}/manage.py", "backup", "my file.zip",
    ]  # fmt: skip


def sentences() -> Iterator[tuple[str, str]]:
    """Each text of the product that may be printed, with its place: all but docstrings and migrations."""
    for path in sorted([*ROOT.glob("evaluation/**/*.py"), *ROOT.glob("leaderboard/**/*.py")]):
        if "migrations" not in path.parts:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            documents = set(docstrings(tree))
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", node.value


def docstrings(tree: ast.Module) -> Iterator[int]:
    """Also texts that stand below a constant, which describe it."""
    return (id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr))


# Where a made-up field comes from is no sentence of a terminal.
NO_COMMAND_TO_PASTE = {"manage.py seed_scale"}


def test_no_sentence_of_the_product_names_a_command_by_itself() -> None:
    found = [(place, text) for place, text in sentences() if BARE.search(text) and text not in NO_COMMAND_TO_PASTE]
    assert found == [], "command_line() writes them"


def test_the_walk_over_the_sentences_finds_what_it_looks_for() -> None:
    texts = [text for _, text in sentences()]
    assert len(texts) > 3_000
    assert any(text.startswith("Everything is kept. Go on with") for text in texts)
    for wrong in (
        "Load it first: manage.py load_bank x",
        "by: python manage.py migrate",
        "(manage.py evaluate --run 3)",
    ):
        assert BARE.search(wrong), wrong


def test_pages_name_commands_in_the_form_of_the_readme() -> None:
    """Not by command_line(): a page must not say where the board lies on its machine."""
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("templates/**/*.html"))}
    named = [(path, found) for path, text in pages.items() for found in re.finditer(r"manage\.py\s+\w+", text)]
    assert len(named) >= 3
    for path, found in named:
        line = f".venv/bin/python {found[0]}"
        assert pages[path][: found.end()].endswith(line), f"{path}: {found[0]}"
        assert found[0].split(" ")[-1] in get_commands(), f"{path}: {found[0]}"


def used() -> Iterator[tuple[str, list[str]]]:
    """Each call of command_line in the product, with the words that are constants."""
    for path in sorted([*ROOT.glob("evaluation/**/*.py"), *ROOT.glob("leaderboard/**/*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "command_line":
                yield (
                    str(path.relative_to(ROOT)),
                    [str(word.value) for word in node.args if isinstance(word, ast.Constant)],
                )


def test_every_command_that_is_named_is_one_and_takes_the_options_that_are_named() -> None:
    known, calls = get_commands(), list(used())
    assert len(calls) > 10
    for place, words in calls:
        command = str(words[0]) if words else "evaluate"  # of words that were put together before
        assert command in known, place
        options = {str(word) for word in words if str(word).startswith("--")}
        takes = load_command_class(known[command], command).create_parser("manage.py", command)
        assert options <= {option for action in takes._actions for option in action.option_strings}, place
