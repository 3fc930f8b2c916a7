"""The forms by which a visitor reports a mistake or suggests a model. Neither asks who it is."""

from django import forms
from django.core.exceptions import ValidationError

from leaderboard.models import Report
from leaderboard.submissions.listing import listed_models

LONGEST = 2_000


class MistakeForm(forms.ModelForm):  # type: ignore[type-arg]
    """What is wrong, in the visitor's words."""

    class Meta:
        model = Report
        fields = ["text"]

    text = forms.CharField(
        label="What is wrong?",
        min_length=10,
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="Say what the page shows, what it should show, and how you know. Write nothing about yourself.",
        error_messages={
            "required": "Say what is wrong.",
            "min_length": "Say a little more, so that somebody can check it.",
        },
    )


class SuggestionForm(forms.ModelForm):  # type: ignore[type-arg]
    """A model that nobody here has an endpoint for."""

    class Meta:
        model = Report
        fields = ["name", "link", "text"]

    name = forms.CharField(
        label="Name of the model",
        max_length=120,
        help_text="As its maker writes it, for instance maker/Model-7B.",
        error_messages={"required": "Enter the name of the model."},
    )
    link = forms.URLField(
        label="Where it can be found",
        max_length=300,
        assume_scheme="https",
        help_text="A model card, or the page of an API.",
        error_messages={"required": "Enter the address of a page about it."},
    )
    text = forms.CharField(
        label="Anything else",
        required=False,
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Optional. Please write nothing about yourself.",
    )

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if listed_models().filter(name__iexact=name).exists():
            raise ValidationError("This board lists that model already.")
        return name
