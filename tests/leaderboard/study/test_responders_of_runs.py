"""Responders from runs of replies: the texts as raters will read them, and what LLM judges say beside people."""

import pytest
from django.test import Client

from evaluation.models import ItemResult, Reply, Run, Status
from leaderboard.study.building import Refused, new_study, prompt_set_of_bank
from leaderboard.study.models import Group, Study
from leaderboard.study.responders_of_runs import responder_of_run, runs_for
from leaderboard.study.results import refresh_results
from leaderboard.study.states import GroupState, ParticipationState, ResponderKind
from tests.evaluation.judged import gathered, make_judge, prompt_bank
from tests.factories import make_model
from tests.leaderboard.pages import content_of
from tests.leaderboard.study.making import make_participation, rate_all
from tests.leaderboard.study.test_judges_pages import N, judged

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def run() -> Run:
    return gathered(prompt_bank(N), model=make_model("maker/model", organisation="maker"))


@pytest.fixture
def study(run: Run) -> Study:
    return new_study("Replies", prompt_set_of_bank(run.bank), items_per_rater=10)


def test_the_replies_of_a_run_are_copied_without_its_thinking_and_kept_apart_from_it(study: Study, run: Run) -> None:
    first = run.results.order_by("pk")[0]
    Reply.objects.filter(result=first).update(text="<think>They are sad.</think>\n\nI am here.")
    responder = responder_of_run(study, run, "Model")
    assert (responder.kind, responder.run, responder.model) == (ResponderKind.MODEL, run, run.model)
    assert responder.responses.get(result=first).text == "I am here."
    Reply.objects.all().delete()
    assert responder.responses.exclude(text="").count() == N


@pytest.mark.parametrize("thought", [{"text": "<think>Sad.</think>\n\nI am here."}, {"reasoning": "Sad."}])
def test_what_was_thought_is_no_length_of_the_reply(study: Study, run: Run, thought: dict[str, str]) -> None:
    """The endpoint counts tokens of both together."""
    first, second = run.results.order_by("pk")[:2]
    run.results.update(completion_tokens=400)
    Reply.objects.filter(result=first).update(**thought)
    replies = responder_of_run(study, run, "Model").responses
    assert replies.get(result=first).n_tokens is None
    assert replies.get(result=second).n_tokens == 400


def test_a_result_without_a_reply_is_an_empty_one(study: Study, run: Run) -> None:
    Reply.objects.filter(result=run.results.order_by("pk")[0]).delete()
    responder = responder_of_run(study, run, "Model")
    assert responder.responses.filter(text="").count() == 1


def test_people_who_wrote_a_runs_replies_can_be_the_baseline_and_a_model_cannot(study: Study, run: Run) -> None:
    with pytest.raises(Refused, match="The baseline has to be people's replies"):
        responder_of_run(study, run, "Model", is_baseline=True)
    Run.objects.filter(pk=run.pk).update(settings={"responder": "people"})
    run.refresh_from_db()
    assert responder_of_run(study, run, "Human", is_baseline=True).kind == ResponderKind.HUMAN


def test_what_is_no_whole_run_over_these_prompts_is_refused(study: Study, run: Run) -> None:
    other = gathered(prompt_bank(4), model=make_model("other"))
    assert list(runs_for(study)) == [run]
    for wrong in (other, run):
        Run.objects.filter(pk=run.pk).update(status=Status.FAILED)
        with pytest.raises(Refused, match="This run cannot be taken"):
            responder_of_run(study, wrong, "Model")
    Run.objects.filter(pk=run.pk).update(status=Status.FINISHED)
    ItemResult.objects.filter(run=run).first().delete()  # type: ignore[union-attr]
    with pytest.raises(Refused, match="has no reply to p0, and 1 are missing in all"):
        responder_of_run(study, run, "Model")
    assert not study.responders.exists()


def test_judges_stand_beside_people_on_the_result_page_and_not_in_its_tables(study: Study, run: Run) -> None:
    human = gathered(run.bank, model=make_model("people"))
    Run.objects.filter(pk=human.pk).update(settings={"responder": "people"})
    human.refresh_from_db()
    path = f"/studies/{study.slug}/"
    for subject, label, is_baseline, value in ((human, "Human", True, 1), (run, "Model", False, 3)):
        responder = responder_of_run(study, subject, label, is_baseline=is_baseline)
        group = Group.objects.create(study=study, responder=responder, target=4, state=GroupState.CLOSED)
        for batch in range(1, 5):
            done = make_participation_of(study, group, batch)
            rate_all(done, value)
    refresh_results(study)
    assert 'id="judges"' not in content_of(Client().get(path))
    judged(make_judge("Strict", maker="maker"), run, 30)
    html = content_of(Client().get(path))
    section = html.partition('id="judges"')[2].partition("</section>")[0]
    for words in ("Strict", "100.0 %", "75.0 %", "own maker"):
        assert words in section
    assert "Strict" not in html.partition('id="judges"')[0]


def make_participation_of(study: Study, group: Group, batch: int):  # type: ignore[no-untyped-def]
    return make_participation(
        group, batch=batch, state=ParticipationState.DONE, source="imported", consent_form=None, consent_at=None
    )
