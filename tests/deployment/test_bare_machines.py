""".ci/bare refuses a machine on which it can prove nothing; the tests that a bare machine skips are run outside."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import ROOT
from tests.tools import needs

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
NO_MOUNTS = ("setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-sys_admin")
SUITE = """
import pytest

@pytest.mark.parametrize("words", ["one", "two words - and [more]"])
def test_skipped(words):
    pytest.skip("no such program")

def test_passed():
    pass
"""


def bare(*before: str) -> "subprocess.CompletedProcess[str]":
    command = [*before, "bash", "-s"]
    script = (ROOT / ".ci/bare").read_text(encoding="utf-8")
    return subprocess.run(command, input=script, cwd="/", capture_output=True, text=True, check=False, timeout=300)


def test_without_root_nothing_is_tried_and_it_says_so() -> None:
    needs("bash", "setpriv")
    done = bare(*(NOBODY if os.geteuid() == 0 else ()))
    assert done.returncode == 1
    assert "needs root" in done.stderr


def test_where_nothing_may_be_mounted_it_says_so(tmp_path: Path) -> None:
    needs("setpriv", "mmdebstrap", "unshare", "git")
    if os.geteuid() != 0:
        pytest.skip("needs root")
    done = bare("env", f"TMPDIR={tmp_path}", *NO_MOUNTS)
    assert done.returncode == 1
    assert "may not mount anything here" in done.stderr
    assert list(tmp_path.iterdir()) == [], "what it had begun is removed"


def test_the_tests_that_were_skipped_are_named_as_pytest_takes_them(tmp_path: Path) -> None:
    folder, names, report = tmp_path / "tests" / "deep", tmp_path / "names", tmp_path / "report.xml"
    folder.mkdir(parents=True)
    (folder / "test_some.py").write_text(SUITE)
    (folder / "test_whole.py").write_text('import pytest\npytest.importorskip("no_such_module")\n')
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    pytest_there = [sys.executable, "-m", "pytest", "-c", "pytest.ini", "-p", "no:django", "-p", "no:cacheprovider"]
    assert "1 passed, 3 skipped" in said([*pytest_there, f"--junitxml={report}"], tmp_path)
    names.write_text(said([sys.executable, str(ROOT / ".ci/stranger.py"), "skipped", str(report)], tmp_path))
    again = said([*pytest_there, f"@{names}"], tmp_path)
    assert "3 skipped" in again
    assert "passed" not in again


def said(command: list[str], folder: Path) -> str:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300).stdout


def test_ci_runs_outside_what_a_bare_machine_skipped() -> None:
    words = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert words.index('.ci/bare "$skipped"') < words.index('-m "not thorough" "@$skipped"')
    assert "\nmake test\n" not in words, "a bare machine runs it"
