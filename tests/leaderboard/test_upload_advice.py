"""What to do about a refused file hangs on why it was refused, and on no word of the sentence or of the file."""

import io
import json
import re
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from evaluation.importers.refusals import Refusal
from leaderboard.administration.upload_words import FIXES
from tests.factories import make_bank
from tests.leaderboard.pages import content_of
from tests.leaderboard.staff import root

pytestmark = [pytest.mark.django_db, pytest.mark.database]
ROOT = Path(__file__).resolve().parents[2]
DEEP = FIXES[Refusal.TOO_DEEP]


@pytest.fixture(autouse=True)
def _bank() -> None:
    make_bank(6, slug="eq-bench-v2", benchmark="eq-bench-v2")


def told(name: str, content: bytes) -> str:
    """The advice of the preview."""
    response = root().post("/admin/import/", {"files": [SimpleUploadedFile(name, content)]})
    (fix,) = re.findall(r"<b>What to do:</b> ([^<]*)", content_of(response).replace("&#x27;", "'"))
    return str(fix)


def zipped(path: str) -> bytes:
    file = io.BytesIO()
    with ZipFile(file, "w") as archive:
        archive.writestr(path, "{}")
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.json", b"[" * 200_000), ("a.json", b'{"a":' * 100_000), ("a.json", b'{"a": ' + b"9" * 6_000 + b"}")],
    ids=["lists", "objects", "digits"],
)
def test_json_that_nobody_can_read_is_told_as_such_and_not_as_a_long_path(name: str, content: bytes) -> None:
    assert told(name, content) == DEEP


@pytest.mark.parametrize("words", ["missing", "too long", "larger than", "is encrypted", "another benchmark", " says "])
def test_words_in_a_name_choose_no_advice(words: str) -> None:
    """The sentence quotes file names and fields, which may hold the words of another sentence."""
    assert told(f"{words} run.json", b"{") == FIXES[Refusal.EDITED_FILE]
    twice = json.dumps({"x": 1})[:-1] + f', "{words}": 1, "{words}": 2}}'
    assert told(f"{words} run.json", twice.encode()) == FIXES[Refusal.DOUBLED_KEY]


@pytest.mark.parametrize(
    ("name", "content", "refusal"),
    [
        ("a.txt", b"x", Refusal.WRONG_ENDING),
        ("a.zip", b"x", Refusal.BROKEN_ZIP),
        ("a.zip", zipped("readme.md"), Refusal.EMPTY_ZIP),
        ("a.zip", zipped("../run.json"), Refusal.PATH_OUTSIDE),
        ("a.zip", zipped(f"{'missing/' * 40}run.json"), Refusal.PATH_TOO_LONG),
        ("a.json", b"\xff\xfe", Refusal.NOT_UTF8),
        ("a.json", b'{"a": NaN}', Refusal.NOT_FINITE),
        ("a.json", b"[]", Refusal.OTHER),
        ("a.jsonl", b'{"too long": 1}\n', Refusal.NEITHER_FORM),
        ("a.jsonl", b'{"a"', Refusal.EDITED_FILE),
    ],
)
def test_each_refusal_has_its_own_advice(name: str, content: bytes, refusal: Refusal) -> None:
    assert told(name, content) == FIXES[refusal]


def test_every_refusal_has_advice_and_is_given_somewhere() -> None:
    assert set(FIXES) == set(Refusal)
    folders = (ROOT / "evaluation/importers", ROOT / "leaderboard/administration")
    source = "".join(path.read_text() for folder in folders for path in folder.rglob("*.py"))
    for refusal in Refusal:
        assert len(re.findall(rf"Refusal\.{refusal.name}\b", source)) >= 2, refusal
