"""Commands on terminals of any encoding, and with arguments of any bytes: each ends as it should, in words."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.demo.server import make_app
from evaluation.models import LanguageModel, Run
from leaderboard.starting.terminal import in_ascii
from tests.factories import make_bank, official_run
from tests.fakes import serve
from tests.processes import ROOT, environment

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.processes]
WITHOUT_UTF8 = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C", "LANG": "C"}
TERMINALS = {
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "latin": {"PYTHONIOENCODING": "latin-1"},
    "LANG=C": {"LANG": "C", "LC_ALL": "C"},
    "C without UTF-8 mode": WITHOUT_UTF8,
}
each_terminal = pytest.mark.parametrize("changes", TERMINALS.values(), ids=TERMINALS.keys())


def manage(*words: str | bytes, **changes: str) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(
        command, cwd=ROOT, env=environment("", **changes), capture_output=True, check=False, timeout=120
    )


@each_terminal
def test_an_evaluation_is_finished_and_told(changes: dict[str, str]) -> None:
    make_bank(6, slug="eq-bench-v2")
    with serve(make_app(persona="random")) as address:
        done = manage("evaluate", "--model", "maker/demo", "--base-url", address, **changes)
    assert done.returncode == 0, done.stderr
    assert Run.objects.get().status == "finished"
    assert b"Traceback" not in done.stderr
    assert b"score" in done.stdout


def test_marks_that_ascii_lacks_are_written_by_others() -> None:
    make_bank(6, slug="eq-bench-v2")
    with serve(make_app(persona="random")) as address:
        done = manage("evaluate", "--model", "maker/demo", "--base-url", address, PYTHONIOENCODING="ascii")
    assert (done.stdout + done.stderr).isascii()
    assert b"####" in done.stderr
    assert b"\\u" not in done.stdout + done.stderr
    assert b"+/-" in done.stdout


@pytest.mark.parametrize("words", [["import_results"], ["load_bank", "caf\u00e9"], ["evaluate", "--help"]])
def test_what_the_terminal_lacks_is_written_by_other_commands(tmp_path: Path, words: list[str]) -> None:
    make_bank(6, slug="eq-bench-v2")
    path = tmp_path / "\u6a21\u578b.json"
    path.write_text(json.dumps({**official_run(), "model_path": "caf\u00e9/\U0001f600"}), encoding="utf-8")
    done = manage(*words, *([str(path)] if words == ["import_results"] else []), PYTHONIOENCODING="ascii")
    assert b"Traceback" not in done.stderr
    assert (done.stdout + done.stderr).isascii()
    if words == ["import_results"]:
        assert b"\\u6a21\\u578b.json: imported as run" in done.stdout
        assert b"of caf\\xe9/\\U0001f600" in done.stdout


@pytest.mark.parametrize(
    ("name", "changes"),
    [(b"maker/\xff", {}), (b"\xe9t\xe9", TERMINALS["ascii"]), (b"maker/a\xc3", WITHOUT_UTF8)],
)
def test_a_name_of_bytes_that_are_no_utf8_is_refused_in_words(name: bytes, changes: dict[str, str]) -> None:
    done = manage("evaluate", b"--model", name, "--base-url", "http://127.0.0.1:9/v1", **changes)
    assert done.returncode == 2
    assert b"Argument 3 holds bytes that are no UTF-8 text: " in done.stderr
    assert b"\\x" in done.stderr
    assert b"Traceback" not in done.stderr
    assert not LanguageModel.objects.exists()


@pytest.mark.parametrize("changes", [TERMINALS["LANG=C"], WITHOUT_UTF8])
def test_a_name_in_utf8_is_taken_whatever_the_locale(changes: dict[str, str]) -> None:
    make_bank(3, slug="eq-bench-v2")
    with serve(make_app(persona="random")) as address:
        words = ("evaluate", b"--model", "caf\u00e9/\u6a21".encode(), "--api-model", "demo", "--base-url", address)
        done = manage(*words, **changes)
    assert done.returncode == 0, done.stderr
    assert LanguageModel.objects.get().name == "caf\u00e9/\u6a21"


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        (b"r\xe9sultat.json", {}),
        ("r\u00e9sultat.json".encode(), WITHOUT_UTF8),
        (b"\xff.json", WITHOUT_UTF8),
    ],
)
def test_a_file_under_any_name_is_imported(tmp_path: Path, name: bytes, changes: dict[str, str]) -> None:
    make_bank(6, slug="eq-bench-v2")
    path = os.fsencode(tmp_path) + b"/" + name
    with open(path, "wb") as file:
        file.write(json.dumps(official_run()).encode())
    for given in (path, os.fsencode(tmp_path)):
        done = manage("import_results", given, **changes)
        assert done.returncode == 0, done.stderr
    run = Run.objects.get()
    assert run.source == name.decode("utf-8", "backslashreplace")


@pytest.mark.parametrize(
    ("sign", "written"),
    [("×", "x"), ("±", "+/-"), ("\u202f", " "), ("é", "\\xe9"), ("█", "#"), ("\udcff", "\\xff"), ("模", "\\u6a21")],
)
def test_each_sign_has_a_form_in_ascii(sign: str, written: str) -> None:
    assert in_ascii(sign) == written


def with_closed_pipes(*names: str) -> "subprocess.CompletedProcess[bytes]":
    """The command whose outputs of these names go to a pipe that nobody reads any more, as behind `| head`."""
    reader, writer = os.pipe()
    os.close(reader)
    out, err = (writer if name in names else subprocess.PIPE for name in ("stdout", "stderr"))
    command = [sys.executable, "manage.py", "showmigrations"]
    try:
        return subprocess.run(command, cwd=ROOT, env=environment(""), stdout=out, stderr=err, check=False, timeout=120)
    finally:
        os.close(writer)


def test_a_command_whose_reader_has_gone_ends_without_a_word_as_by_the_signal() -> None:
    done = with_closed_pipes("stdout")
    assert (done.returncode, done.stderr) == (141, b"")
    assert with_closed_pipes("stdout", "stderr").returncode == 141


def test_a_command_of_which_all_is_read_is_not_taken_for_one() -> None:
    done = manage("showmigrations", "evaluation")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"0001_initial" in done.stdout
