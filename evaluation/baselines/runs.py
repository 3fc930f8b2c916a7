"""The baselines of a bank as runs: stored once, kept while their numbers hold, replaced when a scorer changes."""

from collections.abc import Iterator
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from evaluation.baselines import FIRST_PART, baselines, summary_of
from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Answer, Bank, Baseline, Benchmark, Reading
from evaluation.importers.banks import second_reading
from evaluation.importers.names import model_named
from evaluation.models import Driver, ItemBank, ItemResult, Run
from evaluation.runs.summaries import NORMS, as_item, result_fields, summary_fields
from evaluation.states import Origin, Status

SOURCE = "computed from the bank by load_baselines"


@transaction.atomic
def store_baselines(bank: ItemBank) -> tuple[list[Run], int]:
    """The baseline runs of a bank, and how many of them are new.

    They are made under the bank's own rule, and under another one or a variant as soon as a model was scored by it: a
    ranking without a model gets no row. A stored run is kept while its numbers are what the present scorer gives;
    another one is replaced.
    """
    bank = ItemBank.objects.select_for_update().get(pk=bank.pk)
    if not bank.shows_items:
        return [], drop_baselines(bank)
    loaded = Bank(tuple(as_item(row) for row in bank.items.all()), bank.facts.get(NORMS))
    stored = [
        store_under(benchmark, bank, loaded, variant)
        for benchmark in rules_of(bank)
        for variant in variants_of(benchmark, bank)
    ]
    return [run for runs, _ in stored for run in runs], sum(n_new for _, n_new in stored)


def drop_baselines(bank: ItemBank) -> int:
    """How many stored baselines of a private bank were deleted: each of them is an equation about its references."""
    runs = Run.objects.filter(bank=bank, origin=Origin.BASELINE)
    n = runs.count()
    runs.delete()
    return n


def rules_of(bank: ItemBank) -> list[Benchmark]:
    used = set(bank.runs.exclude(origin=Origin.BASELINE).values_list("benchmark", flat=True).distinct())
    fitting = [benchmark for benchmark in BENCHMARKS.values() if benchmark.bank == bank.benchmark]
    return [benchmark for benchmark in fitting if benchmark.name in {bank.benchmark, *used}]


def variants_of(benchmark: Benchmark, bank: ItemBank) -> list[str]:
    """The variants that models were asked by; the only one of a benchmark without variants."""
    if len(benchmark.variants) == 1:
        return list(benchmark.variants)
    runs = bank.runs.filter(benchmark=benchmark.name).exclude(origin=Origin.BASELINE)
    used = set(runs.values_list("variant", flat=True).distinct())
    return [variant for variant in benchmark.variants if variant in used]


def store_under(benchmark: Benchmark, bank: ItemBank, loaded: Bank, variant: str) -> tuple[list[Run], int]:
    """As `store_baselines`, under one rule and variant."""
    wanted = baselines(benchmark, loaded, second_reading(bank), seed=bank.sha256)
    stored = {run.model.name: run for run in stored_runs(bank, benchmark, variant)}
    kept = {each.name: stored[each.name] for each in wanted if holds(stored.get(each.name), each, benchmark, loaded)}
    stored_runs(bank, benchmark, variant).exclude(pk__in=[run.pk for run in kept.values()]).delete()
    rows = [kept.get(each.name) or store(bank, benchmark, each, loaded, variant) for each in wanted]
    return rows, len(wanted) - len(kept)


def stored_runs(bank: ItemBank, benchmark: Benchmark, variant: str) -> QuerySet[Run]:
    runs = Run.objects.filter(bank=bank, benchmark=benchmark.name, variant=variant, origin=Origin.BASELINE)
    return runs.select_related("model")


def holds(run: Run | None, baseline: Baseline, benchmark: Benchmark, loaded: Bank) -> bool:
    """Whether the stored run says what would be stored now."""
    if run is None:
        return False
    fields = summary_fields(summary_of(benchmark, baseline, loaded), benchmark)
    same = all(getattr(run, name) == value for name, value in fields.items())
    return same and run.status == Status.FINISHED and run.settings == dict(baseline.settings)


def store(bank: ItemBank, benchmark: Benchmark, baseline: Baseline, loaded: Bank, variant: str) -> Run:
    now, fields = timezone.now(), summary_fields(summary_of(benchmark, baseline, loaded), benchmark)
    run = Run.objects.create(
        model=model_named(baseline.name),
        bank=bank,
        benchmark=benchmark.name,
        variant=variant,
        origin=Origin.BASELINE,
        driver=Driver.COMMAND,
        status=Status.FINISHED,
        published=True,
        n_items=len(loaded.items),
        n_asks=len(baseline.scores),
        repeats=max(score.repeat for score in baseline.scores),
        settings=dict(baseline.settings),
        manifest=manifest(bank, benchmark, baseline),
        source=SOURCE,
        started_at=now,
        finished_at=now,
        **fields,
    )
    ItemResult.objects.bulk_create(results(run, benchmark, baseline))
    return run


def manifest(bank: ItemBank, benchmark: Benchmark, baseline: Baseline) -> dict[str, Any]:
    return {
        **baseline.settings,
        "source": SOURCE,
        "bank": bank.slug,
        "bank_sha256": bank.sha256,
        "benchmark": benchmark.name,
        "scorer_version": benchmark.scorer_version,
    }


def results(run: Run, benchmark: Benchmark, baseline: Baseline) -> Iterator[ItemResult]:
    """A result an answer; none where a score was computed without one."""
    for row in run.bank.items.all() if baseline.answers else ():
        answer = Answer(FIRST_PART, "official", baseline.answers[row.item_id])
        fields = result_fields(Reading((answer,), complete=True), benchmark, as_item(row))
        yield ItemResult(run=run, item=row, repeat=1, **fields)
