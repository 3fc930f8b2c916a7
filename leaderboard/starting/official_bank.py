"""The official item bank on a fresh board: tried once per start for a few seconds, and never in the board's way."""

from io import StringIO
from threading import Thread

from django.core.management import call_command

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import BankError
from evaluation.command_line import command_line
from evaluation.importers.banks import BankSource, bank_sources, checked_bank, store_bank, stored_bank
from evaluation.importers.fetching import FetchError, content_of

BENCHMARK = "eq-bench-v2"
TRY_SECONDS = 5.0
FETCHING = "fetching the official bank"


def try_official_bank(seconds: float = TRY_SECONDS) -> str:
    """Loads the bank and its baselines if its public address gives it in that time; a sentence for the operator,
    empty where the bank is loaded already.
    """
    source = bank_sources()[BENCHMARK]
    if stored_bank(source):
        return ""
    content = fetched(source.location, seconds)
    if content is None:
        return (
            f"The official item bank is not loaded: its public address did not give it within {seconds:.0f} s. {how()}"
        )
    return loaded(source, content)


def how() -> str:
    return f"Load it with: {command_line('load_bank', BENCHMARK)} (or, from a copy of its file, with --from FILE)"


def fetched(location: str, seconds: float) -> bytes | None:
    """The bytes at that address; None if they did not come in time. A look-up of a name cannot be broken off, so it is
    left to a thread that nobody waits for.
    """
    found: list[bytes] = []
    thread = Thread(target=_fetch, args=(location, found), name=FETCHING, daemon=True)
    thread.start()
    thread.join(seconds)
    return found[0] if found else None


def _fetch(location: str, found: list[bytes]) -> None:
    try:
        found.append(content_of(location))
    except FetchError:
        return


def loaded(source: BankSource, content: bytes) -> str:
    """Stores the bank of that file, with its baselines, and says so; or says why it is refused."""
    try:
        bank = store_bank(source, checked_bank(BENCHMARKS[BENCHMARK], source, content))
    except BankError as error:
        return f"The official item bank is not loaded: {error}. {how()}"
    call_command("load_baselines", bank.slug, stdout=StringIO())
    return f"The official item bank is loaded: {bank.title}, {bank.items.count()} items."
