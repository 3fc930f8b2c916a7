"""What pages say of a run's endpoint: who was answered, what was spent, what went wrong, and what can be done."""

import json
import re

import pytest
from django.test import Client

from evaluation.endpoints.errors import FAULTS, fault
from evaluation.models import FaultKind, ItemState, Run, Status
from evaluation.runs.summaries import REASON_LENGTH
from leaderboard.forms import SubmissionForm
from leaderboard.wording.advice import ADVICE, KEEPS, OPENED_WITH, RESUMED
from leaderboard.wording.fault_fixes import FIXES
from tests.factories import make_bank, make_result, make_run
from tests.leaderboard.pages import content_of, page

pytestmark = [pytest.mark.django_db, pytest.mark.database]

NO_REPLY = {"state": ItemState.FAULT, "reading": "none", "answer": None, "score": None}


def run_with(answered: int, faults: int, reason: str = "", **fields: object) -> Run:
    """A public run of five items, so many of which were answered and so many never got a reply."""
    run = make_run(bank=make_bank(5), published=True, **fields)
    for number in range(1, answered + 1):
        make_result(run, str(number), prompt_tokens=400, completion_tokens=20)
    for number in range(answered + 1, answered + faults + 1):
        make_result(run, str(number), reason=reason, **NO_REPLY)
    return run


@pytest.mark.parametrize(
    ("answered", "faults", "headline"),
    [
        (3, 2, "Stopped with 3 of 5 answered, 2 without a reply: a fault of the endpoint"),
        (0, 5, "Stopped with 0 of 5 answered, 5 without a reply: a fault of the endpoint"),
        (2, 1, "Stopped with 2 of 5 answered, 1 without a reply: a fault of the endpoint"),
        (4, 0, "Stopped with 4 of 5 answered: a fault of the endpoint"),
    ],
)
def test_an_item_without_a_reply_is_not_answered(client: Client, answered: int, faults: int, headline: str) -> None:
    run = run_with(answered, faults, status=Status.FAILED, failure_kind=FaultKind.ENDPOINT)
    html = page(client, f"/runs/{run.pk}/")
    assert f"<h1>{headline}</h1>" in html
    assert f"All {answered + faults} {'items so far' if faults else 'answers'}</a>" in html


@pytest.mark.parametrize(("read", "written"), [(165_528, 13_973), (77_607, 4_670), (1, 1)])
def test_the_tokens_are_those_of_all_requests_on_page_api_and_metrics(client: Client, read: int, written: int) -> None:
    run = run_with(5, 0, status=Status.FINISHED, prompt_tokens=read, completion_tokens=written, wall_seconds=10.0)
    html = re.sub(r"<[^>]+>", " ", page(client, f"/runs/{run.pk}/"))
    assert re.search(rf"Tokens\s+{read:,}\s*read, {written:,} written, in all requests", html.replace(" ", " "))
    found = json.loads(client.get(f"/api/v1/runs/{run.pk}").content)
    assert (found["prompt_tokens"], found["completion_tokens"]) == (read, written)
    metrics = content_of(client.get("/metrics", headers={"host": "127.0.0.1:8000"}))
    assert f"eq_completion_tokens_total {float(written)}" in metrics


@pytest.mark.parametrize("code", sorted(FAULTS))
def test_every_fault_has_a_fix_in_a_field_that_the_form_has(code: str) -> None:
    field, fix = FIXES[code]
    assert field in SubmissionForm.base_fields
    assert fix.endswith(".")
    assert "time limit" not in f"{fix} {FAULTS[code].sentence}", "the form has no such field"


@pytest.mark.parametrize(
    "code",
    [
        "unauthorised", "unknown-model", "redirected", "not-a-chat-api", "quota-used-up", "too-slow", "filtered-reply",
        "server-error", "payment-required", "too-large", "blocked", "not-a-chat-model",
    ],
)  # fmt: skip
def test_the_advice_after_a_fault_that_stopped_the_run_is_about_that_fault(client: Client, code: str) -> None:
    error = fault(code, excerpt="Words of the server.")
    run = run_with(
        2, 1, fault("server-error").in_brief(REASON_LENGTH), status=Status.FAILED, failure_kind=error.cause,
        failure_message=error.message, fault_counts={"endpoint": 3},
    )  # fmt: skip
    html = page(client, f"/runs/{run.pk}/").replace("&#x27;", "'")
    after = KEEPS if code in OPENED_WITH else RESUMED
    assert f"<b>What to do:</b> {FIXES[code][1]} {after}" in html
    assert "Words of the server." in html
    assert "Each is tried again" not in html


@pytest.mark.parametrize(
    ("codes", "told"),
    [
        (("context-length",), "longer context"),
        (("content-filter",), "without this filter"),
        (("too-slow", "too-slow", "refused"), "Lower the max tokens per reply, ask fewer at once"),
        (("refused", "refused", "too-slow"), "Change what its message names"),
        (("unfinished",), "gives up replies before their end"),
    ],
)
def test_without_a_fault_of_the_run_the_commonest_of_its_items_is_advised_on(
    client: Client, codes: tuple[str, ...], told: str
) -> None:
    run = make_run(bank=make_bank(5), published=True, status=Status.FINISHED, fault_counts={"endpoint": 9, "model": 9})
    for number, code in enumerate(codes, 1):
        make_result(run, str(number), reason=fault(code, excerpt="512 tokens").in_brief(REASON_LENGTH), **NO_REPLY)
    assert told in page(client, f"/runs/{run.pk}/").replace("&#x27;", "'")


def test_where_no_fault_is_known_by_its_sentence_the_advice_is_the_general_one(client: Client) -> None:
    run = run_with(3, 0, status=Status.FINISHED, fault_counts={"endpoint": 3})
    assert ADVICE[FaultKind.ENDPOINT] in page(client, f"/runs/{run.pk}/").replace("&#x27;", "'")


def test_an_item_is_filed_with_whom_the_table_files_it(client: Client) -> None:
    words = "This model's maximum context length is 512 tokens. However, you requested 612 tokens in all."
    run = run_with(4, 1, fault("context-length", excerpt=words).in_brief(REASON_LENGTH), status=Status.FINISHED)
    html = page(client, f"/runs/{run.pk}/items/").replace("&#x27;", "'")
    assert "model fault: prompt and answer do not fit into the model's context: “" in html
    assert "512 tokens" in html
    assert "endpoint fault" not in html
