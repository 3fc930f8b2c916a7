"""What Prometheus reads at /metrics: times of this web process's requests, and facts of runs from the database.

Each scrape asks the database the same few questions, however many runs there are.
"""

import os
from collections.abc import Callable, Iterator
from time import perf_counter

from django.db.models import Count, IntegerField, Max, Min, Sum
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from prometheus_client import CollectorRegistry, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from evaluation.models import OPEN_STATUSES, FaultKind, ItemResult, Run, Status
from evaluation.runs import pulses
from leaderboard.models import Mail
from leaderboard.pages.administration.moderation import to_decide, to_list
from leaderboard.pages.shared.stalls import queue_now

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
REQUESTS = CollectorRegistry()
SECONDS = Histogram(
    "eq_request_duration_seconds",
    "Seconds to answer a request, by the name of its address.",
    ["view", "method", "status"],
    buckets=BUCKETS,
    registry=REQUESTS,
)
METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"})


class TimedMiddleware:
    """Times each request. Names come from our own list of addresses, so a stranger cannot make new ones."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = perf_counter()
        response = self.get_response(request)
        match = request.resolver_match
        view = (match and match.view_name) or "none"
        method = request.method if request.method in METHODS else "other"
        SECONDS.labels(view, method, str(response.status_code)).observe(perf_counter() - began)
        return response


class RunFacts(Collector):
    """Runs as the database has them, the same from every web process."""

    def collect(self) -> Iterator[Metric]:
        yield from queue_metrics()
        yield from moderation_metrics()
        yield from run_metrics()
        yield from pulse_metrics()


def queue_metrics() -> Iterator[Metric]:
    now = timezone.now()
    queue = queue_now(now)
    yield gauge("eq_runs_due", "Runs that a worker could take up now.", queue.due)
    yield gauge("eq_runs_at_work", "Runs that a worker holds now.", queue.at_work)
    waited = (now - queue.due_since).total_seconds() if queue.due_since else 0.0
    yield gauge("eq_oldest_due_seconds", "Seconds that the longest waiting due run has been due.", waited)
    yield gauge("eq_queue_stalled", "1 while runs are due and no worker is at work.", int(queue.is_stalled(now)))


def moderation_metrics() -> Iterator[Metric]:
    yield gauge("eq_submissions_to_decide", "Submissions that wait for a moderator.", to_decide().count())
    yield gauge("eq_runs_to_list", "Finished runs that a moderator may list and has not.", to_list().count())
    yield gauge("eq_mails_to_send", "Mails to submitters that have not gone out yet.", Mail.objects.count())


def run_metrics() -> Iterator[Metric]:
    yield runs_by_status()
    yield oldest_run_ages()
    yield failures_by_kind()
    yield faults_by_kind()
    sums = Run.objects.shown().aggregate(requests=Sum("requests"), tokens=Sum("completion_tokens"))
    yield counter("eq_endpoint_requests", "Requests that all stored runs tried.", sums["requests"] or 0)
    yield counter("eq_completion_tokens", "Tokens that endpoints answered with, in all requests.", sums["tokens"] or 0)
    last = ItemResult.objects.aggregate(last=Max("pk"))["last"] or 0
    yield counter("eq_item_results", "The highest number given to an item's result: its rate is the item rate.", last)


def runs_by_status() -> Metric:
    counts = dict(Run.objects.order_by().values_list("status").annotate(n=Count("pk")))
    family = GaugeMetricFamily("eq_runs", "Stored runs by status.", labels=["status"])
    for status in Status:
        family.add_metric([status.value], counts.get(status.value, 0))
    return family


def oldest_run_ages() -> Metric:
    """Seconds since the oldest run of each open state was made; 0 where there is none."""
    now = timezone.now()
    oldest = dict(Run.objects.open().order_by().values_list("status").annotate(at=Min("created_at")))
    family = GaugeMetricFamily(
        "eq_oldest_run_age_seconds",
        "Seconds since the oldest run in an open state was made; 0 without one.",
        labels=["status"],
    )
    for status in OPEN_STATUSES:
        family.add_metric([status.value], (now - oldest.get(status.value, now)).total_seconds())
    return family


def failures_by_kind() -> Metric:
    failed = Run.objects.order_by().filter(status=Status.FAILED)
    counts = dict(failed.values_list("failure_kind").annotate(n=Count("pk")))
    family = GaugeMetricFamily("eq_runs_failed", "Failed runs by the kind of fault that ended them.", labels=["kind"])
    for kind in FaultKind:
        family.add_metric([kind.value], counts.get(kind.value, 0))
    return family


def faults_by_kind() -> Metric:
    """What single requests met with, most of it overcome by asking again. One query."""
    asked = Run.objects.shown().order_by().exclude(fault_counts={})
    sums = asked.aggregate(
        **{kind.value: Sum(Cast(KeyTextTransform(kind.value, "fault_counts"), IntegerField())) for kind in FaultKind}
    )
    family = CounterMetricFamily("eq_faults", "Faults that requests of all stored runs met with.", labels=["kind"])
    for kind in FaultKind:
        family.add_metric([kind.value], sums[kind.value] or 0)
    return family


def pulse_metrics() -> Iterator[Metric]:
    beats = pulses.beats()
    losses = CounterMetricFamily("eq_leases_lost", "Leases lost, by who noticed.", labels=["noticed_by"])
    for label, name in (("worker", pulses.LEASE_LOST), ("reaper", pulses.LEASE_EXPIRED)):
        losses.add_metric([label], beats[name].count if name in beats else 0)
    yield losses
    if pulses.REAPER in beats:
        tick = beats[pulses.REAPER].at.timestamp()
        yield gauge("eq_reaper_last_tick_timestamp_seconds", "When the reaper last ran, in seconds since 1970.", tick)


def gauge(name: str, help_text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, help_text, value=value)


def counter(name: str, help_text: str, value: float) -> Metric:
    return CounterMetricFamily(name, help_text, value=value)


def registries() -> list[CollectorRegistry]:
    """What a scrape shows: the facts, then the request times of this process, or of all web processes that share the
    folder PROMETHEUS_MULTIPROC_DIR.
    """
    facts = CollectorRegistry(auto_describe=False)
    facts.register(RunFacts())
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return [facts, REQUESTS]
    shared = CollectorRegistry()
    MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
    return [facts, shared]
