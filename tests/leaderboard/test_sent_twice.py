"""One copy of the form is one submission however often its button is pressed, and an error on it costs no dry run."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client, override_settings

from evaluation.demo.server import make_app
from evaluation.models import LanguageModel
from leaderboard.administration.merging import merge
from leaderboard.models import Submission
from tests.factories import make_model
from tests.fakes import serve
from tests.leaderboard.pages import content_of, page
from tests.leaderboard.sending import CANARY, filled, proof_in, sent

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("bank_on_offer")]
STILL_COUNTS = "Your dry run still counts"


def ticket_of(html: str) -> str:
    found = re.search(r'name="ticket" value="([\w-]+)"', html)
    assert found
    return found.group(1)


@pytest.fixture
def ticket(client: Client) -> str:
    return ticket_of(page(client, "/submit/"))


def test_who_presses_twice_in_a_browser_that_kept_no_cookie_lands_on_the_one_page(ticket: str) -> None:
    """Of two clicks a browser shows the answer to the second, and may never hear of the cookie of the first."""
    first, second = (Client().post("/submit/", filled(ticket=ticket)) for _ in range(2))
    assert (first.status_code, second.status_code) == (302, 302)
    assert first["Location"] == second["Location"]
    assert Submission.objects.count() == 1
    assert len(Submission.objects.get().token) == 22


def test_the_address_cannot_be_read_from_the_form(ticket: str) -> None:
    assert Submission.objects.count() == 0
    Client().post("/submit/", filled(ticket=ticket))
    assert ticket != Submission.objects.get().token


@pytest.mark.parametrize("given", ["", "A" * 22, "x", "A" * 400, "\0" * 22], ids=list("abcde"))
def test_another_copy_of_the_form_is_not_led_there(ticket: str, given: str) -> None:
    assert Client().post("/submit/", filled(ticket=ticket)).status_code == 302
    response = Client().post("/submit/", filled(ticket=given))
    assert response.status_code == 409
    html = content_of(response)
    assert Submission.objects.get().token not in html
    assert "This was sent already" in html


def test_a_form_that_is_changed_after_it_was_sent_makes_another_submission(client: Client, ticket: str) -> None:
    """As after the browser's "back"."""
    tokens = {sent(client, ticket=ticket, api_model=name).token for name in ("a", "b", "c")}
    assert len(tokens) == Submission.objects.count() == 3


def test_a_form_with_an_error_keeps_its_ticket(client: Client, ticket: str) -> None:
    html = content_of(client.post("/submit/", filled(ticket=ticket, api_model="")))
    assert ticket_of(html) == ticket
    assert ticket_of(page(client, "/submit/")) != ticket


def once_after(start: str, act: Callable[[], object]) -> Callable[..., Any]:
    """Runs the act once, right after the first query that begins so: another process was quicker."""
    done: list[bool] = []

    def wrapper(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        result = execute(sql, params, many, context)
        if not done and start in sql:
            done.append(True)
            act()
        return result

    return wrapper


def test_a_model_that_is_merged_while_its_form_is_sent_is_the_one_that_stays(client: Client) -> None:
    double, kept = make_model("maker/new-model"), make_model("maker/kept")
    named = 'FROM "evaluation_languagemodel" WHERE "evaluation_languagemodel"."name" ='
    with connection.execute_wrapper(once_after(named, lambda: merge(kept, [double]))):
        found = sent(client)
    assert found.model == found.endpoint.model == kept
    assert LanguageModel.objects.count() == 1


def passed(client: Client, form: dict[str, Any]) -> str:
    html = content_of(client.post("/submit/dry-run/", form, headers={"HX-Request": "true"}))
    assert "Passed" in html
    return proof_in(html)


def test_who_forgets_the_consent_does_not_lose_the_dry_run(client: Client) -> None:
    with serve(make_app(persona="random")) as address:
        form = filled(address, key=CANARY)
        proof = passed(client, form)
        html = content_of(client.post("/submit/", {**form, "proof": proof, "publish_consent": ""}))
        assert STILL_COUNTS in html
        kept = proof_in(html)
        assert kept == proof
        assert CANARY not in html
        with override_settings(SUBMISSIONS_AUTO_APPROVE=True):
            found = sent(client, **{**form, "proof": kept})
        assert found.dry_run is not None
        assert found.state == Submission.State.APPROVED


def test_a_dry_run_that_did_not_pass_or_was_made_up_is_not_kept(client: Client) -> None:
    with serve(make_app(persona="random", faults=("unknown-model",))) as address:
        form = filled(address)
        failed = proof_in(content_of(client.post("/submit/dry-run/", form, headers={"HX-Request": "true"})))
    assert failed
    for proof in (failed, "made-up", ""):
        html = content_of(client.post("/submit/", {**form, "proof": proof, "publish_consent": ""}))
        assert STILL_COUNTS not in html
        assert not proof_in(html)


@override_settings(SUBMISSIONS_PER_DAY=1)
def test_who_has_to_wait_for_the_quota_is_told_to_type_the_key_again(client: Client) -> None:
    sent(client, api_model="a")
    with_key = content_of(client.post("/submit/", filled(api_model="b", key=CANARY)))
    assert "Type the key again then" in with_key
    assert CANARY not in with_key
    assert "Type the key again" not in content_of(client.post("/submit/", filled(api_model="b")))
