"""What `evaluate` says of a run: which bank it asks, why there is no score, what helps, and never what cannot."""

import subprocess
import sys
from datetime import UTC, datetime
from typing import Any

import pytest
from django.urls import reverse

from evaluation.command_line import command_line
from evaluation.endpoints.errors import FAULTS
from evaluation.models import Driver, FaultKind, ItemState, Run, Status
from evaluation.runs.report import as_json, greeting, in_words, left_to_ask, page_of, path_of
from leaderboard.pages.runs.answered import answered_results
from leaderboard.pages.runs.page import fault_rows
from tests.factories import make_bank, make_endpoint, make_result, make_run
from tests.processes import ROOT, environment

pytestmark = [pytest.mark.django_db, pytest.mark.database]

TIMED_OUT = "The endpoint did not finish its answer in the time allowed."


def command_run(n: int = 6, **fields: Any) -> Run:
    bank = make_bank(n, title="EQ Open v1")
    settings = {"max_tokens": 60, "concurrency": 32}
    usual: dict[str, Any] = {"driver": Driver.COMMAND, "endpoint": make_endpoint(), "bank": bank, "published": True}
    return make_run(**{**usual, "settings": settings, **fields})


def unread(run: Run, *reasons: str, state: ItemState = ItemState.UNREAD, begin: int = 1) -> None:
    for number, reason in enumerate(reasons, begin):
        make_result(run, str(number), state=state, reading="none", answer=None, score=None, reason=reason)


def parse_failure() -> Run:
    run = command_run(
        status=Status.FAILED, failure_kind=FaultKind.PARSE, failure_message="Not enough readable items: 1 of 6.",
    )  # fmt: skip
    unread(run, "no scores found", "Proud missing", "no scores found", "Calm missing", "no scores found")
    make_result(run, "6")
    return run


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"n_items": 60}, "60 items of EQ Open v1 (eq-bench-v2 scoring), asked once, listed when it ends"),
        (
            {"n_items": 1, "limit": 1, "repeats": 2},
            "1 item of EQ Open v1 (eq-bench-v2 scoring), asked twice, not listed",
        ),
        (
            {"n_items": 60, "repeats": 5, "published": False},
            "60 items of EQ Open v1 (eq-bench-v2 scoring), asked 5 times, not listed",
        ),
    ],
)
def test_the_first_line_names_the_bank_and_how_often_it_is_asked(fields: dict[str, Any], says: str) -> None:
    run = command_run(**fields)
    assert greeting(run, new=True) == f"Run {run.pk}: {says}"
    assert greeting(run, new=False, stored=24) == f"Going on with run {run.pk}: {says}, 24 results stored"
    assert greeting(run, new=False, stored=1).endswith(", 1 result stored")


def test_after_a_run_that_nothing_can_help_no_going_on_is_advised() -> None:
    run = parse_failure()
    words = in_words(run, key_variable=None, taken=True)
    assert "evaluate --run" not in words
    assert "has nothing left to ask" in words
    assert "Replies that were not read: 3 × no scores found, 2 × a name missing." in words
    assert path_of(run) in words
    assert "What to do: Read the replies on the run's page." in words


@pytest.mark.parametrize(
    ("flags", "told"), [("per cent,above 10", True), ("other scale", True), ("decimal cut", True), ("above 10", False)]
)
def test_a_score_on_another_scale_is_told_as_doubtful(flags: str, told: bool) -> None:
    run = command_run(status=Status.FINISHED, score=-970.4, n_scored=1)
    for item in ("1", "2"):
        make_result(run, item, flags=flags)
    doubt = "Of 2 replies that were read, 2 seem to rate on another scale than 0 to 10"
    assert (doubt in in_words(run, key_variable=None, taken=True)) is told
    assert any(line.startswith(doubt) for line in as_json(run)["advice"]) is told


@pytest.mark.parametrize(
    ("code", "needs_a_new_run"),
    [("redirected", True), ("not-a-chat-api", True), ("not-a-chat-model", True), ("unknown-model", True),
     ("address-refused", True), ("blocked", False), ("unauthorised", False), ("quota-used-up", False)],
)  # fmt: skip
def test_what_a_run_was_opened_with_takes_a_new_run_to_change(code: str, needs_a_new_run: bool) -> None:
    run = command_run(status=Status.FAILED, failure_kind=FaultKind.ENDPOINT, failure_message=FAULTS[code].sentence)
    run.fault_counts = {FaultKind.ENDPOINT: 1}
    words = in_words(run, key_variable=None, taken=True)
    assert ("changing one of them takes a new run" in words) is needs_a_new_run
    assert ("A resumed run asks only what has no reply yet" in words) is not needs_a_new_run


def test_a_run_that_got_all_replies_needs_no_advice_on_its_endpoint() -> None:
    run = parse_failure()
    run.fault_counts = {FaultKind.ENDPOINT: 20}
    words = in_words(run, key_variable=None, taken=True)
    assert words.count("What to do: ") == 1
    assert "What to do: Read the replies on the run's page." in words


@pytest.mark.parametrize("kind", [FaultKind.ENDPOINT, FaultKind.PLATFORM, FaultKind.MODEL, FaultKind.PARSE])
def test_a_run_with_items_left_to_ask_names_the_command_that_asks_them(kind: FaultKind) -> None:
    run = command_run(status=Status.FAILED, failure_kind=kind, failure_message="It is over.")
    unread(run, "no scores found", "no scores found")
    unread(run, "time-out", state=ItemState.FAULT, begin=3)
    assert left_to_ask(run) == 4, "three without a result, and one that got no reply"
    words = in_words(run, key_variable="MY_KEY", taken=True)
    assert command_line("evaluate", "--run", run.pk, "--api-key-env", "MY_KEY") in words


def test_a_run_whose_endpoint_is_gone_cannot_go_on() -> None:
    run = command_run(endpoint=None, status=Status.FAILED, failure_kind=FaultKind.PLATFORM)
    words = in_words(run, key_variable=None, taken=True)
    assert "evaluate --run" not in words
    assert "start a new one" in words


@pytest.mark.parametrize("kind", list(FaultKind))
@pytest.mark.parametrize("status", [Status.WAITING, Status.FAILED])
def test_the_advice_is_that_of_the_page(kind: FaultKind, status: Status) -> None:
    run = command_run(
        status=status, failure_kind=kind, failure_message=TIMED_OUT, fault_counts={kind: 21},
        not_before=datetime(2026, 11, 28, 14, 49, 55, tzinfo=UTC),
    )  # fmt: skip
    unread(run, "cut off", "cut off", "no scores found")
    advised = [row.advice for row in fault_rows(run, answered_results(run)) if row.advice]
    words = in_words(run, key_variable=None, taken=True)
    assert advised
    assert [line for line in words.splitlines() if line.startswith("What to do: ")] == [
        f"What to do: {sentence}" for sentence in advised
    ]
    assert as_json(run)["advice"] == advised


def test_after_time_outs_the_terminal_advises_a_lower_concurrency() -> None:
    run = command_run(
        status=Status.WAITING, failure_kind=FaultKind.ENDPOINT, failure_message=TIMED_OUT,
        fault_counts={"endpoint": 21}, not_before=datetime(2026, 11, 28, 14, 49, 55, tzinfo=UTC),
    )  # fmt: skip
    words = in_words(run, key_variable=None, taken=False)
    assert f"Run {run.pk} waits until 14:49:55 UTC. {TIMED_OUT}" in words
    assert "Lower the max tokens per reply, ask fewer at once" in words


@pytest.mark.parametrize(
    ("score", "error", "n", "says"),
    [
        (56.08, 1.653, 171, "score 56.08 ± 3.26 over 171 of"),  # t with 170 degrees of freedom: 1.974
        (56.08, 1.653, 20, "score 56.08 ± 3.46 over 20 of"),  # t with 19 degrees of freedom: 2.093
        (100.0, 0.0, 20, "score 100.00 (no error can be computed: all items have the same score) over 20 of"),
        (70.0, None, 1, "score 70.00 over 1 of"),
    ],
)
def test_a_score_comes_with_half_of_its_interval(score: float, error: float | None, n: int, says: str) -> None:
    run = command_run(status=Status.FINISHED, score=score, standard_error=error, n_scored=n, n_items=171)
    assert says in in_words(run, key_variable=None, taken=True)


@pytest.mark.parametrize("published", [True, False])
def test_the_page_that_is_named_is_that_of_the_run(published: bool, settings: Any) -> None:
    settings.SITE_URL = "https://board.example"
    run = command_run(status=Status.FINISHED, score=60.0, published=published)
    assert page_of(run) == f"https://board.example{reverse('run', args=[run.pk])}"
    words = in_words(run, key_variable=None, taken=True)
    assert str(page_of(run)) in words
    assert ("for staff who are logged in" in words) is not published


@pytest.mark.parametrize(
    ("status", "taken", "says"),
    [
        (Status.QUEUED, True, "Stopped. Nothing that is stored is asked again."),
        (Status.QUEUED, False, "is being worked on by another process"),
        (Status.RUNNING, False, "is being worked on by another process"),
        (Status.RUNNING, True, "was taken over by another process"),
        (Status.CANCELLED, True, "was cancelled"),
    ],
)
def test_other_endings_are_told_in_their_own_words(status: Status, taken: bool, says: str) -> None:
    words = in_words(command_run(status=status), key_variable=None, taken=taken)
    assert says in words
    assert ("evaluate --run" in words) is (status == Status.QUEUED and taken)


@pytest.mark.parametrize(
    ("variables", "address"),
    [
        ({"DEBUG": "true"}, ""),
        ({"DEBUG": "true", "PORT": "8123"}, ""),
        ({"DEBUG": "true", "SITE_URL": "https://b.example/"}, "https://b.example"),
        ({"DEBUG": "false", "ALLOWED_HOSTS": "127.0.0.1,localhost,[::1],board.example"}, "https://board.example"),
        ({"DEBUG": "false", "ALLOWED_HOSTS": "*,.inner.example,localhost"}, ""),
        ({"DEBUG": "false", "ALLOWED_HOSTS": ".inner.example,board.example"}, "https://board.example"),
        ({"DEBUG": "false", "ALLOWED_HOSTS": "a.example", "SITE_URL": "https://b.example/eq/"}, "https://b.example/eq"),
    ],
)
def test_the_address_of_the_site_is_the_one_that_is_set_or_can_be_told(variables: dict[str, str], address: str) -> None:
    own = {name: value for name, value in environment("redis://127.0.0.1:9/0").items() if name != "PORT"}
    code = "from leaderboard.settings import SITE_URL; print(SITE_URL)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={**own, "ENDPOINT_KEYS": "A" * 43 + "=", **variables},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == f"{address}\n", done.stderr
