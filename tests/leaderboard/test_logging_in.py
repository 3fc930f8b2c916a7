"""Logging in as an administrator: throttled by name and network, without telling which names there are."""

import json
import os
import subprocess
import sys
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from axes.models import AccessAttempt, AccessLog
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from leaderboard.administration.purging import purge_administration
from leaderboard.models import UploadedResults
from leaderboard.tasks import purge_administration as purge_task

pytestmark = [pytest.mark.django_db, pytest.mark.database]
LOGIN = "/admin/login/"
WRONG = "wrong"
FAILS = "Please enter the correct username and password"


@pytest.fixture(autouse=True)
def _root() -> None:
    User.objects.create_superuser("root", password="the-right-one")


def tried(client: Client, name: str = "root", *, password: str = WRONG, **extra: Any) -> Any:
    return client.post(LOGIN, {"username": name, "password": password, "next": "/admin/"}, **extra)


def locked(client: Client, name: str = "root", **extra: Any) -> None:
    for _ in range(4):
        assert tried(client, name, **extra).status_code == 200
    assert tried(client, name, **extra).status_code == 429


def test_the_right_password_opens_the_administration_and_forgets_the_failures(client: Client) -> None:
    for _ in range(4):
        assert FAILS in tried(client).content.decode()
    assert tried(client, password="the-right-one")["Location"] == "/admin/"
    assert not AccessAttempt.objects.exists()


def test_five_failures_lock_the_name_even_for_the_right_password_and_say_what_to_do(client: Client) -> None:
    locked(client)
    response = tried(client, password="the-right-one")
    html = response.content.decode()
    assert (response.status_code, response["Retry-After"]) == (429, "900")
    assert "locked from your network for 15 minutes" in html
    assert "axes_reset_username" in html
    assert client.get("/admin/").status_code == 302


def test_a_name_that_nobody_has_is_told_the_same(client: Client) -> None:
    locked(client, "nobody")
    of_nobody = tried(client, "nobody").content
    locked(client, "root")
    assert tried(client, "root").content == of_nobody


def test_the_lock_ends_after_fifteen_minutes_although_somebody_went_on_trying(client: Client) -> None:
    locked(client)
    tried(client)
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=14))
    assert tried(client, password="the-right-one").status_code == 429
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=15, seconds=1))
    assert tried(client, password="the-right-one").status_code == 302


def test_another_network_and_another_name_are_not_locked(client: Client) -> None:
    locked(client)
    assert tried(client, password="the-right-one", REMOTE_ADDR="192.0.2.7").status_code == 302
    User.objects.create_superuser("second", password="another")
    assert tried(Client(), "second", password="another").status_code == 302


def test_another_browser_of_the_same_network_is_locked_too(client: Client) -> None:
    locked(client)
    other = tried(Client(), password="the-right-one", headers={"user-agent": "another"})
    assert other.status_code == 429


@pytest.mark.parametrize(
    ("proxies", "status"), [(0, 429), (1, 302)], ids=["typed by a stranger", "appended by our own proxy"]
)
def test_a_forwarded_address_counts_only_behind_a_trusted_proxy(
    client: Client, settings: Any, proxies: int, status: int
) -> None:
    settings.TRUSTED_PROXIES = proxies
    locked(client, headers={"x-forwarded-for": "198.51.100.1"})
    again = tried(client, password="the-right-one", headers={"x-forwarded-for": "198.51.100.2"})
    assert again.status_code == status


def test_one_customer_of_a_provider_cannot_change_the_ipv6_address_to_go_on(client: Client) -> None:
    locked(client, REMOTE_ADDR="2001:db8:1:2::1")
    assert tried(client, password="the-right-one", REMOTE_ADDR="2001:db8:1:2::ffff").status_code == 429
    assert tried(client, password="the-right-one", REMOTE_ADDR="2001:db8:1:3::1").status_code == 302


def test_a_customer_with_a_whole_ipv6_network_gets_three_times_as_many_guesses_and_no_more(client: Client) -> None:
    for number in range(3):
        for address in (f"2001:db8:1:{number:x}00::1", f"2001:db8:1:{number:x}01::1"):
            statuses = [tried(client, REMOTE_ADDR=address).status_code for _ in range(3)]
    assert statuses[-1] == 429
    assert tried(client, password="the-right-one", REMOTE_ADDR="2001:db8:1:ff00::1").status_code == 429
    assert tried(client, password="the-right-one", REMOTE_ADDR="2001:db8:2::1").status_code == 302
    assert "axes_reset_username" in tried(client, REMOTE_ADDR="2001:db8:1:ff00::1").content.decode()


def test_no_password_is_stored_with_an_attempt(client: Client) -> None:
    tried(client, password="a-typed-secret")
    rows = json.dumps(list(AccessAttempt.objects.values()), default=str)
    assert "a-typed-secret" not in rows
    assert "root" in rows


PRODUCTION = """
import django, json
from django.conf import settings
from django.core.checks import run_checks
django.setup()
names = ("SESSION_COOKIE_NAME", "CSRF_COOKIE_NAME", "SESSION_COOKIE_SECURE", "SESSION_COOKIE_HTTPONLY",
         "SESSION_COOKIE_SAMESITE", "SESSION_COOKIE_AGE", "CSRF_COOKIE_HTTPONLY")
print(json.dumps([{name: getattr(settings, name) for name in names},
                  [str(each) for each in run_checks(include_deployment_checks=True) if not each.is_silenced()]]))
"""


def test_in_production_cookies_are_bound_to_this_host_and_no_check_complains(tmp_path: Any) -> None:
    changes = {
        "DEBUG": "false",
        "SECRET_KEY": "x" * 25 + "abcdefghijklmnopqrstuvwxyz0123456789",
        "ALLOWED_HOSTS": "board.example",
        "ENDPOINT_KEYS": "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'none.sqlite3'}",
        "REDIS_URL": "redis://127.0.0.1:1/0",
    }
    out = subprocess.run(
        [sys.executable, "-c", PRODUCTION], env={**os.environ, **changes}, capture_output=True, text=True, check=True
    )
    cookies, messages = json.loads(out.stdout.splitlines()[-1])
    assert messages == []
    assert cookies == {
        "SESSION_COOKIE_NAME": "__Host-sessionid",
        "CSRF_COOKIE_NAME": "__Host-csrftoken",
        "SESSION_COOKIE_SECURE": True,
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "SESSION_COOKIE_AGE": 43_200,
        "CSRF_COOKIE_HTTPONLY": True,
    }


def aged(rows: Any, **kept: float) -> None:
    rows.update(attempt_time=timezone.now() - timedelta(**kept))


def test_logins_and_failures_are_forgotten_after_ninety_days_by_the_hourly_purge(client: Client) -> None:
    tried(client, password="the-right-one")
    tried(Client(), "somebody")
    aged(AccessLog.objects, days=89)
    aged(AccessAttempt.objects, days=89)
    purge_task()
    assert (AccessLog.objects.count(), AccessAttempt.objects.count()) == (1, 1)
    aged(AccessLog.objects, days=91)
    aged(AccessAttempt.objects, days=91)
    assert purge_administration(0) == 0
    purge_task()
    assert not AccessLog.objects.exists()
    assert not AccessAttempt.objects.exists()


def test_no_purge_lifts_a_lock(client: Client, settings: Any) -> None:
    settings.AXES_COOLOFF_TIME = timedelta(days=3)
    locked(client)
    aged(AccessAttempt.objects, days=2)
    assert purge_administration(1) == 0
    assert tried(client, password="the-right-one").status_code == 429


def test_the_purge_takes_ended_sessions_and_uploads_that_nobody_confirmed_too(client: Client) -> None:
    tried(client, password="the-right-one")
    user = User.objects.get()
    old = UploadedResults.objects.create(file_name="old", content=b"", uploaded_by=user)
    UploadedResults.objects.create(file_name="new", content=b"", uploaded_by=user)
    UploadedResults.objects.filter(pk=old.pk).update(uploaded_at=timezone.now() - timedelta(hours=25))
    purge_administration(90)
    assert [each.file_name for each in UploadedResults.objects.all()] == ["new"]
    assert client.get("/admin/").status_code == 200
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    purge_administration(90)
    assert not Session.objects.exists()


def test_whoever_runs_the_server_can_lift_a_lock(client: Client) -> None:
    locked(client)
    said = StringIO()
    call_command("axes_list_attempts", stdout=said)
    assert "root" in said.getvalue()
    call_command("axes_reset_username", "root", stdout=said)
    assert tried(client, password="the-right-one").status_code == 302
