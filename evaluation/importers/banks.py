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
from evaluation.benchmarks.base import Bank, BankError, Benchmark, Item
from evaluation.states import Access
from evaluation.summaries import NORMS

DATA_FOLDER = Path(__file__).resolve().parent.parent / "data"


@dataclass(frozen=True, slots=True)
class BankSource:
    """Where a bank's file lives and what it must be. `notice` is the licence's text, shown wherever texts are shown.

    A listed bank has either a `url` or a `path` inside our data folder. `family` names the benchmarks that score it.
    `n_items` None takes as many items as the file holds. `facts` is what the makers say of the bank: who wrote and
    rated it, and how far the ratings agree. `ratings` is the file in our data folder that holds both readings, "" where
    there is none.
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
    n_items: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    ratings: str = ""

    @property
    def location(self) -> str:
        return self.url or str(DATA_FOLDER / self.path)

    @property
    def public_source(self) -> str:
        """Where a reader finds the file: an address, or its path in our repository. Empty for a private bank."""
        return self.url or (f"evaluation/data/{self.path}" if self.path else "")


class HashError(BankError):
    """A readable question file that is not the listed one."""


@cache
def bank_sources() -> dict[str, BankSource]:
    """Bank name -> source, from data/banks.toml."""
    entries = tomllib.loads((DATA_FOLDER / "banks.toml").read_text(encoding="utf-8"))
    return {slug: _source(slug, entry) for slug, entry in entries.items()}


def _source(slug: str, entry: dict[str, Any]) -> BankSource:
    notice = (DATA_FOLDER / entry["notice"]).read_text(encoding="utf-8")
    facts = _facts(entry["facts"]) if "facts" in entry else {}
    access, ratings = Access(entry["access"]), entry.get("facts", "")
    own = {"access": access, "notice": notice, "facts": facts, "ratings": ratings}
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


def stored_bank(source: BankSource) -> models.ItemBank | None:
    return models.ItemBank.objects.filter(slug=source.slug, sha256=source.sha256).first()


def correct_facts(bank: models.ItemBank, source: BankSource) -> bool:
    """Whether the bank's facts differed from what its makers say today; they may be corrected without a new bank."""
    kept = {name: value for name, value in bank.facts.items() if name == NORMS}
    if bank.facts == {**source.facts, **kept}:
        return False
    bank.facts = {**source.facts, **kept}
    bank.save(update_fields=["facts"])
    return True


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
            "facts": {**source.facts, **({} if loaded.norms is None else {NORMS: loaded.norms})},
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
