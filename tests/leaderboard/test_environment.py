"""What an operator writes into the environment: read as meant, or refused in a sentence that names the variable."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from celery import Celery
from django.core.exceptions import ImproperlyConfigured

from leaderboard.environment import Environment, check_broker, database_at, mail_at
from leaderboard.operations.broker import messages_waiting
from leaderboard.operations.error_reports import start
from leaderboard.starting.embedded_redis import embedded_redis
from tests.processes import ROOT

env = Environment()
NAME = "A_SETTING"


@pytest.mark.parametrize("text", ["abc", "-1", "nan", "inf", "1e400", "10s", "1,5", "é", " "])
def test_what_is_no_number_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(NAME, text)
    for read in (env.int, env.float):
        with pytest.raises(ImproperlyConfigured, match=rf"^{NAME} is .* should be a (whole )?number, not below 0\.$"):
            read(NAME, default=1)


@pytest.mark.parametrize("text", ["maybe", "enabled", "2", "-1", "t rue"])
def test_a_word_that_is_neither_true_nor_false_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """It counted as false: without a word, `BEHIND_PROXY=enabled` switched off what it should switch on."""
    monkeypatch.setenv(NAME, text)
    with pytest.raises(ImproperlyConfigured, match=f"^{NAME} is .* should be true or false"):
        env.bool(NAME, default=True)


def test_what_is_right_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, read, value in (
        (" 5 ", env.int, 5),
        ("0.5", env.float, 0.5),
        ("1e3", env.float, 1000.0),
        ("Yes", env.bool, True),
        ("off", env.bool, False),
        ("$2b$12$secret", env.str, "$2b$12$secret"),
        ("", env.int, None),
        ("", env.bool, None),
        ("", env.str, None),
    ):
        monkeypatch.setenv(NAME, text)
        assert read(NAME, default=None) == value
    monkeypatch.setenv(NAME, "80, 443,")
    assert env.list(NAME, cast=int, default=[1]) == [80, 443]
    monkeypatch.setenv(NAME, "")
    assert env.list(NAME, cast=int, default=[1]) == []
    monkeypatch.setenv(NAME, "debug")
    assert env.level(NAME, default="INFO") == "DEBUG"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("REPLY_DAYS", "1000000", "at most 36,525 days"),
        ("LOGIN_LOG_DAYS", "36526", "at most 36,525 days"),
        ("RUN_LEASE_SECONDS", "1e30", "at most 3,155,760,000 seconds"),
        ("RUN_BREAKER_WAITS_SECONDS", "300,1e12", "at most 3,155,760,000 seconds"),
    ],
)
def test_a_span_of_which_no_moment_can_be_reckoned_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str, words: str
) -> None:
    """The first purge or wait ended in an OverflowError."""
    monkeypatch.setenv(name, text)
    read = {"REPLY_DAYS": env.int, "LOGIN_LOG_DAYS": env.int, "RUN_LEASE_SECONDS": env.float}.get(name)
    with pytest.raises(ImproperlyConfigured, match=f"^{name} is '{text}', and should be {words}"):
        read(name, default=1) if read else env.waits(name, [1.0])


def test_no_waits_at_all_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty variable of a compose file made the watchdog raise a TypeError."""
    for text in ("", " ", ","):
        monkeypatch.setenv("RUN_BREAKER_WAITS_SECONDS", text)
        with pytest.raises(
            ImproperlyConfigured, match=r"^RUN_BREAKER_WAITS_SECONDS is empty, and should be one number"
        ):
            env.waits("RUN_BREAKER_WAITS_SECONDS", [300.0])
    monkeypatch.delenv("RUN_BREAKER_WAITS_SECONDS")
    assert env.waits("RUN_BREAKER_WAITS_SECONDS", [300.0]) == [300.0]


def test_a_list_of_ports_and_a_level_of_the_log_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "80;81")
    with pytest.raises(ImproperlyConfigured, match=f"^{NAME} is '80;81'"):
        env.list(NAME, cast=int, default=[])
    monkeypatch.setenv(NAME, "verbose")
    with pytest.raises(ImproperlyConfigured, match=f"^{NAME} is 'VERBOSE', and should be DEBUG, INFO"):
        env.level(NAME, default="INFO")


@pytest.mark.parametrize(
    "url",
    [
        *("abc", "file.db", "redis://h", "sqlite://", "sqlite:///", "sqlite://srv/board.sqlite3", "postgres://[::1/x"),
        *("postgres://u:canary@h:port/x", "postgres://u:can/ary@h:1/x", "mysql://u:canary@h/x", "u:canary@h/x"),
    ],
)
def test_what_is_no_address_of_a_database_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^DATABASE_URL is no address") as refused:
        database_at(url)
    assert "canary" not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "localhost:6379",
        "http://h",
        "amqp://h",
        "redis://u:canary@h:port/0",
        "redis://[::1",
        "unix:///x",
        "redis://h/zero",
    ],
)
def test_what_is_no_address_of_a_redis_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^REDIS_URL is no address") as refused:
        check_broker(url)
    assert "canary" not in str(refused.value)


def test_usual_addresses_are_taken() -> None:
    assert database_at("postgres://u:a%2Fb+c@h:5432/eq")["PASSWORD"] == "a/b+c"
    assert database_at("sqlite:////srv/c++/board.sqlite3")["NAME"] == "/srv/c++/board.sqlite3"
    for url in ("", "redis://h", "rediss://:p@h:6380/1?ssl_cert_reqs=required", "redis+socket:///run/r.sock"):
        check_broker(url)
    check_broker("sentinel://a:26379;sentinel://b:26379")
    assert mail_at("smtp+tls://u:p@h:587")["EMAIL_PORT"] == 587


@pytest.mark.parametrize("url", ["mail.example", "smtp://h:port", "smtp://u:canary@h:99999"])
def test_what_is_no_address_of_a_mail_server_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^EMAIL_URL is no address") as refused:
        mail_at(url)
    assert "canary" not in str(refused.value)


def test_what_is_no_address_of_sentry_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^SENTRY_DSN is no address"):
        start("abc", environment="tests")


def test_an_env_in_another_encoding_is_said_to_be_so_and_a_mark_of_its_encoding_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(NAME, raising=False)
    file = tmp_path / ".env"
    file.write_text(f"{NAME}=5\n", encoding="utf-16")
    with pytest.raises(ImproperlyConfigured, match="is no text in UTF-8"):
        env.read_file(file)
    file.write_text(f"{NAME}=5\r\n", encoding="utf-8-sig")
    monkeypatch.setenv(NAME, "")
    monkeypatch.delenv(NAME)
    env.read_file(file)
    assert env.int(NAME, default=1) == 5


def test_a_folder_with_signs_that_mean_something_in_an_address_is_that_folder() -> None:
    """Its database lay in another folder, which could be outside of the checkout."""
    with TemporaryDirectory() as short:  # the path of a socket may not be long
        folder = Path(short) / "c++ #1;100% a?b%41 é"
        code = "from leaderboard.settings import *; print(DATABASES['default']['NAME'], CELERY_BROKER_URL, sep='\\n')"
        name, broker = told(code, VAR_DIR=str(folder)).splitlines()
        assert name == str(folder / "db.sqlite3")
        with embedded_redis(folder / "redis.sock", folder):
            assert messages_waiting(Celery(broker=broker, set_as_current=False), ["celery"], 1) == 0


def test_a_relative_folder_lies_in_the_checkout_wherever_a_command_is_called(tmp_path: Path) -> None:
    """The processes of `serve` work in the checkout, and the command that starts them need not."""
    code = "from leaderboard.settings import *; print(VAR_DIR)"
    assert told(code, cwd=tmp_path, VAR_DIR="rel") == f"{ROOT / 'rel'}\n"


def told(code: str, cwd: Path = ROOT, **changes: str) -> str:
    environment = {**os.environ, "DEBUG": "true", "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **changes}
    for name in ("DATABASE_URL", "REDIS_URL"):
        environment.pop(name, None)
    done = subprocess.run([sys.executable, "-c", code], cwd=cwd, env=environment, capture_output=True, check=True)
    return done.stdout.decode()
