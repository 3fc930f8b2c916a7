"""Consent at the button, the same consent given later, and what a submission says once its runs have ended."""

from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from evaluation.models import ItemBank, Run, Status
from leaderboard.models import Submission
from leaderboard.standings import refresh_standings
from leaderboard.submissions.closing import closings_of, ties_in_words
from leaderboard.submissions.emails import tell_submitters
from leaderboard.submissions.moderating import approve, withdraw
from leaderboard.submissions.publishing import AGREED
from leaderboard.submissions.submitting import CONSENT_VERSION
from tests.leaderboard.fields import answered
from tests.leaderboard.pages import page
from tests.leaderboard.pages import publish as figure
from tests.leaderboard.sending import filled, sent
from tests.leaderboard.staff import root

pytestmark = [pytest.mark.django_db, pytest.mark.database]
ASKED = "Choose whether the result is published or stays unlisted."


@pytest.fixture
def bank(bank_on_offer: None) -> ItemBank:
    return ItemBank.objects.get(slug="scenes")


def finish(submission: Submission, **fields: Any) -> Run:
    usual = {"status": Status.FINISHED, "score": 61.5, "n_scored": 5, "finished_at": timezone.now()}
    submission.runs.update(**{**usual, **fields})
    return submission.runs.get()


def shown(client: Client, submission: Submission) -> str:
    return page(client, f"/submissions/{submission.token}/").replace("&#x27;", "'")


def publish(client: Client, submission: Submission) -> str:
    response = client.post(f"/submissions/{submission.token}/publish/", follow=True)
    assert response.status_code == 200
    return response.content.decode().replace("&#x27;", "'")


@pytest.fixture
def unlisted(client: Client, bank: ItemBank) -> Submission:
    """A run of it has finished, and its submitter kept it unlisted."""
    found = sent(client, publish_consent="off")
    assert approve(found)
    finish(found)
    return found


def test_the_form_chooses_neither_for_its_reader_and_asks_at_the_button(client: Client, bank: ItemBank) -> None:
    html = page(client, "/submit/")
    choices = html.partition("What happens with the result?")[2].partition("Submit the run")[0]
    assert choices.count('type="radio"') == 2
    assert "checked" not in choices
    assert "<section" not in choices


@pytest.mark.parametrize("given", ["", "maybe"])
def test_a_form_without_that_answer_is_not_sent(client: Client, bank: ItemBank, given: str) -> None:
    response = client.post("/submit/", filled(publish_consent=given))
    assert response.status_code == 422
    assert ASKED in response.content.decode()
    assert not Submission.objects.exists()


@pytest.mark.parametrize(("given", "consent"), [("on", True), ("off", False)])
def test_the_answer_is_stored_with_the_version_of_its_words(
    client: Client, bank: ItemBank, given: str, consent: bool
) -> None:
    found = sent(client, publish_consent=given)
    assert (found.publish_consent, found.consent_version) == (consent, CONSENT_VERSION)


def test_an_empty_form_moves_the_focus_to_a_summary_whose_lines_lead_to_their_fields(
    client: Client, bank: ItemBank
) -> None:
    html = client.post("/submit/", {}).content.decode()
    summary = html.partition('id="errors"')[2].partition("</div>")[0]
    assert 'tabindex="-1" autofocus>' in summary
    targets = [each.partition('"')[0] for each in summary.split('href="#')[1:]]
    assert {"id_name", "id_base_url", "id_api_model", "id_banks_0", "id_publish_consent_0"} <= set(targets)
    assert all(f'id="{target}"' in html for target in targets)
    assert html.count("autofocus") == 1
    assert "Name</a>:\n" in summary
    assert "?</a>\nChoose" in summary


def test_a_finished_unlisted_run_can_be_published_from_its_page(
    client: Client, unlisted: Submission, settings: Any
) -> None:
    settings.SUBMISSIONS_AUTO_PUBLISH = True
    assert "Publish it now" in shown(client, unlisted)
    assert "1 run became public." in publish(client, unlisted)
    unlisted.refresh_from_db()
    assert unlisted.publish_consent
    assert unlisted.runs.get().published
    assert unlisted.events.filter(text=AGREED).count() == 1
    html = shown(client, unlisted)
    assert "Publish it now" not in html
    assert "Nothing was changed" in publish(client, unlisted)


def test_the_mail_of_an_unlisted_run_says_where_it_can_be_published(unlisted: Submission) -> None:
    mail.outbox.clear()
    tell_submitters()
    (body,) = [message.body for message in mail.outbox if "has ended" in message.body]
    assert "you did not agree to publish it. You can publish it on the page of your submission." in body


def test_where_a_moderator_lists_runs_the_consent_alone_lists_none(
    client: Client, unlisted: Submission, settings: Any
) -> None:
    settings.SUBMISSIONS_AUTO_PUBLISH = False
    assert "A moderator now lists the result." in publish(client, unlisted)
    assert not unlisted.runs.get().published
    assert "a moderator has to list it" in shown(client, unlisted)


def test_a_flagged_submission_waits_for_the_moderator_whatever_the_settings(
    client: Client, unlisted: Submission, settings: Any
) -> None:
    settings.SUBMISSIONS_AUTO_PUBLISH = True
    Submission.objects.update(flagged=True)
    publish(client, unlisted)
    assert not unlisted.runs.get().published


def test_figures_that_came_in_before_the_late_consent_keep_it_for_the_moderator(
    client: Client, unlisted: Submission, settings: Any
) -> None:
    settings.SUBMISSIONS_AUTO_PUBLISH = True
    tell_submitters()
    assert not Submission.objects.filter(flagged=True).exists()
    figure(unlisted.model, "eq-bench-v2", 70.0)
    assert "A moderator now lists the result." in publish(client, unlisted)
    unlisted.refresh_from_db()
    assert unlisted.flagged
    assert "came from another submitter" in unlisted.note
    assert not unlisted.runs.get().published


def test_nobody_else_can_give_the_consent(client: Client, unlisted: Submission) -> None:
    assert "Only the submitter can agree" in publish(root(), unlisted)
    assert Client().get(f"/submissions/{unlisted.token}/publish/").status_code == 405
    assert Client(enforce_csrf_checks=True).post(f"/submissions/{unlisted.token}/publish/").status_code == 403
    assert withdraw(unlisted)
    assert "Nothing was changed" in publish(client, unlisted)
    unlisted.refresh_from_db()
    assert not unlisted.publish_consent


def test_no_consent_is_asked_for_while_nothing_has_finished(client: Client, bank: ItemBank) -> None:
    found = sent(client, publish_consent="off")
    approve(found)
    assert "Publish it now" not in shown(client, found)


@pytest.fixture
def placed(client: Client, bank: ItemBank) -> Submission:
    """A public, finished run in a ranking of four models."""
    found = sent(client)
    assert approve(found)
    for name, scores in (("maker/alike", [7.0, 8.0, 9.0, 6.0, 8.0]), ("maker/worse", [1.0, 2.0, 1.0, 2.0, 1.0])):
        answered(bank, name, scores)
    answered(bank, "new", [7.0, 8.0, 9.0, 6.0, 7.9], model=found.model)
    run = Run.objects.filter(model=found.model).latest("pk")
    found.runs.set([run])
    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now())
    refresh_standings()
    return found


def test_the_page_of_a_finished_submission_says_rank_ties_badge_link_and_next_steps(
    client: Client, placed: Submission
) -> None:
    html = shown(client, placed)
    (closing,) = closings_of(placed)
    assert closing.rank in html.lower()
    assert closing.rank.endswith("of 3")
    assert "Compared pair by pair, it is tied with alike." in html
    assert f'src="{closing.badge_path.replace("&", "&amp;")}"' in html
    assert f"http://testserver{closing.path}" in html
    assert "What you can do now" in html
    for path in (closing.path, closing.badge_path):
        assert client.get(path).status_code == 200


def test_the_mail_says_the_same(placed: Submission) -> None:
    mail.outbox.clear()
    tell_submitters()
    (closing,) = closings_of(placed)
    (body,) = [message.body for message in mail.outbox if "has ended" in message.body]
    assert f"{closing.title}: {closing.result}, {closing.rank}. Compared pair by pair, it is tied with alike." in body
    assert f"To share: http://testserver{closing.path}" in body
    assert f"http://testserver{closing.badge_path}" in body


def test_there_is_no_closing_message_before_all_runs_have_ended_or_without_a_listed_one(
    client: Client, placed: Submission
) -> None:
    Run.objects.filter(submissions=placed).update(published=False)
    assert closings_of(placed) == ()
    Run.objects.filter(submissions=placed).update(published=True, status=Status.QUEUED)
    assert closings_of(placed) == ()
    assert "What you can do now" not in shown(client, placed)


def test_ties_are_named_up_to_two_and_counted_beyond() -> None:
    assert ties_in_words(0, []) == "Compared pair by pair, it is tied with no other model."
    assert ties_in_words(1, ["A"]) == "Compared pair by pair, it is tied with A."
    assert ties_in_words(2, ["A", "B"]) == "Compared pair by pair, it is tied with A and B."
    assert ties_in_words(48, ["A", "B"]) == "Compared pair by pair, it is tied with 48 models, A and B among them."
