"""Two in the same moment, where the database lets both in: no quota is passed, and nothing withdrawn is listed."""

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from evaluation.models import FaultKind, LanguageModel, Run, Status
from leaderboard.models import Submission
from leaderboard.submissions.moderating import Refused, approve, replicate, resume, set_public, withdraw
from tests.leaderboard.sending import filled, sent

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.usefixtures("bank_on_offer")]


def at_once(*acts: Callable[[], object]) -> None:
    """All acts, each in a thread and on a connection of its own, begun together."""
    together = threading.Barrier(len(acts))

    def begin(act: Callable[[], object]) -> None:
        together.wait(timeout=30)
        try:
            act()
        finally:
            connection.close()

    threads = [threading.Thread(target=begin, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)


def test_two_that_are_sent_at_once_cannot_both_be_the_last_of_the_day(client: Client, settings: Any) -> None:
    settings.SUBMISSIONS_PER_DAY = 2
    sent(client, api_model="first")
    answers: list[int] = []

    def send(name: str) -> Callable[[], None]:
        form = filled(name=f"maker/{name}", api_model=name)
        return lambda: answers.append(Client().post("/submit/", form).status_code)

    at_once(*map(send, "abcd"))
    assert sorted(answers) == [302, 429, 429, 429]
    assert Submission.objects.count() == 2


def test_one_new_name_in_one_moment_is_one_model_and_nobody_sees_an_error(settings: Any) -> None:
    settings.SUBMISSIONS_PER_DAY = 100
    answers: list[int] = []

    def send(name: str, number: int) -> Callable[[], None]:
        form = filled(name=name, api_model=f"m{number}")
        network = f"203.0.113.{number}"
        return lambda: answers.append(Client().post("/submit/", form, REMOTE_ADDR=network).status_code)

    names = ["maker/new.model", "maker/new-model"] * 4  # two models that want the same slug
    at_once(*(send(name, number) for number, name in enumerate(names, 1)))
    assert answers == [302] * 8
    assert sorted(LanguageModel.objects.values_list("name", flat=True)) == ["maker/new-model", "maker/new.model"]


def test_a_submission_that_is_withdrawn_while_it_is_listed_does_not_stay_listed(client: Client) -> None:
    for number in range(4):
        found = sent(client, api_model=f"m{number}", name=f"maker/m{number}")
        approve(found)
        found.runs.update(status=Status.FINISHED, score=61.5, n_scored=5, finished_at=timezone.now())
        run = found.runs.get()
        at_once(partial(set_public, [run], public=True), partial(withdraw, found))
    assert not Run.objects.filter(published=True).exists()
    assert Submission.objects.filter(state=Submission.State.WITHDRAWN).count() == 4


@pytest.mark.parametrize("begin", [resume, replicate])
def test_no_run_opens_beside_a_withdrawal_that_has_begun(client: Client, begin: Callable[[Run], object]) -> None:
    found = sent(client)
    approve(found)
    failed = {"status": Status.FAILED, "failure_kind": FaultKind.ENDPOINT, "finished_at": timezone.now()}
    found.runs.update(**failed)
    run = found.runs.select_related("endpoint", "bank", "model").get()

    def press() -> None:
        try:
            with suppress(Refused):
                begin(run)
        finally:
            connection.close()

    other = threading.Thread(target=press)
    with transaction.atomic():
        assert withdraw(found)
        other.start()
        other.join(timeout=1)  # it waits for the withdrawal to be through, or would be done by now
    other.join(timeout=60)
    assert not Run.objects.open().exists()
