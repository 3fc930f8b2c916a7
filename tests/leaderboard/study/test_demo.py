"""A study to try things with: made once, of finished demonstration runs, and shut until somebody names an approval."""

import pytest

from evaluation.models import Origin, Run, Status
from leaderboard.study.checklist import checklist
from leaderboard.study.demo import MODELS, make_demo_study
from leaderboard.study.models import Study
from leaderboard.study.tasks import make_demo_study as task
from tests.evaluation.judged import gathered, prompt_bank
from tests.factories import make_model, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def persona_runs() -> list[Run]:
    bank = prompt_bank(16, slug="empathy")
    return [gathered(bank, model=make_model(name), origin=Origin.DEMO) for name in MODELS]


def test_it_is_made_once_when_all_personas_have_replied() -> None:
    runs = persona_runs()
    Run.objects.filter(pk=runs[1].pk).update(status=Status.RUNNING, lease_token="0" * 32)
    assert not make_demo_study(runs[0].pk)
    Run.objects.filter(pk=runs[1].pk).update(status=Status.FINISHED, lease_token=None)
    task(runs[1].pk)
    study = Study.objects.get()
    assert not make_demo_study()
    assert [responder.label for responder in study.responders.order_by("pk")] == ["Human", *MODELS]
    assert study.responders.get(is_baseline=True).responses.exclude(text="").count() == 16
    assert all(response.result_id for response in study.responders.get(label=MODELS[0]).responses.all())


def test_all_is_set_up_but_the_ethics_reference() -> None:
    persona_runs()
    assert make_demo_study()
    found = checklist(Study.objects.get(), 1)
    assert found.why_not == "Fill in the ethics reference."


def test_a_board_without_demonstration_gets_none() -> None:
    run = make_run()
    assert not make_demo_study(run.pk)
    assert not make_demo_study()
    assert not Study.objects.exists()
