"""Loads published figures: models, EQ-Bench and MAGI-Hard scores, and other benchmarks, with their sources."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from evaluation.importers.published import SHIPPED_FOLDER
from evaluation.importers.published_rows import LoadCounts, coverage, store_published
from evaluation.importers.published_tables import read_all
from evaluation.importers.tables import TableError
from evaluation.management.base import BaseCommand
from evaluation.runs.announcing import announce_here


class Command(BaseCommand):
    help = "Load published figures with their sources. All or nothing; loading again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--from",
            dest="folder",
            type=Path,
            default=SHIPPED_FOLDER,
            help="folder with eqbench_v2.csv and reference_benchmarks.csv (default: the tables shipped with the code)",
        )

    def handle(self, *args: Any, folder: Path, **options: Any) -> None:
        try:
            counts = store_published(read_all(folder))
        except TableError as error:
            raise CommandError(f"{error}. Nothing was loaded.") from error
        announce_here()
        self.stdout.write(_counts_sentence(counts))
        self.stdout.write(_coverage_sentence())


def _counts_sentence(counts: LoadCounts) -> str:
    if not any(counts):
        return "Nothing to do: all figures are loaded already."
    return (
        f"Models: {counts.models_new} new, {counts.models_changed} changed. "
        f"Figures: {counts.figures_new} new, {counts.figures_changed} changed."
    )


def _coverage_sentence() -> str:
    covered = coverage()
    return (
        f"{covered.eqbench_v2} models have an EQ-Bench v2 score; of these {covered.mmlu} have MMLU, "
        f"{covered.arena_elo} Arena Elo, {covered.magi_hard} MAGI-Hard."
    )
