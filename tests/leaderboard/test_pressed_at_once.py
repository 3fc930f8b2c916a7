"""Two administrators in the same moment, on a database that lets both in: the one thing is done once."""

import threading

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from evaluation.models import Run
from tests.leaderboard.staff import logged_in
from tests.leaderboard.test_admin_actions import RUNS, do, ended

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


def pressed_at_once(run: Run) -> list[str]:
    """What two administrators read who confirm the same re-run in the same moment."""
    pages: list[str] = []
    together = threading.Barrier(2)
    clients = [logged_in(User.objects.create_superuser(name)) for name in ("ada", "bob")]

    def press(staff: Client) -> None:
        together.wait(timeout=30)
        pages.append(do(staff, RUNS, "run_again", [run], confirmed="yes"))
        connection.close()

    threads = [threading.Thread(target=press, args=(staff,)) for staff in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len(pages) == 2
    return pages


def test_q01_one_of_two_opens_the_run_and_the_other_reads_why_not() -> None:
    run = ended()
    pages = pressed_at_once(run)
    assert Run.objects.filter(parent=run).count() == 1
    assert sum("1 run opened" in html for html in pages) == 1
    assert sum("is still open" in html or "a moment ago" in html for html in pages) == 1
