"""What a study's results are computed from: closed groups alone, no cell of two origins, waves beside their control."""

import pytest

from leaderboard.study.counting import counts_of
from leaderboard.study.material import material_of
from leaderboard.study.models import AggregateCount, Group, Participation, Rating, Response, Study
from leaderboard.study.page import study_page
from leaderboard.study.result_models import StudyResult
from leaderboard.study.results import newest_result, refresh_results, result_of
from leaderboard.study.states import GroupState, ParticipationState
from leaderboard.study.waves import wave_notes
from tests.leaderboard.study.making import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def group(study: Study, key: str, good: list[int], *, wave: int = 1, state: str = GroupState.CLOSED) -> Group:
    """A group whose raters each rate the items of one batch; `good` has the number of Good of each of them."""
    responder = study.responders.get(key=key)
    made = Group.objects.create(study=study, responder=responder, wave=wave, target=len(good), state=state)
    for batch, own in enumerate(good, 1):
        rate(made, batch, own)
    return made


def rate(made: Group, batch: int, good: int, **fields: object) -> Participation:
    participation = Participation.objects.create(
        **{
            "study": made.study, "group": made, "batch": batch, "slot": 1, "source": "imported",
            "rater_hash": f"{made.pk}-{batch}-{Participation.objects.count()}", "state": ParticipationState.DONE,
            **fields,
        }
    )  # fmt: skip
    replies = Response.objects.filter(responder=made.responder, item__batch=batch).order_by("pk")
    Rating.objects.bulk_create(
        Rating(participation=participation, response=reply, value=3 if at < good else 1)
        for at, reply in enumerate(replies)
    )
    return participation


@pytest.fixture
def study() -> Study:
    return make_study(batches=60, items=4)


def test_open_groups_and_unfinished_participations_count_for_nothing(study: Study) -> None:
    human = group(study, "human", [2] * 58)
    rate(human, 59, 4, state=ParticipationState.EXPIRED)
    rate(human, 60, 4, state=ParticipationState.RESERVED)
    group(study, "gpt-4", [4] * 60, state=GroupState.OPEN)
    counts = counts_of(study, with_rule=False)
    assert [(cell.responder, cell.n, cell.good, cell.basis) for cell in counts.cells["all"]] == [
        ("human", 232, 116, "imported")
    ]
    assert sorted(counts.cells) == ["afraid", "all", "joyful", "lonely", "negative", "positive", "proud"]
    Group.objects.update(state=GroupState.CLOSED)
    assert len(counts_of(study, with_rule=False).cells["all"]) == 2


def test_results_are_computed_once_and_anew_when_the_counts_change(study: Study) -> None:
    assert refresh_results(study) == 0, "nothing to compute yet"
    group(study, "human", [1, 2, 3, 2] * 15)
    group(study, "gpt-4", [3, 4, 3, 2] * 15)
    assert (refresh_results(study), refresh_results(study)) == (1, 0)
    first = StudyResult.objects.get()
    Participation.objects.filter(group__responder__key="gpt-4").first().delete()  # type: ignore[union-attr]
    assert refresh_results(study) == 1
    newest = newest_result(study)
    assert newest is not None
    assert newest.pk > first.pk
    assert StudyResult.objects.count() == 2, "the older one stays on record"


def test_the_exclusion_rule_gives_a_second_set_of_figures(study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(exclusion_rule=["attention", "fast"])
    study.refresh_from_db()
    human = group(study, "human", [2] * 57)
    rate(human, 58, 4, flags=["attention"])
    rate(human, 59, 4, flags=["fast", "attention", "same"])
    assert refresh_results(study) == 2
    n = {with_rule: material_of(study, with_rule=with_rule) for with_rule in (False, True)}
    assert [each.result.statistics.scopes[0].lines[0].n for each in n.values() if each] == [236, 232]
    applied = n[True]
    assert applied
    page = study_page(applied)
    assert [tab.is_current for tab in page.raters] == [False, True]
    assert any(
        "attention item failed and median under 3 seconds a screen. Here it is applied" in m.text for m in page.methods
    )


def test_stored_counts_and_live_ratings_of_one_responder_are_lines_of_their_own(study: Study) -> None:
    human = study.responders.get(key="human")
    AggregateCount.objects.create(study=study, responder=human, scope="all", basis="counted", good=986, n=2000)
    group(study, "human", [2] * 60, wave=2)
    group(study, "gpt-4", [3] * 60, wave=2)
    counts = counts_of(study, with_rule=False)
    assert [(cell.responder, cell.n) for cell in counts.cells["all"]] == [
        ("human", 2000), ("human 2", 240), ("gpt-4", 240),
    ]  # fmt: skip
    assert (counts.reference, dict(counts.controls)) == ("human", {2: "human 2"})
    assert [cell.responder for cell in counts.main["all"]] == ["human", "gpt-4"]


@pytest.mark.parametrize(("own", "warns"), [(2, False), (3, True)])
def test_a_control_that_differs_from_the_stored_group_is_said_with_its_own_comparison(
    study: Study, own: int, *, warns: bool
) -> None:
    human = study.responders.get(key="human")
    AggregateCount.objects.create(study=study, responder=human, scope="all", basis="counted", good=986, n=2000)
    group(study, "human", [own, own - 1, own, own + 1] * 15, wave=2)
    group(study, "gpt-4", [3, 4, 2, 3] * 15, wave=2)
    refresh_results(study)
    material = material_of(study)
    assert material
    (note,) = study_page(material).waves
    assert note.warns is warns
    assert len(note.rows) == (2 if warns else 0)
    if warns:
        assert note.rows[0].share == "75.00 %"
        assert "judge HUMAN otherwise" in note.sentence


def test_a_control_that_is_not_full_is_not_tested(study: Study) -> None:
    human = study.responders.get(key="human")
    AggregateCount.objects.create(study=study, responder=human, scope="all", basis="counted", good=986, n=2000)
    group(study, "human", [4] * 50, wave=2)
    refresh_results(study)
    stored = newest_result(study)
    assert stored
    (wave,) = result_of(stored).waves
    assert (wave.test, wave.reason) == (None, "50 raters, fewer than 51")


def test_a_control_whose_raters_nobody_knows_is_not_called_too_small(study: Study) -> None:
    human = study.responders.get(key="human")
    AggregateCount.objects.create(study=study, responder=human, scope="all", basis="counted", good=986, n=2000)
    group(study, "human", [4] * 60, wave=2)
    Participation.objects.update(rater_hash=None)
    refresh_results(study)
    material = material_of(study)
    assert material
    assert [note.sentence for note in wave_notes(material.result)] == [
        "The control of wave 2 is not tested: it is not known who rated."
    ]


def test_a_group_with_few_raters_is_preliminary_and_has_no_letter(study: Study) -> None:
    group(study, "human", [2] * 60)
    group(study, "gpt-4", [4] * 20)
    refresh_results(study)
    material = material_of(study)
    assert material
    page = study_page(material)
    assert page.rows[1].note == "imported, preliminary: fewer than 51 raters"
    assert page.rows[1].letters == "–"
    assert page.headline == "Too few people have rated replies to say who is ahead"


def test_a_study_with_one_responder_has_a_page_without_pairs(study: Study) -> None:
    group(study, "human", [2, 3] * 30)
    refresh_results(study)
    material = material_of(study)
    assert material
    page = study_page(material, "positive", "gpt-4")
    assert (page.matrix, page.models, page.emotions) == ((), (), ())
    assert "only HUMAN was rated" in page.headline


@pytest.mark.parametrize(
    ("known", "lengths"), [(["gpt-4"], {"7.0 words"}), (["gpt-4", "human"], {"20.0 tokens"}), ([], {"7.0 words"})]
)
def test_lengths_have_one_unit_where_they_can(study: Study, known: list[str], lengths: set[str]) -> None:
    group(study, "human", [2] * 60)
    refresh_results(study)
    Response.objects.filter(responder__key__in=known).update(n_tokens=20)
    material = material_of(study)
    assert material
    assert {" ".join(each) for each in material.lengths.values()} == lengths
