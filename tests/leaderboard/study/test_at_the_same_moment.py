"""Two acts on one study at the same moment: one comes before the other, and nobody sees an error page."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction

from leaderboard.study.answering import withdraw
from leaderboard.study.building import Refused, Terms, new_study, prompt_set_of_file, remove_responder
from leaderboard.study.models import Group, Participation, PromptSet, Rating, Responder, Study
from leaderboard.study.states import ParticipationState
from leaderboard.study.waves_of_raters import add_group, close_group
from tests.leaderboard.study.making import make_participation, make_prompts, make_study, open_groups, rate_all

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]
PATIENCE_SECONDS = 0.5  # the second one waits this long where a lock keeps it out


class Meanwhile:
    """`act` in a thread of its own, with its own connection; `said` is what it gave or raised."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self.act = act
        self.said: Any = None
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        try:
            self.said = self.act()
        except Exception as error:  # noqa: BLE001 whatever it is, the test looks at it
            self.said = error
        finally:
            connection.close()

    def begins(self) -> None:
        """And has ended, or waits for a lock."""
        self.thread.start()
        self.thread.join(PATIENCE_SECONDS)

    def ended(self) -> Any:
        self.thread.join()
        return self.said


def test_a_withdrawal_while_the_group_closes_comes_before_or_is_too_late() -> None:
    study = make_study()
    group, _ = open_groups(study)
    mine = make_participation(group, state=ParticipationState.DONE)
    rate_all(mine)
    withdrawal = Meanwhile(lambda: withdraw(Participation.objects.get(pk=mine.pk)))
    with transaction.atomic():
        close_group(group)
        withdrawal.begins()
    assert withdrawal.ended() is False
    assert Rating.objects.filter(participation=mine).count() == 10


def test_a_responder_that_gets_a_group_is_not_taken_out() -> None:
    study = make_study(batches=2, items=2, state="draft")
    responder = study.responders.get(key="gpt-4")
    removal = Meanwhile(lambda: remove_responder(Responder.objects.get(pk=responder.pk)))
    with transaction.atomic():
        add_group(study, responder, 1, 1)
        removal.begins()
    assert isinstance(removal.ended(), Refused)
    assert Group.objects.get().responder == responder


def test_a_study_that_is_built_twice_at_once_has_two_addresses() -> None:
    prompts = make_prompts(4)
    second = Meanwhile(lambda: new_study("Our study", PromptSet.objects.get(pk=prompts.pk), items_per_rater=2))
    with transaction.atomic():
        new_study("Our study", prompts, items_per_rater=2)
        second.begins()
    assert isinstance(second.ended(), Study)
    assert sorted(Study.objects.values_list("slug", flat=True)) == ["our-study", "our-study-2"]


def test_a_file_of_prompts_is_stored_once() -> None:
    content = b"item_id,emotion,situation,utterance\np1,proud,It went well.,I won.\n"

    def store() -> PromptSet:
        return prompt_set_of_file("Ours", "ours.csv", content, Terms("own texts", shows_texts=False))

    second = Meanwhile(store)
    with transaction.atomic():
        first = store()
        second.begins()
    assert second.ended() == first
