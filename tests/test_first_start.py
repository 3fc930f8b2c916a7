"""The first steps on a machine: `make setup` and `make run`, stopped, misdirected, or in somebody else's folder."""

import os
import pty
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from evaluation.standalone import NotSetUp
from leaderboard.settings import advice_for_development
from tests.deployment.production import REQUIRED, run
from tests.leaderboard.serving import environment, nothing_is_left, started, words
from tests.processes import ROOT, free_port

SHIPPED = (
    "Makefile",
    "manage.py",
    "gunicorn.conf.py",
    "requirements.txt",
    "scripts",
    "evaluation",
    "leaderboard",
    ".venv",
)
NOBODY = 65534
WRITES_SETTINGS = "Writing .env with development settings and new secrets.\n"
AS_NOBODY = """
import os, sys
from scripts import set_up
os.chdir(sys.argv[1])
if os.geteuid() == 0:
    os.setuid({nobody})
sys.exit(set_up.main(["env"]))
"""
# A signal at exactly the moment between what a migration did and the record of it.
INTERRUPTED = """
import os, runpy, signal, sys
from django.db.migrations.recorder import MigrationRecorder
record = MigrationRecorder.record_applied
def interrupted(self, app, name):
    if name == "0004_former_names":
        os.kill(os.getpid(), signal.{signal})
    record(self, app, name)
MigrationRecorder.record_applied = interrupted
sys.argv = ["manage.py", "migrate", "--verbosity", "0"]
runpy.run_path("manage.py", run_name="__main__")
"""


def set_up(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(ROOT / "scripts/set_up.py"), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


def set_up_as_somebody_else(folder: Path) -> "subprocess.CompletedProcess[str]":
    """`set_up.py env` by a user without rights; where the tests do not run as root, by their own."""
    command = [sys.executable, "-c", AS_NOBODY.format(nobody=NOBODY), str(folder)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)


def names_in(env_file: Path) -> list[str]:
    return [line.partition("=")[0] for line in env_file.read_text().splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("before", [None, "", "\n"], ids=["missing", "empty", "blank"])
def test_a_missing_or_empty_env_is_written_for_its_owner_alone(tmp_path: Path, before: str | None) -> None:
    if before is not None:
        (tmp_path / ".env").write_text(before)
    assert set_up(tmp_path, "env").returncode == 0
    assert names_in(tmp_path / ".env") == ["DEBUG", "SECRET_KEY", "ENDPOINT_KEYS"]
    assert stat.S_IMODE((tmp_path / ".env").stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == [".env"], "the draft is gone"


def test_an_env_that_says_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("DEBUG=true\n")
    assert (set_up(tmp_path, "env").returncode, (tmp_path / ".env").read_text()) == (0, "DEBUG=true\n")


def test_an_env_that_cannot_be_written_is_not_left_half_done(tmp_path: Path) -> None:
    limited = ["sh", "-c", f"ulimit -f 0; exec {sys.executable} {ROOT}/scripts/set_up.py env"]
    done = subprocess.run(limited, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert not (tmp_path / ".env").exists()


@pytest.mark.parametrize("path", [".env", "var", "."])
def test_what_belongs_to_somebody_else_gets_a_sentence(tmp_path: Path, path: str) -> None:
    (tmp_path / "var").mkdir()
    (tmp_path / ".env").write_text("DEBUG=true\n")
    tmp_path.chmod(0o755)
    for each in ("var", ".env"):
        (tmp_path / each).chmod(0o777)
    if path == ".":
        (tmp_path / ".env").unlink()
        tmp_path.chmod(0o555)
    else:
        (tmp_path / path).chmod(0o100)
    try:
        done = set_up_as_somebody_else(tmp_path)
    finally:
        tmp_path.chmod(0o755)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert f"{(tmp_path / path).resolve()} belongs to {tmp_path.owner()}" in done.stderr
    assert "sudo chown -R" in done.stderr


@pytest.mark.parametrize("on_terminal", [False, True])
def test_pip_shows_its_progress_on_a_terminal(tmp_path: Path, on_terminal: bool) -> None:
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$*" >> asked\n')
    python.chmod(0o755)
    command = [sys.executable, str(ROOT / "scripts/set_up.py"), "install", "lock.txt", ".venv/.run"]
    ours, theirs = pty.openpty()
    try:
        out = theirs if on_terminal else subprocess.DEVNULL
        assert subprocess.run(command, cwd=tmp_path, stdout=out, check=False, timeout=300).returncode == 0
    finally:
        os.close(ours)
        os.close(theirs)
    *_, asked = (tmp_path / "asked").read_text().splitlines()
    assert asked.endswith("--require-hashes -r lock.txt")
    assert ("--quiet" in asked) is not on_terminal
    assert (tmp_path / ".venv/.run").exists()


def checkout(folder: Path) -> Path:
    """A folder that looks like a clone, so that what is written does not end up in this one."""
    folder.mkdir()
    for name in SHIPPED:
        (folder / name).symlink_to(ROOT / name)
    return folder


@pytest.mark.thorough
@pytest.mark.processes
@pytest.mark.parametrize("seconds", [0.02, 0.1, 0.4, 0.8, 1.5, 3, 5, 8])
def test_ctrl_c_in_the_first_seconds_prints_no_traceback_and_the_next_setup_works(
    tmp_path: Path, seconds: float
) -> None:
    here = checkout(tmp_path / "clone")
    make = ["make", "-o", ".venv/.run", "-C", str(here)]
    with started(tmp_path, [*make, "run", f"PORT={free_port()}"]) as process:
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to make and to all that it has started
        process.wait(timeout=300)
    assert "Traceback" not in words(tmp_path)
    assert "Fatal Python error" not in words(tmp_path)
    nothing_is_left(tmp_path)
    done = subprocess.run([*make, "setup"], env=environment(tmp_path), capture_output=True, text=True, check=False)
    # Where Ctrl-C came before .env was there, this is the setup that writes it, and says so.
    assert (done.returncode, done.stderr.removeprefix(WRITES_SETTINGS)) == (0, "")


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", -signal.SIGTERM)])
def test_a_signal_between_a_migration_and_its_record_waits_for_the_record(
    tmp_path: Path, name: str, status: int
) -> None:
    def manage(*command: str) -> "subprocess.CompletedProcess[str]":
        own = environment(tmp_path, DJANGO_SETTINGS_MODULE="leaderboard.settings")
        return subprocess.run(
            [sys.executable, *command], cwd=ROOT, env=own, capture_output=True, text=True, check=False, timeout=300
        )

    stopped = manage("-c", INTERRUPTED.format(signal=name))
    assert stopped.returncode == status
    assert "Traceback" not in stopped.stderr
    said = manage("manage.py", "showmigrations", "evaluation").stdout
    assert "[X] 0004_former_names" in said
    assert "[ ] 0005" in said, "it has stopped there"
    again = manage("manage.py", "migrate", "--verbosity", "0")
    assert (again.returncode, again.stderr) == (0, "")


@pytest.mark.parametrize(
    "words", [("manage.py", "migrate"), ("-c", "from evaluation import evaluate")], ids=lambda w: w[0]
)
def test_missing_settings_are_one_sentence(words: tuple[str, ...]) -> None:
    done = run(sys.executable, *words, **dict.fromkeys(REQUIRED, ""))
    assert done.returncode == 1
    assert done.stderr.startswith("Not set: SECRET_KEY")
    assert done.stderr.count("\n") == 1


def test_missing_settings_can_be_caught_by_a_script() -> None:
    with pytest.raises(ImproperlyConfigured, match="Not set: X"):
        raise NotSetUp("Not set: X")
    assert NotSetUp("Not set: X").code == "Not set: X"


@pytest.mark.parametrize(
    ("content", "says"),
    [(None, "'make setup'"), ("", "is empty"), ("DEBUG=tr", "does not set them. If it was cut short")],
)
def test_missing_settings_tell_the_state_of_the_env(tmp_path: Path, content: str | None, says: str) -> None:
    path = tmp_path / ".env"
    if content is not None:
        path.write_text(content)
    assert says in advice_for_development(path)
    assert "make setup" in advice_for_development(path)


def test_an_env_that_cannot_be_read_is_said_to_be_somebody_else_s(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("DEBUG=true\n")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("root reads everything")
    assert f"cannot be read: run this as {path.owner()}" in advice_for_development(path)
