"""Backup and restore: every score comes back to the last digit, and nothing goes where something is."""

import json
import os
import threading
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connections

from evaluation.endpoint_keys import store_key
from evaluation.models import Endpoint, ItemResult, LanguageModel, Run, Status
from leaderboard.backups import back_up, form
from leaderboard.models import Submission
from tests.factories import make_bank, make_endpoint, make_model, make_result, make_run
from tests.processes import manage
from tests.scratch import manage_elsewhere, scratch_database

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]
AWKWARD = 'two\nlines, "quotes", \u2028, \U0001f600, \\u0041, a tab\t'
THIRD = 1 / 3


def a_board() -> Run:
    """A run of each kind of row, with values that a careless form would spoil."""
    bank, endpoint = make_bank(3), make_endpoint(model=make_model("maker/one"), extra_body={"a": [1, 1.0, None]})
    store_key(endpoint, "sk-canary-0123456789abcdef")
    parent = make_run(bank=bank, endpoint=endpoint, status=Status.FINISHED, score=100 * THIRD, standard_error=1e-17)
    run = make_run(bank=bank, endpoint=endpoint, parent=parent, status=Status.RUNNING, repeat_scores=[THIRD, None])
    make_result(parent, "1", reply=AWKWARD, score=10 - 2 * THIRD, more_parts={"revised": {"score": 0.1 + 0.2}})
    make_result(parent, "2", state="unread", reading="none", answer=None, score=None, reply="")
    submission = Submission.objects.create(
        model=endpoint.model, endpoint=endpoint, owner="me", contact="me@example.org"
    )
    submission.runs.add(parent, run)
    User.objects.create_superuser("moderator", password="a long pass phrase")
    return parent


def everything() -> dict[str, list[Any]]:
    """Each row that a backup holds, floats to the last digit, but for what keys leave behind."""
    found = {}
    for label in form.labels():
        model = apps.get_model(label)
        names = [field.attname for field in form.columns(model) if field.attname not in {"sealed_key", "key_erased_at"}]
        found[label] = [repr(row) for row in model._base_manager.order_by("pk").values_list(*names)]
    return found


SCRIPT = "import json; from tests.leaderboard.test_backup import everything; print(json.dumps(everything()))"


def elsewhere(database: str) -> dict[str, list[Any]]:
    """As `everything`, of another database."""
    rows: dict[str, list[Any]] = json.loads(manage_elsewhere(database, "shell", "--no-imports", "-c", SCRIPT))
    return rows


def backed_up(path: Path, *options: str) -> str:
    out = StringIO()
    call_command("backup", str(path), *options, stdout=out)
    return out.getvalue()


def keys_in(path: Path) -> list[str]:
    with ZipFile(path) as archive:
        names, *rows = map(json.loads, archive.read("evaluation.Endpoint.jsonl").splitlines())
    return [row[names.index("sealed_key")] for row in rows]


@pytest.mark.thorough
def test_a_fresh_instance_has_every_row_and_score_to_the_last_digit(tmp_path: Path) -> None:
    a_board()
    here = everything()
    said = backed_up(tmp_path / "board.zip")
    assert "rows of" in said
    with scratch_database(tmp_path) as database:
        manage_elsewhere(database, "restore", str(tmp_path / "board.zip"))
        there = elsewhere(database)
        again = manage("restore", str(tmp_path / "board.zip"), DATABASE_URL=database)
    assert {label for label, rows in here.items() if rows} >= {
        "evaluation.Run", "evaluation.ItemResult", "evaluation.Reply", "leaderboard.Submission_runs", "auth.User",
    }  # fmt: skip
    assert {label: rows for label, rows in there.items() if label != "leaderboard.Standing"} == {
        label: rows for label, rows in here.items() if label != "leaderboard.Standing"
    }
    assert again.returncode == 1
    assert "not empty" in again.stderr


@pytest.mark.thorough
def test_a_restored_board_goes_on_with_new_rows(tmp_path: Path) -> None:
    a_board()
    backed_up(tmp_path / "board.zip")
    code = "from tests.factories import make_run; print(make_run().pk)"
    highest = max(Run.objects.values_list("pk", flat=True))
    with scratch_database(tmp_path) as database:
        manage_elsewhere(database, "migrate", "--verbosity", "0")
        manage_elsewhere(database, "restore", str(tmp_path / "board.zip"))
        assert int(manage_elsewhere(database, "shell", "--no-imports", "-c", code)) > highest


@pytest.mark.thorough
def test_sqlite_and_postgresql_take_each_others_backups(tmp_path: Path) -> None:
    """On PostgreSQL there and back through a SQLite file; on SQLite it is the same path twice."""
    a_board()
    here = everything()
    backed_up(tmp_path / "one.zip", "--with-keys")
    database = f"sqlite:///{tmp_path / 'between.sqlite3'}"
    manage_elsewhere(database, "restore", str(tmp_path / "one.zip"))
    manage_elsewhere(database, "backup", str(tmp_path / "two.zip"), "--with-keys")
    with scratch_database(tmp_path) as last:
        manage_elsewhere(last, "restore", str(tmp_path / "two.zip"))
        there = elsewhere(last)
    assert [label for label in here if label != "leaderboard.Standing" and there[label] != here[label]] == []
    assert keys_in(tmp_path / "two.zip") == list(Endpoint.objects.values_list("sealed_key", flat=True)) != [""]


def test_a_key_stays_out_and_its_endpoint_asks_for_it_again(tmp_path: Path) -> None:
    a_board()
    backed_up(tmp_path / "without.zip")
    backed_up(tmp_path / "with.zip", "--with-keys")
    assert keys_in(tmp_path / "without.zip") == [""]
    assert keys_in(tmp_path / "with.zip")[0].startswith("v1:")
    with ZipFile(tmp_path / "without.zip") as archive:
        names, row = map(json.loads, archive.read("evaluation.Endpoint.jsonl").splitlines())
    assert row[names.index("key_erased_at")] is not None
    assert Endpoint.objects.get().sealed_key != ""


def test_the_file_is_for_its_owner_alone_and_an_old_one_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "board.zip"
    backed_up(path)
    assert os.stat(path).st_mode & 0o777 == 0o600
    before = path.read_bytes()
    with pytest.raises(CommandError, match="was not touched"):
        backed_up(path)
    assert path.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == [path]


def test_a_backup_is_one_look_while_a_worker_writes(tmp_path: Path) -> None:
    """Each writer adds a run with its result at once, so a torn look would show one without the other."""
    bank = make_bank(1)
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            make_result(make_run(bank=bank, model=LanguageModel.objects.get()), reply="r")
        connections.close_all()

    make_model("maker/one")
    writer = threading.Thread(target=write)
    writer.start()
    try:
        while not ItemResult.objects.exists():
            stop.wait(0.01)
        sizes = []
        for number in range(5):
            tables = {table.name: table.rows for table in back_up(tmp_path / f"{number}.zip")}
            runs, results = tables["evaluation.Run"], tables["evaluation.ItemResult"]
            # The run is stored before its result, in transactions of their own: at most one is under way.
            assert results <= runs <= results + 1
            assert results - 1 <= tables["evaluation.Reply"] <= results
            sizes.append(runs)
    finally:
        stop.set()
        writer.join()
    assert Run.objects.count() > sizes[0], "the writer was held up"


def spoil_text(path: Path) -> None:
    rewritten(path, lambda name, text: text.replace(b'"maker/one"', b'"maker/two"'))


def spoil_form(path: Path) -> None:
    rewritten(path, lambda name, text: text.replace(b'"form": 1', b'"form": 2'))


def spoil_schema(path: Path) -> None:
    rewritten(path, lambda name, text: text.replace(b'"evaluation": "0', b'"evaluation": "9'))


def spoil_bytes(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 4] ^= 255
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def without_table(path: Path) -> None:
    rewritten(path, lambda name, text: None if name == "evaluation.Run.jsonl" else text)


def rewritten(path: Path, change: Callable[[str, bytes], bytes | None]) -> None:
    with ZipFile(path) as archive:
        entries = {name: change(name, archive.read(name)) for name in archive.namelist()}
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, text in entries.items():
            if text is not None:
                archive.writestr(name, text)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (spoil_text, "does not have the hash"),
        (spoil_form, "this release reads form 1"),
        (spoil_schema, "not known to this release"),
        (spoil_bytes, "damaged"),
        (cut, "no backup at all"),
        (without_table, "evaluation.Run is missing"),
        (lambda path: path.unlink(), "cannot be read"),
    ],
)
def test_a_backup_that_is_not_whole_is_refused_with_a_sentence(
    tmp_path: Path, spoil: Callable[[Path], None], says: str
) -> None:
    a_board()
    path = tmp_path / "board.zip"
    backed_up(path)
    spoil(path)
    before = everything()
    with pytest.raises(CommandError, match=says):
        call_command("restore", str(path))
    assert everything() == before


def test_a_database_that_holds_rows_is_refused(tmp_path: Path) -> None:
    backed_up(tmp_path / "board.zip")
    make_model("maker/there")
    with pytest.raises(CommandError, match=r"not empty \(evaluation.LanguageModel\)"):
        call_command("restore", str(tmp_path / "board.zip"))
    assert LanguageModel.objects.get().name == "maker/there"
