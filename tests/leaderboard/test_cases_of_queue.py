"""The public cases of queues and runs, through the form, the admin and real worker processes.

Here, each row by the test whose name begins with its id: Q01, Q02, Q03, Q04 with Q09, Q05, Q06 with Q07, Q08, Q12, Q19.

| row | with more harm, or smaller, elsewhere |
|---|---|
| Q01 | `test_pressed_at_once.py`, on PostgreSQL too; `test_admin_actions.py` |
| Q02 | `test_admin_actions.py` |
| Q03 | `test_standings.py` |
| Q04 | `tests/evaluation/test_worker.py`, `tests/chaos/kills.py` (`killed_at_random`) |
| Q05 | `test_status_page.py`, `tests/chaos/brokers.py` (`no_worker_at_all`) |
| Q06, Q07, Q08 | `test_status_page.py`, `test_submit.py` |
| Q09 | `tests/chaos/brokers.py` (`trouble_in_mid_run`, which `test_chaos.py` calls with FLUSHALL) |
| Q12 | `tests/evaluation/test_worker.py`, `tests/evaluation/test_transitions.py` |
| Q19 | `tests/evaluation/test_canary.py`, `test_canary_of_pages.py`, `test_submit.py` |
| Q10, Q11, Q13 to Q16 | not here: `tests/evaluation/test_worker.py`, `tests/chaos` |
| Q17, Q18 | not here: `tests/evaluation/test_import_refusals.py` |
"""

import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from django.db.models import F
from django.test import Client

from evaluation.demo.refusals import RIGHT_KEY
from evaluation.demo.server import make_app
from evaluation.models import FaultKind, KeyEvent, Run, Status
from leaderboard.models import Standing, Submission
from leaderboard.rounding import moment
from leaderboard.submissions.moderating import set_public
from tests.chaos.arena import Arena, arena
from tests.chaos.browsing import Visitor
from tests.evaluation.test_canary import _database, _files, _redis, hits
from tests.factories import make_bank, make_endpoint, make_run, scene_reply
from tests.fakes import serve
from tests.leaderboard.carrying import act, status_page, submitted, wait_for_results, wait_until
from tests.leaderboard.endpoint_cases import log_of
from tests.leaderboard.pages import board, models
from tests.leaderboard.sending import filled, no_turns_taken, proof_in, sent
from tests.leaderboard.staff import root
from tests.leaderboard.test_admin_actions import RUNS, do
from tests.leaderboard.test_pressed_at_once import pressed_at_once
from tests.leaderboard.test_upload_results import confirm, file_of, look
from tests.processes import Worker, environment, free_port, redis_server, wait_for, worker

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.database,
    pytest.mark.processes,
    pytest.mark.thorough,
]
DEADLY_ITEM = 5
UNHURRIED = "60"  # seconds of a lease: none lapses on a busy machine, which would have items asked twice


@pytest.fixture(autouse=True)
def _turns() -> Iterator[None]:
    no_turns_taken()
    yield
    no_turns_taken()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[str]:
    with redis_server(tmp_path / "redis") as address:
        yield address


def requests(address: str) -> Counter[str]:
    return Counter(row["prompt_sha256"] for row in log_of(address))


def test_q01_two_administrators_press_run_again_at_once_and_one_run_is_opened(
    client: Client, tmp_path: Path, broker: str
) -> None:
    make_bank(5, slug="scenes", title="Own scenes")
    with serve(make_app(persona="random")) as address, worker(tmp_path, broker, RUN_LEASE_SECONDS=UNHURRIED):
        run = submitted(client, address, "one").runs.get()
        wait_until(run, Status.FINISHED)
        pages = pressed_at_once(run)
        assert Run.objects.filter(parent=run).count() == 1
        assert sum("1 run opened" in html for html in pages) == 1
        assert sum("is still open" in html or "a moment ago" in html for html in pages) == 1
        wait_until(Run.objects.get(parent=run), Status.FINISHED)
        assert set(requests(address).values()) == {2}, "the run and its one replicate"


def test_q02_five_hundred_runs_selected_are_asked_about_and_can_all_be_cancelled(tmp_path: Path, broker: str) -> None:
    bank, staff = make_bank(5, slug="scenes"), root()
    with serve(make_app(persona="random")) as address:
        endpoints = [make_endpoint(base_url=f"{address}/v1") for _ in range(500)]
        runs = [make_run(status=Status.FINISHED, endpoint=endpoint, bank=bank) for endpoint in endpoints]
        html = do(staff, RUNS, "run_again", runs)
        assert "Run 500 runs again?" in html
        assert "about 2,500 requests" in html
        assert Run.objects.count() == 500, "nothing is opened before the confirmation"
        assert "500 runs opened" in do(staff, RUNS, "run_again", runs, confirmed="yes")
        assert Run.objects.filter(status=Status.QUEUED).count() == 500
        assert "500 runs cancelled" in do(staff, RUNS, "cancel_runs", list(Run.objects.open()))
        last = make_run(endpoint=make_endpoint(base_url=f"{address}/v1"), bank=bank, settings=settings_of_a_run())
        with worker(tmp_path, broker, RUN_LEASE_SECONDS=UNHURRIED):
            wait_until(last, Status.FINISHED)
        assert sum(requests(address).values()) == 5, "those of the last run alone"
    assert Run.objects.filter(status=Status.CANCELLED, results=None).count() == 500


def settings_of_a_run() -> dict[str, Any]:
    asked = {"temperature": 0.01, "temperature_step": 0.15, "max_tokens": 60, "attempts": 3}
    return {**asked, "revision": False, "system_prompt": "", "concurrency": 1, "timeout_seconds": 60.0}


def test_q03_runs_measured_again_and_imported_of_one_model_are_one_row_of_the_board(
    client: Client, tmp_path: Path, broker: str
) -> None:
    make_bank(6, slug="eq-bench-v2", title="EQ-Bench v2")
    staff = root()
    with serve(make_app(persona="random")) as address, worker(tmp_path, broker):
        found = submitted(client, address, "Model-7B", banks=["eq-bench-v2"])
        first = found.runs.get()
        wait_until(first, Status.FINISHED)
        do(staff, RUNS, "run_again", [first], confirmed="yes")
        second = Run.objects.get(parent=first)
        wait_until(second, Status.FINISHED)
    look(staff, file_of())
    assert "of maker/Model-7B" in confirm(staff)
    set_public([first, second], public=True)
    assert found.model.runs.filter(status=Status.FINISHED, published=True).count() == 3
    rows = models(board(client))
    assert len(rows) == 1
    assert any(cell.startswith("measured ") for cell in rows[0])
    assert Standing.objects.get(model=found.model).runs_used == 2


def test_q04_q09_a_run_outlives_flushall_and_kill_9_and_resumes_where_it_was(client: Client) -> None:
    make_bank(120, slug="scenes", title="Own scenes")
    with serve(make_app(persona="random", latency_ms=40)) as address, arena(RUN_LEASE_SECONDS="5") as place:
        found = submitted(client, address, "tough", concurrency="1")
        run = found.runs.get()
        first = place.worker()
        wait_for_results(run, 30)
        place.broker.flush()
        assert f"Run {run.pk}" in status_page(client, found)
        wait_for_results(run, 80)
        first.kill()
        kept = dict(run.results.values_list("pk", "created_at"))
        place.worker()
        wait_until(run, Status.FINISHED)
        asked = requests(address)
    assert dict(run.results.filter(pk__in=kept).values_list("pk", "created_at")) == kept
    assert run.results.values("item", "repeat").distinct().count() == run.results.count() == 120
    assert (len(asked), sum(asked.values()) <= 121) == (120, True), "at most the reply in flight is asked again"
    assert "120 of 120 items scored" in status_page(client, found)


def test_q05_an_hour_without_a_worker_is_told_and_cancels_nothing(client: Client) -> None:
    make_bank(5, slug="scenes", title="Own scenes")
    with serve(make_app(persona="random")) as address, arena() as place:
        before = submitted(client, address, "before").runs.get()
        last_worker = place.worker()
        wait_until(before, Status.FINISHED)
        last_worker.stop()
        clock = place.beat()
        waiting = [submitted(client, address, name) for name in ("next", "second")]
        an_hour_passes()
        seen = Run.objects.get(pk=before.pk).heartbeat_at
        pages = [status_page(client, found) for found in waiting]
        clock.kill()
        for html in pages:
            assert f"No worker has been running since {moment(seen)}" in html
            assert "your place in the queue and your quota are safe, and the run starts by itself" in html
        assert "Your run is next" in pages[0]
        assert "One run is ahead of yours" in pages[1]
        assert not any("cancelled" in html for html in pages)
        place.worker()
        for found in waiting:
            wait_until(found.runs.get(), Status.FINISHED)
            assert "No worker has been running" not in status_page(client, found)


def an_hour_passes() -> None:
    """As the rows tell it: every time in them is an hour earlier."""
    hour = timedelta(hours=1)
    Run.objects.filter(heartbeat_at__isnull=False).update(heartbeat_at=F("heartbeat_at") - hour)
    Run.objects.filter(queued_at__isnull=False).update(queued_at=F("queued_at") - hour)


def test_q06_q07_a_run_cancelled_in_the_middle_stays_so_and_is_mixed_up_with_no_other(
    client: Client, tmp_path: Path, broker: str
) -> None:
    make_bank(30, slug="scenes", title="Own scenes")
    same_owner = {"network": "192.0.2.1", "concurrency": "1"}
    with serve(make_app(persona="random", latency_ms=200)) as address, worker(tmp_path, broker):
        first = submitted(client, address, "first", **same_owner)
        old = first.runs.get()
        wait_for_results(old, 3)
        assert "1 run cancelled" in act(client, first, "cancel")
        second = submitted(client, address, "second", api_model="second-model", **same_owner)
        other = second.runs.get()
        wait_until(other, Status.FINISHED)
        kept = old.results.count()
        only_its_own(client, first, old, other)
        only_its_own(client, second, other, old)
        do(root(), RUNS, "run_again", [old], confirmed="yes")
        again = Run.objects.get(parent=old)
        wait_until(again, Status.FINISHED)
    old.refresh_from_db()
    assert (old.status, old.score, 3 <= kept < 30, old.results.count()) == (Status.CANCELLED, None, True, kept)
    html = status_page(client, first)
    assert f"Run {old.pk}</a>, cancelled. Its replies are kept." in html
    assert "30 of 30 items scored" in html
    set_public([again], public=True)
    standing = Standing.objects.get(model=first.model)
    assert (standing.run, standing.runs_used, standing.score) == (again, 1, again.score)


def only_its_own(client: Client, submission: Submission, own: Run, other: Run) -> None:
    html = status_page(client, submission)
    assert f"Run {own.pk}" in html
    assert f"Run {other.pk}" not in html
    assert str(other.model) not in html
    assert client.get(f"/submissions/{submission.token}/runs/{other.pk}/").status_code == 404


def test_q08_after_a_wrong_key_both_a_new_submission_and_a_new_key_lead_on(
    client: Client, tmp_path: Path, broker: str
) -> None:
    make_bank(5, slug="scenes", title="Own scenes")
    wrong = {"key": "sk-wrong-0123456789"}
    with serve(make_app(persona="random", faults=["wrong-key"])) as address, worker(tmp_path, broker):
        one, two = (submitted(client, address, name, **wrong) for name in ("one", "two"))
        for found in (one, two):
            wait_until(found.runs.get(), Status.FAILED)
            assert "refused the key" in status_page(client, found)
        anew = submitted(client, address, "one", key=RIGHT_KEY)
        wait_until(anew.runs.get(), Status.FINISHED)
        assert "Enter a new key and resume" in status_page(client, two)
        assert "1 run went on" in act(client, two, "key", key=RIGHT_KEY)
        wait_until(two.runs.get(), Status.FINISHED)
    assert (one.model, one.runs.get().status) == (anew.model, Status.FAILED)
    assert "5 of 5 items scored" in status_page(client, two)
    assert not {found.endpoint.sealed_key for found in Submission.objects.select_related("endpoint")} - {""}


def test_q12_a_run_that_kills_its_worker_at_item_five_each_time_stops_as_our_fault(
    client: Client, tmp_path: Path, broker: str, settings: Any
) -> None:
    """As one that takes all memory would. The first worker stores four items, so its death does not count."""
    settings.SUBMISSIONS_PER_DAY = 1
    make_bank(8, slug="scenes", title="Own scenes")
    workers: list[Worker] = []
    pace = environment(broker, RUN_MAX_IDLE_CLAIMS="3", RUN_LEASE_SECONDS="5")
    with deadly_endpoint(workers) as address:
        found = submitted(client, address, "heavy", network="192.0.2.1", concurrency="1")
        run = found.runs.get()
        try:
            while Run.objects.get(pk=run.pk).is_open and len(workers) < 8:
                workers.append(Worker(tmp_path, pace))
                wait_for(lambda: is_over(run, workers[-1]), what="the worker dead or the run over")
        finally:
            workers[-1].stop()
    run.refresh_from_db()
    assert (run.status, run.failure_kind, run.results.count()) == (Status.FAILED, FaultKind.PLATFORM, DEADLY_ITEM - 1)
    assert len(workers) == 5, "one that got to the item, three that got no further, and the one that ended it"
    html = status_page(client, found)
    for words in ("a fault of our platform", "taken up 3 times without a new result", "Your quota is not touched"):
        assert words in html
    assert sent(client, "192.0.2.1", name="maker/other").state == Submission.State.PENDING


def is_over(run: Run, current: Worker) -> bool:
    return current.process.poll() is not None or not Run.objects.get(pk=run.pk).is_open


@contextmanager
def deadly_endpoint(workers: list[Worker]) -> Iterator[str]:
    """Answers every scene, and at the fifth kills the newest worker in place of an answer."""

    async def complete(request: web.Request) -> web.Response:
        prompt = (await request.json())["messages"][-1]["content"]
        number = int(prompt.partition("Read scene ")[2].partition(" ")[0])
        if number == DEADLY_ITEM:
            workers[-1].kill()
        message = {"role": "assistant", "content": scene_reply(number)}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}]})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    with serve(app) as address:
        yield address


def test_q19_a_canary_key_sent_by_the_form_is_in_no_redis_no_log_and_no_table() -> None:
    """A web process, a worker and Redis, the first two as talkative as they can be; looked at while the run is in the
    queue and after its end."""
    canary = f"sk-canary/{uuid.uuid4().hex}+{uuid.uuid4().hex}=?&%"
    make_bank(5, slug="scenes", title="Own scenes")
    port = free_port()
    with serve(make_app(persona="random")) as address, arena(LOG_LEVEL="DEBUG") as place:
        place.web(port)
        html = sent_with_a_key(Visitor(port), f"{address}/v1", canary)
        run = Run.objects.get()
        assert f"Run {run.pk}" in html
        queued = places_of(place, "while queued")
        place.worker()
        wait_until(run, Status.FINISHED)
        ended = places_of(place, "at the end")
    assert any(b"evaluation.tasks.evaluate_run" in data for name, data in queued.items() if name.startswith("Redis"))
    assert KeyEvent.objects.filter(run=run, kind="used").exists()
    assert any(name.startswith("worker-") and b" DEBUG " in data for name, data in ended.items())
    assert hits({**queued, **ended}, canary) == []


def places_of(place: Arena, when: str) -> dict[str, bytes]:
    found = {**_database(), **_redis(place.broker.url), **_files(place.folder)}
    return {f"{name}, {when}": data for name, data in found.items()}


def sent_with_a_key(visitor: Visitor, base_url: str, key: str) -> str:
    """The status page after dry run and form. Neither page shows the key."""
    form = filled(base_url, key=key)
    tried = visitor.post("/submit/dry-run/", form)
    assert "The key is accepted" in tried
    sent_page = visitor.post("/submit/", {**form, "proof": proof_in(tried)})
    assert hits({"dry run": tried.encode(), "status page": sent_page.encode()}, key) == []
    return sent_page
