"""`manage.py evaluate` as a person runs it: a process of its own against the demo endpoint."""

import json
import signal
import subprocess
import sys
import time
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from evaluation.demo.questions import references_from
from evaluation.demo.refusals import RIGHT_KEY
from evaluation.demo.server import make_app
from evaluation.endpoints.client import normalise_base_url
from evaluation.models import Driver, Endpoint, Run, Status
from leaderboard.models import Standing
from tests.factories import make_bank, make_endpoint, make_run, scene_labels, scene_prompt, scene_reference
from tests.fakes import serve
from tests.processes import ROOT, environment, manage, wait_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.processes]


REFERENCES = references_from(
    (scene_prompt(number), dict(zip(scene_labels(number), scene_reference(number), strict=True)))
    for number in range(1, 9)
)


def evaluate(address: str, *more: str, **changes: str) -> "subprocess.CompletedProcess[str]":
    words = ("--model", "maker/demo", "--base-url", address, "--json")
    return manage("evaluate", *words, *more, **changes)


def shell(line: str, **changes: str) -> "subprocess.CompletedProcess[str]":
    """A line that was printed, pasted as it stands into a shell in the folder of the checkout."""
    return subprocess.run(
        ["sh", "-c", line], cwd=ROOT, env=environment("", **changes), capture_output=True, text=True, check=False
    )


def printed(done: "subprocess.CompletedProcess[str]") -> dict[str, Any]:
    assert done.stdout.count("\n") == 1, "one object and nothing else"
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_one_command_evaluates_and_its_row_stands_on_the_board() -> None:
    make_bank(30, slug="eq-bench-v2")
    with serve(make_app(persona="random", seed=2)) as address:
        done = evaluate(address)
    result = printed(done)
    assert done.returncode == 0, done.stderr
    assert {"run", "status", "score", "strict_score", "standard_error", "n_items", "n_scored", "n_strict", "requests",
            "wall_seconds"} <= set(result)  # fmt: skip
    assert (result["status"], result["n_items"], result["n_scored"], result["requests"]) == ("finished", 30, 30, 30)
    standing = Standing.objects.get(model__name="maker/demo")
    assert standing.score == pytest.approx(result["score"])
    assert "30/30" in done.stderr


def test_a_limited_run_is_partial_and_never_ranks() -> None:
    make_bank(30, slug="eq-bench-v2")
    with serve(make_app(persona="random")) as address:
        result = printed(evaluate(address, "--limit", "12"))
    assert (result["n_items"], result["partial"]) == (12, True)
    assert not Standing.objects.filter(model__name="maker/demo").exists()


def test_without_a_score_the_reason_is_told_and_the_exit_status_is_one() -> None:
    make_bank(6, slug="eq-bench-v2")
    with serve(make_app(persona="refusing")) as address:
        done = evaluate(address)
    result = printed(done)
    assert done.returncode == 1
    assert result["score"] is None
    assert "not enough readable items" in result["reason"].lower()
    assert {item["reason"] for item in result["unread_items"]} == {"no scores found"}


def test_going_on_with_a_run_that_has_nothing_left_to_ask_asks_nothing_and_says_so() -> None:
    make_bank(6, slug="eq-bench-v2")
    with serve(make_app(persona="refusing")) as address:
        first = manage("evaluate", "--model", "maker/demo", "--base-url", address)
        run = Run.objects.get()
        again = manage("evaluate", "--run", str(run.pk))
        as_json = manage("evaluate", "--run", str(run.pk), "--json")
    after = Run.objects.get()
    assert (first.returncode, again.returncode, as_json.returncode) == (1, 1, 1)
    assert (after.requests, after.finished_at, after.manifest) == (run.requests, run.finished_at, run.manifest)
    assert first.stdout == again.stdout
    assert "--run" not in first.stdout
    assert "6 × no scores found" in first.stdout
    assert f"/runs/{run.pk}/" in first.stdout
    assert printed(as_json)["status"] == "failed"
    assert "no score " in first.stderr.splitlines()[-1], "not drawn as if it had one"


def test_going_on_draws_the_score_of_all_results() -> None:
    make_bank(8, slug="eq-bench-v2")
    with serve(make_app(persona="hasty", references=REFERENCES)) as address:
        assert evaluate(address, "--limit", "8").returncode == 0
    run = Run.objects.get()
    Run.objects.update(status=Status.FAILED, failure_kind="endpoint", score=None)
    run.results.filter(item__number__gt=4).delete()
    kept = sum(result.score or 0.0 for result in run.results.all())
    expected = 10 * (kept + 4 * 10) / 8
    with serve(make_app(persona="perfect", references=REFERENCES)) as address:
        Endpoint.objects.update(base_url=normalise_base_url(address))
        done = manage("evaluate", "--run", str(run.pk), "--json")
    assert done.returncode == 0, done.stderr
    assert kept < 39, "or the two halves could not be told apart"
    assert printed(done)["score"] == pytest.approx(expected)
    assert "4 results stored" in done.stderr.splitlines()[0]
    assert "8/8" in done.stderr
    assert f"score {expected:.2f} " in done.stderr


def test_ctrl_c_leaves_the_run_resumable_and_says_how() -> None:
    make_bank(60, slug="eq-bench-v2")
    with serve(make_app(persona="random", latency_ms=200)) as address:
        words = ["evaluate", "--model", "maker/demo", "--base-url", address, "--concurrency", "2"]
        process = subprocess.Popen(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=environment(""),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_for(lambda: Run.objects.filter(results__isnull=False).exists(), what="a first result")
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=120)
        run = Run.objects.get()
        stored = run.results.count()
        assert process.returncode == 130
        assert f"manage.py evaluate --run {run.pk}" in out
        assert run.status == Status.QUEUED
        assert 0 < stored < 60
        result = printed(evaluate(address))
    assert (result["run"], result["status"], result["requests"]) == (run.pk, "finished", 60)


def test_the_key_is_read_from_its_variable_and_stored_nowhere() -> None:
    make_bank(3, slug="eq-bench-v2")
    with serve(make_app(persona="random", faults=("token-echo",))) as address:
        done = evaluate(address, "--api-key-env", "DEMO_KEY", DEMO_KEY="sk-canary-0123456789abcdef")
    run = Run.objects.get()
    texts = [reply for result in run.results.all() for reply in (result.reply.text, result.reply.reasoning)]
    rows = json.dumps([run.settings, run.manifest, run.observed, run.failure_message, *texts])
    assert done.returncode in (0, 1)
    assert "canary" not in rows + done.stdout + done.stderr


def test_an_unlisted_run_stays_off_the_board() -> None:
    make_bank(6, slug="eq-bench-v2")
    with serve(make_app(persona="random")) as address:
        done = evaluate(address, "--unlisted")
    result = printed(done)
    assert (result["status"], result["partial"], result["listed"]) == ("finished", False, False)
    assert "not listed" in done.stderr
    assert not Standing.objects.filter(model__name="maker/demo").exists()


def test_taking_a_run_off_the_board_keeps_when_and_only_once() -> None:
    """Feeds go by that moment."""
    later = timezone.now() + timedelta(hours=1)
    run = make_run(driver=Driver.COMMAND, status=Status.WAITING, not_before=later, published=True)
    changed = []
    for _ in range(2):
        with pytest.raises(SystemExit):
            call_command("evaluate", run=run.pk, unlisted=True, now=False)
        run.refresh_from_db()
        changed.append(run.published_changed_at)
    assert not run.published
    assert changed[0] is not None
    assert changed[0] == changed[1]


def test_the_command_that_is_printed_after_a_failure_works_as_it_stands_with_its_key_and_another_pace() -> None:
    make_bank(6, slug="eq-bench-v2")
    words = ("--model", "maker/demo", "--api-key-env", "DEMO_KEY")
    with serve(make_app(persona="random", faults=("wrong-key",))) as address:
        failed = manage("evaluate", *words, "--base-url", address, DEMO_KEY="sk-canary-0123456789abcdef")
        way_on = failed.stdout.splitlines()[-1].strip()
        done = shell(f"{way_on} --concurrency 2 --timeout 7", DEMO_KEY=RIGHT_KEY)
    run = Run.objects.get()
    assert failed.returncode == 1
    assert way_on.endswith(f"manage.py evaluate --run {run.pk} --api-key-env DEMO_KEY")
    assert done.returncode == 0, done.stderr
    assert (run.status, run.settings["concurrency"], run.settings["timeout_seconds"]) == (Status.FINISHED, 2, 7.0)
    assert f"Run {run.pk} finished and listed: score " in done.stdout


def test_a_run_that_another_process_takes_over_ends_this_one_with_a_sentence() -> None:
    make_bank(60, slug="eq-bench-v2")
    with serve(make_app(persona="random", latency_ms=200)) as address:
        words = ["evaluate", "--model", "maker/demo", "--base-url", address, "--concurrency", "2"]
        process = subprocess.Popen(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=environment(""),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_for(lambda: Run.objects.filter(results__isnull=False).exists(), what="a first result")
        Run.objects.update(lease_token=uuid.uuid4(), lease_until=timezone.now() + timedelta(minutes=1))
        out, err = process.communicate(timeout=120)
    assert process.returncode == 4, err
    assert f"Run {Run.objects.get().pk} was taken over by another process" in out
    assert "Traceback" not in err


def failed_run(**fields: Any) -> Run:
    return make_run(status=Status.FAILED, driver=Driver.COMMAND, **fields)


def test_a_failed_run_beside_an_open_one_says_which_is_open_and_what_to_do() -> None:
    failed = failed_run(endpoint=make_endpoint())
    other = make_run(endpoint=failed.endpoint, bank=failed.bank, driver=Driver.COMMAND)
    with pytest.raises(CommandError, match=f"Run {other.pk} .* is open.*--run {other.pk}.*--cancel {other.pk}"):
        call_command("evaluate", run=failed.pk)
    failed.refresh_from_db()
    assert failed.status == Status.FAILED


def test_a_failed_run_whose_endpoint_was_deleted_says_so() -> None:
    with pytest.raises(CommandError, match="its endpoint was deleted"):
        call_command("evaluate", run=failed_run().pk)


def test_a_pace_that_cannot_be_is_refused_for_a_run_that_goes_on_too() -> None:
    run = make_run(driver=Driver.COMMAND, endpoint=make_endpoint(), settings={"concurrency": 8})
    with pytest.raises(CommandError, match="--concurrency: at most 64"):
        call_command("evaluate", run=run.pk, concurrency=65)
    with pytest.raises(CommandError, match=r"--timeout: -1\.0 is not above zero"):
        call_command("evaluate", run=run.pk, timeout=-1.0)
    assert Run.objects.get().settings == {"concurrency": 8}


def test_the_help_says_that_a_whole_run_is_listed_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        call_command("evaluate", "--help")
    assert "A complete run appears in the ranking as soon as it ends" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--model", "m"), "--base-url"),
        (("--model", "m", "--base-url", "http://user:pw@127.0.0.1/v1"), "--base-url"),
        (("--model", "m", "--base-url", "http://127.0.0.1:9", "--api-key-env", "NOT_SET"), "NOT_SET"),
        (("--model", "m", "--base-url", "http://127.0.0.1:9", "--bank", "nowhere"), "load_bank"),
        (("--model", "m", "--base-url", "http://127.0.0.1:9", "--concurrency", "65"), "at most 64"),
        (("--model", "m", "--base-url", "http://127.0.0.1:9", "--limit", "0"), "at least 1"),
        (("--run", "999"), "no run 999"),
        (("--cancel", "999"), "not open"),
    ],
)
def test_a_wrong_word_gets_a_sentence_and_no_traceback(words: tuple[str, ...], says: str) -> None:
    make_bank(3, slug="eq-bench-v2")
    done = manage("evaluate", *words)
    assert done.returncode in (1, 2)
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_waiting_run_says_when_it_may_go_on_and_keeps_its_status_and_json_in_later_calls() -> None:
    make_bank(6, slug="eq-bench-v2")
    with serve(make_app(persona="random", faults=("retry-after:7200",))) as address:
        done = evaluate(address)
        asked = Run.objects.get().requests
        by_options = evaluate(address, "--no-now")
        by_number = manage("evaluate", "--run", str(Run.objects.get().pk), "--no-now", "--json")
    assert asked > 0
    assert Run.objects.get().requests == asked, "a scheduler's call leaves the endpoint alone"
    for call in (done, by_options, by_number):
        result = printed(call)
        assert call.returncode == 3, call.stderr
        assert (result["status"], result["score"]) == ("waiting", None)
        assert result["not_before"]
        assert "waits until" in call.stderr
    assert Run.objects.get().driver == Driver.COMMAND


@pytest.mark.parametrize("by_number", [True, False])
@pytest.mark.parametrize("said", [(), ("--now",)])
def test_a_command_that_a_person_types_tries_a_waiting_run_at_once(by_number: bool, said: tuple[str, ...]) -> None:
    make_bank(6, slug="eq-bench-v2")
    with serve(make_app(persona="random")) as address:
        assert printed(evaluate("http://127.0.0.1:9", "--limit", "6"))["status"] == "waiting"
        run = Run.objects.get()
        assert run.not_before
        assert run.not_before > timezone.now()
        Endpoint.objects.update(base_url=normalise_base_url(address))  # the server is up again
        words = ("--run", str(run.pk)) if by_number else ("--model", "maker/demo", "--base-url", address)
        done = manage("evaluate", *words, *said, "--json")
    assert done.returncode == 0, done.stderr
    assert printed(done)["run"] == run.pk


def test_a_run_in_the_hands_of_another_process_ends_the_command_with_four_and_json() -> None:
    run = make_run(
        driver=Driver.COMMAND, endpoint=make_endpoint(), status=Status.RUNNING, lease_token=uuid.uuid4(),
        lease_until=timezone.now() + timedelta(minutes=10),
    )  # fmt: skip
    done = manage("evaluate", "--run", str(run.pk), "--json", RUN_LEASE_SECONDS="600")
    assert done.returncode == 4
    assert printed(done)["status"] == "running"
    assert "is being worked on by another process" in done.stderr
