"""What the settings say on keys and addresses, and how a start without them ends."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet

from tests.processes import ROOT

PRINT = (
    "import json; from leaderboard import settings as s;"
    "print(json.dumps([s.ENDPOINT_ALLOWED_NETWORKS, s.ENDPOINT_PORTS, s.SITE_HOSTS, len(s.ENDPOINT_KEYS)]))"
)


def start(**variables: str) -> "subprocess.CompletedProcess[str]":
    """Reads the settings in a process of its own, under production rules unless told otherwise."""
    production = {
        "DEBUG": "false",
        "SECRET_KEY": "a secret of the tests",
        "ALLOWED_HOSTS": "board.example",
        "ENDPOINT_KEYS": Fernet.generate_key().decode(),
        "ENDPOINT_ALLOWED_NETWORKS": "",
        "DATABASE_URL": "sqlite:////nowhere/board.sqlite3",
        "REDIS_URL": "redis://127.0.0.1:1/0",
        "EMAIL_URL": "consolemail://",
    }
    changed = {name: value for name, value in os.environ.items() if name != "SITE_HOSTS"} | production | variables
    return subprocess.run(
        [sys.executable, "-c", PRINT], cwd=ROOT, env=changed, capture_output=True, text=True, check=False
    )


def read(done: "subprocess.CompletedProcess[str]") -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_production_start_without_keys_stops_and_names_all_that_is_missing() -> None:
    done = start(ENDPOINT_KEYS="", SECRET_KEY="")
    assert done.returncode != 0
    assert "Not set: SECRET_KEY, ENDPOINT_KEYS." in done.stderr


@pytest.mark.parametrize("keys", ["short", ",", "not/base64!" * 4, "ю"])
def test_a_key_that_cannot_seal_stops_the_start_and_is_not_quoted(keys: str) -> None:
    done = start(ENDPOINT_KEYS=f"{Fernet.generate_key().decode()},{keys}" if keys != "," else keys)
    assert done.returncode != 0
    assert "is not 32 bytes in URL-safe base64" in done.stderr
    assert "not/base64!" not in done.stderr.rpartition("ImproperlyConfigured")[2]


def test_production_allows_no_inner_network_and_says_nothing_of_it() -> None:
    done = start()
    assert read(done) == [[], [80, 443, 1234, 8000, 8080, 8443, 11434], ["board.example"], 1]
    assert "WARNING" not in done.stderr


def test_a_production_start_with_an_inner_network_says_so_loudly() -> None:
    done = start(ENDPOINT_ALLOWED_NETWORKS="10.20.0.0/16,fd00::/8", ENDPOINT_PORTS="9000")
    assert read(done)[:2] == [["10.20.0.0/16", "fd00::/8"], [9000]]
    assert "WARNING: ENDPOINT_ALLOWED_NETWORKS is 10.20.0.0/16, fd00::/8" in done.stderr


def test_a_network_that_is_none_stops_the_start() -> None:
    done = start(ENDPOINT_ALLOWED_NETWORKS="10.20.0.1/16")
    assert done.returncode != 0
    assert "ENDPOINT_ALLOWED_NETWORKS: 10.20.0.1/16 has host bits set" in done.stderr


def test_a_clone_for_development_may_call_this_machine() -> None:
    variables = {name: value for name, value in os.environ.items() if not name.startswith("ENDPOINT_")}
    development = {**variables, "DEBUG": "true", "SECRET_KEY": "x"}
    command = [sys.executable, "-c", PRINT]
    done = subprocess.run(command, cwd=ROOT, env=development, capture_output=True, text=True, check=False)
    networks, _, _, keys = read(done)
    assert (networks, keys) == (["127.0.0.0/8", "::1/128"], 1)
    assert "WARNING" not in done.stderr


@pytest.mark.parametrize("name", ["aiohttp", "asyncio"])
def test_what_lies_below_http_does_not_log_below_warnings(name: str) -> None:
    """A level of its own, so that LOG_LEVEL does not change it."""
    assert logging.getLogger(name).level == logging.WARNING


def test_the_set_up_writes_a_sealing_key_of_its_own_for_development(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(ROOT / "scripts/set_up.py"), "env"], cwd=tmp_path, check=True)
    lines = dict(line.split("=", 1) for line in (tmp_path / ".env").read_text().splitlines() if "=" in line)
    Fernet(lines["ENDPOINT_KEYS"])
    assert set(lines) == {"DEBUG", "SECRET_KEY", "ENDPOINT_KEYS"}
