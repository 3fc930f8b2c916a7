"""What is sent twice in the same moment is done once, and the second sender gets a sentence."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from django.db.models import Manager

from leaderboard.study import importing
from leaderboard.study.building import NewResponder, Refused, add_responder
from leaderboard.study.importing import import_file
from leaderboard.study.models import ConsentForm, Group, Responder, Study
from leaderboard.study.setup_parts import PARTS
from leaderboard.study.states import ResponderKind
from leaderboard.study.waves_of_raters import add_group
from tests.leaderboard.study.making import make_study
from tests.leaderboard.study.test_assignment import at_once
from tests.leaderboard.study.test_operator_pages import CONSENT

pytestmark = [pytest.mark.django_db(transaction=True)]
PATIENCE_SECONDS = 0.5  # one of the two waits this long where a lock keeps the other out


@pytest.fixture
def study() -> Study:
    return make_study(batches=2, items=2, state="draft")


def meeting(act: Callable[..., Any]) -> Callable[..., Any]:
    """`act`, done only once two callers have come to it, or after a while."""
    barrier = threading.Barrier(2)

    def met(*args: Any, **kwargs: Any) -> Any:
        with suppress(threading.BrokenBarrierError):
            barrier.wait(PATIENCE_SECONDS)
        return act(*args, **kwargs)

    return met


def twice(act: Callable[[], str]) -> list[str]:
    """What two callers at once are told, in alphabetical order."""
    return sorted(str(said) for said in at_once(lambda _: act(), range(2)))


def test_a_file_is_imported_once(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "_write", meeting(importing._write))
    content = b"scope,responder,n,good\nall,human,100,50\n"
    assert twice(lambda: str(import_file(study, "c.csv", content).was_before)) == ["False", "True"]
    assert (study.imports.count(), study.counts.count()) == (1, 1)


def test_a_consent_text_becomes_one_version(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ConsentForm.objects, "create", meeting(ConsentForm.objects.create))
    said = twice(lambda: _consent(Study.objects.get(pk=study.pk)))
    assert said == ["Saved as version 2 of the consent text.", "This is version 2 already."]


def _consent(study: Study) -> str:
    form = PARTS["consent"].form(study, CONSENT)
    assert form.is_valid()
    return PARTS["consent"].act(study, form)


def _responder(study: Study) -> object:
    return add_responder(study, NewResponder("New", ResponderKind.MODEL), {})


def _group(study: Study) -> object:
    return add_group(study, study.responders.all()[0], 1, 1)


@pytest.mark.parametrize(
    ("manager", "act"), [(Responder.objects, _responder), (Group.objects, _group)], ids=["responder", "group"]
)
def test_a_responder_and_a_group_are_added_once(
    study: Study, monkeypatch: pytest.MonkeyPatch, manager: Manager[Any], act: Callable[[Study], object]
) -> None:
    """On PostgreSQL by the lock of the study's row; SQLite has one writer at a time anyway."""
    monkeypatch.setattr(manager, "create", meeting(manager.create))

    def sentence() -> str:
        try:
            act(Study.objects.get(pk=study.pk))
        except Refused as refusal:
            return str(refusal)
        return ""

    first, second = twice(sentence)
    assert first == ""
    assert "already" in second
