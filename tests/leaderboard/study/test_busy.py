"""A rater whose answer cannot be saved while another connection holds SQLite's lock is told so, and loses nothing."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from django.core.cache import caches
from django.db import connection

from leaderboard.study.models import Participation, Rating, Study
from leaderboard.study.states import Level
from tests.leaderboard.study.making import make_study, open_groups
from tests.leaderboard.study.taking_part import Rater

pytestmark = [pytest.mark.django_db(transaction=True)]
BUSY_MILLISECONDS = 20


@pytest.fixture(autouse=True)
def _sqlite() -> Iterator[None]:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL locks rows, and nobody waits for another rater's")
    caches["limits"].clear()
    connection.ensure_connection()
    before = connection.connection.execute("PRAGMA busy_timeout").fetchone()[0]
    connection.connection.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
    yield
    connection.connection.execute(f"PRAGMA busy_timeout = {before}")
    caches["limits"].clear()


@pytest.fixture
def study() -> Study:
    study = make_study()
    open_groups(study)
    return study


@contextmanager
def another_writer() -> Iterator[None]:
    """Holds the only write lock for as long as the context lasts."""
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def test_an_answer_that_waits_too_long_is_kept_on_the_page_and_sent_again(study: Study) -> None:
    rater = Rater(study, "person")
    rater.begin()
    rater.rate(1, Level.GOOD)
    shown = re.search(r'name="shown" value="([^"]*)"', rater.get("2/").content.decode())
    assert shown
    with another_writer():
        response = rater.post("2/", v=Level.OKAY, shown=shown[1])
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    html = " ".join(response.content.decode().split())
    assert "not saved yet, but it is kept on this page" in html
    assert "Everything that you answered before is saved." in html
    assert f'action="{rater.base}2/"' in html
    assert f'<input type="hidden" name="v" value="{Level.OKAY.value}">' in html
    assert Rating.objects.count() == 1
    fields = dict(re.findall(r'<input type="hidden" name="(v|shown)" value="([^"]*)">', html))
    assert fields == {"v": str(Level.OKAY.value), "shown": shown[1]}
    assert rater.post("2/", **fields)["Location"] == f"{rater.base}3/"
    assert list(Rating.objects.order_by("pk").values_list("value", flat=True)) == [Level.GOOD, Level.OKAY]


def test_consent_that_waits_too_long_is_asked_to_be_sent_again(study: Study) -> None:
    rater = Rater(study, "person")
    rater.enter()
    with another_writer():
        response = rater.consent()
    assert response.status_code == 503
    assert '<input type="hidden" name="agree" value="on">' in response.content.decode()
    assert not Participation.objects.exists()
    assert rater.consent()["Location"] == f"{rater.base}task/"


def test_the_script_that_saves_in_the_background_is_told_that_nothing_was_saved(study: Study) -> None:
    rater = Rater(study, "person")
    rater.begin()
    with another_writer():
        assert rater.post("1/", v=Level.GOOD, quiet="1").status_code == 503
    assert rater.post("1/", v=Level.GOOD, quiet="1").status_code == 204


def test_a_reply_can_be_read_while_another_writes(study: Study) -> None:
    rater = Rater(study, "person")
    rater.begin()
    Participation.objects.update(active_at=None)  # so that reading is noted as activity, which is a write
    with another_writer():
        response = rater.get("1/")
    assert response.status_code == 200
    assert "Reply 1 of 11" in response.content.decode()
