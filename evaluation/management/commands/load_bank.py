"""Loads an item bank: a listed one from its public home, a copy of that file, or an operator's own private file."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from evaluation.benchmarks import KNOWN, WITHOUT_RUNS
from evaluation.benchmarks.base import BankError, Benchmark
from evaluation.command_line import command_line
from evaluation.importers.banks import (
    BankSource,
    bank_sources,
    checked_bank,
    checked_files,
    correct_facts,
    store_bank,
    stored_bank,
)
from evaluation.importers.fetching import FetchError, content_of, folder_contents
from evaluation.importers.private_banks import load_private, load_private_files
from evaluation.management.base import BaseCommand
from evaluation.models import ItemBank


class Command(BaseCommand):
    help = "Load the item bank of a benchmark. All or nothing; loading again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        further = ", ".join(sorted(set(bank_sources()) - set(KNOWN)))
        parser.add_argument(
            "benchmark", metavar="BENCHMARK", help=f"one of {', '.join(KNOWN)}; or a further bank: {further}"
        )
        parser.add_argument(
            "--from",
            dest="location",
            metavar="PATH_OR_URL",
            help="a copy of the file instead of its public home, or the folder of the files where there are several",
        )
        parser.add_argument(
            "--private",
            metavar="FILE",
            help="your own file, or folder of files, in the benchmark's form; its texts are never shown",
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
        if not bank.shows_items and new and bank.benchmark not in WITHOUT_RUNS:
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
    benchmark = KNOWN.get(name)
    source = bank_sources().get(benchmark.bank if benchmark else name)
    if benchmark is None and source is None:
        further = sorted(set(bank_sources()) - set(KNOWN))
        raise CommandError(f"There is no benchmark {name}. Known: {', '.join([*KNOWN, *further])}.")
    if source is None:
        raise CommandError(f"No item bank is listed for {name}.")
    return benchmark or KNOWN[source.family], source


def _load(benchmark: Benchmark, source: BankSource, location: str) -> ItemBank:
    try:
        if source.files:
            return store_bank(source, checked_files(benchmark, source, _files(source, location)))
        return store_bank(source, checked_bank(benchmark, source, content_of(location)))
    except FetchError as error:
        form = (
            "the folder of the files with --from FOLDER"
            if source.files
            else "a copy of the file with --from PATH_OR_URL"
        )
        raise CommandError(f"{error}. Give {form}.") from error
    except BankError as error:
        raise CommandError(f"{location} is refused: {error}. Nothing was loaded.") from error


def _files(source: BankSource, location: str) -> dict[str, bytes]:
    if not location:
        raise FetchError(f"{source.title} may not be handed on, so it has no public home in the form that is read here")
    return folder_contents(location, source.files)


def _private(name: str, path: str, slug: str) -> tuple[ItemBank, bool]:
    if name not in KNOWN:
        raise CommandError(f"There is no benchmark {name}. Known: {', '.join(KNOWN)}.")
    try:
        source = bank_sources()[KNOWN[name].bank]
        if source.files:
            return load_private_files(KNOWN[name], folder_contents(path, source.files), slug)
        return load_private(KNOWN[name], content_of(path), slug)
    except FetchError as error:
        raise CommandError(f"{error}. Nothing was loaded.") from error
    except BankError as error:
        raise CommandError(f"{path} is refused: {error}. Nothing was loaded.") from error
