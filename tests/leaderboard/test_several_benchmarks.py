"""One submission of several ways of asking the same items: each is told apart, with its own time and its own name."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluation.models import Access, ItemBank, Run, Status
from leaderboard.models import Submission
from leaderboard.pages.cards.words import run_card
from leaderboard.standings import refresh_standings
from leaderboard.submissions.closing import closings_of
from leaderboard.submissions.emails import tell_submitters
from leaderboard.submissions.moderating import Refused, approve, cancel_by_staff, set_public
from tests.factories import make_result
from tests.kinds.test_toys import answering
from tests.leaderboard.pages import page
from tests.leaderboard.seceu_board import seceu_bank
from tests.leaderboard.sending import filled, no_turns_taken, offered_bank, proof_in, sent
from tests.leaderboard.staff import root
from tests.leaderboard.test_admin_actions import SUBMISSIONS, do
from tests.leaderboard.test_dry_run import panel
from tests.leaderboard.test_submit_kinds import said

pytestmark = [pytest.mark.django_db, pytest.mark.database]
WAYS: dict[str, Any] = {"banks": ["seceu"], "ways": ["seceu:seceu-shuffled"], "max_tokens": ""}
NAMES = ("SECEU", "SECEU, shuffled options")


@pytest.fixture(autouse=True)
def scenes() -> Iterator[ItemBank]:
    no_turns_taken()
    yield offered_bank()
    no_turns_taken()


@pytest.fixture
def seceu() -> ItemBank:
    return seceu_bank(8)


@pytest.fixture
def both(client: Client, seceu: ItemBank) -> Submission:
    found = sent(client, **WAYS)
    assert approve(found)
    mail.outbox.clear()
    return found


def finish(submission: Submission) -> None:
    submission.runs.update(status=Status.FINISHED, score=100.0, n_scored=8, finished_at=timezone.now())


def bodies() -> list[str]:
    return [str(message.body) for message in mail.outbox]


def test_the_mails_name_the_way_of_asking(both: Submission) -> None:
    finish(both)
    tell_submitters()
    for run, name in zip(both.runs.order_by("pk"), NAMES, strict=True):
        assert [body for body in bodies() if body.startswith(f"new-model on {name}, run {run.pk}\n")]


def test_so_do_those_on_what_staff_did(both: Submission) -> None:
    run = both.runs.get(benchmark="seceu-shuffled")
    assert cancel_by_staff(run)
    finish(both)
    set_public([run], public=True)
    tell_submitters()
    for done in ("was cancelled by an administrator", "is public now"):
        assert [body for body in bodies() if f"run {run.pk} on SECEU, shuffled options {done}." in body]


def test_the_results_are_told_apart(client: Client, both: Submission) -> None:
    finish(both)
    both.runs.update(published=True)
    refresh_standings()
    assert {closing.title for closing in closings_of(both)} == set(NAMES)
    html = page(client, f"/submissions/{both.token}/")
    assert all(f'aria-label="Result on {name}"' in html for name in NAMES)


def test_each_run_has_its_own_time_by_the_dry_run(client: Client, seceu: ItemBank) -> None:
    with answering(said) as endpoint:
        form = filled(f"{endpoint.address}/v1", **{**WAYS, "banks": ["scenes"], "ways": ["seceu:seceu-shuffled"]})
        proof = proof_in(panel(client, form))
        found = sent(client, **{**form, "proof": proof})
    assert found.dry_run is not None
    assert set(found.dry_run["durations"]) == {"Own scenes", "SECEU, shuffled options"}
    assert found.runs.count() == 2, "approved at once"
    Submission.objects.update(
        dry_run={**found.dry_run, "durations": {"Own scenes": "1–2 min", "SECEU, shuffled options": "7–9 min"}}
    )
    html = page(client, f"/submissions/{found.token}/")
    for name, time in (("Own scenes", "1–2 min"), ("SECEU, shuffled options", "7–9 min")):
        own = html.partition(f"<b>{name}</b>")[2].partition("</section>")[0]
        assert f"By the estimate of the dry run, this run takes {time} from its start." in own


def test_the_page_of_several_runs_counts_them_and_says_what_the_bars_stand_for(
    client: Client, both: Submission
) -> None:
    assert "<h1>2 runs in the queue</h1>" in page(client, f"/submissions/{both.token}/")
    finish(both)
    run = both.runs.latest("pk")
    make_result(run, run.bank.items.get(number=1).item_id, answer=[1.0, 2.0, 3.0, 4.0], score=2.0)
    html = page(client, f"/submissions/{both.token}/")
    assert "<h1>2 runs finished</h1>" in html
    assert "on SECEU; SECEU, shuffled options ·" in html
    assert "its height is the distance, and lower is better." in html
    Run.objects.filter(pk=run.pk).update(status=Status.FAILED)
    assert "<h1>2 runs: 1 finished, 1 failed</h1>" in page(client, f"/submissions/{both.token}/")


@pytest.mark.parametrize(("ways", "told"), [([], True), (["scenes:eq-bench-v2-code"], False)])
def test_an_estimate_that_was_stored_for_the_first_alone_is_told_of_one_alone(
    client: Client, ways: list[str], told: bool
) -> None:
    """As dry runs of earlier versions were stored."""
    found = sent(client, ways=ways)
    Submission.objects.update(dry_run={"passed": True, "cost": {"duration": "1–2 min"}})
    assert approve(Submission.objects.get())
    assert ("this run takes 1–2 min" in page(client, f"/submissions/{found.token}/")) is told


def test_a_benchmark_that_is_on_offer_no_more_is_left_out_and_the_timeline_says_so(
    client: Client, seceu: ItemBank
) -> None:
    found = sent(client, banks=["scenes", "seceu"], max_tokens="")
    ItemBank.objects.filter(pk=seceu.pk).update(access=Access.PRIVATE)
    assert approve(found)
    assert [run.bank.slug for run in found.runs.all()] == ["scenes"]
    assert found.events.latest("pk").text == (
        "Approved by a moderator. Left out: seceu, which this board does not offer any more."
    )


def test_a_submission_of_none_that_is_on_offer_is_not_approved_and_the_moderator_reads_why(
    client: Client, seceu: ItemBank
) -> None:
    gone, fine = sent(client, banks=["seceu"], max_tokens=""), sent(client)
    seceu.delete()
    html = do(root(), SUBMISSIONS, "approve_them", [gone, fine])
    assert "1 submission approved" in html
    assert f"Submission {gone.pk} asks for seceu alone, which this board does not offer any more." in html
    gone.refresh_from_db()
    assert gone.state == Submission.State.PENDING
    assert Run.objects.count() == 1
    with pytest.raises(Refused):
        approve(gone)


def test_the_place_of_each_run_costs_no_look_at_the_whole_queue(client: Client, seceu: ItemBank) -> None:
    one, three = sent(client), sent(client, api_model="m", **{**WAYS, "banks": ["scenes", "seceu"]})
    counts = []
    for found, extra in ((one, 0), (three, 2)):
        assert approve(found)
        assert found.runs.count() == 1 + extra
        page(client, f"/submissions/{found.token}/live/")
        with CaptureQueriesContext(connection) as captured:
            html = page(client, f"/submissions/{found.token}/live/")
        assert "ahead of yours" in html or "Your run is next" in html
        counts.append(len(captured))
    assert counts[1] - counts[0] <= 2 * 3


def test_so_do_its_page_feed_citation_card_and_report(client: Client, both: Submission) -> None:
    finish(both)
    both.runs.update(published=True, published_changed_at=timezone.now())
    refresh_standings()
    run = both.runs.select_related("model", "bank").get(benchmark="seceu-shuffled")
    html = page(client, f"/runs/{run.pk}/")
    assert "on SECEU, shuffled options" in html
    assert "SECEU, shuffled options" in html.partition('id="cite"')[2]
    assert "SECEU, shuffled options" in client.get("/feed.atom").content.decode()
    assert "SECEU, shuffled options" in run_card(run).subject
    assert f"Run {run.pk} of new-model on SECEU, shuffled options" in page(client, f"/report/runs/{run.pk}/")
