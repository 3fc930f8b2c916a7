"""Schedules open replicates in their time, and a repeated run that departs from the earlier ones raises a note."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from evaluation.keys.endpoint_keys import store_key
from evaluation.keys.erasing import erase_key, purge_keys
from evaluation.models import Driver, Endpoint, ItemBank, Run, Status
from leaderboard.drift import note_drift
from leaderboard.models import Note, Schedule, Submission
from leaderboard.schedules import open_due
from leaderboard.submissions.moderating import replace_key, resume
from tests.factories import make_bank, make_endpoint, make_result, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.database]
SETTINGS = {"temperature": 0.01, "concurrency": 2}
USUAL = (7.0, 5.0, 8.0, 6.0, 4.0, 9.0, 3.0, 6.5)


@pytest.fixture
def bank() -> ItemBank:
    return make_bank(len(USUAL))


@pytest.fixture
def endpoint() -> Endpoint:
    return make_endpoint(owner="team@models.example")


def finished(endpoint: Endpoint, bank: ItemBank, shift: float = 0.0, wobble: float = 0.1, **fields: Any) -> Run:
    """A run whose item scores are the usual ones, each off by a few times `wobble` and all shifted."""
    scores = [score + shift + wobble * (-1) ** at * (at % 3) for at, score in enumerate(USUAL)]
    usual = {"status": Status.FINISHED, "score": 10 * sum(scores) / len(scores), "finished_at": timezone.now()}
    run = make_run(endpoint=endpoint, bank=bank, settings=SETTINGS, **{**usual, **fields})
    for number, score in enumerate(scores, 1):
        make_result(run, str(number), score=score)
    return run


def scheduled(endpoint: Endpoint, bank: ItemBank, **fields: Any) -> Schedule:
    usual = {"every_days": 7, "next_at": timezone.now() - timedelta(hours=1)}
    return Schedule.objects.create(endpoint=endpoint, bank=bank, **{**usual, **fields})


def test_a_schedule_that_is_due_opens_one_replicate_and_names_its_next_time(endpoint: Endpoint, bank: ItemBank) -> None:
    old = finished(endpoint, bank)
    schedule = scheduled(endpoint, bank)
    assert [open_due(), open_due()] == [1, 0]
    run = Run.objects.get(parent=old)
    assert (run.status, run.owner, run.host) == (Status.QUEUED, "team@models.example", "models.example")
    assert run.settings == SETTINGS
    before = schedule.next_at
    schedule.refresh_from_db()
    assert schedule.next_at == before + timedelta(days=7)


def test_times_that_were_missed_are_not_made_up_for(endpoint: Endpoint, bank: ItemBank) -> None:
    finished(endpoint, bank)
    schedule = scheduled(endpoint, bank, next_at=timezone.now() - timedelta(days=30))
    assert open_due() == 1
    schedule.refresh_from_db()
    assert timezone.now() < schedule.next_at < timezone.now() + timedelta(days=7)


@pytest.mark.parametrize("fields", [{"enabled": False}, {"next_at": timezone.now() + timedelta(days=1)}])
def test_a_schedule_that_is_off_or_not_due_opens_nothing(
    endpoint: Endpoint, bank: ItemBank, fields: dict[str, Any]
) -> None:
    finished(endpoint, bank)
    scheduled(endpoint, bank, **fields)
    assert open_due() == 0
    assert Run.objects.count() == 1


def test_while_a_run_is_open_the_time_is_left_out_and_the_schedule_goes_on(endpoint: Endpoint, bank: ItemBank) -> None:
    open_one = make_run(endpoint=endpoint, bank=bank)
    schedule = scheduled(endpoint, bank)
    assert open_due() == 0
    schedule.refresh_from_db()
    assert schedule.enabled
    assert schedule.trouble.startswith(f"Run {open_one.pk} was still open")
    Run.objects.filter(pk=open_one.pk).update(status=Status.CANCELLED)
    Schedule.objects.update(next_at=timezone.now())
    assert open_due() == 1
    schedule.refresh_from_db()
    assert schedule.trouble == ""


def test_an_earlier_run_that_was_resumed_does_not_end_the_schedule(endpoint: Endpoint, bank: ItemBank) -> None:
    earlier = make_run(endpoint=endpoint, bank=bank, status=Status.FAILED, failure_kind="endpoint")
    newest = finished(endpoint, bank, parent=earlier)
    assert resume(earlier)
    schedule = scheduled(endpoint, bank)
    assert open_due() == 0
    schedule.refresh_from_db()
    assert schedule.enabled
    assert schedule.trouble.startswith(f"Run {earlier.pk} was still open")
    Run.objects.filter(pk=earlier.pk).update(status=Status.CANCELLED)
    Schedule.objects.update(next_at=timezone.now())
    assert open_due() == 1
    assert Run.objects.filter(parent=newest).exists()


def test_without_its_key_a_schedule_stops_and_says_so(endpoint: Endpoint, bank: ItemBank) -> None:
    finished(endpoint, bank)
    store_key(endpoint, "sk-of-the-submitter")
    erase_key(endpoint.pk, "run finished")
    schedule = scheduled(endpoint, bank)
    assert open_due() == 0
    schedule.refresh_from_db()
    assert not schedule.enabled
    assert "The key of the endpoint was erased" in schedule.trouble
    assert "give the key again on the page of the submission" in schedule.trouble
    assert Run.objects.count() == 1


@pytest.mark.parametrize(("days", "kept"), [(30, True), (0, True), (-1, False), (None, False)])
def test_a_key_that_is_given_again_is_not_purged_before_its_run(
    endpoint: Endpoint, bank: ItemBank, days: int | None, kept: bool
) -> None:
    until = None if days is None else timezone.now().date() + timedelta(days=days)
    store_key(endpoint, "sk-of-the-submitter", kept_until=until)
    erase_key(endpoint.pk, "the chosen date has passed")
    endpoint.refresh_from_db()
    submission = Submission.objects.create(model=endpoint.model, endpoint=endpoint, owner="192.0.2.1")
    replace_key(submission, "sk-given-again")
    assert purge_keys(14) == 0
    endpoint.refresh_from_db()
    assert endpoint.sealed_key
    assert endpoint.key_kept_until == (until if kept else None)
    words = submission.events.get().text
    assert words.startswith("The key was replaced.")
    assert ("has passed" in words) is (days == -1)


def test_a_schedule_with_nothing_to_repeat_stops_and_says_so(endpoint: Endpoint, bank: ItemBank) -> None:
    finished(endpoint, bank, driver=Driver.COMMAND)
    schedule = scheduled(endpoint, bank)
    assert open_due() == 0
    schedule.refresh_from_db()
    assert not schedule.enabled
    assert "nothing to repeat" in schedule.trouble


def test_a_repeated_run_that_departs_raises_one_note(endpoint: Endpoint, bank: ItemBank) -> None:
    first = finished(endpoint, bank)
    finished(endpoint, bank, parent=first, wobble=0.2)
    drifted = finished(endpoint, bank, parent=first, wobble=0.0, shift=-1.5)
    assert [note_drift(drifted.pk), note_drift(drifted.pk), note_drift()] == [1, 0, 0]
    note = Note.objects.get()
    assert note.run == drifted
    assert not note.seen
    assert "2 earlier replicates" in note.text
    # The wobble adds up to -1 over the eight items, so the difference is -1.5 + 0.15 / 8.
    assert "the difference is −1.48 on the scale of 0 to 10 (paired t test over 8 items, 95 % interval −1." in note.text


def test_what_was_missed_when_a_run_ended_is_found_by_the_clock(endpoint: Endpoint, bank: ItemBank) -> None:
    first = finished(endpoint, bank)
    finished(endpoint, bank, parent=first, shift=-1.5)
    assert note_drift() == 1


def test_a_run_within_what_rerunning_explains_raises_none(endpoint: Endpoint, bank: ItemBank) -> None:
    first = finished(endpoint, bank)
    again = finished(endpoint, bank, parent=first)
    one = again.results.first()
    assert one
    one.score = 6.0
    one.save()
    assert note_drift(again.pk) == 0


def test_a_run_that_asked_otherwise_is_no_replicate(endpoint: Endpoint, bank: ItemBank) -> None:
    first = finished(endpoint, bank)
    other = finished(endpoint, bank, parent=first, shift=-1.5)
    Run.objects.filter(pk=other.pk).update(settings={**SETTINGS, "temperature": 1.0})
    assert note_drift(other.pk) == 0
    Run.objects.filter(pk=other.pk).update(settings=SETTINGS, departures={"extra_body": {"top_p": 0.9}})
    assert note_drift(other.pk) == 0
    Run.objects.filter(pk=other.pk).update(settings={**SETTINGS, "concurrency": 9}, departures={})
    assert note_drift(other.pk) == 1, "how fast it was asked is no other question"


def test_an_administrator_sets_a_schedule_and_marks_a_note_as_seen(
    endpoint: Endpoint, bank: ItemBank, client: Client
) -> None:
    client.force_login(User.objects.create_superuser("admin"))
    at = timezone.now()
    form = {"endpoint": endpoint.pk, "bank": bank.pk, "every_days": 7, "enabled": "on"}
    times = {"next_at_0": f"{at:%Y-%m-%d}", "next_at_1": f"{at:%H:%M:%S}"}
    assert client.post("/admin/leaderboard/schedule/add/", {**form, **times}).status_code == 302
    assert Schedule.objects.get().created_by == "admin"
    note = Note.objects.create(run=finished(endpoint, bank), text="It departs.")
    assert "It departs." in client.get("/admin/leaderboard/note/").content.decode()
    client.post("/admin/leaderboard/note/", {"action": "mark_seen", "_selected_action": [note.pk]})
    note.refresh_from_db()
    assert note.seen
    assert client.get("/admin/leaderboard/note/add/").status_code == 403
