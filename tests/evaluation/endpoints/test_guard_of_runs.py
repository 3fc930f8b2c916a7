"""The hostile corpus through a worker's run and through the `evaluate` command: nothing is called, and each run ends
with a sentence.
"""

import json
import re
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation.benchmarks import BENCHMARKS
from evaluation.endpoints.guard import REFUSAL, check_url
from evaluation.endpoints.passage import Guard
from evaluation.endpoints.retrying import Patience
from evaluation.models import Driver, FaultKind, ItemBank, Run, Status
from evaluation.runs import runner
from evaluation.runs.opening import RunRequest
from evaluation.runs.slices import Limits
from tests.evaluation.endpoints.hostile import POLICY, REFUSED, look_up, stream_sockets
from tests.factories import make_bank, make_endpoint, make_run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

HASTY = Limits(heartbeat=5, slice=60, drain=1, patience=Patience(tries=1, backoff_seconds=0.01))
STRICT = Guard(POLICY, look_up)


def run_at(base_url: str, bank: ItemBank, **fields: Any) -> Run:
    """A queued run whose address went round every form."""
    settings = RunRequest(
        model="maker/demo",
        base_url=base_url,
        api_model="demo",
        benchmark=BENCHMARKS["eq-bench-v2"],
        bank=bank,
        repeats=1,
        limit=None,
        concurrency=1,
        max_tokens=60,
        timeout_seconds=5.0,
    ).settings()
    return make_run(endpoint=make_endpoint(base_url=base_url), bank=bank, settings=settings, **fields)


def carried(run: Run, guard: Guard) -> Run:
    lease = runner.claim(run.pk, run.driver)
    assert lease
    return runner.carry(lease, stop=threading.Event(), limits=HASTY, guard=guard)


def has_no_answer(text: str) -> bool:
    return "unknown." in text or "no-address." in text


def test_no_hostile_address_is_called_by_a_worker_and_each_run_ends_with_a_sentence() -> None:
    bank = make_bank(1)
    with stream_sockets() as opened:
        runs = {text: carried(run_at(text, bank), STRICT) for text in REFUSED}
    assert opened == []
    assert {run.status for text, run in runs.items() if not has_no_answer(text)} == {Status.FAILED}
    assert {run.failure_kind for run in runs.values()} <= {FaultKind.ENDPOINT}
    readable = [run.failure_message for run in runs.values() if not run.failure_message.startswith("The address ")]
    assert set(readable) - {REFUSAL} <= {runs["http://unknown.example/v1"].failure_message}
    assert readable.count(REFUSAL) > 80
    assert not any(text in run.failure_message for text, run in runs.items())


def test_a_name_that_changed_after_the_form_ends_the_run_at_once() -> None:
    answers = [["93.184.216.34"], ["10.0.0.5"]]

    def rebinding(_: str) -> Sequence[str]:
        return answers.pop(0)

    guard = Guard(POLICY, rebinding)
    checked = check_url("https://rebinding.example/v1", has_key=False, policy=guard.policy, lookup=guard.lookup)
    with stream_sockets() as opened:
        run = carried(run_at(checked.base_url, make_bank(3)), guard)
    assert opened == []
    assert (run.status, run.failure_kind, run.failure_message) == (Status.FAILED, FaultKind.ENDPOINT, REFUSAL)
    assert not run.results.exists()


def test_a_run_follows_the_settings_where_no_guard_is_given(settings: Any) -> None:
    settings.ENDPOINT_ALLOWED_NETWORKS = []
    run = run_at("http://127.0.0.1:8000/v1", make_bank(1))
    lease = runner.claim(run.pk, run.driver)
    assert lease
    with stream_sockets() as opened:
        run = runner.carry(lease, stop=threading.Event(), limits=HASTY)
    assert opened == []
    assert run.failure_message == REFUSAL


def test_an_address_that_was_edited_into_none_ends_the_run_with_a_sentence() -> None:
    run = carried(run_at("not an address", make_bank(1)), STRICT)
    assert (run.status, run.failure_kind) == (Status.FAILED, FaultKind.ENDPOINT)
    assert run.failure_message == "The address must not contain spaces, control characters or backslashes."


@contextmanager
def signals_kept() -> Iterator[None]:
    """The command takes over Ctrl-C, which belongs to the tests again afterwards."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def evaluated(text: str) -> str:
    """The reason that the command gives."""
    out = StringIO()
    words = {"model": "maker/demo", "base_url": text, "limit": 1, "json": True, "stdout": out, "stderr": StringIO()}
    try:
        with pytest.raises(SystemExit, match="1"):
            call_command("evaluate", **words)
    except CommandError as error:
        return str(error)
    reason: str = json.loads(out.getvalue())["reason"]
    return reason


def test_no_hostile_address_is_called_by_the_command(settings: Any) -> None:
    settings.ENDPOINT_ALLOWED_NETWORKS = []
    settings.RUN_FINISHED_TASKS = []
    settings.SITE_HOSTS = ["board.example", ".boards.example", "[2606:4700::5]"]
    make_bank(1, slug="eq-bench-v2")
    # Names that only our own name server knows would be asked of the real one here.
    own_names = re.compile(r"good\.example/|[a-z]-[a-z]|(?:unknown|mapped|metadata|loopback|nat64|scoped)\.example")
    texts = [text for text in REFUSED if not own_names.search(text)]
    with signals_kept(), stream_sockets() as opened:
        reasons = {text: evaluated(text) for text in texts}
    assert opened == []
    assert len(reasons) >= 80
    assert {reason for reason in reasons.values() if not reason.startswith("--base-url: ")} == {REFUSAL}
    assert Run.objects.filter(driver=Driver.COMMAND).exclude(status=Status.FAILED).count() == 0
