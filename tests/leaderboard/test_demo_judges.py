"""The judged demonstration of a fresh board: made once, moved to a new address, and apart from real judges."""

import pytest

from evaluation.models import Endpoint, Judge, Origin, Run
from evaluation.runs.judging import open_judge_runs
from leaderboard.starting import demo_judges, first_start
from tests.evaluation.judged import gathered, make_judge

pytestmark = [pytest.mark.django_db, pytest.mark.database]
HERE, THERE = "http://127.0.0.1:8090/v1", "http://127.0.0.1:8091/v1"


def test_replies_are_queued_and_judges_registered_once() -> None:
    demo_judges.fill()
    assert demo_judges.is_missing()
    queued = demo_judges.queue(HERE)
    assert len(queued) == len(demo_judges.RESPONDERS)
    assert {run.origin for run in Run.objects.filter(pk__in=queued)} == {Origin.DEMO}
    assert set(Judge.objects.values_list("name", "is_demo")) == {(name, True) for name in demo_judges.JUDGES}
    assert not demo_judges.is_missing()
    demo_judges.fill()
    assert demo_judges.queue(THERE) == []
    assert Judge.objects.count() == len(demo_judges.JUDGES)
    assert set(Endpoint.objects.filter(judge__isnull=False).values_list("base_url", flat=True)) == {THERE}


def test_a_board_without_the_prompts_needs_no_judged_demonstration() -> None:
    assert not demo_judges.is_missing()
    assert demo_judges.queue(HERE) == []
    n_judged = len(demo_judges.RESPONDERS) * len(demo_judges.JUDGES)
    assert first_start.N_DEMO_RUNS - len(first_start.PERSONAS) - len(demo_judges.RESPONDERS) == n_judged


def test_demonstrations_and_real_judges_never_meet() -> None:
    real, script = make_judge("real"), make_judge("script", is_demo=True)
    of_model, of_script = gathered(), gathered(origin=Origin.DEMO)
    runs = Run.objects.filter(pk__in=open_judge_runs())
    assert set(runs.values_list("subject", "endpoint__judge", "origin")) == {
        (of_model.pk, real.pk, Origin.MEASURED), (of_script.pk, script.pk, Origin.DEMO),
    }  # fmt: skip
