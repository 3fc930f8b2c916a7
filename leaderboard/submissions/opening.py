"""The queued run of an approved submission: what its form asked for, on the endpoint that is the submission's alone."""

from typing import Any

from django.conf import settings
from django.db.models.functions import Now

from evaluation.benchmarks import JUDGES_OF
from evaluation.models import Driver, Endpoint, Origin, Run
from evaluation.runs.opening import RunRequest, asks_of, new_seed, place_in_line
from evaluation.runs.summaries import as_item
from leaderboard.models import Submission
from leaderboard.submissions.offers import Offer
from leaderboard.submissions.variants import variant_of


def open_run_of(submission: Submission, offer: Offer) -> Run:
    """The queued run. Not by `open_run`, which would share an endpoint, and with it a key, between submitters."""
    asked, endpoint = submission.request, submission.endpoint
    request = _request(endpoint, offer, asked)
    items = [as_item(row) for row in offer.bank.items.order_by("number")]
    return Run.objects.create(
        model=endpoint.model,
        endpoint=endpoint,
        bank=offer.bank,
        benchmark=offer.benchmark.name,
        judging=submission.judging_consent and offer.benchmark.name in JUDGES_OF.values(),
        origin=Origin.MEASURED,
        driver=Driver.WORKER,
        repeats=asked["repeats"],
        variant=request.variant,
        seed=new_seed(),
        ranks=bool(request.benchmark.measures),
        n_items=len(items),
        n_asks=asks_of(request.benchmark, items, request.repeats, request.variant),
        settings=request.settings(),
        queued_at=Now(),
        **place_in_line(endpoint, Driver.WORKER, Origin.MEASURED),
    )


def _request(endpoint: Endpoint, offer: Offer, asked: dict[str, Any]) -> RunRequest:
    return RunRequest(
        model=endpoint.model.name,
        base_url=endpoint.base_url,
        api_model=endpoint.api_model,
        benchmark=offer.benchmark,
        bank=offer.bank,
        repeats=asked["repeats"],
        limit=None,
        concurrency=endpoint.max_concurrency,
        max_tokens=asked["max_tokens"] or offer.max_tokens,
        timeout_seconds=settings.ENDPOINT_TIMEOUT_SECONDS,
        system_prompt=endpoint.system_prompt,
        variant=variant_of(offer, asked.get("variants", {})),
    )
