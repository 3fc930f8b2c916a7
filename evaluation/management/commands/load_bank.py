"""Loads the item bank of a benchmark from its public home, or from a copy of that file."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import BankError, Benchmark
from evaluation.importers.banks import BankSource, bank_sources, checked_items, store_bank, stored_bank
from evaluation.importers.fetching import FetchError, content_of
from evaluation.models import ItemBank


class Command(BaseCommand):
    help = "Load the item bank of a benchmark. All or nothing; loading again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("benchmark", metavar="BENCHMARK", help=f"one of {', '.join(BENCHMARKS)}")
        parser.add_argument(
            "--from", dest="location", metavar="PATH_OR_URL", help="a copy of the file instead of its public home"
        )

    def handle(self, *args: Any, benchmark: str, location: str | None, **options: Any) -> None:
        scorer, source = _known(benchmark)
        already = stored_bank(source)
        bank = _load(scorer, source, location or source.url) if location or already is None else already
        sentence = f"{bank.title} ({bank.items.count()} items, SHA-256 {bank.sha256[:12]}) is loaded"
        self.stdout.write(f"Nothing to do: {sentence} already." if already else f"{sentence}.")


def _known(name: str) -> tuple[Benchmark, BankSource]:
    benchmark = BENCHMARKS.get(name)
    if benchmark is None:
        raise CommandError(f"There is no benchmark {name}. Known: {', '.join(BENCHMARKS)}.")
    source = bank_sources().get(benchmark.bank)
    if source is None:
        raise CommandError(f"No item bank is listed for {name}.")
    return benchmark, source


def _load(benchmark: Benchmark, source: BankSource, location: str) -> ItemBank:
    try:
        return store_bank(source, checked_items(benchmark, source, content_of(location)))
    except FetchError as error:
        raise CommandError(f"{error}. Give a copy of the file with --from PATH_OR_URL.") from error
    except BankError as error:
        raise CommandError(f"{location} is refused: {error}. Nothing was loaded.") from error
