"""Which address a command prints: that which is set, that of the board that runs here, or none."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evaluation.board_address import address_file, announced, database, running_address
from evaluation.models import Status
from evaluation.runs.report import as_json, in_words
from tests.factories import make_run
from tests.processes import ROOT, wait_for

pytestmark = [pytest.mark.django_db, pytest.mark.database]
URL = "http://127.0.0.1:8071"

HOLDER = """
import sys, time, django
from django.conf import settings
from pathlib import Path
settings.configure(VAR_DIR=Path(sys.argv[1]), DATABASES=eval(sys.argv[3]))
django.setup()
from evaluation.board_address import announced
with announced(sys.argv[2]):
    print("told", flush=True)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.VAR_DIR, settings.SITE_URL = tmp_path, ""
    return tmp_path


def words() -> tuple[str, dict[str, Any]]:
    run = make_run(status=Status.FINISHED, score=60.0, published=True)
    return in_words(run, key_variable=None, taken=True).replace(f"/{run.pk}/", "/N/"), as_json(run)


def test_the_running_board_is_named_with_its_own_port() -> None:
    with announced(URL):
        said, told = words()
    assert f"Its page: {URL}/runs/N/" in said
    assert told["page"] == f"{URL}{told['page_path']}"
    assert not address_file().exists()


def test_without_a_board_no_address_is_made_up() -> None:
    said, told = words()
    assert "Its page on the board: /runs/N/" in said
    assert "http" not in said
    assert told["page"] is None
    assert told["page_path"].startswith("/runs/")


def test_what_the_operator_sets_wins(settings: Any) -> None:
    settings.SITE_URL = "https://board.example"
    with announced(URL):
        said, told = words()
    assert "Its page: https://board.example/runs/N/" in said
    assert told["page"] == f"https://board.example{told['page_path']}"


def held_elsewhere(folder: Path) -> "subprocess.Popen[str]":
    """Another process that holds the file, with its own lock."""
    databases = {"default": {"ENGINE": "django.db.backends.dummy"}}
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder), URL, repr(databases)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    assert process.stdout.readline() == "told\n"
    return process


def told_for_this_database(folder: Path) -> None:
    """Puts this database in place of the holder's, which is none; the lock stays."""
    with address_file().open("r+") as file:
        file.truncate(0)
        file.write(json.dumps({"url": URL, "database": database()}))


def test_the_address_of_a_board_that_was_killed_is_stale(folder: Path) -> None:
    process = held_elsewhere(folder)
    told_for_this_database(folder)
    assert running_address() == URL
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert address_file().exists()
    wait_for(lambda: running_address() == "", seconds=30, what="the lock of the dead is gone")
    with announced("http://127.0.0.1:8072"):
        assert running_address() == "http://127.0.0.1:8072"


def test_a_board_of_another_database_is_not_that_of_the_run(folder: Path) -> None:
    process = held_elsewhere(folder)
    try:
        assert running_address() == ""
    finally:
        process.kill()
        process.communicate()


def test_a_second_board_of_the_folder_leaves_the_first_one_s_address() -> None:
    with announced(URL):
        with announced("http://127.0.0.1:8072"):
            assert running_address() == URL
        assert running_address() == URL


@pytest.mark.parametrize("content", ["", "{", "[]", '{"url": 1}', "\udcff"])
def test_a_file_that_is_cut_short_or_odd_tells_nothing(content: str) -> None:
    with announced(URL):
        address_file().write_text(content, errors="surrogateescape")
        assert running_address() == ""


def test_a_folder_that_is_missing_keeps_no_board_from_starting(settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path / "nowhere"
    with announced(URL):
        assert running_address() == ""
    assert running_address() == ""


def test_an_error_in_the_block_is_not_swallowed() -> None:
    with pytest.raises(OSError, match="mine"), announced(URL):
        raise OSError("mine")
