"""The audit log: keys, administration, submissions and logins in one list, newest first, filtered, in few queries."""

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluation.models import KeyEvent
from leaderboard.administration.run_acts import note
from leaderboard.models import Submission, SubmissionEvent
from leaderboard.submissions.moderating import say
from tests.factories import make_endpoint
from tests.leaderboard.pages import table
from tests.leaderboard.staff import logged_in, nobody_of_note, root

pytestmark = [pytest.mark.django_db, pytest.mark.database]
AUDIT = "/admin/audit/"


def rows(client: Client, query: str = "") -> list[list[str]]:
    response = client.get(AUDIT + query)
    assert response.status_code == 200
    return table(response.content.decode().partition('class="board"')[2])[1:]


def happened(text: str = "Approved by a moderator.") -> None:
    """A key was sealed, a submission decided, and an administrator noted it."""
    endpoint = make_endpoint()
    KeyEvent.objects.create(endpoint=endpoint, kind="sealed")
    submission = Submission.objects.create(model=endpoint.model, endpoint=endpoint, owner="ann")
    say(submission, text)
    user, _ = User.objects.get_or_create(username="root", defaults={"is_staff": True, "is_superuser": True})
    note(user, [submission], "Approved.")


def test_all_kinds_stand_in_one_list_the_newest_first() -> None:
    happened()
    client = root()
    found = rows(client)
    assert [row[1] for row in found] == ["login", "admin", "submission", "key"]
    assert [row[2] for row in found] == ["root", "root", "–", "–"]
    assert [row[4] for row in found] == ["Logged in.", "Approved.", "Approved by a moderator.", "Key sealed."]
    assert "submission" in found[1][3]


def test_the_order_is_that_of_time_whatever_the_kind() -> None:
    happened()
    SubmissionEvent.objects.update(at=timezone.now() - timedelta(days=3))
    KeyEvent.objects.update(at=timezone.now() + timedelta(minutes=1))
    assert [row[1] for row in rows(root())] == ["key", "login", "admin", "submission"]


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ("?kind=key", ["key"]),
        ("?kind=nonsense", ["login", "admin", "submission", "key"]),
        ("?word=moderator", ["submission"]),
        ("?word=SEALED", ["key"]),
        ("?word=%00", ["login", "admin", "submission", "key"]),
        ("?day=2020-01-01", []),
        ("?day=yesterday&page=x", ["login", "admin", "submission", "key"]),
        ("?page=999999", []),
    ],
)
def test_the_list_is_filtered_and_nonsense_is_the_default(query: str, kinds: list[str]) -> None:
    happened()
    found = rows(root(), query)
    assert [row[1] for row in found if len(row) > 1] == kinds


def test_older_pages_hold_what_the_first_does_not() -> None:
    for _ in range(45):
        happened()
    client = root()
    first, second = rows(client, "?kind="), rows(client, "?page=2")
    assert (len(first), len(second)) == (100, 36)
    assert "?page=2" in client.get(AUDIT).content.decode()


def test_the_number_of_queries_does_not_grow() -> None:
    client = root()

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            rows(client)
        return len(captured)

    happened()
    few = queries()
    for _ in range(10):
        happened()
    assert queries() == few <= 8


def test_each_kind_is_shown_to_those_alone_who_may_view_it(client: Client) -> None:
    happened()
    assert client.get(AUDIT).status_code == 302
    assert nobody_of_note().get(AUDIT).status_code == 403
    keeper = User.objects.create_user("keeper", is_staff=True)
    keeper.user_permissions.set(Permission.objects.filter(codename="view_keyevent"))
    assert {row[1] for row in rows(logged_in(keeper))} == {"key"}
    assert root().post(AUDIT).status_code == 405


def test_a_strange_text_is_shown_as_text() -> None:
    happened("<script>alert(1)</script> \u202e")
    html = root().get(AUDIT).content.decode()
    assert "<script>alert" not in html
    assert "U+202E" in html
    assert LogEntry.objects.exists()
