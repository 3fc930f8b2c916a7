"""The mark of the code: another text, another mark; the same text elsewhere, the same mark."""

import re
import shutil
from pathlib import Path

import pytest

from evaluation import __version__
from evaluation.code_version import CODE_VERSION, PACKAGE, fingerprint
from leaderboard.site_version import FOLDERS, SITE_VERSION, SUFFIXES
from tests.processes import ROOT

CODE = frozenset({".py"})


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "package"
    (folder / "inner").mkdir(parents=True)
    (folder / "one.py").write_text("ONE = 1\n")
    (folder / "inner" / "two.py").write_text("TWO = 2\n")
    (folder / "notes.md").write_text("Not code.\n")
    return folder


def test_a_copy_elsewhere_has_the_same_mark(package: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(package, tmp_path / "elsewhere" / "package")
    assert fingerprint([copy], CODE) == fingerprint([package], CODE)


def test_a_changed_text_a_changed_name_and_a_new_file_each_change_it(package: Path) -> None:
    marks = [fingerprint([package], CODE)]
    (package / "one.py").write_text("ONE = 2\n")
    marks.append(fingerprint([package], CODE))
    (package / "one.py").rename(package / "first.py")
    marks.append(fingerprint([package], CODE))
    (package / "empty.py").touch()
    marks.append(fingerprint([package], CODE))
    assert len(set(marks)) == 4


def test_what_is_no_code_does_not_count(package: Path) -> None:
    before = fingerprint([package], CODE)
    (package / "notes.md").write_text("Still none.\n")
    (package / "one.pyc").write_bytes(b"\0")
    (package / ".#one.py").symlink_to("somebody@somewhere.1234")  # as an editor leaves it beside an unsaved file
    assert fingerprint([package], CODE) == before


def test_the_code_version_is_the_release_and_the_mark_of_the_engine() -> None:
    release, _, mark = CODE_VERSION.partition("+")
    assert release == __version__
    assert re.fullmatch("[0-9a-f]{12}", mark)
    assert mark != fingerprint([], CODE)
    assert PACKAGE == ROOT / "evaluation"


@pytest.mark.parametrize("name", FOLDERS)
def test_every_folder_that_pages_are_made_with_counts(name: str) -> None:
    folders = [ROOT / folder for folder in FOLDERS]
    others = [folder for folder in folders if folder.name != name]
    assert fingerprint(others, SUFFIXES) != fingerprint(folders, SUFFIXES)


def test_no_page_is_kept_by_the_release_alone() -> None:
    """A deploy does not always raise it. Those that tell the release itself are a backup, an error, and /healthz."""
    own = [path for path in (ROOT / "leaderboard").rglob("*.py") if "import __version__" in path.read_text()]
    assert {path.name for path in own} == {"writing.py", "error_reports.py", "views.py"}
    assert re.fullmatch("[0-9a-f]{12}", SITE_VERSION)
