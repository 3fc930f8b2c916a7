"""Item banks: which files are known, and how one is checked and stored. A bank never changes once it is stored."""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from django.db import transaction

from evaluation import models
from evaluation.benchmarks.base import Bank, BankError, Benchmark, Item, JsonValue
from evaluation.runs.summaries import NORMS
from evaluation.states import Access

DATA_FOLDER = Path(__file__).resolve().parent.parent / "data"


@dataclass(frozen=True, slots=True)
class BankSource:
    """Where a bank's file lives and what it must be. `notice` is the licence's text, shown wherever texts are shown.

    A listed bank has a `url`, a `path` inside our data folder, or `files` in a folder of the operator's and the `home`
    of their makers, and then its hash is that of its content (`content_sha256`). `family` names the benchmarks that
    score it. `n_items` None takes as many items as the file holds. `own_files` is the access of another file of this
    form that an operator has; None where no other is taken. `facts` is what the makers say of the bank: who
    wrote and rated it, and how far the ratings agree. `ratings` is the file in our data folder that holds both
    readings, "" where there is none.
    """

    slug: str
    family: str
    title: str
    language: str
    version: str
    sha256: str
    licence: str
    notice: str
    citation: str
    access: Access
    url: str = ""
    path: str = ""
    files: tuple[str, ...] = ()
    home: str = ""
    n_items: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    ratings: str = ""
    own_files: Access | None = None

    @property
    def location(self) -> str:
        return self.url or (str(DATA_FOLDER / self.path) if self.path else "")

    @property
    def public_source(self) -> str:
        """Where a reader finds the file: an address, or its path in our repository. Empty for a private bank."""
        return self.url or self.home or (f"evaluation/data/{self.path}" if self.path else "")


class HashError(BankError):
    """A readable question file that is not the listed one."""


@cache
def bank_sources() -> dict[str, BankSource]:
    """Bank name -> source, from data/banks.toml."""
    entries = tomllib.loads((DATA_FOLDER / "banks.toml").read_text(encoding="utf-8"))
    return {slug: _source(slug, entry) for slug, entry in entries.items()}


def listed_for(benchmark: Benchmark) -> BankSource | None:
    """The benchmark's own bank: that of its family's name, else the first listed one of the family."""
    sources = bank_sources()
    return sources.get(benchmark.bank) or next(
        (source for source in sources.values() if source.family == benchmark.bank), None
    )


def _source(slug: str, entry: dict[str, Any]) -> BankSource:
    notice = (DATA_FOLDER / entry["notice"]).read_text(encoding="utf-8")
    facts = _facts(entry["facts"]) if "facts" in entry else {}
    ratings, files = entry.get("facts", ""), tuple(entry.get("files", ()))
    own = {"access": Access(entry["access"]), "notice": notice, "facts": facts, "ratings": ratings, "files": files}
    if "own_files" in entry:
        own["own_files"] = Access(entry["own_files"])
    return BankSource(slug=slug, **{"family": slug, **entry, **own})


def _facts(path: str) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((DATA_FOLDER / path).read_text(encoding="utf-8"))["facts"]
    return facts


def second_reading(bank: models.ItemBank) -> dict[str, tuple[float, ...]]:
    """Item id -> how a second reader rated its labels, in their order; {} for a bank without such ratings."""
    source = bank_sources().get(bank.slug)
    if source is None or not source.ratings or source.sha256 != bank.sha256:
        return {}
    items = json.loads((DATA_FOLDER / source.ratings).read_text(encoding="utf-8"))["items"]
    return {
        item_id: tuple(float(emotion["second_reading"]) for emotion in entry["emotions"])
        for item_id, entry in items.items()
    }


def checked_bank(benchmark: Benchmark, source: BankSource, content: bytes) -> Bank:
    """The bank in a file that is readable and is the listed one, in this order: the reader learns of a faulty item
    even where the hash would have told only that something differs.

    Raises:
        BankError: an item is faulty; the text names it.
        HashError: all items are sound, but this is not the listed file.
    """
    bank = benchmark.load({f"{source.slug}.json": content}, source.n_items)
    found = hashlib.sha256(content).hexdigest()
    if found != source.sha256:
        raise HashError(f"its SHA-256 is {found}, and the one listed for {source.slug} is {source.sha256}")
    return bank


def checked_files(benchmark: Benchmark, source: BankSource, files: Mapping[str, bytes]) -> Bank:
    """As `checked_bank`, for a bank that is made of several files.

    Raises:
        BankError: a file is missing, or an item is faulty; the text names it.
        HashError: all items are sound, but their content is not that of the listed bank.
    """
    bank = benchmark.load(files, source.n_items)
    found = content_sha256(bank)
    if found != source.sha256:
        raise HashError(
            f"the SHA-256 of its content is {found}, and the one listed for {source.slug} is {source.sha256}"
        )
    return bank


def content_sha256(bank: Bank) -> str:
    """The hash of all that is taken from a bank's files. It does not change with their layout or with their notes."""
    items = [
        [item.id, item.prompt, list(item.labels), list(item.reference), dict(item.extra), item.group]
        for item in bank.items
    ]
    content = json.dumps([items, bank.norms], ensure_ascii=False, allow_nan=False, sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def stored_bank(source: BankSource) -> models.ItemBank | None:
    return models.ItemBank.objects.filter(slug=source.slug, sha256=source.sha256).first()


def correct_facts(bank: models.ItemBank, source: BankSource) -> bool:
    """Whether the bank's title or facts differed from what its makers say today; they may be corrected without a new
    bank."""
    facts = _all_facts(source, bank.facts.get(NORMS))
    if (bank.title, bank.facts) == (source.title, facts):
        return False
    bank.title, bank.facts = source.title, facts
    bank.save(update_fields=["title", "facts"])
    return True


def _all_facts(source: BankSource, norms: JsonValue) -> dict[str, Any]:
    return {**source.facts, **({} if norms is None else {NORMS: norms})}


@transaction.atomic
def store_bank(source: BankSource, loaded: Bank) -> models.ItemBank:
    """The bank with all its items and norms; the one that is there if it was stored before.

    Raises:
        BankError: texts of the bank are shown, but not those of all its items: no page could keep them apart yet.
    """
    if source.access == Access.OPEN and not all(item.public for item in loaded.items):
        raise BankError("some of its items are not public, so the bank cannot be open")
    bank, created = models.ItemBank.objects.get_or_create(
        slug=source.slug,
        sha256=source.sha256,
        defaults={
            "benchmark": source.family,
            "title": source.title,
            "language": source.language,
            "version": source.version,
            "source": source.public_source,
            "licence": source.licence,
            "citation": source.citation,
            "access": source.access,
            "facts": _all_facts(source, loaded.norms),
        },
    )
    if created:
        models.Item.objects.bulk_create(_row(bank, number, item) for number, item in enumerate(loaded.items, 1))
    return bank


def _row(bank: models.ItemBank, number: int, item: Item) -> models.Item:
    return models.Item(
        bank=bank,
        number=number,
        item_id=item.id,
        prompt=item.prompt,
        labels=list(item.labels),
        reference=list(item.reference),
        extra=dict(item.extra),
        group=item.group,
    )
