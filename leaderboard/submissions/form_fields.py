"""Fields of the form that need more than Django's own: keys, addresses that may hold one, banks, mail addresses."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Count

from evaluation.benchmarks import BENCHMARKS
from evaluation.endpoints.keys import checked_key
from evaluation.models import Access, ItemBank
from leaderboard.rounding import counted
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
    """The banks with the number of their items, which is what a run costs."""

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


def offered_banks() -> Any:
    """The banks that strangers may run: those with a known way of scoring that are not an operator's own."""
    banks = ItemBank.objects.filter(benchmark__in=BENCHMARKS).exclude(access=Access.PRIVATE)
    return banks.annotate(n_items=Count("items")).order_by("pk")
