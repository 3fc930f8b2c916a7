"""Fields of the form that need more than Django's own: keys, addresses that may hold one, banks, mail addresses."""

import re
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from evaluation.benchmarks import BENCHMARKS
from evaluation.endpoints.keys import checked_key
from evaluation.models import ItemBank
from evaluation.runs.opening import why_no_system_prompt
from leaderboard.rounding import count, counted
from leaderboard.submissions.offers import Offer, own_offer
from leaderboard.wording.form_words import says

LONGEST_MAIL_ADDRESS = 254
USER_OF_ADDRESS = re.compile(r"^(\s*(?:[^/?#@]*://)?)[^/?#]*@")


class KeyField(forms.CharField):
    """A key: never rendered back, free of what would break a header or show it in an error."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.PasswordInput(render_value=False, attrs={"autocomplete": "off", "spellcheck": "false"})
        super().__init__(widget=widget, strip=False, max_length=None, **kwargs)

    def clean(self, value: Any) -> str:
        try:
            key = checked_key(value or "")
        except ValueError as error:
            raise ValidationError(str(error)) from None
        if self.required and not key:
            raise ValidationError("Enter the key.")
        return key


class AddressInput(forms.TextInput):
    """An address, shown again after an error without a user name and password: the second may be a key."""

    def format_value(self, value: Any) -> str | None:
        return USER_OF_ADDRESS.sub(r"\1", str(value or "")) or None


class BanksField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # as in the admin: none at run time
    """The banks with the number of their items, which is what a run costs unless it has variants."""

    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.title}, {counted(obj.n_items, 'item')}"


class ContactField(forms.EmailField):
    """A mail address no longer than its column; what is wrong with it is told by whether it has an @."""

    def __init__(self, **kwargs: Any) -> None:
        words = says("Mail cannot reach this address. Write it like team@example.org.", most=LONGEST_MAIL_ADDRESS)
        super().__init__(max_length=LONGEST_MAIL_ADDRESS, error_messages=words, **kwargs)

    def run_validators(self, value: Any) -> None:
        if value and "@" not in value:
            raise ValidationError("This address has no @. Write it like team@example.org.")
        super().run_validators(value)


def first_ticked(banks: Sequence[ItemBank]) -> str:
    """The slug of the bank that is ticked at first: that of the first benchmark of all where it is loaded."""
    slugs = [bank.slug for bank in banks]
    first = next(iter(BENCHMARKS.values())).bank
    return first if first in slugs else next(iter(slugs), "")


def common_limit(offers: Sequence[Offer]) -> int | None:
    """The limit that all share; None where they have several, which an empty field then stands for."""
    limits = {offer.max_tokens for offer in offers}
    return limits.pop() if len(limits) == 1 else None


def limits_in_words(offers: Sequence[Offer]) -> str:
    """The limits of the banks' own benchmarks, and of others where they differ from these."""
    limits = {offer.max_tokens for offer in offers}
    if len(limits) == 1:
        return f"The official limit is {count(limits.pop())}. Reasoning models need thousands."
    named = [offer for offer in offers if offer.is_own or offer.max_tokens != own_offer(offer.bank).max_tokens]
    each = "; ".join(f"{count(offer.max_tokens)} for {offer.title}" for offer in named)
    own = f"Leave it empty for each benchmark’s own limit: {each}. " if each else ""
    return f"{own}Reasoning models need thousands."


def ways_field(offers: Sequence[Offer]) -> forms.MultipleChoiceField:
    """The benchmarks that ask or score the items of a bank otherwise than its own does."""
    others = [offer for offer in offers if not offer.is_own]
    return forms.MultipleChoiceField(
        label="With another prompt or rule",
        required=False,
        choices=[(offer.key, offer.title) for offer in others],
        widget=forms.CheckboxSelectMultiple,
        error_messages=says("Choose from the list."),
        help_text="Each is a run of its own with a ranking of its own, and asks as many questions as the benchmark it "
        "belongs to.",
    )


def system_prompt_refusal(offer: Offer, system_prompt: str) -> str:
    """Why the benchmark takes no such system prompt; "" where it does. One query."""
    return why_no_system_prompt(offer.benchmark, offer.bank, system_prompt)
