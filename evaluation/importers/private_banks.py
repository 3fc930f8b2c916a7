"""An operator's own item bank: read like any other of its form, pinned to no hash, and its texts never shown."""

import hashlib
import re
import secrets
from collections.abc import Mapping

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import BankError, Benchmark
from evaluation.importers.banks import BankSource, bank_sources, content_sha256, listed_for, store_bank
from evaluation.models import Access, ItemBank

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
SLUG_LENGTH = 60  # the column's width
HASH_SHOWN = 8


def load_private(benchmark: Benchmark, content: bytes, slug: str = "") -> tuple[ItemBank, bool]:
    """The stored bank of these bytes, and whether it is new. Its texts, labels and references stay in the database.

    Args: `slug` is the bank's public name; empty makes one by chance.

    Raises:
        BankError: a faulty item, a name that is taken or has another form, or a file that is a public bank's. The
            text names items and banks, and quotes nothing of an item.
    """
    sha256 = hashlib.sha256(content).hexdigest()
    known = ItemBank.objects.filter(sha256=sha256).first()
    if known is not None:
        return _same(known, benchmark), False
    source = _checked_source(benchmark, slug, sha256)
    return store_bank(source, benchmark.load({f"{source.slug}.json": content}, None)), True


def load_own(benchmark: Benchmark, content: bytes, slug: str = "") -> tuple[ItemBank, bool]:
    """As `load_private`, for a benchmark that other prompts than the listed ones fit: their access is what the listed
    bank says of such files (`BankSource.own_files`).

    Raises BankError as well where the benchmark takes the listed file alone.
    """
    listed = listed_for(benchmark)
    if listed is None or listed.own_files is None:
        raise BankError(f"{benchmark.bank} takes the listed file alone")
    access = listed.own_files
    bank = benchmark.load({"own.json": content}, None)
    sha256 = hashlib.sha256(content).hexdigest()
    known = ItemBank.objects.filter(sha256=sha256).first()
    if known is not None and known.access == access:
        return known, False
    slug = slug or f"{listed.slug}-{sha256[:HASH_SHOWN]}"
    return store_bank(_checked_source(benchmark, slug, sha256, access), bank), True


def load_private_files(benchmark: Benchmark, files: Mapping[str, bytes], slug: str = "") -> tuple[ItemBank, bool]:
    """As `load_private`, for a benchmark whose bank is made of several files, by file name."""
    bank = benchmark.load(files, None)
    sha256 = content_sha256(bank)
    known = ItemBank.objects.filter(sha256=sha256).first()
    if known is not None:
        return _same(known, benchmark), False
    return store_bank(_checked_source(benchmark, slug, sha256), bank), True


def _checked_source(benchmark: Benchmark, slug: str, sha256: str, access: Access = Access.PRIVATE) -> BankSource:
    # By chance and not from the hash: a guess of the references could be checked by the name.
    slug = slug or f"private-{benchmark.bank}-{secrets.token_hex(HASH_SHOWN // 2)}"
    _check_public(sha256)
    _check_slug(slug)
    return _source(benchmark, slug, sha256, access)


def _same(known: ItemBank, benchmark: Benchmark) -> ItemBank:
    if known.access != Access.PRIVATE:
        raise BankError(f"this file is the public bank {known.slug}")
    if known.benchmark != benchmark.bank:
        raise BankError(f"this file is stored already, as the bank {known.slug} of {known.benchmark}")
    return known


def _check_public(sha256: str) -> None:
    for source in bank_sources().values():
        if source.sha256 == sha256:
            raise BankError(f"this file is the public bank {source.slug}")


def _check_slug(slug: str) -> None:
    """Two hyphens in a row would read as a second scoring rule, and a known name as another ranking's."""
    if not SLUG.fullmatch(slug) or len(slug) > SLUG_LENGTH:
        raise BankError(
            f"the name {slug[:SLUG_LENGTH]} has to be of lower-case letters, digits and single hyphens between them, "
            f"{SLUG_LENGTH} signs at most"
        )
    if slug in bank_sources() or slug in BENCHMARKS or ItemBank.objects.filter(slug=slug).exists():
        raise BankError(f"the name {slug} is taken; a bank never changes, so another file needs another name")


def _source(benchmark: Benchmark, slug: str, sha256: str, access: Access) -> BankSource:
    listed = listed_for(benchmark)
    return BankSource(
        slug=slug,
        family=benchmark.bank,
        title=f"{'Private' if access == Access.PRIVATE else 'Own'} bank {slug}",
        language=listed.language if listed else "en",
        version=sha256[:HASH_SHOWN],
        sha256=sha256,
        licence="not public",
        notice="",
        citation="",
        access=access,
    )
