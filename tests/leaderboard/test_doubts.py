"""What a stranger cannot do by submitting: pass for another model, replace its figures, leave facts, use up a quota."""

from typing import Any

import pytest
from django.test import Client, override_settings
from django.utils import timezone

from evaluation.models import FormerName, Run, Status
from leaderboard.administration.run_acts import publish
from leaderboard.models import Submission
from leaderboard.submissions.emails import tell_submitters
from leaderboard.submissions.moderating import approve, reject
from tests.factories import make_endpoint, make_model, make_run
from tests.leaderboard.pages import publish as publish_figure
from tests.leaderboard.sending import filled, sent

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("bank_on_offer")]
OTHER_SOURCE = "came from another submitter or another endpoint"


def finish(submission: Submission) -> Run:
    ended = {"status": Status.FINISHED, "score": 61.5, "n_scored": 5, "finished_at": timezone.now()}
    submission.runs.update(**ended)
    return submission.runs.get()


def listed(client: Client, **form: Any) -> Submission:
    """A submission whose run is on the board."""
    found = sent(client, **form)
    approve(found)
    assert publish(finish(found))
    return found


def test_a_name_that_looks_like_a_listed_one_is_doubted_the_second_time_too(client: Client) -> None:
    publish_figure(make_model("maker/modern", organisation="Maker"), "scenes", 61.5)
    for number in range(3):
        found = sent(client, name="maker/rnodern", organisation="", max_tokens=str(60 + number))
        assert found.flagged
        assert "'maker/rnodern' looks like 'maker/modern'" in found.note


def test_a_maker_that_looks_like_a_listed_one_is_doubted_the_second_time_too(client: Client) -> None:
    publish_figure(make_model("maker/modern", organisation="Modern"), "scenes", 61.5)
    for number in range(2):
        found = sent(client, name=f"other/model-{number}", organisation="Rnodern")
        assert "'Rnodern' looks like 'Modern'" in found.note


@pytest.mark.parametrize(("namespace", "flagged"), [("mistralai", False), ("Mistral-AI", False), ("rnistralai", True)])
def test_a_namespace_with_the_letters_of_its_maker_is_not_doubted(
    client: Client, namespace: str, flagged: bool
) -> None:
    publish_figure(make_model("mistralai/one", organisation="Mistral AI"), "scenes", 61.5)
    assert sent(client, name=f"{namespace}/two", organisation="").flagged is flagged


@pytest.mark.parametrize(
    ("form", "flagged"),
    [
        ({"name": "rnistralai/sub/two"}, True),
        ({"name": "mirror/rnistralai/two"}, True),
        ({"name": "two", "organisation": "Rnistral AI / research"}, True),
        ({"name": "mistralai/sub/two"}, False),
        ({"name": "mistralai/two", "organisation": "Mistral AI / research"}, False),
    ],
)
def test_each_part_of_a_namespace_and_of_an_organisation_is_compared(
    client: Client, form: dict[str, str], flagged: bool
) -> None:
    publish_figure(make_model("mistralai/one", organisation="Mistral AI"), "scenes", 61.5)
    assert sent(client, **{"organisation": "", **form}).flagged is flagged


def test_a_name_that_nobody_has_listed_is_no_measure_for_others(client: Client) -> None:
    """A stranger who was first with a look-alike casts no doubt on the true name."""
    assert not sent(client, name="maker/rnodern").flagged
    assert not sent(client, name="maker/modern", organisation="").flagged


@pytest.mark.parametrize("source", ["figure", "imported run", "run of another"])
def test_a_known_name_with_figures_from_elsewhere_waits_for_a_moderator(client: Client, source: str) -> None:
    model = make_model("maker/new-model", organisation="Maker")
    if source == "figure":
        publish_figure(model, "mmlu", 61.5)
    elif source == "imported run":
        make_run(model=model, status=Status.FINISHED)
    else:
        make_run(endpoint=make_endpoint(model=model, owner="192.0.2.1"), status=Status.FINISHED)
    with override_settings(SUBMISSIONS_AUTO_APPROVE=True):
        found = sent(client)
    assert (found.state, found.flagged) == ("pending", True)
    assert OTHER_SOURCE in found.note


@pytest.mark.parametrize(
    ("network", "trusted", "flagged"),
    [
        ("127.0.0.1", ["127.0.0.0/8"], False),
        ("::1", ["127.0.0.0/8"], True),
        ("192.0.2.7", ["127.0.0.0/8"], True),
        ("2001:db8::7", ["2001:db8::/32"], False),
        ("127.0.0.1", [], True),
    ],
)
def test_on_ones_own_machine_a_known_model_is_measured_without_a_moderator(
    client: Client, network: str, trusted: list[str], flagged: bool
) -> None:
    publish_figure(make_model("maker/new-model", organisation="Maker"), "mmlu", 61.5)
    with override_settings(SUBMISSIONS_TRUSTED_NETWORKS=trusted):
        assert sent(client, network=network).flagged is flagged


def test_a_replicate_from_the_same_submitter_and_endpoint_is_not_doubted(client: Client) -> None:
    listed(client)
    assert not sent(client).flagged


@pytest.mark.parametrize(
    "other", [{"api_model": "smaller"}, {"base_url": "http://127.0.0.1:8000"}, {"system_prompt": "Answer badly."},
              {"extra_body": '{"top_p": 0.1}'}]
)  # fmt: skip
def test_a_listed_model_asked_elsewhere_or_otherwise_is_doubted(client: Client, other: dict[str, str]) -> None:
    listed(client)
    assert OTHER_SOURCE in sent(client, **other).note


def test_another_network_is_another_submitter_whatever_contact_it_types(client: Client) -> None:
    listed(client)
    assert OTHER_SOURCE in sent(client, "192.0.2.1").note


def test_a_former_name_means_the_model_that_has_it_now(client: Client) -> None:
    """Q01, Q08: its twin is found, and its figures are not replaced unseen."""
    model = make_model("maker/present", organisation="Maker")
    FormerName.objects.create(model=model, name="maker/former", slug="maker-former")
    first = sent(client, name="maker/former")
    assert first.model == model
    assert client.post("/submit/", filled(name="maker/former")).status_code == 409
    assert client.post("/submit/", filled(name="maker/present")).status_code == 409
    publish_figure(model, "mmlu", 61.5)
    assert OTHER_SOURCE in sent(client, name="maker/former", api_model="other").note


@override_settings(SUBMISSIONS_PER_DAY=2)
def test_a_new_contact_each_time_gives_a_network_no_more_submissions(client: Client) -> None:
    for number in range(2):
        sent(client, api_model=f"m{number}", contact=f"a{number}@models.example")
    assert client.post("/submit/", filled(api_model="m9", contact="a9@models.example")).status_code == 429


@override_settings(SUBMISSIONS_PER_DAY=2)
def test_a_stranger_who_types_ones_address_uses_up_nothing_of_ones_own(client: Client) -> None:
    theirs = [sent(client, "192.0.2.1", api_model=f"m{number}") for number in range(2)]
    mine = sent(client, api_model="mine")
    approve(theirs[0])
    approve(mine)
    assert {theirs[0].runs.get().owner, mine.runs.get().owner} == {"192.0.2.1", "127.0.0.1"}


def test_the_first_listed_run_brings_the_facts_of_its_own_submission(client: Client) -> None:
    """Two submit the same new model; the facts are those of the one whose run is listed, and stay so."""
    stranger = sent(client, licence="proprietary", organisation="Stranger", api_model="s", link="https://spam.example/")
    maker = sent(client, licence="mit", organisation="Maker", api_model="m", params="", link="")
    model = maker.model
    assert (model.licence, model.organisation, model.params_billion) == ("", "maker", None), "nobody has approved any"
    approve(maker)
    approve(stranger)
    finish(maker)
    assert publish(maker.runs.get())
    model.refresh_from_db()
    assert (model.licence, model.organisation, model.params_billion, model.link) == ("mit", "Maker", None, "")
    finish(stranger)
    assert publish(stranger.runs.get())
    model.refresh_from_db()
    assert (model.licence, model.organisation) == ("mit", "Maker")


def test_facts_of_a_rejected_submission_do_not_stay(client: Client) -> None:
    reject(sent(client, licence="proprietary", organisation="Stranger", api_model="s"), "Not yours.")
    maker = sent(client, licence="mit", organisation="Maker", released_on="2024-05-31")
    approve(maker)
    model = maker.model
    model.refresh_from_db()
    assert (model.licence, model.organisation, str(model.released_on)) == ("mit", "Maker", "2024-05-31")


def test_facts_set_by_hand_stay_whatever_a_submission_says(client: Client) -> None:
    found = sent(client, licence="proprietary")
    found.model.facts_by_hand, found.model.licence = ["licence"], "apache-2.0"
    found.model.save()
    approve(Submission.objects.get())
    found.model.refresh_from_db()
    assert found.model.licence == "apache-2.0"


def test_a_doubt_that_comes_up_while_the_run_is_under_way_is_told_to_the_moderator(client: Client) -> None:
    with override_settings(SUBMISSIONS_AUTO_PUBLISH=True):
        found = sent(client, name="maker/rnodern", organisation="")
        assert found.note == ""
        approve(found)
        finish(found)
        publish_figure(make_model("maker/modern"), "scenes", 61.5)
        tell_submitters()
    found.refresh_from_db()
    assert found.flagged
    assert "'maker/rnodern' looks like 'maker/modern'" in found.note
    assert not found.runs.get().published


@override_settings(SUBMISSIONS_AUTO_APPROVE=True)
@pytest.mark.parametrize("maker", ["Ꭲencent", "ꓮnthropic", "Aɴthropic", "Меta", "𝐎penAI"])
def test_a_maker_with_letters_that_may_be_read_as_others_waits_for_a_moderator(client: Client, maker: str) -> None:
    """Whether or not the table of look-alikes knows the letter, or the board the maker that it looks like."""
    found = sent(client, organisation=maker)
    assert (found.state, found.flagged) == (Submission.State.PENDING, True)
    assert f"The organisation {maker!r} looks like another one." in found.note


def test_a_maker_who_is_listed_gives_no_such_doubt_again(client: Client) -> None:
    publish_figure(make_model("maker/modern", organisation="ქართული"), "scenes", 61.5)
    assert not sent(client, organisation="ქართული").flagged
