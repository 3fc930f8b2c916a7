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
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.db.models import Model
from django.utils import timezone

from evaluation.keys.endpoint_keys import store_key
from evaluation.models import Endpoint, ItemResult, LanguageModel, Run, Status
from leaderboard.backups import back_up, form
from leaderboard.models import Submission
from tests.factories import make_bank, make_endpoint, make_model, make_result, make_run
from tests.processes import manage
from tests.scratch import manage_elsewhere, scratch_database

# A restored board computes its standings again, and marks the stored orders with them.
RECOMPUTED = {"leaderboard.Standing", "leaderboard.RankingDay"}
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]
AWKWARD = 'two\nlines, "quotes", \u2028, \U0001f600, \\u0041, a tab\t'
THIRD = 1 / 3


def a_board() -> Run:
    """A run of each kind of row, with values that a careless form would spoil."""
    bank, endpoint = make_bank(3), make_endpoint(model=make_model("maker/one"), extra_body={"a": [1, 1.0, None]})
    store_key(endpoint, "sk-canary-0123456789abcdef")
    parent = make_run(bank=bank, endpoint=endpoint, status=Status.FINISHED, score=100 * THIRD, standard_error=1e-17)
    run = make_run(bank=bank, endpoint=endpoint, parent=parent, status=Status.RUNNING, repeat_scores=[THIRD, None])
    make_result(parent, "1", reply=AWKWARD, score=10 - 2 * THIRD, other_parts={"revised": {"score": 0.1 + 0.2}})
    make_result(parent, "2", state="unread", reading="none", answer=None, score=None, reply="")
    submission = Submission.objects.create(
        model=endpoint.model, endpoint=endpoint, owner="me", contact="me@example.org"
    )
    submission.runs.add(parent, run)
    the_staff(parent)
    return parent


def the_staff(run: Run) -> None:
    """A superuser, and a moderator with a right by the group and one of their own, who did something and undid it."""
    root = User.objects.create_superuser("root", password="a long pass phrase")
    moderator = User.objects.create_user("moderator", password="another long pass phrase", is_staff=True)
    group = Group.objects.create(name="moderators")
    group.permissions.set(Permission.objects.filter(codename__in=["change_run", "view_submission"]))
    moderator.groups.add(group)
    moderator.user_permissions.add(Permission.objects.get(codename="add_itembank"))
    LogEntry.objects.log_actions(root.pk, [run], CHANGE, [{"changed": {"fields": ["published"]}}])
    LogEntry.objects.log_actions(moderator.pk, [run.model], CHANGE, AWKWARD)
    # Of a kind of rows that no release knows any more, and of none.
    gone = ContentType.objects.create(app_label="evaluation", model="longgone")
    LogEntry.objects.create(user=root, content_type=gone, object_id="7", object_repr="7", action_flag=3)
    LogEntry.objects.create(user=root, object_repr="by hand", action_flag=1)
    Session.objects.create(session_key="k" * 32, session_data="x", expire_date=timezone.now())


def named_columns(model: type[Model]) -> list[str]:
    """The columns, with the names of kinds and permissions for their numbers, which each database gives anew."""
    spelled = {
        "content_type_id": ("content_type__app_label", "content_type__model"),
        "permission_id": ("permission__content_type__app_label", "permission__codename", "permission__name"),
    }
    names = [field.attname for field in form.columns(model) if field.attname not in {"sealed_key", "key_erased_at"}]
    return [word for name in names for word in spelled.get(name, (name,))]


def everything() -> dict[str, list[Any]]:
    """Each row that a backup holds, floats to the last digit, but for what keys leave behind."""
    found = {}
    for label in form.labels():
        model = apps.get_model(label)
        rows = model._base_manager.order_by("pk").values_list(*named_columns(model))
        found[label] = [repr(row) for row in rows]
    return found


SCRIPT = "import json; from tests.leaderboard.test_backup import everything; print(json.dumps(everything()))"

MAY = (
    "import json; from django.contrib.admin.models import LogEntry; from django.contrib.auth.models import User; "
    "from django.contrib.sessions.models import Session; moderator = User.objects.get(username='moderator'); "
    "print(json.dumps([sorted(moderator.get_all_permissions()), LogEntry.objects.count(), Session.objects.count()]))"
)


# For each section of the statistics: whether what its page shows is stored with it.
STORED_PAGES = """
import json
from leaderboard.models import StatisticsSection
from leaderboard.pages.statistics.ready import is_kept
print(json.dumps([is_kept(row) for row in StatisticsSection.objects.all()]))
"""


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


def test_a_backup_says_which_database_it_has_saved_and_no_password_of_it(tmp_path: Path) -> None:
    """The operator whose command saw another database than the site finds out before the upgrade."""
    said = backed_up(tmp_path / "board.zip").splitlines()[-1]
    parts = connection.settings_dict
    if connection.vendor == "sqlite":
        assert said == f"Saved from the SQLite file {parts['NAME']}."
    else:
        assert said == f"Saved from PostgreSQL, database {parts['NAME']} at {parts['HOST']}."


@pytest.mark.thorough
def test_a_fresh_instance_has_every_row_and_score_to_the_last_digit(tmp_path: Path) -> None:
    a_board()
    here = everything()
    said = backed_up(tmp_path / "board.zip")
    assert "rows of" in said
    with scratch_database(tmp_path) as database:
        manage_elsewhere(database, "restore", str(tmp_path / "board.zip"))
        there = elsewhere(database)
        may = json.loads(manage_elsewhere(database, "shell", "--no-imports", "-c", MAY))
        again = manage("restore", str(tmp_path / "board.zip"), DATABASE_URL=database)
    assert {label for label, rows in here.items() if rows} >= {
        "evaluation.Run", "evaluation.ItemResult", "evaluation.Reply", "leaderboard.Submission_runs", *form.STAFF,
    }  # fmt: skip
    assert {label: rows for label, rows in there.items() if label not in RECOMPUTED} == {
        label: rows for label, rows in here.items() if label not in RECOMPUTED
    }
    assert may == [["evaluation.add_itembank", "evaluation.change_run", "leaderboard.view_submission"], 4, 0]
    assert again.returncode == 1
    assert "not empty" in again.stderr


@pytest.mark.thorough
def test_a_restored_board_goes_on_with_new_rows(tmp_path: Path) -> None:
    a_board()
    backed_up(tmp_path / "board.zip")
    # Under names of its own: those that the factories count may be taken by what this process has made before.
    code = (
        "from tests.factories import make_bank, make_model, make_run; "
        "print(make_run(bank=make_bank(1, slug='later'), model=make_model('maker/later', slug='later')).pk)"
    )
    highest = max(Run.objects.values_list("pk", flat=True))
    with scratch_database(tmp_path) as database:
        manage_elsewhere(database, "migrate", "--verbosity", "0")
        manage_elsewhere(database, "restore", str(tmp_path / "board.zip"))
        assert int(manage_elsewhere(database, "shell", "--no-imports", "-c", code)) > highest
        assert set(json.loads(manage_elsewhere(database, "shell", "--no-imports", "-c", STORED_PAGES))) == {True}


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
    assert [label for label in here if label not in RECOMPUTED and there[label] != here[label]] == []
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
    with pytest.raises(CommandError, match="was not changed"):
        backed_up(path)
    assert path.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == [path]


MOST_LOOKS = 100


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
        sizes: list[int] = []
        # Five looks, and more while a busy machine has let the writer do nothing between the first and the last.
        while len(sizes) < 5 or (sizes[-1] == sizes[0] and len(sizes) < MOST_LOOKS):
            tables = {table.name: table.rows for table in back_up(tmp_path / f"{len(sizes)}.zip")}
            runs, results = tables["evaluation.Run"], tables["evaluation.ItemResult"]
            # The run is stored before its result, in transactions of their own: at most one is under way.
            assert results <= runs <= results + 1
            assert results - 1 <= tables["evaluation.Reply"] <= results
            sizes.append(runs)
    finally:
        stop.set()
        writer.join()
    assert sizes[-1] > sizes[0], "the writer was held up"


def spoil_text(path: Path) -> None:
    rewritten(path, lambda name, text: text.replace(b'"maker/one"', b'"maker/two"'))


def spoil_form(path: Path) -> None:
    rewritten(path, lambda name, text: text.replace(b'"form": 2', b'"form": 3'))


def spoil_schema(path: Path) -> None:
    rewritten(path, lambda name, text: text.replace(b'"evaluation": "0', b'"evaluation": "9'))


def spoil_bytes(path: Path) -> None:
    """One byte of what is packed. Before each entry stand some that nobody reads, such as its time."""
    with ZipFile(path) as archive:
        entry = archive.getinfo("evaluation.Run.jsonl")
    data = bytearray(path.read_bytes())
    data[entry.header_offset + entry.compress_size // 2] ^= 255
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def without_table(path: Path) -> None:
    rewritten(path, lambda name, text: None if name == "evaluation.Run.jsonl" else text)


def manifest_of(content: bytes) -> Callable[[str, bytes], bytes]:
    return lambda name, text: content if name == "manifest.json" else text


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
        (spoil_form, "this release reads forms 1 to 2"),
        (spoil_schema, "not known to this release"),
        (spoil_bytes, "damaged"),
        (cut, "no backup at all"),
        (without_table, "evaluation.Run is missing"),
        (lambda path: rewritten(path, manifest_of(b"[" * 100_000)), "holds no manifest"),
        (lambda path: rewritten(path, manifest_of(b"9" * 5_000)), "holds no manifest"),
        (lambda path: rewritten(path, manifest_of(b'{"form": 2}')), "its manifest is not whole"),
        (lambda path: rewritten(path, manifest_of(b'{"form": 2, "migrations": [], "tables": [7]}')), "is not whole"),
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


# Whoever adds a model says here that a backup holds it, or in LEFT_OUT of the form why it does not.
HELD = frozenset(
    {
        "admin.LogEntry", "auth.Group", "auth.Group_permissions", "auth.User", "auth.User_groups",
        "auth.User_user_permissions", "evaluation.Endpoint", "evaluation.FormerName", "evaluation.Item",
        "evaluation.ItemBank", "evaluation.ItemResult", "evaluation.Judge", "evaluation.KeyEvent",
        "evaluation.LanguageModel", "evaluation.PublishedName", "evaluation.ReferenceScore", "evaluation.Reply",
        "evaluation.Run", "leaderboard.HumanSet", "leaderboard.Note",
        "leaderboard.RankingDay", "leaderboard.Report", "leaderboard.Schedule", "leaderboard.Standing",
        "leaderboard.Submission", "leaderboard.SubmissionEvent", "leaderboard.Submission_runs",
        "leaderboard.UploadedResults", "study.AggregateCount", "study.Background", "study.ConsentForm", "study.Group",
        "study.Invitation", "study.Participation", "study.Prompt", "study.PromptSet", "study.Rating",
        "study.Responder", "study.Response", "study.Study", "study.StudyImport", "study.StudyItem", "study.StudyResult",
    }
)  # fmt: skip


def test_of_every_model_it_is_decided_whether_a_backup_holds_it() -> None:
    every = {model._meta.label for model in apps.get_models(include_auto_created=True)}
    assert every == HELD | form.LEFT_OUT.keys()
    assert not HELD & form.LEFT_OUT.keys()
    assert set(form.labels()) == HELD
    assert all(len(reason.split()) > 3 for reason in form.LEFT_OUT.values())


@pytest.mark.parametrize("path", [".", "/", ""])
def test_a_backup_needs_the_name_of_a_file(path: str) -> None:
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("backup", path)
