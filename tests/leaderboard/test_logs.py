"""Log lines as JSON: readable by a machine, with the run they belong to, without any key."""

import json
import logging
import threading
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from evaluation.demo.server import make_app
from evaluation.keys.endpoint_keys import store_key
from evaluation.models import Driver, Run, Status
from evaluation.runs import runner
from evaluation.runs.current_run import working_on
from leaderboard.operations.logs import REMOVED, JsonFormatter, scrubbed
from tests.evaluation.test_keys_of_runs import queued
from tests.factories import make_bank, make_endpoint
from tests.fakes import serve
from tests.processes import manage, redis_server, wait_for, worker

CANARY = "sk-canary/0123456789abcdef+0123456789"


@pytest.fixture
def written() -> Iterator[StringIO]:
    """What the root logger writes at DEBUG in our format, libraries and all."""
    out = StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(JsonFormatter())
    root, level = logging.getLogger(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield out
    root.removeHandler(handler)
    root.setLevel(level)


def lines(out: StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_a_line_is_one_object_whatever_its_message_holds(written: StringIO) -> None:
    logging.getLogger("some.where").warning("two\nlines of %s", '"text"')
    (line,) = lines(written)
    assert (line["level"], line["logger"], line["message"]) == ("WARNING", "some.where", 'two\nlines of "text"')
    assert line["at"].endswith("+00:00")
    assert "run_id" not in line


def test_a_line_inside_a_run_carries_its_id_and_none_after_it(written: StringIO) -> None:
    with working_on(41):
        logging.getLogger("a").warning("inside")
    logging.getLogger("a").warning("outside")
    logging.getLogger("a").warning("told", extra={"run_id": 42})
    assert [line.get("run_id") for line in lines(written)] == [41, None, 42]


def test_a_traceback_stands_in_its_line_without_a_key(written: StringIO) -> None:
    try:
        raise ValueError(f"bad header: Bearer {CANARY}")
    except ValueError:
        logging.getLogger("a").exception("failed")
    (line,) = lines(written)
    assert f"ValueError: bad header: Bearer {REMOVED}" in line["error"]
    assert "canary" not in written.getvalue()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Authorization: Bearer abc.def", "Authorization: Bearer [removed]"),
        ("authorization=Basic abc=", "authorization=Basic [removed]"),
        ('{"api_key": "abc", "n": 1}', '{"api_key": "[removed]", "n": 1}'),
        ("redis://user:pw@host:6379/0", "redis://[removed]@host:6379/0"),
        ("x-api-key=abc&y=1", "x-api-key=[removed]"),
        ("used sk-0123456789abc", "used [removed]"),
        ("90 tokens of 5 items, key removed", "90 tokens of 5 items, key removed"),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("Not Found: /submissions/abc-_Z/runs/3/?a=1", "Not Found: /submissions/[removed]/runs/3/?a=1"),
        ("https://board.example/submissions/abc", "https://board.example/submissions/[removed]"),
        ("/submissions/[removed]/live/", "/submissions/[removed]/live/"),
        (
            "GET /submissions/ and /admin/leaderboard/submission/3/",
            "GET /submissions/ and /admin/leaderboard/submission/3/",
        ),
    ],
)
def test_what_looks_like_a_key_is_taken_out_of_a_text(text: str, left: str) -> None:
    assert scrubbed(text).startswith(left)
    assert "abc" not in scrubbed(text)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("fault", ["token-echo", "unauthorised", "redirect"])
def test_a_run_whose_endpoint_misuses_the_key_leaves_none_in_the_lines(written: StringIO, fault: str) -> None:
    with serve(make_app(persona="random", faults=[fault])) as address:
        endpoint = make_endpoint(base_url=f"{address}/v1")
        store_key(endpoint, CANARY)
        run = queued(endpoint, make_bank(2))
        lease = runner.claim(run.pk, Driver.WORKER)
        assert lease is not None
        log = logging.getLogger("test")
        run = runner.carry(lease, stop=threading.Event(), on_outcome=lambda outcome: log.info("stored %s", outcome))
        log.info("%s: %s, %s", run.status, run.failure_message, run.observed)
    assert run.requests > 0
    stored = [line["run_id"] for line in lines(written) if line["message"].startswith("stored")]
    assert stored == [run.pk] * run.results.count()
    assert "canary" not in written.getvalue()
    assert "0123456789abcdef" not in written.getvalue()


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_every_line_of_a_run_carries_its_id_those_of_the_database_thread_too(
    written: StringIO, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.DEBUG = True  # Django tells of its queries then
    caplog.set_level(logging.DEBUG, logger="django.db.backends")
    with serve(make_app(persona="random")) as address:
        run = queued(make_endpoint(base_url=f"{address}/v1"), make_bank(2))
        lease = runner.claim(run.pk, Driver.WORKER)
        assert lease is not None
        written.truncate(written.seek(0))
        runner.carry(lease, stop=threading.Event())
    # The demo endpoint answers in this process; its lines are of no run.
    ours = [line for line in lines(written) if not line["logger"].startswith("aiohttp")]
    stored = [line for line in ours if "INSERT INTO" in line["message"] and "itemresult" in line["message"]]
    assert stored, "the results are written in the thread of the database"
    assert [line for line in ours if line.get("run_id") != run.pk] == []


@pytest.mark.database
@pytest.mark.processes
@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_each_line_of_a_real_worker_is_an_object_and_those_of_its_run_carry_the_id(tmp_path: Path) -> None:
    with redis_server(tmp_path / "redis") as broker, serve(make_app(persona="random")) as address:
        run = queued(make_endpoint(base_url=f"{address}/v1"), make_bank(2))
        # No lease may lapse, however busy the machine is: the run is to have one slice.
        with worker(tmp_path, broker, LOG_FORMAT="json", RUN_LEASE_SECONDS="60") as process:
            wait_for(lambda: Run.objects.get(pk=run.pk).status == Status.FINISHED, what="the run ends")
            wait_for(lambda: "after a slice" in process.log.read_text(), what="the worker says so")
            wait_for(lambda: '"celery.beat"' in after_the_greeting(process.log), what="the clock says something")
    # Celery greets and takes leave on the console, past all logging.
    told = after_the_greeting(process.log).splitlines()
    entries = [json.loads(line) for line in told if line and not line.startswith("worker: ")]
    assert {"celery.app.trace", "celery.beat", "evaluation.tasks"} <= {entry["logger"] for entry in entries}
    assert [entry["run_id"] for entry in entries if "after a slice" in entry["message"]] == [run.pk]


def after_the_greeting(log: Path) -> str:
    """From the line on in which the worker says that it is connected."""
    text = log.read_text(errors="replace")
    return text[text.rfind("\n", 0, text.find("Connected to")) + 1 :] if "Connected to" in text else ""


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_the_setting_turns_the_lines_of_a_process_into_json() -> None:
    words = ("shell", "-c", "import logging; logging.getLogger('x').warning('hello')")
    as_json, plain = (manage(*words, **changes) for changes in ({"LOG_FORMAT": "json"}, {}))
    assert as_json.returncode == 0, as_json.stderr
    assert json.loads(as_json.stderr.splitlines()[-1])["message"] == "hello"
    assert plain.stderr.splitlines()[-1].endswith("WARNING x hello")
