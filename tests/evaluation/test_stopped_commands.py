"""Ctrl-C at any moment of a command: one word, status 130, and no lease that anybody would wait for."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.demo.server import make_app
from evaluation.models import Run, Status
from tests.factories import make_bank
from tests.fakes import requests_at, serve
from tests.instruments import signal_at
from tests.processes import ROOT, environment, manage, wait_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.processes]

LOADING = [
    "import django.core.management",
    "import leaderboard.settings",
    "import django.db.models",
    "import leaderboard.models",
    "call __init__.py:execute",
    "call __init__.py:fetch_command",
]


def evaluate(address: str, moment: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    words = ("--model", "maker/demo", "--base-url", address)
    return manage("evaluate", *words, **signal_at(folder, moment))


def assert_stopped(done: "subprocess.CompletedProcess[str]", status: int = 130) -> None:
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    assert "KeyboardInterrupt" not in done.stderr
    assert "Stopped." in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("command", "moment"),
    [
        *(("evaluate", moment) for moment in LOADING),
        ("migrate", "import django.db.models"),
        ("load_bank", "import leaderboard.models"),
        ("serve", "call __init__.py:fetch_command"),
        ("check", "import leaderboard.settings"),
    ],
)
def test_ctrl_c_while_modules_are_loaded_is_one_word(command: str, moment: str, tmp_path: Path) -> None:
    done = manage(command, **signal_at(tmp_path, moment))
    assert_stopped(done)
    assert done.stderr == "Stopped.\n"


@pytest.mark.parametrize(
    "moment",
    [
        "import aiohttp",
        "import evaluation.management.commands.evaluate",
        "call evaluate.py:add_arguments",
        "call evaluate.py:handle",
    ],
)
def test_ctrl_c_before_a_run_is_opened_leaves_none(moment: str, tmp_path: Path) -> None:
    make_bank(3, slug="eq-bench-v2")
    assert_stopped(evaluate("http://127.0.0.1:9", moment, tmp_path))
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    "moment",
    [
        "call opening.py:open_run",
        "return opening.py:open_run",
        "call runner.py:claim",
        "return runner.py:claim",
        "call runner.py:carry",
        "return runner.py:method_of",
    ],
)
def test_ctrl_c_before_and_after_the_claim_leaves_no_lease(moment: str, tmp_path: Path) -> None:
    make_bank(12, slug="eq-bench-v2")
    with serve(make_app(persona="random", latency_ms=20)) as address:
        assert_stopped(evaluate(address, moment, tmp_path))
        run = Run.objects.get()
        assert (run.status, run.lease_token, run.idle_claims) == (Status.QUEUED, None, 0)
        again = manage("evaluate", "--run", str(run.pk))
    assert again.returncode == 0, again.stderr


def test_a_second_ctrl_c_breaks_off_at_once_and_gives_the_lease_back() -> None:
    make_bank(12, slug="eq-bench-v2")
    with serve(make_app(persona="random", latency_ms=60_000)) as address:
        words = ["evaluate", "--model", "maker/demo", "--base-url", address]
        with subprocess.Popen(
            [sys.executable, "manage.py", *words], cwd=ROOT, env=environment("", RUN_DRAIN_SECONDS="120"), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as process:  # fmt: skip
            # A claimed run with nothing in flight yet would end at the first signal.
            wait_for(lambda: bool(requests_at(address)), what="a request")
            process.send_signal(signal.SIGINT)
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(timeout=3)  # it waits for what is in flight; two signals within a moment may be one
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert Run.objects.get().lease_token is None


def test_ctrl_c_within_a_command_that_heeds_no_signal_is_one_word_too(tmp_path: Path) -> None:
    done = manage("load_bank", "eq-open-v1", **signal_at(tmp_path, "call banks.py:checked_bank"))
    assert_stopped(done)
    assert done.stderr == "Stopped.\n"


@pytest.mark.parametrize(
    ("name", "status"), [("SIGINT", 130), ("SIGTERM", -signal.SIGTERM), ("SIGHUP", -signal.SIGHUP)]
)
def test_a_backup_that_is_stopped_leaves_no_file_that_looks_like_one(name: str, status: int, tmp_path: Path) -> None:
    """By a service manager, or by a terminal that is closed: neither is Ctrl-C."""
    make_bank(3, slug="eq-bench-v2")
    path = tmp_path / "board.zip"
    assert_stopped(manage("backup", str(path), **signal_at(tmp_path, "call writing.py:table_lines", name)), status)
    assert [file.name for file in tmp_path.glob("board.zip*")] == []
    assert manage("backup", str(path)).returncode == 0


def test_a_run_whose_terminal_is_closed_ends_well_and_gives_its_lease_back(tmp_path: Path) -> None:
    make_bank(12, slug="eq-bench-v2")
    with serve(make_app(persona="random", latency_ms=20)) as address:
        words = ("--model", "maker/demo", "--base-url", address)
        assert_stopped(manage("evaluate", *words, **signal_at(tmp_path, "return opening.py:open_run", "SIGHUP")))
        run = Run.objects.get()
    assert (run.status, run.lease_token) == (Status.QUEUED, None)


def test_a_command_that_was_started_deaf_to_ctrl_c_stays_deaf(tmp_path: Path) -> None:
    line = f"trap '' INT; exec {sys.executable} manage.py check --database default"
    own = environment("", **signal_at(tmp_path, "import django.db.models"))
    done = subprocess.run(["sh", "-c", line], cwd=ROOT, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
