"""The question file of a bank that ships with the site, as others load it. No query in here."""

from pathlib import Path

from evaluation.importers.banks import DATA_FOLDER, bank_sources
from evaluation.models import ItemBank


def shipped_file(bank: ItemBank) -> Path | None:
    """The file that the bank was loaded from: it has the bank's hash. None where it is not ours to hand out, or where
    the bank's texts are not shown."""
    source = bank_sources().get(bank.slug)
    if source is None or not source.path or source.sha256 != bank.sha256 or not bank.shows_texts:
        return None
    return DATA_FOLDER / source.path
