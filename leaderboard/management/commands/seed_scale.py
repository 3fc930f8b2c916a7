"""`manage.py seed_scale`: a field of made-up models of a given size, to measure speed on. Never for a public board."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import islice
from math import isfinite
from typing import Any

import numpy as np
from django.core.management.base import CommandError, CommandParser
from django.db import connection, transaction
from django.utils import timezone

from evaluation.management.base import BaseCommand
from evaluation.models import Access, Item, ItemBank, ItemResult, LanguageModel, Origin, ReferenceScore, Run, Status
from evaluation.statistics.arrays import Floats, as_floats
from leaderboard.pages.storing.rankings import refresh_ready
from leaderboard.standings import refresh_standings

SLUG = "scale"
SEED = 20231211
CHUNK = 50_000
MAKERS = 40
LABELS = ["Amused", "Proud", "Hurt", "Calm"]
REFERENCE = [2.0, 4.0, 6.0, 8.0]
RESULT_COLUMNS = (
    "run_id", "item_id", "repeat", "state", "reading", "answer", "reason", "flags", "score", "attempts", "created_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Size:
    models: int
    runs: int
    items: int


class Command(BaseCommand):
    help = "Fill the database with synthetic models, runs and item scores, all measured and public, on a bank 'scale'."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--models", type=int, default=2000)
        parser.add_argument("--runs", type=int, default=5, help="runs a model")
        parser.add_argument("--items", type=int, default=171)
        parser.add_argument("--yes", action="store_true", help="also where the database holds measured runs")

    def handle(self, *args: Any, models: int, runs: int, items: int, yes: bool, **options: Any) -> None:
        size = Size(models, runs, items)
        check(size, yes=yes)
        started = timezone.now()
        with transaction.atomic():
            seed(size)
        tell_planner()
        seeded = timezone.now()
        refresh_standings()
        refresh_ready()
        refreshed = timezone.now()
        self.stdout.write(
            f"{models} models with {runs} runs of {items} items each: {seconds(started, seeded)} to store, "
            f"{seconds(seeded, refreshed)} to rank."
        )


def check(size: Size, *, yes: bool) -> None:
    """Refuses sizes that make no field, a second seeding, and a database that holds real runs."""
    if min(size.models, size.runs) < 1 or size.items < 2:
        raise CommandError("At least one model, one run and two items are needed.")
    if ItemBank.objects.filter(slug=SLUG).exists():
        raise CommandError("This database is seeded already: it holds a bank named 'scale'.")
    if not yes and Run.objects.filter(origin=Origin.MEASURED).exists():
        raise CommandError(
            "This database holds measured runs. Made-up models would appear beside real ones; "
            "use another DATABASE_URL, or --yes if this is meant."
        )


def seconds(start: datetime, end: datetime) -> str:
    return f"{(end - start).total_seconds():.1f} s"


def seed(size: Size) -> None:
    chance = np.random.default_rng(SEED)
    bank = make_bank(size.items)
    models = make_models(size.models, chance)
    make_references(models, chance)
    scores = item_scores(size, chance)
    runs = make_runs(bank, models, size, scores)
    items = list(Item.objects.filter(bank=bank).order_by("number").values_list("pk", flat=True))
    store_results(result_rows([run.pk for run in runs], items, scores))


def item_scores(size: Size, chance: np.random.Generator) -> Floats:
    """Runs x items on the item scale of 10, spread like those of real models: ability, difficulty, interaction and
    the small scatter of a rerun. One in a hundred was not read."""
    ability = np.repeat(chance.normal(6.6, 1.2, size.models), size.runs)
    taste = np.repeat(chance.normal(0.0, 2.2, (size.models, size.items)), size.runs, axis=0)
    difficulty = chance.normal(0.0, 1.5, size.items)
    rerun = chance.normal(0.0, 0.3, (size.models * size.runs, size.items))
    scores = np.minimum(10.0, ability[:, None] + difficulty + taste + rerun)
    scores[chance.random(scores.shape) < 0.01] = np.nan
    return as_floats(np.round(scores, 4))


def make_bank(n: int) -> ItemBank:
    bank = ItemBank.objects.create(
        slug=SLUG,
        benchmark="eq-bench-v2",
        title="Made-up field",
        version="1",
        sha256=sha256(f"{SLUG} {n}".encode()).hexdigest(),
        source="manage.py seed_scale",
        access=Access.OPEN,
    )
    Item.objects.bulk_create(
        Item(bank=bank, number=at, item_id=str(at), prompt=f"Scene {at}.", labels=LABELS, reference=REFERENCE)
        for at in range(1, n + 1)
    )
    return bank


def make_models(n: int, chance: np.random.Generator) -> list[LanguageModel]:
    sizes = np.round(10 ** chance.uniform(0, 2.2, n), 1)
    return LanguageModel.objects.bulk_create(
        LanguageModel(
            name=f"maker-{at % MAKERS}/made-up-model-{at:04}",
            slug=f"{SLUG}-{at:04}",
            display_name=f"made-up-model-{at:04}",
            organisation=f"Maker {at % MAKERS}",
            params_billion=float(sizes[at]),
            open_weights=at % 3 != 0,
        )
        for at in range(n)
    )


def make_references(models: Sequence[LanguageModel], chance: np.random.Generator) -> None:
    figures = (("mmlu", 65.0, 10.0, 2), ("arena_elo", 1150.0, 60.0, 3), ("magi_hard", 45.0, 10.0, 2))
    ReferenceScore.objects.bulk_create(
        ReferenceScore(
            model=model,
            benchmark=name,
            value=round(float(chance.normal(mean, sd)), 1),
            source="made up",
            preferred=True,
        )
        for name, mean, sd, every in figures
        for model in models[::every]
    )


def make_runs(bank: ItemBank, models: Sequence[LanguageModel], size: Size, scores: Floats) -> list[Run]:
    """The runs of each model in turn, the newest of the last one ending now."""
    n_scored = (~np.isnan(scores)).sum(axis=1)
    means = 10 * np.nanmean(scores, axis=1)
    errors = 10 * np.nanstd(scores, axis=1, ddof=1) / np.sqrt(n_scored)
    ended = timezone.now()
    return Run.objects.bulk_create(
        Run(
            model=models[at // size.runs],
            bank=bank,
            benchmark=bank.benchmark,
            origin=Origin.MEASURED,
            status=Status.FINISHED,
            published=True,
            score=float(means[at]),
            standard_error=float(errors[at]),
            repeat_scores=[float(means[at])],
            figures={
                "score": {"value": float(means[at]), "error": float(errors[at]), "n": int(n_scored[at])},
                "strict_score": {"value": float(means[at]), "error": None, "n": int(n_scored[at])},
                "strict_share": {"value": float(n_scored[at] / size.items), "error": None, "n": None},
            },
            counted_part="first_pass",
            n_items=size.items,
            n_asks=size.items,
            n_scored=int(n_scored[at]),
            parse_share=float(n_scored[at] / size.items),
            finished_at=ended - timedelta(hours=len(scores) - at),
        )
        for at in range(len(scores))
    )


def result_rows(runs: Sequence[int], items: Sequence[int], scores: Floats) -> Iterator[tuple[Any, ...]]:
    """The results in the order of RESULT_COLUMNS."""
    answer, now = json.dumps(REFERENCE), timezone.now()
    for run_id, row in zip(runs, scores.tolist(), strict=True):
        for item_id, score in zip(items, row, strict=True):
            if isfinite(score):
                yield run_id, item_id, 1, "read", "official", answer, "", "", score, 1, now
            else:
                yield run_id, item_id, 1, "unread", "none", None, "no scores found", "", None, 3, now


def store_results(rows: Iterator[tuple[Any, ...]]) -> None:
    """Writes the rows past the ORM, which would take minutes for millions of them."""
    table, names = ItemResult._meta.db_table, ", ".join(RESULT_COLUMNS)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        marks = ", ".join(["%s"] * len(RESULT_COLUMNS))
        while chunk := list(islice(rows, CHUNK)):
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", chunk)  # noqa: S608


def tell_planner() -> None:
    """Lets the database count what has come, as it would by itself after a while; until then its plans are guesses."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
