"""docs/layout.md names every package of the engine and of the site, and none that is gone."""

import re

import pytest

from tests.processes import ROOT

UNNAMED = {"management", "migrations", "models", "templatetags"}
"""Django gives these their names and their meaning."""


@pytest.mark.parametrize("top", ["evaluation", "leaderboard"])
def test_the_layout_names_every_package(top: str) -> None:
    text = (ROOT / "docs/layout.md").read_text(encoding="utf-8")
    packages = {path.parent.name for path in (ROOT / top).glob("*/__init__.py")} - UNNAMED
    assert sorted(name for name in packages if f"`{name}/`" not in text) == []


def test_the_layout_names_no_package_that_is_gone() -> None:
    named = re.findall(r"^\| (.*?) \|", (ROOT / "docs/layout.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    folders = [folder for cell in named for folder in re.findall(r"`(\w+)/`", cell)]
    assert len(folders) > 15
    assert [
        name for name in folders if not any((ROOT / top / name).is_dir() for top in ("evaluation", "leaderboard"))
    ] == []


def test_every_subject_of_the_pages_says_what_it_is() -> None:
    starts = sorted((ROOT / "leaderboard/pages").glob("*/__init__.py"))
    assert len(starts) > 15
    assert [path.parent.name for path in starts if not path.read_text(encoding="utf-8").startswith('"""')] == []
