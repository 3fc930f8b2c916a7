"""The queue board: what it says of each run, its buttons, and how many queries it takes."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluation.models import FaultKind, ItemBank, Run, Status
from leaderboard.models import Standing
from leaderboard.pages.administration.queue_board import queue_board
from tests.factories import make_bank, make_endpoint, make_model, make_result, make_run
from tests.leaderboard.pages import content_of, table
from tests.leaderboard.sending import no_turns_taken
from tests.leaderboard.staff import looker, nobody_of_note, root

pytestmark = [pytest.mark.django_db, pytest.mark.database]
BOARD = "/admin/queue/"


@pytest.fixture(autouse=True)
def _turns() -> Iterator[None]:
    no_turns_taken()
    yield
    no_turns_taken()


@pytest.fixture
def bank() -> ItemBank:
    return make_bank(5)


def at(minutes: float) -> Any:
    return timezone.now() + timedelta(minutes=minutes)


def run_on(bank: ItemBank, host: str = "a.example", owner: str = "ann@a.example", **fields: Any) -> Run:
    return make_run(bank=bank, endpoint=make_endpoint(model=make_model()), host=host, owner=owner, **fields)


def working(bank: ItemBank, **fields: Any) -> Run:
    times = {"started_at": at(-3), "lease_until": at(0.7), "heartbeat_at": at(-0.1)}
    return run_on(bank, status=Status.RUNNING, **{**times, **fields})


def html_of(client: Client) -> str:
    response = client.get(BOARD)
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    return content_of(response)


def test_a_run_at_work_stands_with_host_owner_progress_rate_and_lease(bank: ItemBank) -> None:
    run = working(bank)
    for item in ("1", "2"):
        make_result(run, item)
    row = " ".join(next(row for row in table(html_of(root()).partition("<section")[2]) if f"Run {run.pk}" in row[0]))
    for words in ("a.example", "ann@a.example", "2 of 5", "0.2 a minute", "Lease held", "heartbeat ", "Cancel"):
        assert words in row
    assert "Stalled" not in row


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"lease_until": -2}, "The lease ran out 2 min "),
        ({"started_at": -11}, "No answer came in the last 10 min"),
    ],
    ids=["a dead worker", "a silent endpoint"],
)
def test_a_run_that_does_not_move_is_marked(bank: ItemBank, fields: dict[str, Any], words: str) -> None:
    fields = {name: at(minutes) for name, minutes in fields.items()}
    working(bank, **fields)
    html = html_of(root())
    assert words in html
    assert "1 stalled." in html


def test_a_waiting_run_says_why_and_when_it_is_tried_again(bank: ItemBank) -> None:
    run_on(bank, status=Status.WAITING, not_before=at(29.5), failure_message="The endpoint answered 429.", waits=2)
    html = html_of(root())
    for words in ("The endpoint answered 429.", "Next try in 29 min", "2 waits so far", "Try now"):
        assert words in html


def test_queued_runs_stand_in_the_order_of_their_turn(bank: ItemBank) -> None:
    """By priority; then one run of each owner in turn, who waits longest first."""
    ann = [run_on(bank, owner="ann") for _ in range(3)]
    bob = [run_on(bank, owner="bob") for _ in range(2)]
    urgent = run_on(bank, owner="ann", priority=5)
    working(bank, owner="ann", turn=7)
    shown = [line.run.pk for line in queue_board().parts[2].lines]
    assert shown == [run.pk for run in (urgent, bob[0], ann[0], bob[1], ann[1], ann[2])]


def test_a_queued_run_says_what_it_waits_for(bank: ItemBank, settings: Any) -> None:
    settings.RUNS_PER_HOST, settings.RUNS_PER_OWNER = 1, 2
    working(bank, host="a.example", owner="ann")
    working(bank, host="b.example", owner="ann")
    states = {
        name: run_on(bank, host=host, owner=owner).pk
        for name, host, owner in (
            ("host", "a.example", "bob"),
            ("owner", "c.example", "ann"),
            ("turn", "d.example", "eve"),
        )
    }
    lines = {line.run.pk: line.state for line in queue_board().parts[2].lines}
    assert "Its host already has the maximum" in lines[states["host"]]
    assert "Its owner already has the maximum" in lines[states["owner"]]
    assert "when a worker is free" in lines[states["turn"]]


def test_a_queue_that_nobody_works_on_is_stalled(bank: ItemBank) -> None:
    run_on(bank, queued_at=at(-3))
    assert queue_board().n_stalled == 1
    working(bank)
    assert queue_board().n_stalled == 0


def test_hosts_and_owners_are_counted(bank: ItemBank, settings: Any) -> None:
    settings.RUNS_PER_HOST = 1
    working(bank)
    for _ in range(2):
        run_on(bank)
    run_on(bank, host="b.example", owner="bob", status=Status.WAITING, not_before=at(5))
    board = queue_board()
    assert [(g.name, g.at_work, g.waiting, g.queued, g.is_full) for g in board.hosts] == [
        ("a.example", 1, 0, 2, True),
        ("b.example", 0, 1, 0, False),
    ]
    assert [(g.name, g.queued) for g in board.owners] == [("ann@a.example", 2), ("bob", 0)]


def test_the_number_of_queries_does_not_grow_with_the_runs(bank: ItemBank) -> None:
    client = root()

    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            html_of(client)
        return len(captured)

    def some_of_each() -> None:
        for number in range(4):
            owner = f"owner-{number}"
            make_result(working(bank, owner=owner), "1")
            run_on(bank, owner=owner, status=Status.WAITING, not_before=at(5))
            run_on(bank, owner=owner)
            run_on(bank, owner=owner, status=Status.FAILED, failure_kind=FaultKind.ENDPOINT, finished_at=at(-5))

    some_of_each()
    few = queries()
    some_of_each()
    some_of_each()
    assert queries() == few <= 10


def test_only_those_who_may_view_runs_see_the_board_and_only_those_who_may_change_them_its_buttons(
    client: Client, bank: ItemBank
) -> None:
    working(bank)
    assert client.get(BOARD)["Location"].startswith("/admin/login/")
    assert nobody_of_note().get(BOARD).status_code == 403
    assert "Cancel" not in html_of(looker())
    assert root().post(BOARD).status_code == 405


def press(client: Client, run: Run, name: str, **data: str) -> str:
    response = client.post(f"/admin/runs/{run.pk}/{name}/", data, follow=True)
    assert response.status_code == 200
    return content_of(response)


def test_each_button_acts_once_says_so_and_is_on_record(bank: ItemBank) -> None:
    waiting = run_on(bank, status=Status.WAITING, not_before=at(60))
    failed = run_on(bank, status=Status.FAILED, failure_kind=FaultKind.ENDPOINT, finished_at=at(-5))
    for run, name, after in (
        (waiting, "try-now", "waiting"),
        (waiting, "cancel", "cancelled"),
        (failed, "resume", "queued"),
    ):
        assert "was left as it is" not in press(root(), run, name)
        run.refresh_from_db()
        assert run.status == after
        assert "was left as it is" in press(root(), run, name)
        assert LogEntry.objects.filter(object_id=run.pk, user__username="root").latest("pk").change_message
    assert LogEntry.objects.count() == 3


def test_a_second_press_says_why_it_changes_nothing(bank: ItemBank) -> None:
    run = run_on(bank, status=Status.FINISHED, score=61.5, n_scored=5, published=False)
    for name, why in (("unpublish", "it is not on the board."), ("publish", "it is on the board already.")):
        press(root(), run, name)
        assert f"Run {run.pk} was left as it is: {why}" in press(root(), run, name)


def test_publishing_by_a_button_moves_the_standing_at_once_and_back(bank: ItemBank) -> None:
    run = run_on(bank, status=Status.FINISHED, score=61.5, n_scored=5, published=False)
    for name, there in (("publish", True), ("unpublish", False), ("publish", True)):
        press(root(), run, name)
        assert Standing.objects.filter(model=run.model, score=61.5).exists() is there


def test_what_cannot_be_done_is_said(bank: ItemBank) -> None:
    assert "there is nothing to list" in press(root(), run_on(bank), "publish")
    assert root().post(f"/admin/runs/{run_on(bank).pk}/explode/").status_code == 404


@pytest.mark.parametrize("name", ["cancel", "try-now", "resume", "publish", "unpublish"])
def test_a_button_needs_a_post_the_token_and_the_right(client: Client, bank: ItemBank, name: str) -> None:
    run = run_on(bank, status=Status.WAITING, not_before=at(60))
    address = f"/admin/runs/{run.pk}/{name}/"
    assert client.post(address).status_code == 302
    assert looker().post(address).status_code == 403
    assert root().get(address).status_code == 405
    assert root(enforce_csrf_checks=True).post(address).status_code == 403
    before = (run.status, run.not_before, run.published)
    run.refresh_from_db()
    assert (run.status, run.not_before, run.published) == before
    assert not LogEntry.objects.exists()


@pytest.mark.parametrize(
    ("asked", "lands"),
    [("/runs/1/?a=b", "/runs/1/?a=b"), ("https://evil.example/", BOARD), ("//evil.example", BOARD), ("", BOARD)],
)
def test_a_button_leads_back_to_this_site_alone(bank: ItemBank, asked: str, lands: str) -> None:
    response = root().post(f"/admin/runs/{run_on(bank).pk}/cancel/", {"next": asked})
    assert response["Location"] == lands
