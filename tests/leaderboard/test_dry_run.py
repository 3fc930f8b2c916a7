"""The dry run: three items against a server on the loopback, in sentences; each failure with its field and fix."""

import json
import urllib.request
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client, override_settings

from evaluation.demo.server import make_app
from evaluation.endpoints.guard import REFUSAL
from evaluation.models import Driver, Endpoint, LanguageModel, Run, Status
from leaderboard.drawings.queue import Band
from leaderboard.models import Submission, SubmissionEvent
from leaderboard.pages.submissions.queueing import Place, place_if_sent
from leaderboard.pages.submit.views import Queue, in_words
from tests.factories import make_run
from tests.fakes import serve
from tests.leaderboard.pages import content_of
from tests.leaderboard.sending import CANARY, filled, offered_bank, proof_in, sent

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("bank_on_offer")]


def tried(client: Client, *faults: str, persona: str = "random", path: str = "", **changes: Any) -> str:
    """The panel after a dry run against a demo endpoint with these faults."""
    with serve(make_app(persona=persona, faults=faults)) as address:
        return panel(client, filled(f"{address}{path}", **changes))


def panel(client: Client, form: dict[str, Any]) -> str:
    response = client.post("/submit/dry-run/", form, headers={"HX-Request": "true"})
    assert response.status_code == 200
    html = content_of(response)
    assert html.lstrip().startswith('<div class="panel narrow" id="dry"')
    return html.replace("&#x27;", "'").replace("&quot;", '"')


def test_a_dry_run_that_passes_tells_all_that_was_found_and_queues_nothing(client: Client) -> None:
    html = tried(client, key=CANARY)
    for sentence in (
        "Passed", "The address answers", "The key is accepted", "The model was found",
        "the name comes back unchanged", "All three replies were read", "official parser",
        "Temperature 0.01 and 60 tokens are accepted", "The whole prompt arrived", "A reply takes",
        "requests, if all replies can be read", "2 requests at once",
    ):  # fmt: skip
        assert sentence in html
    assert html.count('<th scope="row">') == 3
    assert "Disappointed: " in html
    assert '<span class="figure-number">5</span>' in html
    rows = (Submission, Endpoint, Run, LanguageModel, SubmissionEvent)
    assert [model.objects.count() for model in rows] == [0] * 5


def test_the_place_in_the_queue_is_told_as_it_would_be(client: Client) -> None:
    assert '<span class="figure-number">0 ahead</span>starts at once' in tried(client)
    make_run(status=Status.RUNNING, driver=Driver.WORKER, host="127.0.0.1")
    assert '<span class="figure-number">1 ahead</span>too few timed runs to estimate when it starts' in tried(client)
    for seconds in (5.0, 10.0, 15.0, 20.0):
        make_run(status=Status.FINISHED, wall_seconds=seconds, driver=Driver.WORKER)
    assert '<span class="figure-number">1 ahead</span>starts in 6–18 s' in tried(client)


def test_a_run_ahead_takes_as_long_as_its_requests_and_not_as_its_items(client: Client) -> None:
    for seconds in (5.0, 10.0, 15.0, 20.0):
        make_run(status=Status.FINISHED, wall_seconds=seconds, driver=Driver.WORKER)
    # As of EmotionBench, whose plan asks each item ten times whatever repeats are wanted.
    make_run(status=Status.RUNNING, driver=Driver.WORKER, host="127.0.0.1", n_asks=50)
    start = place_if_sent("127.0.0.1", "team@maker.example", 5).start
    assert start
    assert [start.low, start.high] == pytest.approx([50 * 1.3, 50 * 3.7])


@override_settings(SUBMISSIONS_PER_DAY=1)
def test_a_quota_that_is_used_up_is_told_before_the_form_is_sent(client: Client) -> None:
    first = sent(client, api_model="a")
    html = tried(client)
    assert "It could not be sent yet" in html
    assert f"{first.created_at + timedelta(days=1):%H:%M} UTC" in html


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (Place(ahead=0), Queue("0 ahead", "starts at once")),
        (Place(ahead=2, start=Band(120.0, 150.0, 180.0)), Queue("2 ahead", "starts in 2–3 min")),
        (Place(ahead=2), Queue("2 ahead", "too few timed runs to estimate when it starts")),
        (Place(ahead=500, more=True), Queue("500 or more ahead", "too many ahead to estimate when it starts")),
    ],
)
def test_a_place_in_the_queue_is_put_in_words(place: Place, words: Queue) -> None:
    assert in_words(place) == words


def test_it_asks_exactly_three_items(client: Client) -> None:
    with serve(make_app(persona="random")) as address:
        panel(client, filled(address))
        with urllib.request.urlopen(f"{address}/log") as log:  # noqa: S310
            asked = json.load(log)["requests"]
    assert len({entry["prompt_sha256"] for entry in asked}) == len(asked) == 3


def test_without_javascript_the_whole_page_comes_back_with_the_panel_and_without_the_key(client: Client) -> None:
    with serve(make_app(persona="random")) as address:
        response = client.post("/submit/dry-run/", filled(address, key=CANARY, contact="me@models.example"))
    html = content_of(response)
    assert response.status_code == 200
    assert "<h1>Submit a model</h1>" in html
    assert "All three replies were read" in html
    assert 'value="me@models.example"' in html
    assert CANARY not in html
    assert "Type the key again before you submit" in html


@pytest.mark.parametrize(
    ("fault", "sentence", "fix", "field"),
    [
        ("unauthorised", "refused the key", "Check that the key is given", "key"),
        ("unknown-model", "does not know this model name", "/v1/models", "api_model"),
        ("html", "no chat completions API", "This address isn't a chat API", "base_url"),
        ("bare-string", "no chat completions API", "This address isn't a chat API", "base_url"),
        ("redirect", "answered with a redirect", "Enter the final address", "base_url"),
        ("retry-after", "limits the rate", "Ask fewer at once", "concurrency"),
        ("context", "do not fit into the model's context", "Lower the max tokens", "max_tokens"),
    ],
)
def test_each_failure_names_the_field_and_the_fix(
    client: Client, fault: str, sentence: str, fix: str, field: str
) -> None:
    html = tried(client, f"{fault}:1" if fault == "context" else fault, key=CANARY)
    assert "Not passed" in html
    assert sentence in html
    assert fix in html
    assert f'href="#id_{field}"' in html
    assert CANARY not in html


def test_an_endpoint_that_wants_a_key_and_gets_none_is_told_so(client: Client) -> None:
    assert "Enter a key: this endpoint wants one." in tried(client, "unauthorised")


def test_an_endpoint_out_of_reach_is_told_so(client: Client) -> None:
    html = panel(client, filled())
    assert "could not be reached" in html
    assert 'href="#id_base_url"' in html


@override_settings(ENDPOINT_ALLOWED_NETWORKS=[])
def test_a_refused_address_is_never_called(client: Client) -> None:
    with serve(make_app(persona="random")) as address:
        html = panel(client, filled(address))
        with urllib.request.urlopen(f"{address}/log") as log:  # noqa: S310
            assert json.load(log)["requests"] == []
    assert REFUSAL in html


@pytest.mark.parametrize("path", ["", "/v1", "/v1/", "/v1/chat/completions"])
def test_the_address_is_found_with_and_without_its_path(client: Client, path: str) -> None:
    """E17."""
    html = tried(client, path=path)
    assert "Passed" in html
    assert ("which is what the run will call" in html) == (path not in {"/v1", "/v1/"})


def test_replies_that_cannot_be_read_are_shown_three_of_them(client: Client) -> None:
    """P17."""
    html = tried(client, persona="refusing")
    assert "Not passed" in html
    assert "No reply could be read" in html
    assert html.count("<pre><bdi>") == 3
    assert "See the replies below" in html


@pytest.mark.parametrize(("fault", "read"), [("null:2", 1), ("null:4", 2)])
def test_fewer_read_replies_than_a_score_needs_do_not_pass(client: Client, fault: str, read: int) -> None:
    html = tried(client, fault)
    assert f"{read} of 3 replies were read" in html
    assert "Not passed" in html
    assert "A run gets a score where at least 83.33 % of its items are read." in html


@override_settings(SUBMISSIONS_AUTO_APPROVE=True)
def test_fewer_read_replies_than_a_score_needs_leave_the_decision_to_a_moderator(client: Client) -> None:
    with serve(make_app(persona="random", faults=["null:4"])) as address:
        form = filled(address)
        found = sent(client, **form, proof=proof_in(panel(client, form)), address=address)
    assert (found.state, found.flagged) == (Submission.State.PENDING, False)


def test_each_chosen_benchmark_is_asked_and_named(client: Client) -> None:
    told = "Estimated from 3 replies to items of {}, asked a moment ago."
    html = tried(client)
    assert told.format("Own scenes") in html
    assert "<h3>" not in html
    offered_bank(slug="other", title="Other scenes")
    html = tried(client, banks=["other", "scenes"])
    for title in ("Own scenes", "Other scenes"):
        assert f"<h3>{title}</h3>" in html
        assert told.format(title) in html
    assert html.count("The whole run") == 2
    assert "Not asked" not in html


def test_benchmarks_behind_an_endpoint_that_gives_no_reply_are_not_asked(client: Client) -> None:
    offered_bank(slug="other", title="Other scenes")
    html = panel(client, filled(banks=["other", "scenes"]))
    assert "Not passed" in html
    assert "Not asked: Other scenes." in html


def test_with_javascript_the_verdict_is_spoken_and_the_button_has_another_word(client: Client) -> None:
    html = tried(client)
    assert '<p hidden hx-swap-oob="innerHTML:#dry-status">Dry run: Passed.</p>' in html
    assert '<p hidden hx-swap-oob="innerHTML:#dry-word">Run it again</p>' in html
    assert "aria-live" not in html
    html = panel(client, filled(api_model=""))
    assert '<p hidden hx-swap-oob="innerHTML:#dry-status">Dry run: not asked.</p>' in html
    assert '<p hidden hx-swap-oob="innerHTML:#dry-word">Start the dry run</p>' in html


def test_of_a_closed_bank_neither_words_nor_replies_are_shown(client: Client) -> None:
    offered_bank(slug="closed", access="withheld")
    html = tried(client, persona="refusing", banks=["closed"])
    assert "<pre>" not in html
    read = tried(client, banks=["closed"])
    assert "Disappointed" not in read
    assert "4 scores" in read


def test_thinking_that_the_limit_cuts_off_proposes_a_higher_one(client: Client) -> None:
    """E01, E02."""
    html = tried(client, "null:1", persona="thinking-apart")
    assert "No reply could be read" in html
    assert "Raise the max tokens per reply" in html
    assert 'href="#id_max_tokens"' in html


def test_an_answer_filed_as_reasoning_is_not_scored_and_said_why(client: Client) -> None:
    """E03."""
    html = tried(client, "all-reasoning")
    assert "No reply could be read" in html
    assert "which is never scored" in html


def test_thinking_is_told_and_taken_off(client: Client) -> None:
    html = tried(client, persona="thinking", max_tokens="2000")
    assert "The model reasons before it answers" in html
    assert "All three replies were read" in html


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("max-completion-tokens", "the limit is sent as max_completion_tokens"),
        ("no-temperature", "provider's own temperature"),
        ("context-limit:50", "the limit was lowered to"),
        ("short-prompt:5", "The prompt seems to be cut"),
        ("other-model", "The reply names another model"),
        ("event-stream", "The endpoint streams"),
        ("no-usage", "the endpoint counts no tokens"),
        ("token-echo", "The endpoint repeats the key in its reply"),
    ],
)
def test_what_is_out_of_the_ordinary_is_a_remark_and_no_failure(client: Client, fault: str, sentence: str) -> None:
    html = tried(client, fault, key=CANARY, max_tokens="200")
    assert sentence.lower() in html.lower()
    assert "Passed" in html
    assert CANARY not in html


@pytest.mark.parametrize("fault", ["first-429", "error-in-200:1", "empty-body:1", "parts", "bare"])
def test_what_passes_after_a_moment_passes(client: Client, fault: str) -> None:
    """E08, E13, E24."""
    assert "All three replies were read" in tried(client, fault)


def test_three_answers_of_one_shape_are_remarked(client: Client) -> None:
    assert "All three answers are alike" in tried(client, persona="constant-3")


@override_settings(DRY_RUN_SECONDS=1.0)
def test_an_endpoint_that_never_answers_is_left_after_the_time_allowed(client: Client) -> None:
    html = tried(client, "hang:1")
    assert "did not finish its answer in the time allowed" in html


def test_a_form_with_a_fault_asks_nothing_and_names_the_field(client: Client) -> None:
    html = panel(client, filled(api_model=""))
    assert "One field needs you first" in html
    assert 'href="#id_api_model"' in html


@override_settings(DRY_RUNS_PER_ADDRESS=2)
def test_dry_runs_are_counted_for_each_network(client: Client) -> None:
    for _ in range(2):
        assert "could not be reached" in panel(client, filled())
    assert "Nothing was sent; try again in ten minutes" in panel(client, filled())
    elsewhere = client.post("/submit/dry-run/", filled(), headers={"HX-Request": "true"}, REMOTE_ADDR="192.0.2.7")
    assert "could not be reached" in content_of(elsewhere)


@override_settings(DRY_RUNS_PER_ADDRESS=1)
def test_the_addresses_of_one_ipv6_network_count_together(client: Client) -> None:
    texts = [
        content_of(client.post("/submit/dry-run/", filled(), headers={"HX-Request": "true"}, REMOTE_ADDR=address))
        for address in ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", "2001:db8:0:2::1")
    ]
    assert ["Nothing was sent" in text for text in texts] == [False, True, False]


@override_settings(DRY_RUNS_PER_ADDRESS=1)
def test_a_forged_address_of_a_proxy_that_we_do_not_have_changes_nothing(client: Client) -> None:
    texts = [
        content_of(
            client.post("/submit/dry-run/", filled(), headers={"HX-Request": "true", "X-Forwarded-For": address})
        )
        for address in ("192.0.2.1", "192.0.2.2")
    ]
    assert ["Nothing was sent" in text for text in texts] == [False, True]


@override_settings(DRY_RUNS_PER_HOST=3)
def test_dry_runs_are_counted_for_each_endpoint_host_and_nobody_takes_the_first_ones_of_others() -> None:
    """Two networks could otherwise use up all dry runs of a host that everybody submits models of."""

    def sent_nothing(network: str) -> bool:
        posted = Client().post("/submit/dry-run/", filled(), headers={"HX-Request": "true"}, REMOTE_ADDR=network)
        return "Nothing was sent" in content_of(posted)

    of_two = [sent_nothing(network) for network in ["192.0.2.7"] * 6 + ["192.0.2.8"] * 4]
    assert of_two == [False] * 5 + [True] + [False, False, True, True]
    assert [sent_nothing("192.0.2.9") for _ in range(3)] == [False, False, True]
    assert [sent_nothing(f"2001:db8:7:{at}::1") for at in range(3)] == [False, False, True]


@override_settings(SUBMISSIONS_AUTO_APPROVE=True)
def test_with_the_proof_of_a_dry_run_it_is_approved_at_once(client: Client) -> None:
    with serve(make_app(persona="random")) as address:
        form = filled(address, key=CANARY)
        found = sent(client, **form, proof=proof_in(panel(client, form)), address=address)
    assert found.state == Submission.State.APPROVED
    assert found.dry_run is not None
    assert found.dry_run["passed"]
    assert found.runs.get().status == "queued"


@pytest.mark.parametrize("change", [{"max_tokens": "61"}, {"key": "another-key"}, {"extra_body": '{"a": 1}'}])
@override_settings(SUBMISSIONS_AUTO_APPROVE=True)
def test_after_a_change_it_waits_for_a_moderator(client: Client, change: dict[str, str]) -> None:
    with serve(make_app(persona="random")) as address:
        form = filled(address, key=CANARY)
        found = sent(client, **{**form, **change}, proof=proof_in(panel(client, form)), address=address)
    assert found.state == Submission.State.PENDING
    assert found.dry_run is None


@override_settings(SUBMISSIONS_AUTO_APPROVE=True)
def test_a_dry_run_that_failed_proves_nothing(client: Client) -> None:
    with serve(make_app(persona="random", faults=["unauthorised"])) as address:
        form = filled(address)
        found = sent(client, **form, proof=proof_in(panel(client, form)), address=address)
    assert found.state == Submission.State.PENDING


@override_settings(SUBMISSIONS_AUTO_APPROVE=True)
def test_an_endpoint_that_answers_as_another_model_waits_for_a_moderator(client: Client) -> None:
    with serve(make_app(persona="random", faults=["other-model"])) as address:
        form = filled(address)
        found = sent(client, **form, proof=proof_in(panel(client, form)), address=address)
    assert (found.state, found.flagged) == (Submission.State.PENDING, True)
    assert "answers as" in found.note


@pytest.mark.parametrize("proof", ["", "forged", "a:b:c"])
@override_settings(SUBMISSIONS_AUTO_APPROVE=True)
def test_a_forged_proof_proves_nothing(client: Client, proof: str) -> None:
    assert sent(client, proof=proof).state == Submission.State.PENDING


def test_a_dry_run_is_post_only_and_needs_the_csrf_token(client: Client) -> None:
    assert client.get("/submit/dry-run/").status_code == 405
    assert Client(enforce_csrf_checks=True).post("/submit/dry-run/", filled()).status_code == 403
