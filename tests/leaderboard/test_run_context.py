"""The run page beside its own numbers: the parent run, the likely final score, throughput, and what to do of faults."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluation.models import FaultKind, ItemBank, ItemState, Origin, Run, Status
from leaderboard.wording.advice import fault_advice
from leaderboard.wording.fault_fixes import FIXES
from tests.factories import make_bank, make_model, make_result, make_run
from tests.leaderboard.pages import page

pytestmark = [pytest.mark.django_db, pytest.mark.database]

UNREAD: dict[str, Any] = {"state": ItemState.UNREAD, "reading": "none", "answer": None, "score": None}


def run_of(bank: ItemBank, scores: list[float | None], **fields: Any) -> Run:
    """A run with one result an item; None is an item that was not read. Finished and public unless given."""
    run = make_run(bank=bank, **{"status": Status.FINISHED, "published": True, **fields})
    for number, score in enumerate(scores, 1):
        if score is None:
            make_result(run, str(number), reason="no scores found", **UNREAD)
        else:
            make_result(run, str(number), score=score)
    return run


def text(html: str) -> str:
    return " ".join(html.split())


def test_a_repeated_run_is_compared_over_the_items_that_both_have(client: Client) -> None:
    """Differences 1, 2, 3, 0 in item points: mean 1.5, sd 1.290994, error 0.645497; with t of 3 degrees of freedom,
    3.182446, in points 15.00 ± 20.54. The normal bound would part the two at 15.00 ± 12.65."""
    bank, model = make_bank(6), make_model()
    parent = run_of(bank, [5.0, 5.0, 5.0, 5.0, None, 9.0], model=model, settings={"max_tokens": 60, "template": "a"})
    again = run_of(
        bank, [6.0, 7.0, 8.0, 5.0, 4.0, None], model=model, parent=parent, settings={"max_tokens": 80, "template": "a"}
    )
    html = text(page(client, f"/runs/{again.pk}/"))
    assert "The two runs are tied: 15.00 points, 95 % interval −5.54 to 35.54, over 4 shared items" in html
    assert "(paired t test over items, p = 0.103)" in html
    assert '<dt>Items better here</dt><dd><span class="figure-number">3</span>' in html
    assert '<th scope="row">max_tokens</th><td class="mono">60</td><td class="mono">80</td>' in html
    settings = html.partition('class="plain settings"')[2].partition("</table>")[0]
    assert "template" not in settings


def test_two_equal_runs_are_tied_and_asked_for_alike(client: Client) -> None:
    bank, model = make_bank(3), make_model()
    parent = run_of(bank, [5.0, 6.0, 7.0], model=model)
    again = run_of(bank, [5.0, 6.0, 7.0], model=model, parent=parent)
    html = text(page(client, f"/runs/{again.pk}/"))
    assert "The two runs are tied: 0.00 points" in html
    assert "Both runs used the same settings." in html


def test_what_was_sent_beside_the_settings_or_in_their_place_is_told_too(client: Client) -> None:
    bank, model = make_bank(3), make_model()
    same: dict[str, Any] = {"settings": {"temperature": 0.01, "system_prompt": "Be kind."}, "manifest": {"run": 1}}
    departures = {"system_prompt": "b4c1", "temperature": None, "extra_body": {"top_p": 0.9}}
    parent = run_of(bank, [5.0, 6.0, 7.0], model=model, departures={"system_prompt": "b4c1"}, **same)
    again = run_of(bank, [5.0, 6.0, 7.0], model=model, parent=parent, departures=departures, **same)
    html = text(page(client, f"/runs/{again.pk}/"))
    settings = html.partition('class="plain settings"')[2].partition("</table>")[0]
    assert re.findall(r'<th scope="row">(\w+)</th>', settings) == ["extra_body", "temperature"]
    Run.objects.filter(pk=again.pk).update(manifest=None)
    assert "Both runs used the same settings." in text(page(client, f"/runs/{again.pk}/"))


@pytest.mark.parametrize("change", ["unpublished", "other bank", "other rule", "nothing shared"])
def test_a_parent_that_cannot_be_compared_is_not(client: Client, change: str) -> None:
    bank, model = make_bank(2), make_model()
    scores: list[float | None] = [None, None] if change == "nothing shared" else [5.0, 6.0]
    parent = run_of(make_bank(2) if change == "other bank" else bank, scores, model=model)
    if change == "unpublished":
        Run.objects.filter(pk=parent.pk).update(published=False)
    if change == "other rule":
        Run.objects.filter(pk=parent.pk).update(benchmark="eq-bench-v2-code")
    again = run_of(bank, [5.0, 6.0], model=model, parent=parent)
    assert 'id="parent"' not in page(client, f"/runs/{again.pk}/")


def test_an_open_run_that_had_the_hard_items_is_not_taken_for_a_weak_one(client: Client) -> None:
    """The field has 2 on the two hard items and 8 on the two easy ones; 3 and 3 on the hard ones lead it by 1, so the
    end is expected at 5 + 1 = 6 item points."""
    bank = make_bank(4)
    for _ in range(3):
        run_of(bank, [2.0, 2.0, 8.0, 8.0])
    run = run_of(bank, [3.0, 3.0], status=Status.RUNNING)
    html = text(page(client, f"/runs/{run.pk}/"))
    assert (
        '<dt>Likely final score</dt><dd><span class="figure-number">60.00</span>'
        "±0.0 (95 %), 2 of 4 items, set against 3 runs" in html
    )


@pytest.mark.parametrize("fields", [{"published": False}, {"origin": Origin.DEMO}, {"limit": 4}])
def test_without_a_field_of_three_there_is_no_likely_score(client: Client, fields: dict[str, Any]) -> None:
    bank = make_bank(4)
    for number in range(3):
        run_of(bank, [2.0, 2.0, 8.0, 8.0], **(fields if number == 0 else {}))
    run = run_of(bank, [3.0], status=Status.RUNNING)
    assert "Likely final score" not in page(client, f"/runs/{run.pk}/")


def test_the_throughput_is_over_the_working_time(client: Client) -> None:
    run = run_of(make_bank(3), [5.0, 5.0, 5.0], wall_seconds=30.0, requests=15, completion_tokens=600)
    for latency, result in zip((800, 1900, 700), run.results.order_by("pk"), strict=True):
        result.latency_ms = latency
        result.save()
    html = text(page(client, f"/runs/{run.pk}/"))
    assert '<dt>Throughput</dt><dd><span class="figure-number">30 a minute</span>requests, 20 tokens a second' in html
    assert '<dt>A reply took</dt><dd><span class="figure-number">0.8 s</span>median' in html


def test_each_kind_of_fault_comes_with_what_to_do(client: Client) -> None:
    run = run_of(make_bank(3), [5.0, 5.0], fault_counts={"endpoint": 3, "model": 1}, settings={"max_tokens": 60})
    make_result(run, "3", reason="cut off", **UNREAD)
    html = page(client, f"/runs/{run.pk}/")
    assert "Check that the server is up" in html
    assert "longer context" in html
    assert "1 reply ended at the limit of 60 tokens: run it again with a higher one." in html
    assert "Nothing: the run resumes by itself" not in html


def test_a_fault_of_ours_resumes_by_itself_unless_it_ended_the_run() -> None:
    going, failed = (fault_advice(FaultKind.PLATFORM, 1, {}, 60, failed=failed) for failed in (False, True))
    assert "resumes by itself" in going
    assert "does not resume by itself" in failed
    assert "Resume from the last finished item" in failed


def test_no_fault_needs_no_advice() -> None:
    assert [fault_advice(kind, 0, {}, 60) for kind in FaultKind] == ["", "", "", ""]
    assert all(fault_advice(kind, 1, {}, None) for kind in FaultKind)


def test_what_the_endpoint_did_out_of_the_ordinary_is_told(client: Client) -> None:
    run = run_of(make_bank(1), [5.0], observed={"remarks": {"prompt cut suspected": 4, "invalid UTF-8": 1}})
    assert "prompt cut suspected (4), invalid UTF-8 (1)" in page(client, f"/runs/{run.pk}/")


@pytest.mark.parametrize("status", [Status.RUNNING, Status.FINISHED])
def test_the_page_with_parent_and_field_keeps_to_twelve_queries(client: Client, status: Status) -> None:
    bank, model = make_bank(5), make_model()
    field = [run_of(bank, [5.0] * 5, model=model, finished_at=datetime(2026, 1, 1, tzinfo=UTC)) for _ in range(4)]
    run = run_of(bank, [4.0, 3.0, None], model=model, parent=field[0], status=status)
    with CaptureQueriesContext(connection) as captured:
        page(client, f"/runs/{run.pk}/")
    assert len(captured) <= 12


def test_an_endpoint_that_cannot_be_reached_may_have_a_mistyped_port() -> None:
    """The commonest cause on one's own machine, of which a run that waits five minutes gives no sign."""
    _, fix = FIXES["unreachable"]
    assert "the address and the port are right" in fix
