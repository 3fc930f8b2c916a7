"""A key that stands nowhere else goes through form, run, failure and administration; then every page, mail, export and
log line of the web process is searched for it, in all the forms that the canary test of the engine knows.
"""

import logging
import threading
import uuid
from collections.abc import Iterator

import pytest
from django.apps import apps
from django.contrib import admin
from django.core import mail
from django.test import Client

from evaluation.demo.server import make_app
from evaluation.endpoints.retrying import Patience
from evaluation.models import Driver, Endpoint, KeyEvent, Run
from evaluation.runs import runner
from evaluation.runs.slices import Limits
from leaderboard.models import Submission
from leaderboard.submissions.emails import tell_submitters
from leaderboard.submissions.moderating import approve, reject
from tests.evaluation.test_canary import hits
from tests.fakes import serve
from tests.leaderboard.sending import no_turns_taken, offered_bank, sent
from tests.leaderboard.staff import root

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.thorough]
HASTY = Limits(heartbeat=5, slice=60, drain=1, patience=Patience(tries=1, backoff_seconds=0.01, faults_in_a_row=3))
FILES = ("manifest.json", "items.csv", "items.json", "items.parquet", "items/", "live/", "replies.jsonl")


@pytest.fixture(autouse=True)
def _bank() -> Iterator[None]:
    offered_bank(access="open")
    no_turns_taken()
    yield
    no_turns_taken()


def carried(fault: str, canary: str, client: Client) -> Submission:
    """A submission whose endpoint does that with the key, approved, run to its end, told of, and published."""
    with serve(make_app(persona="random", faults=[fault])) as address:
        found = sent(client, base_url=f"{address}/v1", key=canary, name=f"maker/{fault}")
        approve(found)
        run = found.runs.get()
        lease = runner.claim(run.pk, Driver.WORKER)
        assert lease
        runner.carry(lease, stop=threading.Event(), limits=HASTY)
    tell_submitters(run.pk)
    Run.objects.filter(pk=run.pk).update(published=True)
    return found


def public_paths(submissions: list[Submission]) -> list[str]:
    paths = ["/", "/compare/", "/items/", "/methodology/", "/submit/", "/feed.atom", "/sitemap.xml", "/api/v1/models",
             "/api/v1/runs", "/api/v1/rankings"]  # fmt: skip
    for found in submissions:
        paths += [f"/submissions/{found.token}/", f"/models/{found.model.slug}/", f"/api/v1/models/{found.model.slug}"]
        for run in found.runs.all():
            by_token = f"/submissions/{found.token}/runs/{run.pk}/"
            paths += [by_token, *(by_token + name for name in FILES)]
            paths += [f"/runs/{run.pk}/", *(f"/runs/{run.pk}/{name}" for name in FILES), f"/api/v1/runs/{run.pk}"]
            paths += [f"/runs/{run.pk}/replies/{number}.txt" for number in range(1, 6)]
    return paths


def admin_paths() -> list[str]:
    paths = ["/admin/", "/admin/queue/", "/admin/audit/", "/admin/import/"]
    for model in admin.site._registry:
        base = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        paths.append(base)
        for pk in model._base_manager.values_list("pk", flat=True)[:4]:
            paths += [f"{base}{pk}/change/", f"{base}{pk}/history/", f"{base}{pk}/delete/"]
    return paths


def bodies(client: Client, paths: list[str], who: str) -> dict[str, bytes]:
    """What each address answers, headers and all; those that are not there are left out."""
    answers = {path: client.get(path) for path in paths}
    missing = [path for path, answer in answers.items() if answer.status_code >= 500]
    assert missing == []
    return {
        f"{path} for {who}": repr(dict(answer.headers)).encode() + b"".join(answer)
        for path, answer in answers.items()
        if answer.status_code in {200, 403}
    }


def test_a_canary_key_is_found_on_no_page_in_no_mail_in_no_export_and_in_no_log(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    canary = f"sk-canary/{uuid.uuid4().hex}+{uuid.uuid4().hex}=?&%"
    caplog.set_level(logging.DEBUG)
    found = [carried(fault, canary, client) for fault in ("token-echo", "unauthorised")]
    rejected = sent(client, key=canary, name="maker/rejected")
    reject(rejected, "Not today.")
    pending = sent(client, key=canary, name="maker/pending")
    refused = client.post("/submit/", {"key": canary, "base_url": "no address"})
    every = [*found, rejected, pending]
    places = {
        **bodies(Client(), public_paths(every), "a visitor"),
        **bodies(root(), [*public_paths(every), *admin_paths()], "staff"),
        "the form again": refused.content,
        **{f"mail {number}": message.message().as_bytes() for number, message in enumerate(mail.outbox)},
        "the log": caplog.text.encode(),
        "the rows": "\n".join(
            str(row) for model in apps.get_models() for row in model._base_manager.values_list()
        ).encode("utf-8", "replace"),
    }
    assert_that_it_all_happened(places, pending)
    assert hits(places, canary) == []


def assert_that_it_all_happened(places: dict[str, bytes], pending: Submission) -> None:
    """Otherwise nothing could have leaked."""
    assert len(mail.outbox) >= 2
    assert len(places) > 100
    assert KeyEvent.objects.filter(kind="used").count() == 2
    assert any("key removed" in run.observed.get("remarks", {}) for run in Run.objects.all())
    assert [endpoint.pk for endpoint in Endpoint.objects.exclude(sealed_key="")] == [pending.endpoint_id]
    for part in (
        "/items.csv for a visitor",
        "/admin/queue/ for staff",
        "/admin/audit/ for staff",
        "/history/ for staff",
    ):
        assert any(place.endswith(part) for place in places), part
