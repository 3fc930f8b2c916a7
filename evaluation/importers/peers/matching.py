"""Which loaded bank a peer's samples are of, and which item each is: by the prompts' texts, never by their order."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Ask, Benchmark, Item, Options
from evaluation.benchmarks.eqbench_prompt import REVISION
from evaluation.command_line import command_line
from evaluation.importers.banks import bank_sources
from evaluation.importers.eqbench_runs import Bank, bank_with
from evaluation.importers.peers.files import PeerRun, PeerSample
from evaluation.importers.refusals import FileError, Refusal
from evaluation.models import ItemBank

BENCHMARK = "eq-bench-v2"
"""Both peers ask the English questions of v2 and score them on the full scale."""

TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Matched:
    """A run's bank, and the item of each sample in the samples' order."""

    bank: Bank
    items: tuple[Item, ...]


MaySee = Callable[[ItemBank], bool]
"""Whether whoever imports may see a bank. One that they may not see is as if it were not loaded: what is said of files
would tell its prompts, and guess by guess its references."""


def everything(bank: ItemBank) -> bool:
    """For commands: whoever runs one can read the database."""
    return True


def matched(run: PeerRun, may_see: MaySee = everything) -> Matched:
    """The bank that has all prompts of the run, of several the smallest public one, with the item of each sample.

    Raises:
        FileError: no loaded bank has them, a sample is not of the bank that has the others, an item stands twice in
            one repeat, or a reference is not the bank's.
    """
    benchmark = BENCHMARKS[BENCHMARK]
    rows = filter(may_see, ItemBank.objects.filter(benchmark=benchmark.bank))
    banks = [bank_with(row, benchmark) for row in rows]
    bank, items = _best(run.samples, sorted(banks, key=_order))
    _check_once(run.samples, items)
    for sample, item in zip(run.samples, items, strict=True):
        _check_reference(sample, item, bank)
    return Matched(bank, items)


def _order(bank: Bank) -> tuple[bool, int, str]:
    return not bank.row.shows_items, len(bank.items), bank.row.slug


def _best(samples: Sequence[PeerSample], banks: Sequence[Bank]) -> tuple[Bank, tuple[Item, ...]]:
    hashes = [prompt_hash(sample.prompt) for sample in samples]
    nearest: tuple[int, Bank, Sequence[Item | None]] | None = None
    for bank in banks:
        known = items_by_prompt(bank.items.values(), bank.benchmark)
        found = [known.get(hashed) for hashed in hashes]
        items = tuple(item for item in found if item is not None)
        if len(items) == len(samples):
            return bank, items
        if items and (nearest is None or len(items) > nearest[0]):
            nearest = len(items), bank, found
    if nearest is None:
        raise FileError(_not_loaded(banks), Refusal.BANK_NOT_LOADED)
    raise FileError(_foreign(samples, nearest[2], nearest[1]), Refusal.EDITED_DATA)


def items_by_prompt(items: Iterable[Item], benchmark: Benchmark) -> Mapping[str, Item]:
    """Hash of a prompt -> item, for both forms in which a prompt is sent: with the revision part and without."""
    known: dict[str, Item] = {}
    for item in items:
        for switched in (frozenset[str](), frozenset((REVISION,))):
            (message,) = benchmark.prompt(Ask(item, 1, 1, 0), Options(switched=switched)).messages
            known.setdefault(prompt_hash(message.content), item)
    return known


def prompt_hash(prompt: str) -> str:
    """Of the prompt's words alone, since peers trim and join white space in their own ways."""
    return sha256(" ".join(prompt.split()).encode("utf-8", "replace")).hexdigest()


def _not_loaded(banks: Sequence[Bank]) -> str:
    loaded = {bank.row.slug for bank in banks}
    listed = [source.slug for source in bank_sources().values() if source.family == BENCHMARK]
    commands = [command_line("load_bank", slug) for slug in listed if slug not in loaded]
    advice = (
        f"Load the bank first: {' or '.join(commands)}" if commands else "Is it a bank of your own? Load that first"
    )
    own = "" if commands else f": {command_line('load_bank', BENCHMARK, '--private', 'FILE')}"
    held = f"of the loaded item banks ({', '.join(sorted(loaded))}) none" if loaded else "no loaded item bank"
    return f"{held} holds any of the prompts. {advice}{own}"


def _foreign(samples: Sequence[PeerSample], found: Sequence[Item | None], bank: Bank) -> str:
    foreign = [sample.place for sample, item in zip(samples, found, strict=True) if item is None]
    more = f" (and of {len(foreign) - 1} more)" if len(foreign) > 1 else ""
    return (
        f"{foreign[0]}: the prompt{more} is none of the item bank {bank.row.slug}, which holds the other samples. "
        "Was the data set edited? Import samples of the bank as it stands"
    )


def _check_once(samples: Sequence[PeerSample], items: Sequence[Item]) -> None:
    places: dict[tuple[str, int], str] = {}
    for sample, item in zip(samples, items, strict=True):
        first = places.setdefault((item.id, sample.repeat), sample.place)
        if first != sample.place:
            raise FileError(f"{sample.place}: item {item.id} stands in {first} already", Refusal.DOUBLED_LINE)


def _check_reference(sample: PeerSample, item: Item, bank: Bank) -> None:
    own = dict(zip(item.labels, item.reference, strict=True))
    given = own if sample.reference is None else sample.reference
    if given.keys() != own.keys() or any(abs(given[label] - own[label]) > TOLERANCE for label in own):
        raise FileError(
            f"{sample.place}: reference_answer_fullscale is not the reference of item {item.id} in {bank.row.slug}, "
            "so the scores of the two cannot be compared",
            Refusal.EDITED_DATA,
        )
