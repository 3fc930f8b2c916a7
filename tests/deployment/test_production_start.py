"""A start under production rules: nothing forgotten, nothing open."""

import json
import subprocess
import sys

import pytest

from tests.deployment.production import REQUIRED, SECRETS, run


def started(**changes: str) -> "subprocess.CompletedProcess[str]":
    return run(sys.executable, "-c", "import leaderboard.settings", **changes)


@pytest.mark.parametrize("name", REQUIRED)
def test_what_must_be_set_and_is_not_stops_the_start_and_is_named(name: str) -> None:
    done = started(**{name: ""})
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert f"Not set: {name}. Set" in last
    assert not any(value in done.stderr for value in SECRETS.values())


def test_all_that_is_missing_is_named_at_once() -> None:
    done = started(**dict.fromkeys(REQUIRED, ""))
    assert "Not set: SECRET_KEY, ALLOWED_HOSTS, ENDPOINT_KEYS, DATABASE_URL, REDIS_URL. Set each" in done.stderr
    assert "or development alone: 'make setup'" in done.stderr, "which would put production into DEBUG"


def test_a_key_that_cannot_seal_stops_the_start_and_is_not_quoted() -> None:
    done = started(ENDPOINT_KEYS="not-a-fernet-key")
    assert done.returncode == 1
    assert "ENDPOINT_KEYS: key 1" in done.stderr
    assert "not-a-fernet-key" not in done.stderr


def test_a_full_set_starts_and_says_nothing() -> None:
    done = started()
    assert (done.returncode, done.stderr) == (0, "")


def test_a_start_without_a_mail_server_says_that_nobody_gets_mail() -> None:
    done = started(EMAIL_URL="")
    assert (done.returncode, done.stderr.count("WARNING: EMAIL_URL is not set")) == (0, 1)


READ = """
import json
from leaderboard import settings as s
print(json.dumps([s.ALLOWED_HOSTS, s.CSRF_TRUSTED_ORIGINS, s.SITE_HOSTS, s.SECURE_HSTS_SECONDS,
                  s.SECURE_HSTS_INCLUDE_SUBDOMAINS, s.SECURE_HSTS_PRELOAD]))
"""


def test_lists_are_read_without_the_blanks_between_their_entries() -> None:
    done = run(
        *(sys.executable, "-c", READ),
        ALLOWED_HOSTS="board.example, www.board.example ,",
        CSRF_TRUSTED_ORIGINS=" https://board.example, https://www.board.example",
    )
    hosts, origins, own, *_ = json.loads(done.stdout)
    assert hosts == own == ["board.example", "www.board.example"]
    assert origins == ["https://board.example", "https://www.board.example"]


@pytest.mark.parametrize("wanted", ["", "true"])
def test_hsts_binds_this_host_alone_unless_somebody_asks_for_more(wanted: str) -> None:
    names = ("SECURE_HSTS_INCLUDE_SUBDOMAINS", "SECURE_HSTS_PRELOAD") if wanted else ()
    done = run(sys.executable, "-c", READ, **dict.fromkeys(names, wanted))
    assert json.loads(done.stdout)[3:] == [31_536_000, bool(wanted), bool(wanted)]


@pytest.mark.thorough
@pytest.mark.parametrize("proxy", ["true", "false"])
def test_the_deployment_check_is_clean(proxy: str) -> None:
    done = run(sys.executable, "-W", "error", "manage.py", "check", "--deploy", BEHIND_PROXY=proxy)
    assert done.returncode == 0
    assert done.stdout == "System check identified no issues (2 silenced).\n"  # on HSTS of other hosts
    assert done.stderr == ""
