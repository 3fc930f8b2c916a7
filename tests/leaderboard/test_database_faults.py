"""A database or disk that fails: a sentence for commands, one line for workers, and a state of /readyz."""

import errno
import logging
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from django.core.cache import cache
from django.db import DatabaseError, OperationalError, ProgrammingError, connection, transaction
from django.test import Client

from evaluation.database_faults import FULL, public_reason, reason, sentence
from evaluation.models import ItemBank, Pulse, Run
from evaluation.runs import pulses
from evaluation.tasks import requeue_stalled_runs
from leaderboard.operations.health import WRITES, readiness
from leaderboard.starting.command_line import run_command
from tests.processes import database_url, manage
from tests.scratch import scratch_database

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]
COMMANDS = (
    ("migrate", "--noinput"),
    ("load_bank", "eq-open-v1"),
    ("load_published",),
    ("load_baselines",),
    ("export_results", "1", "--to", "out"),
    ("rescore", "--all"),
    ("backup", "board.zip"),
    ("purge_keys",),
    ("rotate_keys",),
    ("refresh_statistics",),
    ("createsuperuser", "--noinput", "--username", "ann", "--email", "ann@models.example"),
)
NO_SERVER = "postgres://nobody:canary-word@127.0.0.1:9/none"
NO_FOLDER = "sqlite:////nowhere/at/all/board.sqlite3"
AT = 'connection failed: connection to server at "10.0.0.5", port 5432 failed: FATAL:  '


@pytest.fixture(autouse=True)
def _asked_anew() -> Iterator[None]:
    cache.delete(WRITES)
    yield
    cache.delete(WRITES)


def told(done: "subprocess.CompletedProcess[str]") -> str:
    assert "Traceback" not in done.stderr
    assert "canary-word" not in done.stderr
    assert done.returncode == 1, done.stderr
    return done.stderr


@contextmanager
def read_only() -> Iterator[None]:
    """A database that refuses every write, as on a disk that the system has turned to reading."""
    refuse = {"sqlite": "PRAGMA query_only = ON", "postgresql": "SET default_transaction_read_only = on"}
    with connection.cursor() as cursor:
        cursor.execute(refuse[connection.vendor])
    try:
        yield
    finally:
        connection.close()


@contextmanager
def full() -> Iterator[None]:
    """A database that may not grow."""
    if connection.vendor != "sqlite":
        pytest.skip("only SQLite can be told how large it may become")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")  # free pages would be filled first
        used = cursor.execute("PRAGMA page_count").fetchone()[0]
        cursor.execute(f"PRAGMA max_page_count = {used}")
    try:
        yield
    finally:
        connection.close()


@pytest.mark.thorough
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("database", "words"),
    [(NO_SERVER, "Not finished: the database does not answer"), (NO_FOLDER, "the database's file cannot be opened")],
    ids=["no server", "no folder"],
)
def test_every_command_says_in_a_sentence_that_there_is_no_database(
    command: tuple[str, ...], database: str, words: str
) -> None:
    assert words in told(manage(*command, DATABASE_URL=database))


def test_a_command_on_a_database_that_was_never_made_or_migrated_says_so(tmp_path: Path) -> None:
    with scratch_database(tmp_path) as empty:
        assert "its tables are not those of this release" in told(manage("rescore", "--all", DATABASE_URL=empty))
    assert manage("backup", str(tmp_path / "board.zip")).returncode == 0
    gone = empty if connection.vendor == "postgresql" else NO_FOLDER
    said = told(manage("restore", str(tmp_path / "board.zip"), DATABASE_URL=gone))
    assert "there is no such database" in said or "file cannot be opened" in said


def test_a_database_of_a_newer_release_is_left_alone(tmp_path: Path) -> None:
    """`make run` after a checkout of older code: it started, and pages and runs failed one by one."""
    with scratch_database(tmp_path) as newer:
        assert manage("migrate", "--noinput", DATABASE_URL=newer).returncode == 0
        note = "MigrationRecorder(connection).record_applied('evaluation', '9999_later')"
        imports = "from django.db import connection; from django.db.migrations.recorder import MigrationRecorder"
        assert manage("shell", "-c", f"{imports}; {note}", DATABASE_URL=newer).returncode == 0
        said = told(manage("migrate", "--noinput", DATABASE_URL=newer))
    assert "The database is of a newer release: it has evaluation.9999_later" in said


def test_a_command_on_a_full_disk_says_so_and_leaves_nothing_half_done() -> None:
    with full(), pytest.raises(SystemExit) as ended:
        run_command(["manage.py", "load_bank", "eq-open-v1"])
    assert ended.value.code == f"Not finished: {FULL}. The error says: database or disk is full"
    assert not ItemBank.objects.exists()


def test_the_traceback_is_there_for_whoever_asks_for_it() -> None:
    with full(), pytest.raises(OperationalError):
        run_command(["manage.py", "load_bank", "eq-open-v1", "--traceback"])


def test_a_task_that_the_database_refuses_is_one_line_in_the_log_and_works_again_later(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with read_only(), caplog.at_level(logging.INFO):
        assert str(requeue_stalled_runs.apply().state) == "IGNORED"
    lines = [record for record in caplog.records if record.levelno >= logging.ERROR]
    said = "evaluation.tasks.requeue_stalled_runs could not be done, and is done when it is called again: "
    assert [line.getMessage() for line in lines] == [f"{said}the database may be read and not written"]
    assert lines[0].exc_info is None
    assert requeue_stalled_runs.apply().state == "SUCCESS"


def test_a_task_that_a_command_calls_as_a_function_leaves_the_sentence_to_the_command() -> None:
    """As `import_results` does after a run, when the disk may be full by then."""
    with read_only(), pytest.raises(DatabaseError) as refused:
        requeue_stalled_runs()
    assert sentence(refused.value).startswith("Not finished: the database may be read and not written")


def test_an_error_of_our_own_keeps_its_traceback() -> None:
    for error in (ValueError("x"), ProgrammingError("syntax error at or near SELECT"), OSError(errno.EPIPE, "pipe")):
        assert (reason(error), sentence(error)) == ("", "")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OperationalError("database is locked"), "has kept the database locked"),
        (OSError(errno.ENOSPC, "No space left on device"), FULL),
        (OSError(errno.EROFS, "Read-only file system"), "may be read and not written"),
        (OperationalError("disk I/O error"), "the disk is full or damaged, or the database's file is"),
        (OperationalError("could not extend file: No space left on device"), FULL),
        (OperationalError('connection failed: FATAL:  database "x" does not exist'), "no such database"),
        (OperationalError("FATAL:  the database system is shutting down"), "does not answer"),
        (OperationalError("server closed the connection unexpectedly"), "does not answer"),
        (OperationalError("etwas anderes"), "etwas anderes"),
        (ProgrammingError('relation "evaluation_run" does not exist'), "tables are not those"),
        (ProgrammingError("permission denied for schema public"), "lacks a right"),
        (ProgrammingError('must be owner of table "evaluation_run"'), "lacks a right"),
        (OperationalError(f'{AT}permission denied for database "eq"'), "lacks a right"),
        (OperationalError(f'{AT}role "eq" is not permitted to log in'), "lacks a right"),
        (OperationalError(f'{AT}no pg_hba.conf entry for host "10.0.0.7", user "eq", database "eq"'), "lacks a right"),
        (OperationalError(f"{AT}sorry, too many clients already"), "too many connections"),
        (OperationalError(f'{AT}too many connections for role "eq"'), "too many connections"),
        (OperationalError(f'{AT}too many connections for database "eq"'), "too many connections"),
        (OperationalError(f"{AT}remaining connection slots are reserved"), "too many connections"),
        (OperationalError(f'{AT}role "eq" does not exist'), "no such database or user"),
        (OperationalError(f'{AT}database "eq" is not currently accepting connections'), "does not answer"),
        (OperationalError(f"{AT}the database system is in recovery mode"), "does not answer"),
        (OperationalError(f"{AT}the database system is not yet accepting connections"), "does not answer"),
        (ProgrammingError('relation "evaluation_run" already exists'), "another migrate"),
        (OperationalError('table "evaluation_run" already exists'), "another migrate"),
        (OperationalError("duplicate column name: owner"), "another migrate"),
        (OperationalError('connection to server on socket "/run/x" failed: No such file or directory'), "not answer"),
    ],
)
def test_what_failed_is_named(error: Exception, words: str) -> None:
    assert words in reason(error)
    assert sentence(error).startswith("Not finished: ")


def test_readiness_quotes_no_error_that_may_hold_an_address() -> None:
    unknown = OperationalError(f"{AT}etwas anderes")
    assert "10.0.0.5" in sentence(unknown)
    assert public_reason(unknown) == "the database gives an error"


def test_something_that_was_deleted_meanwhile_is_said_in_a_sentence() -> None:
    with pytest.raises(Run.DoesNotExist) as gone:
        Run.objects.get(pk=0)
    assert "was deleted meanwhile: Run matching query does not exist" in sentence(gone.value)


def writes() -> tuple[bool, str]:
    check = readiness(frozenset({"writes"}))["writes"]
    return check.ok, check.state


def test_readiness_says_that_nothing_can_be_written() -> None:
    with read_only():
        assert writes() == (False, "nothing can be written: the database may be read and not written")
    cache.delete(WRITES)
    assert writes() == (True, "can be written")


@contextmanager
def without(table: str) -> Iterator[None]:
    """As under a release that has another table."""
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table} RENAME TO elsewhere")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER TABLE elsewhere RENAME TO {table}")


def test_a_page_that_the_database_refuses_is_the_site_s_own_and_one_line_in_the_log(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    """Each visitor left a traceback, and under DEBUG, as with `make run`, saw it."""
    with without("evaluation_itembank"):
        response = client.get("/submit/")
    assert (response.status_code, response["Retry-After"]) == (503, "60")
    assert "Something went wrong on our side" in response.content.decode()
    (line,) = [record for record in caplog.records if record.name.endswith("outage")]
    assert (
        line.getMessage()
        == "/submit/ could not be answered: its tables are not those of this release; migrate comes first"
    )
    assert line.exc_info is None


def test_readiness_says_that_the_tables_are_of_another_release() -> None:
    """It said that the database does not answer, which sent whoever read it to the wrong machine."""
    with without("evaluation_pulse"):
        checks = readiness(frozenset({"database", "reaper"}))
    assert checks["database"].ok
    assert checks["reaper"].state == "its tables are not those of this release; migrate comes first"


def test_readiness_itself_writes_once_however_often_it_is_asked() -> None:
    for _ in range(5):
        assert writes() == (True, "can be written")
    assert Pulse.objects.get(pk=pulses.WRITE_TRIED).count == 1


def test_readiness_does_not_wait_for_a_lock_that_somebody_holds_for_long() -> None:
    pulses.note(pulses.WRITE_TRIED)
    with locked():
        assert writes() == (False, "nothing can be written: another process has kept the database locked for too long")
    assert transaction.get_autocommit()


@contextmanager
def locked() -> Iterator[None]:
    if connection.vendor == "postgresql":
        with psycopg.connect(database_url().replace("postgres://", "postgresql://")) as other:
            other.execute("LOCK TABLE evaluation_pulse IN EXCLUSIVE MODE")
            yield
        return
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
