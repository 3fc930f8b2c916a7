"""Replies go to a judge only by a tick of their own in the form, and no further once the submission is withdrawn."""

import pytest
from django.test import Client

from evaluation.models import Run, Status
from evaluation.runs.judging import open_judge_runs
from leaderboard.submissions.moderating import Refused, approve, replicate, stop_judging, withdraw
from tests.evaluation.judged import gathered, make_judge, prompt_bank
from tests.leaderboard.pages import content_of, page
from tests.leaderboard.sending import no_turns_taken, offered_bank, sent

pytestmark = [pytest.mark.django_db, pytest.mark.database]
TICK = 'name="judging_consent"'
STOP = "Send no more replies to judges"


@pytest.fixture(autouse=True)
def _turns() -> None:
    no_turns_taken()


def run_of(**changes: str) -> Run:
    bank = prompt_bank()
    submission = sent(Client(), banks=[bank.slug], **changes)
    if submission.state != submission.State.APPROVED:
        assert approve(submission)
    return submission.runs.get()


def test_the_tick_is_there_where_replies_can_be_judged_and_is_not_set() -> None:
    offered_bank()
    assert TICK not in Client().get("/submit/").content.decode()
    prompt_bank()
    html = Client().get("/submit/").content.decode()
    assert TICK in html
    assert "checked" not in html.partition(TICK)[2].partition(">")[0]


@pytest.mark.parametrize(("changes", "may"), [({}, False), ({"judging_consent": "on"}, True)])
def test_only_the_tick_lets_judges_read_the_replies(changes: dict[str, str], may: bool) -> None:
    run = run_of(**changes)
    submission = run.submissions.get()
    assert (run.benchmark, run.judging, run.ranks) == ("empathy-replies", may, False)
    assert (submission.judging_consent, submission.consent_version) == (may, 3)


def test_a_tick_means_nothing_for_another_benchmark() -> None:
    offered_bank()
    submission = sent(Client(), judging_consent="on")
    approve(submission)
    assert not submission.runs.get().judging


def test_who_withdraws_ends_what_judges_have_begun() -> None:
    submission = run_of(judging_consent="on").submissions.get()
    subject = gathered()
    submission.runs.add(subject)
    make_judge()
    (judged,) = open_judge_runs()
    assert withdraw(submission)
    assert Run.objects.get(pk=judged).status == Status.CANCELLED
    assert not Run.objects.get(pk=subject.pk).judging
    assert open_judge_runs(cancelled_too=True) == []


def test_who_agreed_can_stop_it_later_and_keeps_the_submission() -> None:
    """As the form promises: "You can stop this later"."""
    submission = run_of(judging_consent="on").submissions.get()
    subject = gathered()
    submission.runs.add(subject)
    make_judge()
    (judged,) = open_judge_runs()
    address = f"/submissions/{submission.token}/"
    assert STOP in page(Client(), address)
    response = Client().post(f"{address}stop-judging/", follow=True)
    assert "No more replies go to judges." in content_of(response)
    assert STOP not in content_of(response)
    submission.refresh_from_db()
    assert (submission.state, submission.judging_consent) == (submission.State.APPROVED, False)
    assert Run.objects.get(pk=judged).status == Status.CANCELLED
    assert open_judge_runs(cancelled_too=True) == []
    assert not submission.runs.filter(judging=True).exists()
    assert "No replies were going to judges." in content_of(Client().post(f"{address}stop-judging/", follow=True))


def test_what_waits_for_a_moderator_is_not_judged_once_that_was_stopped() -> None:
    submission = sent(Client(), banks=[prompt_bank().slug], judging_consent="on")
    assert stop_judging(submission, by_staff=True)
    assert "an administrator stopped it" in submission.events.latest("pk").text
    assert approve(submission)
    assert not submission.runs.get().judging


@pytest.mark.parametrize("changes", [{}, {"judging_consent": "on"}])
def test_the_button_is_there_for_who_agreed(changes: dict[str, str]) -> None:
    submission = run_of(**changes).submissions.get()
    assert (STOP in page(Client(), f"/submissions/{submission.token}/")) is bool(changes)
    assert withdraw(submission)
    assert STOP not in page(Client(), f"/submissions/{submission.token}/")


def test_a_judges_run_is_not_asked_again_as_a_replicate() -> None:
    gathered()
    make_judge()
    (judged,) = open_judge_runs()
    with pytest.raises(Refused, match="is a judge's"):
        replicate(Run.objects.get(pk=judged))


def test_replies_without_a_score_are_not_said_to_be_on_the_board() -> None:
    submission = run_of().submissions.get()
    submission.runs.set([gathered()])
    html = page(Client(), f"/submissions/{submission.token}/")
    assert "It is on the board" not in html
    assert "Its page is public. Replies have no score of their own, so it takes no place in a ranking." in html
