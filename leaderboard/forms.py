"""The form that brings a model, and the one that replaces its key. Each field says why it is asked."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone

from evaluation.benchmarks import JUDGES_OF
from evaluation.benchmarks.base import JsonValue
from evaluation.endpoints.extra_fields import read_extra_body
from evaluation.endpoints.guard import check_text
from evaluation.importers.configurations import checked_configuration, configured
from evaluation.models import Endpoint, ItemBank
from evaluation.outbound import policy_from_settings
from leaderboard.rounding import count
from leaderboard.submissions.form_fields import (
    AddressInput,
    BanksField,
    ContactField,
    KeyField,
    common_limit,
    first_ticked,
    limits_in_words,
    system_prompt_refusal,
    ways_field,
)
from leaderboard.submissions.names import MODEL_ID_LENGTH, SHOWN_LENGTH, checked_model_id, checked_name
from leaderboard.submissions.offers import Offer, offered_banks, offers_of
from leaderboard.submissions.submitting import Facts, Wanted
from leaderboard.submissions.variants import chosen, variant_fields
from leaderboard.wording.form_words import KEY_USE, says

MOST_CONCURRENCY = 8
MOST_TOKENS = 32_768
LONGEST_SYSTEM_PROMPT = 4000
LONGEST_KEPT_DAYS = 180
FIRST_RELEASE = date(1950, 1, 1)  # an earlier date is a slip of the keyboard
REPEATS = (1, 3, 5)
WHICH_RESULT = "Choose whether the result is published or stays unlisted."
WEIGHTS = {"open": True, "closed": False, "": None}


class SubmissionForm(forms.Form):
    """All that a run needs. `remarks` say how the address that is called differs from the one that was typed."""

    use_required_attribute = False  # the server names what is missing, in one place and with the fix
    name = forms.CharField(
        label="Name",
        max_length=MODEL_ID_LENGTH,
        error_messages=says("Write the model’s name, like maker/model-7b.", most=MODEL_ID_LENGTH),
        help_text="The Hugging Face id or API name, as shown on the board. Use the same name for repeat runs.",
    )
    configuration = forms.CharField(
        label="Configuration",
        required=False,
        error_messages=says("Write it short, like Q4_K_M or thinking-off."),
        help_text="Optional: quantisation, reasoning effort, thinking on or off. Each one gets a row of its own.",
    )
    organisation = forms.CharField(
        label="Organisation",
        required=False,
        max_length=SHOWN_LENGTH,
        error_messages=says("Write who made the model.", most=SHOWN_LENGTH),
        help_text="Who made it, not who serves it.",
    )
    params = forms.FloatField(
        label="Parameters, billion",
        required=False,
        min_value=0.001,
        max_value=100_000,
        widget=forms.TextInput(attrs={"inputmode": "decimal"}),
        error_messages=says("Write billions as a number, like 7 or 0.5."),
        help_text="For the chart by size.",
    )
    licence = forms.CharField(
        label="Licence",
        required=False,
        max_length=SHOWN_LENGTH,
        error_messages=says("Write the licence as its page names it.", most=SHOWN_LENGTH),
        help_text="As its model page says.",
    )
    weights = forms.ChoiceField(
        label="Weights",
        required=False,
        choices=[("open", "Open: anybody can download them"), ("closed", "Closed"), ("", "Unknown")],
        widget=forms.RadioSelect,
        error_messages=says("Choose one of the three."),
        help_text="For the filter on the board.",
    )
    released_on = forms.DateField(
        label="Released on",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        error_messages=says("Write the date as year, month and day, like 2024-05-31."),
        help_text="For the chart by date. Optional.",
    )
    link = forms.URLField(
        label="Link",
        required=False,
        assume_scheme="https",
        max_length=200,
        error_messages=says("Write the whole address of a page, like https://models.example/card.", most=200),
        help_text="Model card or paper. Optional.",
    )
    base_url = forms.CharField(
        label="Base address",
        max_length=2048,
        widget=AddressInput(attrs={"inputmode": "url", "autocomplete": "off", "placeholder": "https://"}),
        error_messages=says("Write the address of your endpoint, like https://models.example/v1.", most=2048),
        help_text="We call only this address, never one that it redirects to.",
    )
    api_model = forms.CharField(
        label="Model name in the API",
        max_length=200,
        error_messages=says("Write the name as your endpoint lists it under /v1/models.", most=200),
        help_text="Sent as “model” with each request.",
    )
    key = KeyField(
        label="Key",
        required=False,
        help_text=f"If your endpoint wants one. {KEY_USE}, which is when the run ends unless you choose otherwise.",
    )
    keep = forms.ChoiceField(
        label="After the run",
        choices=[
            ("erase", "Erase the key"),
            ("keep", "Keep the key (encrypted) for repeat runs until a date I choose"),
        ],
        widget=forms.RadioSelect,
        error_messages=says("Choose what happens to the key after the run."),
        help_text="A repeat run, which shows the spread, needs the key again.",
    )
    kept_until = forms.DateField(
        label="Keep the key until",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        error_messages=says("Write the date as year, month and day, like 2027-01-31."),
        help_text=f"At most {LONGEST_KEPT_DAYS} days from today. Kept to the end of that day (UTC), then erased, "
        "whatever happens.",
    )
    banks = BanksField(
        label="Benchmarks",
        required=False,  # one of the other ways will do: see `clean`
        queryset=ItemBank.objects.none(),
        to_field_name="slug",
        widget=forms.CheckboxSelectMultiple,
        error_messages=says("Choose at least one benchmark of the list."),
        help_text="One run each.",
    )
    repeats = forms.TypedChoiceField(
        label="Repeats",
        coerce=int,
        choices=[(n, str(n)) for n in REPEATS],
        error_messages=says("Choose 1, 3 or 5."),
        help_text="Repeats show the spread; each one asks all items again.",
    )
    max_tokens = forms.IntegerField(
        label="Max tokens per reply",
        required=False,
        min_value=1,
        max_value=MOST_TOKENS,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
        error_messages=says(f"Write a whole number from 1 to {count(MOST_TOKENS)}."),
        help_text="Empty: each benchmark’s own. Reasoning models need thousands.",
    )
    concurrency = forms.IntegerField(
        label="Parallel requests",
        min_value=1,
        max_value=MOST_CONCURRENCY,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
        error_messages=says(f"Write a whole number from 1 to {MOST_CONCURRENCY}."),
        help_text=f"At most {MOST_CONCURRENCY}. Fewer if your server slows down.",
    )
    system_prompt = forms.CharField(
        label="System prompt",
        required=False,
        max_length=LONGEST_SYSTEM_PROMPT,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages=says("Write the system prompt as plain text.", most=LONGEST_SYSTEM_PROMPT),
        help_text="Official runs send none; EmotionBench has its own. Marked beside the score; the manifest shows it.",
    )
    extra_body = forms.CharField(
        label="Extra request fields, as JSON",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        error_messages=says('Write an object like {"top_p": 0.9}.'),
        help_text="Anything else your server needs. Marked beside the score and shown in the manifest: put no "
        "secret here.",
    )
    contact = ContactField(
        label="Contact e-mail",
        required=False,
        help_text="You get mail when you submit, when the run ends, when it is listed, and if something goes wrong. "
        "Never shown or passed on. Optional.",
    )
    publish_consent = forms.ChoiceField(
        label="What happens with the result?",
        required=False,  # a dry run needs no answer; `ask_for_consent` asks when the form is sent
        choices=[
            ("on", "Publish it: everybody sees the score, the settings and, where the texts are public, the replies"),
            ("off", "Keep it unlisted for now: only the link of this submission shows it"),
        ],
        widget=forms.RadioSelect,
        error_messages=says(WHICH_RESULT),
        help_text="You can publish it later with one click, or withdraw it.",
    )
    judging_consent = forms.BooleanField(
        label="Send the replies to the LLM judges of this board",
        required=False,
        help_text="Only for empathetic replies. A judge is a model of another company. It gets the prompts and the "
        "replies without your model’s name. You can stop this later, but not for replies that a judge has read.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        first = {
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
        self.initial.setdefault("banks", [slug] if (slug := first_ticked(banks)) else [])
        self._offers = offers_of(banks)
        self.fields["ways"] = ways_field(self._offers)
        self.initial.setdefault("max_tokens", common_limit(self._offers))
        self.fields["max_tokens"].help_text = limits_in_words(self._offers)
        self._variants = variant_fields(self._offers)
        self.fields.update(self._variants)

    def clean_name(self) -> str:
        return checked(checked_model_id, self.cleaned_data["name"])

    def clean_configuration(self) -> str:
        return checked(checked_configuration, self.cleaned_data["configuration"])

    def clean_organisation(self) -> str:
        return checked(checked_name, self.cleaned_data["organisation"])

    def clean_licence(self) -> str:
        return checked(checked_name, self.cleaned_data["licence"])

    def clean_released_on(self) -> date | None:
        released: date | None = self.cleaned_data["released_on"]
        if released and not FIRST_RELEASE <= released <= timezone.now().date():
            raise ValidationError("Choose a day up to today, or leave it empty.")
        return released

    def clean_extra_body(self) -> dict[str, JsonValue]:
        try:
            return read_extra_body(self.cleaned_data["extra_body"])
        except ValueError as error:
            raise ValidationError(str(error)) from None

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self._chosen(data) and not self.errors.keys() & {"banks", "ways"}:
            self.add_error("banks", self.fields["banks"].error_messages["required"])
        self._check_configured_name(data)
        self._check_system_prompt(data)
        if data.get("keep") == "keep" and data.get("key"):
            self._check_kept_until(data.get("kept_until"))
        else:
            data["kept_until"] = None
        if "base_url" in data and not (self.errors.keys() & {"key"}):
            self._check_base_url(data)
        return data

    def _check_configured_name(self, data: dict[str, Any]) -> None:
        try:
            name = configured(data.get("name", ""), data.get("configuration", ""))
        except ValueError as error:
            self.add_error("configuration", str(error))
        else:
            if len(name) > MODEL_ID_LENGTH:
                self.add_error("configuration", f"Name and configuration are longer than {MODEL_ID_LENGTH} characters.")

    def _check_system_prompt(self, data: dict[str, Any]) -> None:
        """A benchmark with a system prompt of its own takes no other."""
        for offer in self._chosen(data):
            if data.get("system_prompt") and (refusal := system_prompt_refusal(offer, data["system_prompt"])):
                self.add_error("system_prompt", f"{offer.title}: {refusal}")

    def _chosen(self, data: dict[str, Any]) -> tuple[Offer, ...]:
        keys = {*(bank.slug for bank in data.get("banks") or ()), *(data.get("ways") or ())}
        return tuple(offer for offer in self._offers if offer.key in keys)

    def _check_kept_until(self, chosen: date | None) -> None:
        today = timezone.now().date()
        if chosen is None and "kept_until" not in self.errors:
            self.add_error("kept_until", "Choose the date, or have the key erased after the run.")
        elif chosen and not today < chosen <= today + timedelta(days=LONGEST_KEPT_DAYS):
            self.add_error("kept_until", f"Choose a date after today and within {LONGEST_KEPT_DAYS} days.")

    def _check_base_url(self, data: dict[str, Any]) -> None:
        """By its text alone: a form waits for nobody. A name is looked up by the view, within a bound."""
        try:
            found = check_text(data["base_url"], has_key=bool(data["key"]), policy=policy_from_settings())
        except ValueError as error:
            self.add_error("base_url", str(error))
        else:
            data["base_url"], self.remarks = found.base_url, found.remarks

    def ask_for_consent(self) -> None:
        """Whoever sends the form says whether the result may be published: neither is taken for granted."""
        if "publish_consent" not in self.errors and not self.cleaned_data["publish_consent"]:
            self.add_error("publish_consent", WHICH_RESULT)

    def wanted(self) -> Wanted:
        """The form as its own dataclass, once it is valid."""
        data = self.cleaned_data
        facts = Facts(
            name=configured(data["name"], data["configuration"]),
            organisation=data["organisation"],
            params_billion=data["params"],
            licence=data["licence"],
            open_weights=WEIGHTS[data["weights"]],
            link=data["link"],
            released_on=data["released_on"],
        )
        same = (
            "base_url", "api_model", "key", "kept_until", "repeats", "max_tokens", "concurrency", "system_prompt",
            "extra_body", "contact", "judging_consent",
        )  # fmt: skip
        offers = self._chosen(data)
        return Wanted(
            facts=facts,
            offers=offers,
            variants=chosen(data, offers),
            publish_consent=data["publish_consent"] == "on",
            **{name: data[name] for name in same},
        )

    @property
    def variant_fields(self) -> list[forms.BoundField]:
        """A choice for each benchmark on offer that has variants."""
        return [self[name] for name in self._variants]

    @property
    def has_other_ways(self) -> bool:
        """Whether a bank on offer has benchmarks beside its own."""
        return not all(offer.is_own for offer in self._offers)

    @property
    def asks_for_judging(self) -> bool:
        """Whether a bank on offer is asked for replies that judges read."""
        return any(offer.benchmark.name in JUDGES_OF.values() for offer in self._offers)

    @property
    def wrong_fields(self) -> list[str]:
        """The names of the fields that need a look, in the form's order."""
        return [name for name in self.fields if name in self.errors]


class KeyForm(forms.Form):
    """A new key for an endpoint that is known."""

    use_required_attribute = False

    key = KeyField(label="Key", required=True, help_text=f"{KEY_USE}.")

    def __init__(self, *args: Any, endpoint: Endpoint, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.endpoint = endpoint
        self.auto_id = "new-%s"

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("key"):
            try:
                check_text(self.endpoint.base_url, has_key=True, policy=policy_from_settings())
            except ValueError as error:
                self.add_error("key", str(error))
        return data


def checked(check: Callable[[str], str], text: str) -> str:
    """What the check gives, its ValueError as the form's own."""
    try:
        return check(text)
    except ValueError as error:
        raise ValidationError(str(error)) from None
