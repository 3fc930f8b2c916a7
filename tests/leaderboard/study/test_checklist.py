"""What the checklist asks for where labels and titles are in another script."""

import pytest

from leaderboard.study.building import NewResponder, add_responder, new_study
from leaderboard.study.checklist import Check, checklist
from leaderboard.study.models import Study
from leaderboard.study.states import ResponderKind
from tests.leaderboard.study.making import make_prompts

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def responders_of(title: str, people: str, model: str) -> tuple[Study, Check]:
    study = new_study(title, make_prompts(4), items_per_rater=2)
    for label, kind in ((people, ResponderKind.HUMAN), (model, ResponderKind.MODEL)):
        add_responder(study, NewResponder(label, kind, is_baseline=kind == ResponderKind.HUMAN), {})
    return study, next(check for check in checklist(study, 1).checks if check.key == "responders")


@pytest.mark.parametrize("title", ["Our study", "研究", "Study 2 of 2026"])
@pytest.mark.parametrize("people", ["人类", "人类 2"])
def test_a_label_without_latin_letters_is_named_by_no_address(title: str, people: str) -> None:
    study, check = responders_of(title, people, "GPT-4")
    assert (check.state, check.need) == ("done", "")
    study.responders.filter(label=people).update(key="study")  # as older versions called it
    assert checklist(study, 1).checks[1].state == "done"


def test_labels_without_latin_letters_have_keys_that_say_so() -> None:
    study, _ = responders_of("Our study", "人类", "模型")
    assert list(study.responders.values_list("key", flat=True)) == ["responder", "responder-2"]


def test_an_address_that_names_a_responder_keeps_the_study_shut() -> None:
    _, check = responders_of("People against GPT 4", "Human", "GPT-4")
    assert (check.state, check.need) == ("missing", "build the study again with a title without GPT-4")
