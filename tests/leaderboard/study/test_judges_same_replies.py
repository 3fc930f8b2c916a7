"""A judge beside people: both shares are over the same replies, also where people rated only some of them."""

from typing import Any

import pytest

from evaluation.models import Run
from leaderboard.study.judges.beside import beside
from leaderboard.study.judges.page import judge_page
from leaderboard.study.models import Group, Response, Study
from leaderboard.study.states import GroupState, ParticipationState
from tests.evaluation.judged import gathered, make_judge, prompt_bank
from tests.leaderboard.study.making import make_participation, make_study
from tests.leaderboard.study.test_judges_pages import N, html, judged, of

pytestmark = [pytest.mark.django_db, pytest.mark.database]
FEW = 4


@pytest.fixture
def bank() -> Any:
    return prompt_bank(N)


def rated_in_part(study: Study, subject: Run, key: str, values: list[int]) -> None:
    """People rate the replies to the first prompts alone: the group was closed before all batches were rated."""
    responder = study.responders.get(key=key)
    study.responders.filter(key=key).update(run=subject, model=subject.model)
    results = {result.item.item_id: result for result in subject.results.select_related("item")}
    group = Group.objects.create(study=study, responder=responder, target=1, state=GroupState.CLOSED)
    part = make_participation(group, state=ParticipationState.DONE)
    for number, response in enumerate(Response.objects.filter(responder=responder).order_by("pk")):
        Response.objects.filter(pk=response.pk).update(result=results[f"p{number}"])
        if number < len(values):
            part.ratings.create(response=response, value=values[number])


def test_a_judge_that_agrees_with_people_on_every_reply_leans_to_no_side(bank: Any) -> None:
    judge = make_judge("Fair", maker="Elsewhere")
    study = make_study(batches=1, items=N, responders=("human", "dull", "warm"))
    people = of("", "Human", bank=bank, settings={"responder": "people"})
    dull, warm = of("Maker", "maker/dull", bank=bank), of("Maker", "maker/warm", bank=bank)
    for subject, good in ((people, 0), (dull, 0), (warm, N)):
        judged(judge, subject, good)
    for subject, key, values in ((people, "human", [1] * N), (dull, "dull", [1] * N), (warm, "warm", [3] * FEW)):
        rated_in_part(study, subject, key, values)
    page = judge_page(judge)
    assert page.agreed.same == "100 %"
    assert page.lean == "0.0"
    assert page.headline == "Fair prefers models no more than people do, as far as its ratings show"


def test_a_model_that_replies_again_keeps_what_people_say_of_its_replies(bank: Any) -> None:
    judge = make_judge("Patient")
    study = make_study(batches=1, items=N, responders=("human", "model"))
    rated = of("Maker", "maker/model", bank=bank)
    judged(judge, rated, 30)
    rated_in_part(study, rated, "model", [3] * N)
    again = gathered(bank, model=rated.model)
    judged(judge, again, 10)
    page = judge_page(judge)
    assert (page.agreed.n, page.agreed.same) == ("40", "75 %")
    assert [row.run_id for row in page.responders] == [rated.judgements.get().pk]
    Group.objects.update(state=GroupState.OPEN)
    assert [row.run_id for row in judge_page(judge).responders] == [again.judgements.get().pk], "the newest"


def test_a_studys_page_has_shares_of_the_same_replies(bank: Any) -> None:
    """The judge calls 30 of 40 replies Good; people have rated four of these and no other."""
    judge = make_judge("Beside")
    study = make_study(batches=1, items=N, responders=("human", "model"))
    subject = of("Maker", "maker/model", bank=bank)
    judged(judge, subject, 30)
    rated_in_part(study, subject, "model", [3] * FEW)
    found = beside(study)
    assert found is not None
    (row,) = found.rows
    assert (row.people, row.n, row.cells[0].share) == ("100.0 %", str(FEW), "100.0 %")


def test_without_ratings_of_people_a_judges_share_is_that_of_all_replies(bank: Any) -> None:
    judge = make_judge("Alone")
    study = make_study(batches=1, items=N, responders=("human", "model"))
    subject = of("Maker", "maker/model", bank=bank)
    judged(judge, subject, 30)
    rated_in_part(study, subject, "model", [])
    found = beside(study)
    assert found is not None
    assert (found.rows[0].people, found.rows[0].cells[0].share) == ("–", "75.0 %")


@pytest.mark.parametrize(("own", "gap"), [(10, "−50.0"), (30, "0.0"), (40, "+25.0")])
def test_a_share_for_its_own_makers_models_is_said_whichever_way_it_differs(bank: Any, own: int, gap: str) -> None:
    judge = make_judge("Own", maker="Maker")
    judged(judge, of("Maker", "maker/model", bank=bank), own)
    judged(judge, of("Other", "other/model", bank=bank), 30)
    text = html("/judges/own/")
    assert f"Its share of Good for their replies, minus that for other makers’ models, is {gap} points." in text


def test_a_studys_page_has_no_ratings_of_another_study(bank: Any) -> None:
    judge = make_judge("Twice")
    subject = of("Maker", "maker/model", bank=bank)
    judged(judge, subject, 30)
    study, other = (make_study(batches=1, items=N, responders=("human", "model")) for _ in range(2))
    rated_in_part(study, subject, "model", [3] * FEW)
    rated_in_part(other, subject, "model", [1] * N)
    found = beside(study)
    assert found is not None
    assert [(row.people, row.n) for row in found.rows] == [("100.0 %", str(FEW))]


def test_a_judges_pages_do_not_deny_ratings_that_are_there(bank: Any) -> None:
    """People rated the model of the judge's maker, and neither another maker's nor people's replies."""
    judge = make_judge("Half", maker="Own")
    study = make_study(batches=1, items=N, responders=("human", "model"))
    own, other = of("Own", "own/model", bank=bank), of("Other", "other/model", bank=bank)
    judged(judge, own, 30)
    judged(judge, other, 20)
    rated_in_part(study, own, "model", [3] * N)
    text = html("/judges/half/")
    assert "of 40 replies that both rated" in text
    assert "It takes people’s ratings of the replies of both sides to the same prompts to tell" in " ".join(
        text.split()
    )
    assert "there are none yet" not in " ".join(text.split())
    assert "no ratings by people yet" not in html("/judges/")
