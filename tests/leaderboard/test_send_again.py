"""The form filled in from a submission that was sent: all settings, and nothing that has to be given anew."""

from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.test import Client

from evaluation.models import FaultKind, Status
from leaderboard.forms import SubmissionForm
from leaderboard.models import Submission
from leaderboard.submissions.again import form_again
from leaderboard.submissions.moderating import approve, reject
from tests.leaderboard.pages import content_of, page
from tests.leaderboard.sending import CANARY, filled, no_turns_taken, offered_bank, sent

pytestmark = [pytest.mark.django_db, pytest.mark.database]
SETTINGS = {"repeats": "3", "max_tokens": "2000", "system_prompt": "Be brief.", "extra_body": '{"top_p": 0.5}'}
ANEW = ("key", "contact", "publish_consent", "judging_consent", "keep", "kept_until")


@pytest.fixture(autouse=True)
def _banks() -> Iterator[None]:
    offered_bank()
    offered_bank(slug="other", title="Other scenes")
    no_turns_taken()
    yield
    no_turns_taken()


def again(submission: Submission) -> str:
    return f"/submissions/{submission.token}/again/"


def test_what_was_sent_fills_the_form_but_for_what_is_given_anew(client: Client) -> None:
    chosen: dict[str, Any] = {"banks": ["other"], "ways": ["other:eq-bench-v2-code"], **SETTINGS}
    found = sent(client, key=CANARY, **chosen)
    first = filled(found.endpoint.base_url, **chosen)
    shown = SubmissionForm(initial=form_again(found.request))
    for name in shown.fields:
        if name not in ANEW:
            value = shown[name].value()
            assert (value if isinstance(value, list) else str(value)) == first[name], name


def test_the_page_holds_neither_key_nor_mail_address_nor_consent(client: Client) -> None:
    found = sent(client, key=CANARY, **SETTINGS)
    response = client.get(again(found))
    html = unescape(content_of(response))
    assert response["X-Robots-Tag"] == "noindex, nofollow"
    assert "Filled in as you sent it on" in html
    assert 'value="maker/new-model"' in html
    assert "Be brief." in html
    assert "team@models.example" not in html
    assert CANARY not in html
    assert "checked" not in html.partition("What happens with the result?")[2].partition("Submit the run")[0]


def test_a_form_that_comes_back_can_be_sent_with_another_limit(client: Client) -> None:
    found = sent(client)
    shown = SubmissionForm(initial=form_again(found.request))
    typed: dict[str, Any] = {name: shown[name].value() for name in shown.fields}
    typed = {name: "" if value is None else value for name, value in typed.items()}
    response = client.post("/submit/", {**typed, "max_tokens": "2000", "publish_consent": "on"})
    assert response.status_code == 302
    assert Submission.objects.latest("pk").request == {**found.request, "max_tokens": 2000}


@pytest.mark.parametrize("stored", [{}, {"facts": {}}, {"facts": {"name": "maker/old"}, "banks": ["gone"]}])
def test_what_an_early_submission_did_not_store_is_left_to_the_form(stored: dict[str, Any]) -> None:
    form = SubmissionForm(initial=form_again(stored))
    assert form["max_tokens"].value() == 60
    assert form["repeats"].value() == 1


def test_the_address_of_another_submission_opens_nothing(client: Client) -> None:
    found = sent(client)
    assert client.get(f"/submissions/{found.pk}/again/").status_code == 404


def test_after_replies_that_could_not_be_read_the_page_leads_to_the_form(client: Client) -> None:
    found = sent(client)
    assert again(found) not in page(client, f"/submissions/{found.token}/")
    approve(found)
    found.runs.update(status=Status.FAILED, failure_kind=FaultKind.PARSE, failure_message="Not enough readable items.")
    html = page(client, f"/submissions/{found.token}/")
    assert html.count(f'href="{again(found)}">Change the settings and send again</a>') == 2
    assert again(found) not in page(client, f"/submissions/{found.token}/runs/{found.runs.get().pk}/")


def test_after_a_rejection_it_does_too(client: Client) -> None:
    found = sent(client)
    reject(found, "This is not your model.")
    assert again(found) in page(client, f"/submissions/{found.token}/")
