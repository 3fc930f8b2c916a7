"""The front page of the administration: what waits, as counts that agree with the lists that they lead to."""

import re
from collections.abc import Mapping
from datetime import timedelta
from uuid import uuid4

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluation.models import ItemBank, Judge, LanguageModel, Origin, Run, Status
from evaluation.runs.judging import register_judge
from leaderboard.models import HumanSet, Note, Report, Schedule, Submission, UploadedResults
from leaderboard.pages.administration.waiting import PARTS, waiting_for
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_endpoint, make_model, make_run
from tests.leaderboard.staff import logged_in, nobody_of_note, root

pytestmark = [pytest.mark.django_db, pytest.mark.database]
MOST_QUERIES = 22
WAITING = {
    "submission waits for a decision": 2,
    "of them has a doubt about its name": 1,
    "mistake was reported": 1,
    "model was suggested": 1,
    "set of answers from a visitor": 1,
    "run stands still": 2,
    "run failed in the last day": 2,  # one of them is a judge's
    "judge does not answer": 1,
    "schedule could not run": 1,
    "note on a changed score is new": 1,
    "listed model lacks facts": 2,
    "model looks like another by its name": 2,
    "imported run is not published": 1,
    "file that you uploaded is not imported": 1,
    "log-in is locked": 1,
}


def counts(user: User) -> Mapping[str, int]:
    """What the dashboard counts, without the zeros."""
    return {line.one: line.n for part in waiting_for(user) for line in part.lines if line.n}


def submitted(**fields: object) -> Submission:
    endpoint = make_endpoint()
    return Submission.objects.create(model=endpoint.model, endpoint=endpoint, owner="203.0.113.0/24", **fields)


def staff_of(*rights: str) -> User:
    user = User.objects.create_user("some", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    return user


def everything_waits(user: User) -> None:
    """Rows of each kind that staff should look at, and beside each a row that they need not."""
    now = timezone.now()
    bank = make_bank(5)
    submitted()
    submitted(flagged=True)
    submitted(state=Submission.State.APPROVED)
    run = make_run(bank=bank, status=Status.FINISHED, score=60.0, endpoint=make_endpoint(model=make_model("maker/One")))
    for kind, done in (("mistake", False), ("suggestion", False), ("mistake", True)):
        Report.objects.create(kind=kind, run=run, model=run.model, text="Look.", done=done)
    for days, dropped in ((0, False), (0, True), (9, False)):
        day = (now - timedelta(days=days)).date()
        HumanSet.objects.create(bank=bank, answers=[], consent_version=1, day=day, dropped=dropped)
    at_work = {"lease_token": uuid4(), "started_at": now - timedelta(hours=1), "bank": bank, "status": Status.RUNNING}
    make_run(**at_work, lease_until=now - timedelta(minutes=5))
    make_run(**at_work, lease_until=now + timedelta(seconds=60))  # no answer for an hour
    make_run(**{**at_work, "started_at": now}, lease_until=now + timedelta(seconds=60))
    for hours in (1, 50):
        make_run(bank=bank, status=Status.FAILED, failure_kind="platform", finished_at=now - timedelta(hours=hours))
    judge(now - timedelta(hours=1), bank, "One judge")
    judge(now - timedelta(days=3), bank, "Other judge")
    Schedule.objects.create(endpoint=make_endpoint(), bank=bank, trouble="No key.")
    Schedule.objects.create(endpoint=make_endpoint(), bank=bank)
    Note.objects.create(run=run, text="Departs.")
    alike = make_run(bank=bank, status=Status.FINISHED, score=50.0, endpoint=make_endpoint(model=make_model("x/0ne")))
    LanguageModel.objects.filter(pk=run.model_id).update(display_name="One", open_weights=None)
    LanguageModel.objects.filter(pk=alike.model_id).update(display_name="0ne")
    make_run(bank=bank, origin=Origin.IMPORTED, status=Status.FINISHED, score=40.0, published=False, driver="command")
    UploadedResults.objects.create(file_name="a.json", content=b"{}", uploaded_by=user)
    for failures in (1, 5):
        AccessAttempt.objects.create(username="root", ip_address=f"203.0.113.{failures}", failures_since_start=failures)
    refresh_standings()


def judge(failed_at: object, bank: ItemBank, name: str) -> Judge:
    """One whose run failed then."""
    made = register_judge(name=name, maker="maker", base_url="https://judge.example/v1", api_model=name)
    fields = {"endpoint": made.endpoint, "status": Status.FAILED, "failure_kind": "platform"}
    run = make_run(bank=bank, **fields)
    Run.objects.filter(pk=run.pk).update(finished_at=failed_at)
    return made


@pytest.fixture
def superuser() -> User:
    return User.objects.create_superuser("boss")


def test_a_board_on_which_nothing_waits_shows_quiet_zeros_alone(superuser: User) -> None:
    assert counts(superuser) == {}
    html = logged_in(superuser).get("/admin/").content.decode()
    n_sources = sum(len(sources) for _, sources in PARTS)
    assert len(re.findall(r'<li class="quiet">\s*<b>0</b>', html)) == n_sources


def test_each_thing_that_waits_is_counted_and_what_is_done_is_not(superuser: User) -> None:
    everything_waits(superuser)
    found = counts(superuser)
    assert {words: found.get(words) for words in WAITING} == WAITING


def test_each_count_is_that_of_the_list_that_it_leads_to(superuser: User) -> None:
    everything_waits(superuser)
    client = logged_in(superuser)
    lists = [
        line for part in waiting_for(superuser) for line in part.lines if "/admin/" in line.link and "?" in line.link
    ]
    assert len(lists) > 10
    for line in lists:
        response = client.get(line.link)
        assert response.status_code == 200, line.link
        assert response.context["cl"].result_count == line.n, line.link


def test_an_account_sees_a_line_for_each_right_and_none_without(superuser: User) -> None:
    everything_waits(superuser)
    assert waiting_for(staff_of()) == ()
    html = nobody_of_note().get("/admin/").content.decode()
    assert 'class="waiting"' not in html
    assert "You don’t have permission to view or edit anything." in html
    User.objects.get(username="some").delete()
    seen = [line.one for part in waiting_for(staff_of("view_report")) for line in part.lines]
    assert seen == ["mistake was reported", "model was suggested"]


def test_runs_on_private_banks_are_counted_for_those_alone_who_may_see_items(superuser: User) -> None:
    private = ItemBank.objects.create(slug="own", benchmark="eq-bench-v2", sha256="f" * 64, access="private")
    make_run(bank=private, status=Status.FAILED, failure_kind="platform", finished_at=timezone.now())
    assert counts(superuser)["run failed in the last day"] == 1
    assert "run failed in the last day" not in counts(staff_of("view_run"))


def test_files_of_another_account_are_not_counted(superuser: User) -> None:
    everything_waits(superuser)
    assert "file that you uploaded is not imported" not in counts(staff_of("add_run"))


def test_the_dashboard_asks_one_query_for_each_count_however_much_waits(superuser: User) -> None:
    client = root()
    everything_waits(superuser)
    client.get("/admin/")
    with CaptureQueriesContext(connection) as few:
        client.get("/admin/")
    for _ in range(10):
        submitted(flagged=True)
        make_run(status=Status.FAILED, failure_kind="platform", finished_at=timezone.now())
    with CaptureQueriesContext(connection) as many:
        client.get("/admin/")
    assert len(few) == len(many) <= MOST_QUERIES


def test_the_words_fit_the_number(superuser: User) -> None:
    submitted()
    client: Client = logged_in(superuser)
    assert ">submission waits for a decision</a>" in client.get("/admin/").content.decode()
    submitted()
    assert ">submissions wait for a decision</a>" in client.get("/admin/").content.decode()


def test_each_link_into_a_page_leads_to_a_part_of_it(superuser: User) -> None:
    client = logged_in(superuser)
    links = [line.link for part in waiting_for(superuser) for line in part.lines if "#" in line.link]
    assert links
    for link in links:
        path, _, anchor = link.partition("#")
        assert f'id="{anchor}"' in client.get(path).content.decode()
