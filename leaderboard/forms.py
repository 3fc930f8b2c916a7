"""The form that brings a model, and the one that replaces its key. Each field says why it is asked."""

import json
import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Count
from django.utils import timezone

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import JsonValue
from evaluation.endpoints.guard import check_url
from evaluation.endpoints.keys import checked_key
from evaluation.models import Endpoint, ItemBank
from evaluation.outbound import policy_from_settings
from leaderboard.rounding import counted
from leaderboard.submissions.names import MODEL_ID_LENGTH, SHOWN_LENGTH, checked_model_id, checked_name
from leaderboard.submissions.submitting import Facts, Wanted

MOST_BYTES_OF_EXTRA_BODY = 4096
MOST_DEPTH_OF_EXTRA_BODY = 4
OUR_FIELDS = ("model", "messages", "stream", "n")
MOST_CONCURRENCY = 8
MOST_TOKENS = 32_768
LONGEST_SYSTEM_PROMPT = 4000
LONGEST_KEPT_DAYS = 180
REPEATS = (1, 3, 5)
USER_OF_ADDRESS = re.compile(r"^(\s*(?:[^/?#@]*://)?)[^/?#]*@")
WEIGHTS = {"open": True, "closed": False, "": None}


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


class SubmissionForm(forms.Form):
    """All that a run needs. `remarks` say how the address that is called differs from the one that was typed."""

    use_required_attribute = False  # the server names what is missing, in one place and with the fix
    name = forms.CharField(
        label="Name",
        max_length=MODEL_ID_LENGTH,
        help_text="The Hugging Face id, or the name in the API: readers look for it, and replicates are told by it.",
    )
    organisation = forms.CharField(
        label="Organisation", required=False, max_length=SHOWN_LENGTH, help_text="Who made it, not who serves it."
    )
    params = forms.FloatField(
        label="Parameters, billion",
        required=False,
        min_value=0.001,
        max_value=100_000,
        widget=forms.TextInput(attrs={"inputmode": "decimal"}),
        help_text="For the chart by size.",
    )
    licence = forms.CharField(label="Licence", required=False, max_length=120, help_text="As its page says.")
    weights = forms.ChoiceField(
        label="Weights",
        required=False,
        choices=[("open", "Open: anybody can download them"), ("closed", "Closed"), ("", "Not said")],
        widget=forms.RadioSelect,
        help_text="For the filter on the board.",
    )
    link = forms.URLField(
        label="Link", required=False, assume_scheme="https", max_length=200, help_text="Model card or paper. Optional."
    )
    base_url = forms.CharField(
        label="Base address",
        max_length=2048,
        widget=AddressInput(attrs={"inputmode": "url", "autocomplete": "off", "placeholder": "https://"}),
        help_text="We call only this address, never one that it redirects to.",
    )
    api_model = forms.CharField(
        label="Model name in the API", max_length=200, help_text="Sent as “model” with each request."
    )
    key = KeyField(
        label="Key",
        required=False,
        help_text="If your endpoint wants one. Sealed on entry, opened by the worker alone, erased when the run ends.",
    )
    keep = forms.ChoiceField(
        label="After the run",
        choices=[("erase", "Erase the key"), ("keep", "Keep it sealed for replicates, until a date I choose")],
        widget=forms.RadioSelect,
        help_text="A replicate, which shows the spread, needs the key again.",
    )
    kept_until = forms.DateField(
        label="Keep the key until",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=f"At most {LONGEST_KEPT_DAYS} days from today. Erased on that day, whatever happens.",
    )
    banks = BanksField(
        label="Benchmarks",
        queryset=ItemBank.objects.none(),
        to_field_name="slug",
        widget=forms.CheckboxSelectMultiple,
        help_text="One run each.",
    )
    repeats = forms.TypedChoiceField(
        label="Repeats",
        coerce=int,
        choices=[(n, str(n)) for n in REPEATS],
        help_text="Repeats show the spread; each costs a whole pass.",
    )
    max_tokens = forms.IntegerField(
        label="Most tokens a reply",
        min_value=1,
        max_value=MOST_TOKENS,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
        help_text="60 is official. A model that thinks needs thousands.",
    )
    concurrency = forms.IntegerField(
        label="Requests at once",
        min_value=1,
        max_value=MOST_CONCURRENCY,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
        help_text=f"At most {MOST_CONCURRENCY}. Fewer if your server slows down.",
    )
    system_prompt = forms.CharField(
        label="System prompt",
        required=False,
        max_length=LONGEST_SYSTEM_PROMPT,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Official runs send none. Shown beside the score.",
    )
    extra_body = forms.CharField(
        label="Extra request fields, as JSON",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text="For what your server needs and we do not know. Shown beside the score: put no secret here.",
    )
    contact = forms.EmailField(
        label="Contact e-mail",
        required=False,
        help_text="We write when something is wrong and when the run ends. Never shown, never passed on. Optional.",
    )
    publish_consent = forms.BooleanField(
        label="Publish the score, the replies and the settings under my model’s name",
        required=False,
        help_text="Without this the run cannot be listed. You can withdraw it later.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        first = {
            "max_tokens": 60,
            "concurrency": 2,
            "repeats": 1,
            "keep": "erase",
            "weights": "",
        }
        kwargs["initial"] = first | kwargs.get("initial", {})
        super().__init__(*args, **kwargs)
        self.remarks: tuple[str, ...] = ()
        banks = offered_banks()
        field = self.fields["banks"]
        field.queryset = banks  # type: ignore[attr-defined]  # of a ModelMultipleChoiceField
        self.initial.setdefault("banks", [bank.slug for bank in banks[:1]])

    def clean_name(self) -> str:
        return checked(checked_model_id, self.cleaned_data["name"])

    def clean_organisation(self) -> str:
        return checked(checked_name, self.cleaned_data["organisation"])

    def clean_licence(self) -> str:
        return checked(checked_name, self.cleaned_data["licence"])

    def clean_extra_body(self) -> dict[str, JsonValue]:
        try:
            return read_extra_body(self.cleaned_data["extra_body"])
        except ValueError as error:
            raise ValidationError(str(error)) from None

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("keep") == "keep" and data.get("key"):
            self._check_kept_until(data.get("kept_until"))
        else:
            data["kept_until"] = None
        if "base_url" in data and not (self.errors.keys() & {"key"}):
            self._check_base_url(data)
        return data

    def _check_kept_until(self, chosen: date | None) -> None:
        today = timezone.now().date()
        if chosen is None and "kept_until" not in self.errors:
            self.add_error("kept_until", "Choose the date, or have the key erased after the run.")
        elif chosen and not today < chosen <= today + timedelta(days=LONGEST_KEPT_DAYS):
            self.add_error("kept_until", f"Choose a date after today and within {LONGEST_KEPT_DAYS} days.")

    def _check_base_url(self, data: dict[str, Any]) -> None:
        """A courtesy: what holds is the same judgement at each connection."""
        try:
            found = check_url(data["base_url"], has_key=bool(data["key"]), policy=policy_from_settings())
        except ValueError as error:
            self.add_error("base_url", str(error))
        else:
            data["base_url"], self.remarks = found.base_url, found.remarks

    def wanted(self) -> Wanted:
        """The form as its own dataclass, once it is valid."""
        data = self.cleaned_data
        facts = Facts(
            name=data["name"],
            organisation=data["organisation"],
            params_billion=data["params"],
            licence=data["licence"],
            open_weights=WEIGHTS[data["weights"]],
            link=data["link"],
        )
        same = (
            "base_url", "api_model", "key", "kept_until", "repeats", "max_tokens", "concurrency", "system_prompt",
            "extra_body", "contact", "publish_consent",
        )  # fmt: skip
        return Wanted(facts=facts, banks=tuple(data["banks"]), **{name: data[name] for name in same})

    @property
    def wrong_fields(self) -> list[str]:
        """The labels of the fields that need a look, in the form's order."""
        return [(field.label or name).lower() for name, field in self.fields.items() if name in self.errors]


class KeyForm(forms.Form):
    """A new key for an endpoint that is known."""

    use_required_attribute = False

    key = KeyField(label="Key", required=True, help_text="Sealed at once, opened by the worker alone.")

    def __init__(self, *args: Any, endpoint: Endpoint, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.endpoint = endpoint
        self.auto_id = "new-%s"

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("key"):
            try:
                check_url(self.endpoint.base_url, has_key=True, policy=policy_from_settings())
            except ValueError as error:
                self.add_error("key", str(error))
        return data


def offered_banks() -> Any:
    """The banks that strangers may run: those with a known way of scoring that are not an operator's own."""
    banks = ItemBank.objects.filter(benchmark__in=BENCHMARKS, private=False)
    return banks.annotate(n_items=Count("items")).order_by("pk")


def checked(check: Callable[[str], str], text: str) -> str:
    """What the check gives, its ValueError as the form's own."""
    try:
        return check(text)
    except ValueError as error:
        raise ValidationError(str(error)) from None


def read_extra_body(text: str) -> dict[str, JsonValue]:
    """The fields to send beside ours; {} for a blank text.

    Raises:
        ValueError: with a sentence that names what is wrong.
    """
    if not text.strip():
        return {}
    if len(text.encode()) > MOST_BYTES_OF_EXTRA_BODY:
        raise ValueError("The extra fields are longer than 4 KB.")
    try:
        value = json.loads(text, parse_constant=_no_number, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise ValueError('The extra fields cannot be read as JSON. Write an object like {"top_p": 0.9}.') from None
    if not isinstance(value, dict):
        raise ValueError('The extra fields must be one JSON object, like {"top_p": 0.9}.')
    if ours := [name for name in OUR_FIELDS if name in value]:
        raise ValueError(f"The extra fields must not set {' or '.join(ours)}: we set these ourselves.")
    if _deeper_than(value, MOST_DEPTH_OF_EXTRA_BODY):
        raise ValueError(f"The extra fields are nested deeper than {MOST_DEPTH_OF_EXTRA_BODY} levels.")
    return value


def _no_number(constant: str) -> None:
    raise ValueError(constant)


def _once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name twice")
    return dict(pairs)


def _deeper_than(value: JsonValue, levels: int) -> bool:
    """Whether objects and lists stand in each other more than so many deep; goes no deeper itself."""
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_deeper_than(part, levels - 1) for part in inner)
