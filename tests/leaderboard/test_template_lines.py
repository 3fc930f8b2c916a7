"""Lines of templates stay short enough to be read, and for a change in one to be seen."""

from pathlib import Path

import pytest

from tests.processes import ROOT

LONGEST = 200


@pytest.mark.parametrize("path", sorted((ROOT / "templates").rglob("*.html")), ids=lambda path: path.name)
def test_no_line_of_a_template_is_longer_than_200_characters(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [(number, len(line)) for number, line in enumerate(lines, 1) if len(line) > LONGEST] == []
