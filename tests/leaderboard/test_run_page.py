"""The run page: state and progress in words, what was read, what was not, and who may look."""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluation.models import FaultKind, ItemResult, ItemState, Origin, Run, Status
from evaluation.runs.parts import settle_parts
from tests.factories import make_bank, make_model, make_result, make_run, scene_labels, scene_reply
from tests.leaderboard.pages import content_of, page, table
from tests.leaderboard.staff import looker

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def open_run(n: int = 5, **fields: Any) -> Run:
    return make_run(bank=make_bank(n), published=True, status=Status.RUNNING, **fields)


def unread(run: Run, number: int, reason: str, **fields: Any) -> ItemResult:
    nothing = {"state": ItemState.UNREAD, "reading": "none", "answer": None, "score": None, "reason": reason}
    return make_result(run, str(number), **{**nothing, **fields})


def answer_all(run: Run, n: int, *, unread_ones: int = 0, reason: str = "cut off") -> None:
    """n results, the last of them not read."""
    for number in range(1, n + 1):
        if number > n - unread_ones:
            unread(run, number, reason)
        else:
            make_result(run, str(number))


def test_progress_is_counted_from_the_stored_results(client: Client) -> None:
    run = open_run()
    answer_all(run, 3)
    html = page(client, f"/runs/{run.pk}/")
    assert "<h1>3 of 5 answered</h1>" in html
    assert "Running" in html


def test_an_open_run_shows_the_score_so_far_and_the_pace(client: Client) -> None:
    run = open_run()
    answer_all(run, 3)
    began = datetime(2026, 1, 1, tzinfo=UTC)
    for at, result in enumerate(run.results.order_by("pk")):
        ItemResult.objects.filter(pk=result.pk).update(created_at=began + timedelta(seconds=30 * at))
    html = page(client, f"/runs/{run.pk}/")
    assert '<dt>Score so far</dt><dd><span class="figure-number">100.00</span>' in html
    assert '<span class="figure-number">2 a minute</span>' in html
    assert "about 1.0 minutes to go" in html


@pytest.mark.parametrize(
    ("status", "fields", "headline", "state"),
    [
        (Status.QUEUED, {}, "2 of 5 answered, in the queue", "In the queue"),
        (
            Status.WAITING,
            {"not_before": datetime(2026, 11, 27, 15, 40, tzinfo=UTC)},
            "2 of 5 answered, next try 27 Nov 2026, 15:40 UTC",
            "Waiting for the endpoint",
        ),
        (Status.CANCELLED, {}, "Cancelled with 2 of 5 answered", "Cancelled"),
        (
            Status.FAILED,
            {"failure_kind": FaultKind.ENDPOINT, "failure_message": "The endpoint refused the key."},
            "Stopped with 2 of 5 answered: a fault of the endpoint",
            "Ended without a score",
        ),
        (Status.FINISHED, {"score": 64.256, "n_scored": 2}, "64.26 points, 2 of 5 items scored", "Finished"),
    ],
)
def test_each_state_is_put_in_words(
    client: Client, status: Status, fields: dict[str, Any], headline: str, state: str
) -> None:
    run = make_run(published=True, status=status, **fields)
    answer_all(run, 2)
    html = page(client, f"/runs/{run.pk}/")
    assert f"<h1>{headline}</h1>" in html
    assert f"</svg>{state}</span>" in html
    assert fields.get("failure_message", "") in html


def test_the_parse_rate_stands_beside_a_mean_over_the_read_items(client: Client) -> None:
    run = make_run(
        bank=make_bank(171), status=Status.FINISHED, score=61.5, n_scored=151, n_items=171, parse_share=151 / 171
    )
    html = page(client, f"/runs/{run.pk}/")
    assert '<span class="figure-number">61.50</span>over 151 items</dd>' in html
    assert '<span class="figure-number">151 of 171</span>parse rate 88.3 %; a score needs 83.33 %' in html


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (1.653, "±3.5 over 20 items</dd>"),
        (0.0, "over 20 items; all have the same score, so no error can be computed</dd>"),
    ],
)
def test_few_items_have_the_interval_of_students_t_and_a_perfect_run_has_none(
    client: Client, error: float, shown: str
) -> None:
    run = make_run(
        bank=make_bank(20), status=Status.FINISHED, score=100.0, n_scored=20, n_items=20, standard_error=error,
        published=True,
    )  # fmt: skip
    assert f'<span class="figure-number">100.00</span>{shown}' in page(client, f"/runs/{run.pk}/")
    interval = client.get(f"/api/v1/runs/{run.pk}").json()
    half = 2.093024 * error if error else None
    assert interval["interval_high"] == (pytest.approx(100 + half, abs=1e-4) if half else None)


def test_a_run_of_which_nothing_could_be_read_has_no_score_and_shows_three_samples(client: Client) -> None:
    run = make_run(
        published=True, status=Status.FAILED, failure_kind=FaultKind.PARSE, failure_message="Not enough replies read.",
        parse_share=0.0, bank=make_bank(5),
    )  # fmt: skip
    for number in range(1, 6):
        unread(run, number, "no scores found", reply=f"I had rather not say, {number}.")
    html = page(client, f"/runs/{run.pk}/")
    assert "<h1>No score: 0 of 5 replies could be read</h1>" in html
    assert "parse rate 0.0 %" in html
    assert "no score, no rank" in html
    assert [f"not say, {number}." in html for number in range(1, 6)] == [True, True, True, False, False]


def transcripts(html: str) -> list[str]:
    return re.findall(r"<summary><b>Item (\d+)", html)


def test_an_ended_run_shows_the_transcripts_of_its_worst_and_best_replies(client: Client) -> None:
    run = open_run(9)
    for number, score in enumerate((50.0, 10.0, 90.0, 60.0, 20.0, 80.0, 55.0, 45.0), start=1):
        make_result(run, str(number), score=score)
    html = page(client, f"/runs/{run.pk}/")
    assert transcripts(html) == ["8", "7", "6"]
    assert "The newest replies, unedited" in html
    Run.objects.filter(pk=run.pk).update(status=Status.FINISHED, score=51.25, n_scored=8)
    html = page(client, f"/runs/{run.pk}/")
    assert transcripts(html) == ["2", "5", "6", "3"]
    assert "The worst replies, then the best, unedited" in html
    unread(run, 9, "cut off")
    html = page(client, f"/runs/{run.pk}/")
    assert transcripts(html) == ["9", "2", "5", "6", "3"]
    assert "The first replies that could not be read, then the worst and the best, unedited" in html


def test_what_a_reader_may_do_with_the_page_comes_after_all_that_it_tells(client: Client) -> None:
    run = open_run()
    answer_all(run, 5)
    Run.objects.filter(pk=run.pk).update(
        status=Status.FINISHED, score=100.0, n_scored=5, finished_at=datetime(2026, 1, 1, tzinfo=UTC)
    )
    html = page(client, f"/runs/{run.pk}/")
    places = [html.index(each) for each in ("<h2>Manifest", ">Cite</summary>", "Report a mistake", "</main>")]
    assert places == sorted(places)


def test_replies_that_were_cut_off_are_counted(client: Client) -> None:
    run = make_run(bank=make_bank(171), published=True, status=Status.FAILED, failure_kind=FaultKind.PARSE)
    answer_all(run, 171, unread_ones=40)
    html = page(client, f"/runs/{run.pk}/")
    assert "<h1>No score: 131 of 171 replies could be read</h1>" in html
    assert "40 replies not read: cut off (40)." in html


def test_reasons_that_differ_in_a_name_only_are_counted_together(client: Client) -> None:
    run = open_run()
    unread(run, 1, f"{scene_labels(1)[0]} missing")
    unread(run, 2, f"{scene_labels(2)[0]} missing")
    unread(run, 3, "all zero")
    assert "3 replies not read: a name missing (2), all zero (1)." in page(client, f"/runs/{run.pk}/")


def test_faults_are_filed_by_kind(client: Client) -> None:
    run = open_run(fault_counts={"endpoint": 7, "platform": 1})
    kinds = {row[0]: row[1] for row in table(page(client, f"/runs/{run.pk}/"))[1:]}
    assert kinds == {"Endpoint": "7", "Model": "0", "Parse": "0", "Platform": "1"}


def test_an_import_shows_only_the_faults_that_it_can_have(client: Client) -> None:
    run = make_run(bank=make_bank(2), status=Status.FINISHED, origin=Origin.IMPORTED, published_score=61.25)
    answer_all(run, 2)
    html = page(client, f"/runs/{run.pk}/")
    assert [row[0] for row in table(html)[1:]] == ["Parse"]
    assert '<dt>Stated in its file</dt><dd><span class="figure-number">61.25</span>' in html


def test_an_import_says_to_how_many_items_its_file_has_no_answer(client: Client) -> None:
    run = make_run(bank=make_bank(3), status=Status.FINISHED, origin=Origin.IMPORTED)
    make_result(run, "1")
    said = ["2", "The file has no answer to this number of items and gives no reason.", "Left out of the mean."]
    assert table(page(client, f"/runs/{run.pk}/"))[2] == ["No answer", *said]


def test_a_computed_baseline_shows_no_faults_and_no_items_since_nobody_answered(client: Client) -> None:
    run = make_run(
        bank=make_bank(3), status=Status.FINISHED, origin=Origin.BASELINE, score=1.42, n_scored=3, parse_share=1.0
    )
    html = page(client, f"/runs/{run.pk}/")
    assert "1.42" in html
    assert "The score is computed from the bank, so there are no answers." in html
    for words in ("0 of 3 answered", "Faults", "gives no reason", "parse rate", "Worst and best", "not read"):
        assert words.lower() not in html.lower(), words


def test_the_page_shows_what_was_read_and_not_what_the_reply_says_first(client: Client) -> None:
    run = open_run()
    reply = f"{scene_reply(1)}\nMy first idea was\n{scene_reply(1, [9, 1, 9, 2])}"
    make_result(run, "1", reply=reply, answer=[9.0, 1.0, 9.0, 2.0], score=-9.44)
    html = page(client, f"/runs/{run.pk}/")
    assert '<td class="x-narrow">9 1 9 2</td>' in html
    assert "answer 9, reference 7" in html
    assert "score −9.44 · official" in html
    assert "My first idea was" in html


def test_a_transcript_shows_the_dialogue_and_not_a_prompt_that_was_never_sent(client: Client) -> None:
    """The bank's text asks for a critique and a revision, which a run with standard settings leaves out."""
    run = make_run(bank=make_bank(1), status=Status.FINISHED, published=True)
    make_result(run, "1", reply=scene_reply(1))
    prompt = run.bank.items.get().prompt
    assert "Revised scores" in prompt
    assert "A friend:" in prompt
    html = page(client, f"/runs/{run.pk}/items/")
    assert "A friend:" in html
    assert "Revised scores" not in html


def test_signs_without_shape_become_visible_and_markup_stays_text(client: Client) -> None:
    run = open_run()
    make_result(run, "1", reading="tolerant", reply="An\u200bgry: 3 <b>bold</b> \u202eevil", flags="decimal cut")
    html = page(client, f"/runs/{run.pk}/")
    assert '<mark class="sign" title="zero width space">U+200B</mark>' in html
    assert '<mark class="sign" title="right-to-left override">U+202E</mark>' in html
    assert "\u200b" not in html
    assert "\u202e" not in html
    assert "&lt;b&gt;bold&lt;/b&gt;" in html
    assert "tolerant" in html
    assert "(decimal cut)" in html


def test_a_reply_of_a_megabyte_is_cut_on_the_page(client: Client) -> None:
    run = open_run()
    make_result(run, "1", reply="a" * 1_000_000)
    html = page(client, f"/runs/{run.pk}/")
    assert len(html) < 120_000
    assert "the whole reply has 1,000,000 characters" in html


def test_no_text_of_a_closed_bank_reaches_a_page(client: Client) -> None:
    run = make_run(bank=make_bank(access="withheld"), published=True, status=Status.RUNNING)
    make_result(run, "1", reply=scene_reply(1))
    unread(run, 2, f"{scene_labels(2)[0]} missing", reply="I cannot say.")
    for path in (f"/runs/{run.pk}/", f"/runs/{run.pk}/items/", f"/runs/{run.pk}/items/?show=unread"):
        html = page(client, path)
        assert "a name missing" in html
        for text in (*scene_labels(1), *scene_labels(2), "Read scene", "I cannot say"):
            assert text not in html


def test_where_the_revision_counts_its_answers_are_shown(client: Client) -> None:
    run = make_run(status=Status.FINISHED, counted_part="revised", n_scored=1)
    revised = {"answer": [1.0, 2.0, 3.0, 4.0], "reading": "official", "reason": "", "flags": "", "score": 5.5}
    make_result(run, "1", other_parts={"revised": revised}, reply=scene_reply(1))
    make_result(run, "2")
    settle_parts(run, ["revised"])
    html = page(client, f"/runs/{run.pk}/")
    assert '<td class="x-narrow">1 2 3 4</td>' in html
    assert "1 reply not read: no revision (1)." in html
    assert "The first pass (not counted in this run): 7 1 0 3" in page(client, f"/runs/{run.pk}/items/")


def test_the_scores_of_repeats_stand_beside_their_mean(client: Client) -> None:
    run = make_run(status=Status.FINISHED, repeats=2, repeat_scores=[60.0, 70.0], score=65.0)
    make_result(run, "1", repeat=1)
    make_result(run, "1", repeat=2)
    html = page(client, f"/runs/{run.pk}/")
    assert '<span class="figure-number">2</span>60.00, 70.00' in html
    assert "repeat 2" in html


def test_a_run_that_is_not_public_exists_for_staff_alone(client: Client) -> None:
    run = make_run(status=Status.FINISHED, published=False)
    paths = [f"/runs/{run.pk}/{end}" for end in ("", "live/", "items/", "manifest.json")]
    assert [client.get(path).status_code for path in paths] == [404] * 4
    client.force_login(User.objects.create_user("visitor"))
    assert [client.get(path).status_code for path in paths] == [404] * 4
    client = looker()
    assert [client.get(path).status_code for path in paths] == [200] * 4
    assert "This run is not public" in page(client, paths[0])


def test_a_count_of_requests_says_what_is_counted(client: Client) -> None:
    run = make_run(status=Status.FINISHED, published=True, requests=171, wall_seconds=60.0)
    html = page(client, f"/runs/{run.pk}/")
    assert "171 requests tried" in html
    said = " ".join(html.split())
    assert "also one that reached no server, and one that asks again after an unreadable reply." in said
    assert "A request in flight when a worker was killed does not count." in said
    described = content_of(client.get("/api/v1/openapi.json"))
    assert "without those that were in flight when a worker was killed" in described


def test_a_run_that_does_not_exist_is_not_found(client: Client) -> None:
    assert client.get("/runs/999999/").status_code == 404


def test_an_open_run_renews_itself_and_a_closed_one_does_not(client: Client) -> None:
    run = open_run()
    html = page(client, f"/runs/{run.pk}/")
    assert f'hx-get="/runs/{run.pk}/live/" hx-trigger="every 5s"' in html
    assert '{"allowEval": false, "includeIndicatorStyles": false, "historyEnabled": false}' in html
    assert f'<a id="refresh" class="button" href="/runs/{run.pk}/">Refresh</a>' in html
    part = client.get(f"/runs/{run.pk}/live/")
    assert content_of(part).startswith('<div id="live" hx-get=')
    assert "HX-Refresh" not in part
    Run.objects.filter(pk=run.pk).update(status=Status.CANCELLED)
    part = client.get(f"/runs/{run.pk}/live/")
    assert part["HX-Refresh"] == "true"
    assert "hx-trigger" not in content_of(part)
    assert "htmx" not in page(client, f"/runs/{run.pk}/")


def test_an_open_run_can_be_read_without_being_renewed(client: Client) -> None:
    run = open_run()
    assert f'<a id="still" href="/runs/{run.pk}/?still=1">Pause</a>' in page(client, f"/runs/{run.pk}/")
    html = page(client, f"/runs/{run.pk}/?still=1")
    assert "hx-get" not in html
    assert "htmx" not in html
    assert f'href="/runs/{run.pk}/?still=1">Refresh</a>' in html
    assert f'<a id="still" href="/runs/{run.pk}/">Update every 5 s</a>' in html


def test_each_link_of_the_part_that_renews_itself_has_an_id_by_which_it_keeps_the_focus(client: Client) -> None:
    run = open_run(parent=make_run(status=Status.FINISHED, published=True))
    answer_all(run, 3, unread_ones=1)
    part = content_of(client.get(f"/runs/{run.pk}/live/"))
    links = re.findall("<a [^>]*>", part)
    assert len(links) == 10
    assert all(' id="' in link for link in links)


def test_the_manifest_is_the_sealed_one_or_says_that_it_is_not_sealed(client: Client) -> None:
    run = open_run(settings={"max_tokens": 60, "benchmark": "eq-bench-v2"})
    response = client.get(f"/runs/{run.pk}/manifest.json")
    assert response["Content-Disposition"] == f'attachment; filename="run-{run.pk}-manifest.json"'
    assert json.loads(response.content) == {"max_tokens": 60, "benchmark": "eq-bench-v2", "sealed": False}
    Run.objects.filter(pk=run.pk).update(manifest={"bank": {"sha256": "abc"}, "sent": ["temperature"]})
    assert json.loads(client.get(f"/runs/{run.pk}/manifest.json").content) == {
        "bank": {"sha256": "abc"},
        "sent": ["temperature"],
    }
    html = page(client, f"/runs/{run.pk}/")
    assert '<th scope="row">bank.sha256</th><td class="mono">abc</td>' in html
    assert "sealed when the run ended" in html


def test_a_partial_run_says_that_it_never_ranks(client: Client) -> None:
    run = make_run(status=Status.FINISHED, limit=3)
    assert "3 items only, so it is not ranked" in page(client, f"/runs/{run.pk}/")


def test_items_come_in_pages_in_the_order_of_the_bank(client: Client) -> None:
    run = make_run(bank=make_bank(30), published=True, status=Status.RUNNING)
    for number in range(30, 0, -1):
        make_result(run, str(number))
    first, last = page(client, f"/runs/{run.pk}/items/"), page(client, f"/runs/{run.pk}/items/?page=99")
    assert first.index("<b>Item 1</b>") < first.index("<b>Item 25</b>")
    assert "<b>Item 26</b>" not in first
    assert "<b>Item 30</b>" in last
    assert "Page 2 of 2" in last


def test_the_items_that_were_not_read_can_be_seen_alone(client: Client) -> None:
    run = open_run()
    answer_all(run, 5, unread_ones=2)
    html = page(client, f"/runs/{run.pk}/items/?show=unread")
    assert "<h1>2 answers not read</h1>" in html
    assert "<b>Item 3</b>" not in html
    assert "not read: cut off" in html


def test_a_run_without_items_still_has_its_pages(client: Client) -> None:
    run = make_run(published=True)
    assert "No answers yet." in page(client, f"/runs/{run.pk}/")
    assert "Nothing to show here." in page(client, f"/runs/{run.pk}/items/")


def test_a_hostile_name_is_text_on_the_run_page_too(client: Client) -> None:
    run = make_run(model=make_model("x", display_name='<a href="https://x.example">Best</a>'), published=True)
    html = page(client, f"/runs/{run.pk}/")
    assert 'href="https://x.example"' not in html
    assert "&lt;a href=" in html


@pytest.mark.parametrize("end", ["", "live/", "items/"])
def test_the_number_of_queries_does_not_grow_with_the_items(client: Client, end: str) -> None:
    counts = []
    for n in (5, 50):
        run = open_run(n)
        answer_all(run, n, unread_ones=3)
        with CaptureQueriesContext(connection) as captured:
            page(client, f"/runs/{run.pk}/{end}")
        counts.append(len(captured))
    assert counts[0] == counts[1] <= 8


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"status": Status.RUNNING}, "The requested settings. Sealed when the run ends."),
        ({"status": Status.CANCELLED}, "The requested settings."),
        (
            {"status": Status.CANCELLED, "manifest": {"run": 1}},
            "The settings and what happened, sealed when the",
        ),
        ({"status": Status.FINISHED, "manifest": {"run": 1}}, "Everything needed to reproduce this score, sealed"),
    ],
)
def test_the_manifest_says_whether_it_is_sealed_and_promises_no_seal_to_a_run_that_has_ended(
    client: Client, fields: dict[str, Any], sentence: str
) -> None:
    html = page(client, f"/runs/{make_run(published=True, **fields).pk}/")
    assert f"<h2>Manifest</h2><p>{sentence}" in html
    assert ("Sealed when the run ends" in html) == (fields["status"] == Status.RUNNING)
