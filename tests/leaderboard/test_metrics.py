"""/metrics as Prometheus reads it, and who may."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from evaluation.models import Run, Status
from evaluation.runs import pulses
from tests.factories import make_bank, make_endpoint, make_result, make_run
from tests.processes import ROOT

pytestmark = [pytest.mark.django_db, pytest.mark.database]
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


@pytest.fixture
def client() -> Client:
    return Client(headers={"host": "127.0.0.1:8000"})


def scraped(client: Client, **headers: str) -> Samples:
    response = client.get("/metrics", headers=headers)
    assert response.status_code == 200
    families = text_string_to_metric_families(response.content.decode())
    return {(s.name, tuple(sorted(s.labels.items()))): s.value for family in families for s in family.samples}


def test_the_queue_the_runs_and_their_faults_are_told(client: Client) -> None:
    bank, now = make_bank(2), timezone.now()
    due = make_run(bank=bank, endpoint=make_endpoint(), queued_at=now - timedelta(seconds=90), requests=7)
    make_run(bank=bank, endpoint=make_endpoint(), status=Status.FAILED, failure_kind="endpoint", requests=5)
    make_run(bank=bank, status=Status.FINISHED, fault_counts={"endpoint": 4, "parse": 1})
    make_run(bank=bank, status=Status.FINISHED, fault_counts={"endpoint": 2})
    Run.objects.filter(pk=due.pk).update(created_at=now - timedelta(seconds=300))
    result = make_result(due)
    pulses.note(pulses.LEASE_EXPIRED, 3)
    pulses.note(pulses.REAPER)
    found, later = scraped(client), (timezone.now() - now).total_seconds()
    assert found["eq_runs", (("status", "queued"),)] == 1
    assert found["eq_runs", (("status", "running"),)] == 0
    assert found["eq_runs_failed", (("kind", "endpoint"),)] == 1
    assert found["eq_faults_total", (("kind", "endpoint"),)] == 6
    assert found["eq_faults_total", (("kind", "parse"),)] == 1
    assert found["eq_faults_total", (("kind", "platform"),)] == 0
    assert found["eq_runs_due", ()] == 1
    assert found["eq_submissions_to_decide", ()] == found["eq_runs_to_list", ()] == found["eq_mails_to_send", ()] == 0
    assert 90 <= found["eq_oldest_due_seconds", ()] <= 90 + later
    assert 300 <= found["eq_oldest_run_age_seconds", (("status", "queued"),)] <= 300 + later
    assert found["eq_endpoint_requests_total", ()] == 12
    assert found["eq_item_results_total", ()] == result.pk
    assert found["eq_leases_lost_total", (("noticed_by", "reaper"),)] == 3
    assert found["eq_leases_lost_total", (("noticed_by", "worker"),)] == 0
    assert now.timestamp() - 1 <= found["eq_reaper_last_tick_timestamp_seconds", ()] <= now.timestamp() + 60


def test_every_figure_has_a_help_text_with_its_unit_and_a_place_in_the_document(client: Client) -> None:
    pulses.note(pulses.REAPER)
    client.get("/runs/4711/")
    document = (ROOT / "docs/operations.md").read_text()
    families = list(text_string_to_metric_families(client.get("/metrics").content.decode()))
    assert len(families) >= 13
    for family in (family for family in families if not family.name.endswith("_created")):
        total = "_total" if family.type == "counter" else ""
        assert f"`{family.name}{total}" in document, family.name
        assert len(family.documentation.split()) > 3, family.name
        assert ("seconds" in family.documentation.lower()) == ("seconds" in family.name), family.name


def test_a_stalled_queue_is_a_figure(client: Client) -> None:
    assert scraped(client)["eq_queue_stalled", ()] == 0
    make_run(endpoint=make_endpoint(), queued_at=timezone.now() - timedelta(minutes=3))
    assert scraped(client)["eq_queue_stalled", ()] == 1


def test_requests_are_timed_by_the_name_of_their_address(client: Client) -> None:
    labels = (("method", "GET"), ("status", "404"), ("view", "run"))
    before = scraped(client).get(("eq_request_duration_seconds_count", labels), 0.0)
    client.get("/runs/4711/")
    client.get("/runs/4712/")
    found = scraped(client)
    assert found["eq_request_duration_seconds_count", labels] == before + 2
    assert not any("4711" in str(key) for key in found)


def test_unknown_addresses_and_methods_make_no_new_names(client: Client) -> None:
    client.generic("BREW", "/no/such/page")
    names = {dict(labels).get("view") for name, labels in scraped(client) if name.endswith("_count")}
    assert "none" in names
    assert not any("no/such" in (name or "") for name in names)


def test_more_runs_take_no_more_queries(client: Client) -> None:
    counts = []
    for _ in range(2):
        for number in range(3):
            make_run(endpoint=make_endpoint(base_url=f"https://m{number}.example/v1"))
        with CaptureQueriesContext(connection) as captured:
            scraped(client)
        counts.append(len(captured))
    assert counts[0] == counts[1] <= 11


def test_with_a_token_only_its_bearer_reads(client: Client, settings: Any) -> None:
    settings.METRICS_TOKEN = "scrape-me"
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"authorization": "Bearer scrape-m"}).status_code == 404
    assert scraped(client, authorization="Bearer scrape-me")


@pytest.mark.parametrize(
    "request_of",
    [
        {"REMOTE_ADDR": "192.0.2.7"},
        {"REMOTE_ADDR": ""},
        {"headers": {"x-forwarded-for": "192.0.2.7"}},
        {"headers": {"x-forwarded-proto": "https"}},
        {"headers": {"host": "testserver"}},
    ],
)
def test_without_a_token_nobody_from_outside_reads(client: Client, request_of: dict[str, Any]) -> None:
    assert client.get("/metrics", **request_of).status_code == 404


def test_behind_proxies_nobody_reads_without_a_token(client: Client, settings: Any) -> None:
    settings.TRUSTED_PROXIES = 1
    assert client.get("/metrics").status_code == 404
