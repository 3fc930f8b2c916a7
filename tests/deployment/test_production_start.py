"""A start under production rules: nothing forgotten, nothing open."""

import subprocess
import sys

import pytest

from tests.deployment.production import SECRETS, run


def started(**changes: str) -> "subprocess.CompletedProcess[str]":
    return run(sys.executable, "-c", "import leaderboard.settings", **changes)


@pytest.mark.parametrize("name", SECRETS)
def test_a_missing_secret_stops_the_start_and_is_named(name: str) -> None:
    done = started(**{name: ""})
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert f"Not set: {name}. Set" in last
    assert not any(value in done.stderr for value in SECRETS.values())


def test_all_that_is_missing_is_named_at_once() -> None:
    done = started(**dict.fromkeys(SECRETS, ""))
    assert "Not set: SECRET_KEY, ALLOWED_HOSTS, ENDPOINT_KEYS." in done.stderr


def test_a_key_that_cannot_seal_stops_the_start_and_is_not_quoted() -> None:
    done = started(ENDPOINT_KEYS="not-a-fernet-key")
    assert done.returncode == 1
    assert "ENDPOINT_KEYS: key 1" in done.stderr
    assert "not-a-fernet-key" not in done.stderr


def test_a_full_set_starts_and_says_nothing() -> None:
    done = started()
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.thorough
@pytest.mark.parametrize("proxy", ["true", "false"])
def test_the_deployment_check_is_clean(proxy: str) -> None:
    done = run(sys.executable, "-W", "error", "manage.py", "check", "--deploy", BEHIND_PROXY=proxy)
    assert done.returncode == 0
    assert done.stdout == "System check identified no issues (0 silenced).\n"
    assert done.stderr == ""
