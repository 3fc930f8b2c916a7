"""Loads an item bank: a listed one from its public home, a copy of that file, or an operator's own private file."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import BankError, Benchmark
from evaluation.command_line import command_line
from evaluation.importers.banks import BankSource, bank_sources, checked_bank, correct_facts, store_bank, stored_bank
from evaluation.importers.fetching import FetchError, content_of
from evaluation.importers.private_banks import load_private
from evaluation.management.base import BaseCommand
from evaluation.models import ItemBank


class Command(BaseCommand):
    help = "Load the item bank of a benchmark. All or nothing; loading again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        further = ", ".join(sorted(set(bank_sources()) - set(BENCHMARKS)))
        parser.add_argument(
            "benchmark", metavar="BENCHMARK", help=f"one of {', '.join(BENCHMARKS)}; or a further bank: {further}"
        )
        parser.add_argument(
            "--from", dest="location", metavar="PATH_OR_URL", help="a copy of the file instead of its public home"
        )
        parser.add_argument(
            "--private", metavar="FILE", help="your own file in the benchmark's form; its texts are never shown"
        )
        parser.add_argument("--slug", default="", help="name of a private bank (default: made from the file's hash)")

    def handle(
        self, *args: Any, benchmark: str, location: str | None, private: str | None, slug: str, **options: Any
    ) -> None:
        if private is None and slug:
            raise CommandError("--slug names a private bank; give --private FILE with it.")
        if private is not None and location is not None:
            raise CommandError("Give either --from, for the listed file, or --private, for your own.")
        bank, new = _listed(benchmark, location) if private is None else _private(benchmark, private, slug)
        sentence = f"{bank.title} ({bank.items.count()} items, SHA-256 {bank.sha256[:12]}) is loaded"
        self.stdout.write(f"{sentence}." if new else f"Nothing to do: {sentence} already.")
        if not bank.shows_items and new:
            words = ("evaluate", "--bank", bank.slug, "--model", "NAME", "--base-url", "ADDRESS")
            self.stdout.write(f"Its texts are never shown. Evaluate a model on it by: {command_line(*words)}")


def _listed(name: str, location: str | None) -> tuple[ItemBank, bool]:
    scorer, source = _known(name)
    already = stored_bank(source)
    if location or already is None:
        return _load(scorer, source, location or source.location), already is None
    return already, correct_facts(already, source)


def _known(name: str) -> tuple[Benchmark, BankSource]:
    """The scorer and the source of a benchmark's own bank, or of a further bank of its family."""
    benchmark = BENCHMARKS.get(name)
    source = bank_sources().get(benchmark.bank if benchmark else name)
    if benchmark is None and source is None:
        further = sorted(set(bank_sources()) - set(BENCHMARKS))
        raise CommandError(f"There is no benchmark {name}. Known: {', '.join([*BENCHMARKS, *further])}.")
    if source is None:
        raise CommandError(f"No item bank is listed for {name}.")
    return benchmark or BENCHMARKS[source.family], source


def _load(benchmark: Benchmark, source: BankSource, location: str) -> ItemBank:
    try:
        return store_bank(source, checked_bank(benchmark, source, content_of(location)))
    except FetchError as error:
        raise CommandError(f"{error}. Give a copy of the file with --from PATH_OR_URL.") from error
    except BankError as error:
        raise CommandError(f"{location} is refused: {error}. Nothing was loaded.") from error


def _private(name: str, path: str, slug: str) -> tuple[ItemBank, bool]:
    benchmark = BENCHMARKS.get(name)
    if benchmark is None:
        raise CommandError(f"There is no benchmark {name}. Known: {', '.join(BENCHMARKS)}.")
    try:
        return load_private(benchmark, content_of(path), slug)
    except FetchError as error:
        raise CommandError(f"{error}. Nothing was loaded.") from error
    except BankError as error:
        raise CommandError(f"{path} is refused: {error}. Nothing was loaded.") from error
