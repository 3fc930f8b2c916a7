"""From a form that is in order to what its dry run asks. Reads the bank; asks nothing."""

from dataclasses import replace

from django.conf import settings
from django.db.models import Count

from evaluation.asking import Method
from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Options
from evaluation.endpoints.client import Target
from evaluation.models import ItemBank
from evaluation.summaries import as_item
from leaderboard.submissions.dry_run import ITEMS, Plan
from leaderboard.submissions.dry_run_cost import Scope
from leaderboard.submissions.submitting import Wanted


def plan_of(wanted: Wanted, given_url: str) -> Plan:
    """The first items of the first chosen bank, asked as the run will ask them. One query."""
    bank = wanted.banks[0]
    return Plan(
        target=Target(
            base_url=wanted.base_url,
            api_model=wanted.api_model,
            api_key=wanted.key,
            timeout_seconds=min(settings.ENDPOINT_TIMEOUT_SECONDS, settings.DRY_RUN_SECONDS),
            silence_seconds=settings.DRY_RUN_SILENCE_SECONDS,
            extra_body=wanted.extra_body,
        ),
        method=method_of(wanted, bank),
        items=tuple(as_item(row) for row in bank.items.order_by("number")[:ITEMS]),
        given_url=given_url,
        seconds=settings.DRY_RUN_SECONDS,
    )


def method_of(wanted: Wanted, bank: ItemBank) -> Method:
    benchmark = BENCHMARKS[bank.benchmark]
    generation = replace(benchmark.generation, max_tokens=wanted.max_tokens)
    return Method(benchmark, Options(system_prompt=wanted.system_prompt), generation)


def scope_of(wanted: Wanted) -> Scope:
    """What all runs together will ask, if every reply is read at once. One query."""
    banks = ItemBank.objects.filter(pk__in=[bank.pk for bank in wanted.banks]).annotate(n=Count("items"))
    items = sum(banks.values_list("n", flat=True))
    first, *others = wanted.banks
    return Scope(
        requests=items * wanted.repeats,
        concurrency=wanted.concurrency,
        texts=first.shows_texts,
        asked=first.title,
        attempts=BENCHMARKS[first.benchmark].generation.attempts,
        others=tuple(bank.title for bank in others),
    )
