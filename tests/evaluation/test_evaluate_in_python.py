"""`from evaluation import evaluate`, as a script and as a notebook call it."""

import asyncio
import re
import subprocess
import sys
import uuid
from dataclasses import FrozenInstanceError
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from evaluation import CannotEvaluate, evaluate
from evaluation.demo.server import make_app
from evaluation.models import Driver, Endpoint, ItemResult, Run, Status
from evaluation.states import PUT_OFF
from leaderboard.models import Standing
from tests.factories import make_bank, make_endpoint, make_run
from tests.fakes import serve
from tests.processes import ROOT, environment
from tests.scratch import manage_elsewhere, scratch_database

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


def test_a_result_holds_the_run_and_a_row_an_item() -> None:
    make_bank(6, slug="eq-bench-v2")
    with serve(make_app(persona="random", seed=3)) as address:
        result = evaluate(f"{address}/v1", "maker/demo", repeats=2, concurrency=4)
    run = Run.objects.get()
    assert (result.run_id, result.status, result.score) == (run.pk, "finished", run.score)
    assert (result.n_items, result.n_scored, result.requests, result.parse_share) == (6, 6, 12, 1.0)
    assert result.score is not None
    assert result.interval is not None
    assert result.interval[0] < result.score < result.interval[1]
    assert list(result.items["item"]) == [str(number) for number in range(1, 7) for _ in range(2)]
    assert 10 * result.items.groupby("repeat")["score"].mean().mean() == pytest.approx(result.score)
    assert result.items["reply"].str.len().min() > 0
    with pytest.raises(FrozenInstanceError):
        result.score = 100.0  # type: ignore[misc]


@pytest.mark.parametrize("published", [True, False])
def test_a_whole_run_is_listed_at_once_unless_it_is_asked_not_to_be(published: bool) -> None:
    make_bank(6, slug="eq-bench-v2")
    with serve(make_app(persona="random", seed=3)) as address:
        result = evaluate(f"{address}/v1", "maker/demo", published=published)
    assert result.status == "finished"
    assert Run.objects.get().published is published
    assert Standing.objects.filter(model__name="maker/demo").exists() is published


def test_it_works_inside_a_running_loop_as_in_a_notebook() -> None:
    make_bank(3, slug="eq-bench-v2")

    async def cell(address: str) -> float | None:
        return evaluate(f"{address}/v1", "maker/demo").score

    with serve(make_app(persona="random")) as address:
        assert asyncio.run(cell(address)) is not None


def test_without_a_score_the_reason_is_told() -> None:
    make_bank(4, slug="eq-bench-v2")
    with serve(make_app(persona="refusing")) as address:
        result = evaluate(f"{address}/v1", "maker/demo")
    assert (result.status, result.score, result.interval) == ("failed", None, None)
    assert "not enough readable items" in result.reason.lower()
    assert set(result.items["state"]) == {"unread"}


def test_a_waiting_run_is_asked_at_once_unless_the_call_says_no() -> None:
    make_bank(4, slug="eq-bench-v2")
    first = evaluate("http://127.0.0.1:9/v1", "maker/demo")
    asked = Run.objects.get().requests
    left = evaluate("http://127.0.0.1:9/v1", "maker/demo", now=False)
    assert (first.run_id, first.status, first.score) == (left.run_id, "waiting", None)
    assert left.status == "waiting"
    assert left.reason == first.reason
    assert Run.objects.get().requests == asked
    with serve(make_app(persona="random")) as address:
        Endpoint.objects.update(base_url=f"{address}/v1")
        again = evaluate(f"{address}/v1", "maker/demo")
    assert (again.run_id, again.status) == (first.run_id, "finished")


def test_trying_again_more_often_than_a_worker_would_does_not_end_the_run(settings: Any) -> None:
    make_bank(4, slug="eq-bench-v2")
    settings.ENDPOINT_BACKOFF_SECONDS = 0.01
    tries = 2 + len(settings.RUN_BREAKER_WAITS_SECONDS)
    results = [evaluate("http://127.0.0.1:9/v1", "maker/demo") for _ in range(tries)]
    assert {(result.run_id, result.status) for result in results} == {(results[0].run_id, "waiting")}
    assert not ItemResult.objects.exists(), "no item is given up"
    with serve(make_app(persona="random")) as address:
        Endpoint.objects.update(base_url=f"{address}/v1")
        assert evaluate(f"{address}/v1", "maker/demo").n_scored == 4


def test_a_try_after_its_time_counts_as_the_second_one() -> None:
    run = make_run(
        driver=Driver.COMMAND, endpoint=make_endpoint(), status=Status.WAITING, waits=2, observed={PUT_OFF: [[1, 1]]},
        not_before=timezone.now() - timedelta(seconds=1),
    )  # fmt: skip
    assert not Run.objects.wake(run.pk)
    Run.objects.update(not_before=timezone.now() + timedelta(hours=1))
    assert Run.objects.get().observed == {PUT_OFF: [[1, 1]]}
    assert Run.objects.wake(run.pk)
    assert (Run.objects.get().waits, Run.objects.get().observed) == (0, {})


def test_a_run_that_another_process_works_on_is_refused() -> None:
    make_bank(4, slug="eq-bench-v2")
    evaluate("http://127.0.0.1:9/v1", "maker/demo")
    until = timezone.now() + timedelta(seconds=80)
    Run.objects.update(status=Status.RUNNING, lease_token=uuid.uuid4(), lease_until=until, not_before=None)
    with pytest.raises(CannotEvaluate, match="is being worked on by another process"):
        evaluate("http://127.0.0.1:9/v1", "maker/demo")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"bank": "nowhere"}, "load_bank nowhere"),
        ({"benchmark": "eq-bench-9"}, "eq-bench-9 is none of"),
        ({"concurrency": 65}, "concurrency: at most 64"),
        ({"limit": 0}, "limit: 0 is not above zero"),
        ({"model": " "}, "model: a name of 1 to 120 characters is needed"),
        ({"model": "m" * 121}, "model: a name of 1 to 120 characters is needed"),
        ({"model": "maker/mo\u200bdel"}, "model: maker/mo[U+200B]del holds a character that cannot be seen"),
        ({"concurrency": "many"}, "concurrency: 'many' is not of type int"),
        ({"repeats": 1.5}, "repeats: 1.5 is not of type int"),
        ({"timeout_seconds": float("nan")}, "timeout_seconds: nan is not above zero"),
        ({"base_url": "http://user:pw@127.0.0.1/v1"}, "base_url: "),
    ],
)
def test_an_option_that_cannot_be_is_named_before_anything_is_asked(options: dict[str, str], says: str) -> None:
    make_bank(3, slug="eq-bench-v2")
    with pytest.raises(CannotEvaluate, match=re.escape(says)):
        evaluate(**{"base_url": "http://127.0.0.1:9/v1", "model": "m", **options})  # type: ignore[arg-type]
    assert not Run.objects.exists()


def test_the_key_goes_to_the_endpoint_and_nowhere_else() -> None:
    make_bank(2, slug="eq-bench-v2")
    with serve(make_app(persona="random", faults=["token-echo"])) as address:
        result = evaluate(f"{address}/v1", "maker/demo", key="sk-canary-0123456789abcdef")
    assert "canary" not in repr(result) + result.items.to_csv() + str(Run.objects.values().get())


def script(code: str, database: str) -> "subprocess.CompletedProcess[str]":
    """The code in a process that no manage.py started, in the folder of the checkout."""
    own = {name: value for name, value in environment("").items() if name != "DJANGO_SETTINGS_MODULE"}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={**own, "DATABASE_URL": database}, capture_output=True, text=True,
        check=False, timeout=120,
    )  # fmt: skip


def code_of_readme() -> str:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    return str(code)


@pytest.mark.thorough
def test_the_code_of_the_readme_runs_as_it_stands(tmp_path: Path) -> None:
    with scratch_database(tmp_path) as database, serve(make_app(persona="noisy")) as address:
        manage_elsewhere(database, "migrate", "--verbosity", "0")
        manage_elsewhere(database, "load_bank", "eq-open-v2")
        done = script(code_of_readme().replace("http://127.0.0.1:8090", address), database)
    assert done.returncode == 0, done.stderr
    first, *table = done.stdout.splitlines()
    assert re.fullmatch(r"-?\d+\.\d+ \(-?\d+\.\d+, -?\d+\.\d+\) 1", first)
    assert len(table) == 6
    assert done.stderr == ""


@pytest.mark.thorough
def test_a_new_database_is_made_and_says_what_it_lacks(tmp_path: Path) -> None:
    code = 'from evaluation import evaluate\nevaluate("http://127.0.0.1:9/v1", "m")'
    with scratch_database(tmp_path) as database:
        done = script(code, database)
    assert "CannotEvaluate: The bank eq-bench-v2 is not loaded" in done.stderr


@pytest.mark.thorough
def test_a_database_of_an_older_release_is_left_alone(tmp_path: Path) -> None:
    code = 'from evaluation import evaluate\nevaluate("http://127.0.0.1:9/v1", "m")'
    with scratch_database(tmp_path) as database:
        manage_elsewhere(database, "migrate", "evaluation", "0001", "--verbosity", "0")
        done = script(code, database)
    assert "of an older release" in done.stderr


def test_importing_the_package_stays_cheap() -> None:
    code = "import evaluation, sys; print({'django', 'pandas', 'numpy', 'aiohttp'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
