"""T18 and E26: whatever an administrator does to a run or its endpoint, the address is checked anew where it is called;
and the guard stands in the library that the lock pins.
"""

import re
import threading
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from evaluation.endpoints.guard import REFUSAL
from evaluation.endpoints.retrying import Patience
from evaluation.models import Driver, Endpoint, Run, Status
from evaluation.runs import runner
from evaluation.runs.slices import Limits
from leaderboard.submissions.moderating import approve
from tests.evaluation.endpoints.hostile import stream_sockets
from tests.leaderboard.sending import sent
from tests.leaderboard.staff import root

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.usefixtures("bank_on_offer")]
ROOT = Path(__file__).resolve().parents[2]
RUNS = "/admin/evaluation/run/"
INNER = "http://169.254.169.254/latest/v1"
HASTY = Limits(heartbeat=5, slice=60, drain=1, patience=Patience(tries=1, backoff_seconds=0.01))


def approved(client: Client) -> Run:
    """A run that was approved with an address that may be called, which then became one that may not."""
    found = sent(client)
    approve(found)
    Endpoint.objects.update(base_url=INNER)
    return found.runs.get()


def carried() -> Run:
    run = Run.objects.open().get()
    lease = runner.claim(run.pk, Driver.WORKER)
    assert lease
    return runner.carry(lease, stop=threading.Event(), limits=HASTY)


def press(name: str, run: Run) -> None:
    if name == "run-again":
        form = {"action": "run_again", "_selected_action": [str(run.pk)], "confirmed": "yes"}
        response = root().post(RUNS, form, follow=True)
    else:
        response = root().post(f"/admin/runs/{run.pk}/{name}/", follow=True)
    assert response.status_code == 200


@pytest.mark.parametrize("name", ["as approved", "try-now", "resume", "run-again"])
def test_no_way_of_the_administration_leads_round_the_guard(client: Client, settings: Any, name: str) -> None:
    run = approved(client)
    settings.ENDPOINT_ALLOWED_NETWORKS = []
    states: dict[str, dict[str, Any]] = {
        "try-now": {"status": Status.WAITING, "not_before": "2100-01-01T00:00Z"},
        "resume": {"status": Status.FAILED, "failure_kind": "endpoint"},
        "run-again": {"status": Status.CANCELLED},
    }
    if name in states:
        Run.objects.update(**states[name])
        press(name, run)
    with stream_sockets() as opened:
        ended = carried()
    assert opened == []
    assert (ended.status, ended.failure_message) == (Status.FAILED, REFUSAL)


def test_the_form_of_an_endpoint_changes_no_address(client: Client) -> None:
    found = sent(client)
    address = found.endpoint.base_url
    form = {"model": found.model_id, "api_model": "x", "base_url": INNER, "extra_body": "{}", "max_concurrency": 2}
    root().post(f"/admin/evaluation/endpoint/{found.endpoint_id}/change/", form)
    found.endpoint.refresh_from_db()
    assert (found.endpoint.base_url, found.endpoint.api_model) == (address, "x")


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_the_api_changes_no_address_either(client: Client, method: str) -> None:
    run = approved(client)
    for path in (f"/api/v1/runs/{run.pk}", f"/api/v1/models/{run.model.slug}"):
        response = getattr(root(), method)(path, {"base_url": INNER}, content_type="application/json")
        assert response.status_code in {403, 404, 405}
    assert Endpoint.objects.get().base_url == INNER


def test_the_library_that_calls_out_is_the_one_that_the_lock_pins_with_its_hashes() -> None:
    """E26: the guard stands in aiohttp's own sockets, so an upgrade must be a change of the lock that tests see."""
    lock = (ROOT / "requirements.txt").read_text()
    pinned = re.search(r"^aiohttp==(\S+) \\\n(?:    --hash=sha256:[0-9a-f]{64} ?\\?\n)+", lock, re.MULTILINE)
    assert pinned
    assert pinned[1] == version("aiohttp")
    entries = re.findall(r"^[a-z0-9][^\n]*?==[^\n]*\n(?:    (--hash)?[^\n]*\n)", lock, re.MULTILINE)
    assert len(entries) > 40
    assert all(entries)
    assert "set_up.py install requirements.txt" in (ROOT / "Makefile").read_text()
    assert '"--require-hashes", "-r"' in (ROOT / "scripts/set_up.py").read_text()
