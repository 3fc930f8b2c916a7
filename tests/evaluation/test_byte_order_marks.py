"""A byte order mark at the start of a file is no part of what it says, whichever file is read."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from evaluation.demo.questions import references_from_file
from evaluation.importers.tables import read_table
from evaluation.models import ItemBank, Run
from tests.factories import make_bank, official_run, question_file, scene_reply

pytestmark = [pytest.mark.django_db, pytest.mark.database]
BOM = b"\xef\xbb\xbf"


def written(folder: Path, content: Any, name: str = "file.json") -> Path:
    path = folder / name
    path.write_bytes(BOM + json.dumps(content).encode())
    return path


@pytest.mark.parametrize("n", [1, 5, 12])
def test_a_private_bank(tmp_path: Path, n: int) -> None:
    call_command("load_bank", "eq-bench-v2", "--private", str(written(tmp_path, question_file(n))), verbosity=0)
    assert ItemBank.objects.get().items.count() == n


def test_an_official_run_file(tmp_path: Path) -> None:
    make_bank(6, slug="eq-bench-v2")
    call_command("import_results", str(written(tmp_path, official_run())))
    assert Run.objects.get().score == 100.0


@pytest.mark.parametrize("wrapped", [True, False])
def test_replies_to_be_scored(tmp_path: Path, wrapped: bool) -> None:
    make_bank(3, slug="eq-bench-v2")
    replies: dict[str, Any] = {str(number): scene_reply(number) for number in (1, 2, 3)}
    given = written(tmp_path, {"replies": replies} if wrapped else replies)
    out = StringIO()
    call_command("score_replies", "eq-bench-v2", str(given), stdout=out)
    assert "100.00" in out.getvalue()


def test_a_table(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(BOM + b"model,score\r\nmaker/one,1.5\r\n")
    assert [dict(row.cells) for row in read_table(path, ("model", "score"))] == [{"model": "maker/one", "score": "1.5"}]


def test_the_questions_of_the_demo_endpoint() -> None:
    references_from_file(BOM + json.dumps(question_file(2)).encode())
