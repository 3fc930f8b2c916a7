"""The variants of benchmarks in the form: a choice for each benchmark on offer that has more than one."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from django import forms

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import ItemBank
from evaluation.runs.opening import asks_of
from evaluation.runs.summaries import as_item
from leaderboard.rounding import counted
from leaderboard.submissions.offers import Offer
from leaderboard.wording.form_words import says

PREFIX = "variant_"


def variant_fields(offers: Iterable[Offer]) -> dict[str, forms.ChoiceField]:
    """Name of a field -> the choice of a variant, which names what each costs. Two queries a bank, once a process."""
    return {field_of(offer.key): _field(offer) for offer in offers if offer.has_variants}


def field_of(key: str) -> str:
    return f"{PREFIX}{key}"


def chosen(data: Mapping[str, object], offers: Iterable[Offer]) -> dict[str, str]:
    """Key of each chosen benchmark that has variants -> the variant that the form names, else the first."""
    return {
        offer.key: str(data.get(field_of(offer.key)) or offer.benchmark.variants[0])
        for offer in offers
        if offer.has_variants
    }


def variant_of(offer: Offer, variants: Mapping[str, str]) -> str:
    """The variant that was chosen, or the benchmark's first."""
    return variants.get(offer.key) or offer.benchmark.variants[0]


def requests_of(offer: Offer, repeats: int, variant: str) -> int:
    """How many requests a whole run makes, if every reply is read at once."""
    return _requests_of(offer.bank.pk, offer.bank.sha256, offer.benchmark.name, repeats, variant)


@lru_cache(maxsize=64)
def _requests_of(bank_id: int, _sha256: str, benchmark: str, repeats: int, variant: str) -> int:
    """A bank never changes: its items are read once."""
    items = [as_item(row) for row in ItemBank.objects.get(pk=bank_id).items.order_by("number")]
    return asks_of(BENCHMARKS[benchmark], items, repeats, variant)


def _field(offer: Offer) -> forms.ChoiceField:
    names = offer.benchmark.variants
    return forms.ChoiceField(
        label=f"Plan of {offer.title}",
        required=False,
        choices=[(name, f"{name.capitalize()}: {counted(requests_of(offer, 1, name), 'request')}") for name in names],
        initial=names[0],
        error_messages=says("Choose one of the plans."),
        help_text="If you chose it above. Each plan has its own ranking, and “Repeats” is not used.",
    )
