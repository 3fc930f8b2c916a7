"""Loads an item bank: a listed one from its public home, a copy of that file, or an operator's own private file."""

import hashlib
from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandError, CommandParser

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import BankError, Benchmark
from evaluation.command_line import command_line
from evaluation.importers.banks import (
    BankSource,
    bank_sources,
    checked_bank,
    checked_files,
    correct_facts,
    listed_for,
    store_bank,
    stored_bank,
)
from evaluation.importers.fetching import FetchError, content_of, folder_contents
from evaluation.importers.private_banks import load_own, load_private, load_private_files
from evaluation.management.base import BaseCommand
from evaluation.models import ItemBank

DEFAULT_BENCHMARK = "eq-bench-v2"


class Command(BaseCommand):
    help = "Load the item bank of a benchmark. All or nothing; loading again changes nothing."

    def __init__(self, *args: Any, sources: Mapping[str, BankSource] | None = None, **options: Any) -> None:
        """`sources` are the listed banks; those that are shipped where None."""
        super().__init__(*args, **options)
        self.sources = bank_sources() if sources is None else sources

    def add_arguments(self, parser: CommandParser) -> None:
        further = ", ".join(sorted(set(self.sources) - set(BENCHMARKS)))
        parser.add_argument(
            "benchmark", metavar="BENCHMARK", help=f"one of {', '.join(BENCHMARKS)}; or a further bank: {further}"
        )
        parser.add_argument(
            "--from",
            dest="location",
            metavar="PATH_OR_URL",
            help="a copy of the file instead of its public home, or the folder of the files where there are several; "
            "for empathy also a file of your own prompts",
        )
        parser.add_argument(
            "--private",
            metavar="FILE",
            help="your own file, or folder of files, in the benchmark's form; its texts are never shown",
        )
        parser.add_argument("--slug", default="", help="name of a bank of your own (default: one that says nothing)")

    def handle(
        self, *args: Any, benchmark: str, location: str | None, private: str | None, slug: str, **options: Any
    ) -> None:
        if private is None and slug and location is None:
            raise CommandError("--slug names a private bank; give --private FILE with it.")
        if private is not None and location is not None:
            raise CommandError("Give either --from, for the listed file, or --private, for your own.")
        bank, new = self._stored(benchmark, location, private, slug)
        sentence = f"{bank.title} ({bank.items.count()} items, SHA-256 {bank.sha256[:12]}) is loaded"
        self.stdout.write(f"{sentence}." if new else f"Nothing to do: {sentence} already.")
        if not bank.shows_items and new:
            # The command's own default is another benchmark.
            own = () if bank.benchmark == DEFAULT_BENCHMARK else ("--benchmark", bank.benchmark)
            words = ("evaluate", *own, "--bank", bank.slug, "--model", "NAME", "--base-url", "ADDRESS")
            self.stdout.write(f"Its texts are never shown. Evaluate a model on it with: {command_line(*words)}")

    def _stored(self, name: str, location: str | None, private: str | None, slug: str) -> tuple[ItemBank, bool]:
        if private is None:
            return _listed(self.sources, name, location, slug)
        return _private(self.sources, name, private, slug)


Sources = Mapping[str, BankSource]


def _listed(sources: Sources, name: str, location: str | None, slug: str) -> tuple[ItemBank, bool]:
    scorer, source = _known(sources, name)
    if slug and source.own_files is None:
        raise CommandError("--slug names a private bank; give --private FILE with it.")
    already = stored_bank(source)
    if location or already is None:
        bank, new = _load(scorer, source, location or source.location, slug)
        return bank, new and (bank.slug != source.slug or already is None)
    return already, correct_facts(already, source)


def _known(sources: Sources, name: str) -> tuple[Benchmark, BankSource]:
    """The scorer and the source of a benchmark's own bank, or of a further bank of its family."""
    benchmark = BENCHMARKS.get(name)
    source = sources.get(benchmark.bank if benchmark else name) or (listed_for(benchmark) if benchmark else None)
    if benchmark is None and source is None:
        further = sorted(set(sources) - set(BENCHMARKS))
        raise CommandError(f"There is no benchmark {name}. Known: {', '.join([*BENCHMARKS, *further])}.")
    if source is None:
        raise CommandError(f"No item bank is listed for {name}.")
    return benchmark or BENCHMARKS[source.family], source


def _load(benchmark: Benchmark, source: BankSource, location: str, slug: str) -> tuple[ItemBank, bool]:
    """The bank, and whether the file may have been new."""
    try:
        if source.files:
            return store_bank(source, checked_files(benchmark, source, _files(source, location))), True
        content = content_of(location)
        if source.own_files is not None and hashlib.sha256(content).hexdigest() != source.sha256:
            return load_own(benchmark, content, slug)
        return store_bank(source, checked_bank(benchmark, source, content)), True
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
        raise FetchError(
            f"{source.title} may not be handed on, so it has no public address in a form that can be loaded here"
        )
    return folder_contents(location, source.files)


def _private(sources: Sources, name: str, path: str, slug: str) -> tuple[ItemBank, bool]:
    known = sources.get(name)
    if name not in BENCHMARKS and (known is None or known.own_files is None):
        raise CommandError(f"There is no benchmark {name}. Known: {', '.join(BENCHMARKS)}.")
    benchmark, source = _known(sources, name)
    try:
        if source.files:
            return load_private_files(benchmark, folder_contents(path, source.files), slug)
        return load_private(benchmark, content_of(path), slug)
    except FetchError as error:
        raise CommandError(f"{error}. Nothing was loaded.") from error
    except BankError as error:
        raise CommandError(f"{path} is refused: {error}. Nothing was loaded.") from error
