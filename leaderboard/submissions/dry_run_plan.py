"""From a form that is in order to what its dry run asks. Reads the bank; asks nothing."""

from dataclasses import replace

from django.conf import settings

from evaluation.benchmarks.base import Options
from evaluation.endpoints.client import Target
from evaluation.runs.asking import Method
from evaluation.runs.summaries import as_item
from leaderboard.kinds import kind_of
from leaderboard.submissions.dry_run import ITEMS, Plan
from leaderboard.submissions.dry_run_cost import Scope
from leaderboard.submissions.offers import Offer
from leaderboard.submissions.submitting import Wanted
from leaderboard.submissions.variants import requests_of, variant_of


def plan_of(wanted: Wanted, offer: Offer, given_url: str) -> Plan:
    """The first items of a bank, asked as the run will ask them. All chosen benchmarks share the time. One query."""
    seconds = settings.DRY_RUN_SECONDS / len(wanted.offers)
    return Plan(
        target=Target(
            base_url=wanted.base_url,
            api_model=wanted.api_model,
            api_key=wanted.key,
            timeout_seconds=min(settings.ENDPOINT_TIMEOUT_SECONDS, seconds),
            silence_seconds=settings.DRY_RUN_SILENCE_SECONDS,
            extra_body=wanted.extra_body,
        ),
        method=method_of(wanted, offer),
        items=tuple(as_item(row) for row in offer.bank.items.order_by("number")[:ITEMS]),
        given_url=given_url,
        seconds=seconds,
        sharing=len(wanted.offers),
    )


def method_of(wanted: Wanted, offer: Offer) -> Method:
    benchmark = offer.benchmark
    generation = replace(benchmark.generation, max_tokens=wanted.max_tokens or benchmark.generation.max_tokens)
    return Method(benchmark, Options(system_prompt=wanted.system_prompt), generation)


def scope_of(wanted: Wanted, offer: Offer) -> Scope:
    """What the run of a chosen benchmark will ask, if every reply is read at once."""
    return Scope(
        requests=requests_of(offer, wanted.repeats, variant_of(offer, wanted.variants)),
        concurrency=wanted.concurrency,
        texts=offer.bank.shows_texts,
        asked=offer.title,
        attempts=offer.benchmark.generation.attempts,
        kind=kind_of(offer.benchmark.name),
        measure=offer.benchmark.item_measures[0],
    )
