"""The forms of the operators' pages. Each field says what it is for; what is wrong is said beside it."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from evaluation.importers.study_files import MAX_BYTES
from evaluation.importers.study_ratings import MOST_WAVES
from evaluation.models import Run
from evaluation.statistics.study_figures import LEAST_RATERS
from leaderboard.study.building import banks_of_prompts
from leaderboard.study.models import ConsentForm, PromptSet, Responder, Study
from leaderboard.study.questionnaire import N_QUESTIONS
from leaderboard.study.responders_of_runs import runs_for
from leaderboard.study.states import EntryMode, Flag, ResponderKind

MEGABYTES = MAX_BYTES // 1_000_000
LONGEST_QUESTION = 300
MOST_INVITATIONS = 2000
MOST_MINUTES = 600
MOST_MONTHS = 600  # that a consent form keeps raters known
_AREA = {"rows": 4}
_PARAMETER = re.compile(r"[\w.-]+", re.ASCII)


class FileField(forms.FileField):
    """A CSV file of at most MAX_BYTES."""

    widget = forms.FileInput(attrs={"accept": ".csv,text/csv"})

    def clean(self, data: Any, initial: Any = None) -> Any:
        found = super().clean(data, initial)
        if found and found.size > MAX_BYTES:
            raise ValidationError(f"The file is larger than {MEGABYTES} MB.")
        return found


class PromptsForm(forms.Form):
    """A file of prompts, with the terms under which they may be used."""

    title = forms.CharField(max_length=120, label="Name of the set")
    file = FileField(label="File of prompts", help_text="CSV with item_id, emotion, situation, utterance.")
    licence = forms.CharField(max_length=120, help_text="Such as: own texts, or CC BY-NC 4.0 (EmpatheticDialogues).")
    terms = forms.BooleanField(label="The terms of these texts allow me to show them to raters")
    shows_texts = forms.BooleanField(
        label="They may also be shown on public pages",
        required=False,
        help_text="Leave it empty for texts under a non-commercial licence: raters see them, visitors do not.",
    )


class StudyForm(forms.Form):
    """A study over a set of prompts, or over the prompts of a bank that models are asked with."""

    title = forms.CharField(
        max_length=120, help_text="Visitors read it and raters see it in the address, so do not name a source in it."
    )
    prompts = forms.ChoiceField(label="Prompts")
    items_per_rater = forms.IntegerField(
        min_value=1, max_value=50, initial=10, label="Items per rater",
        help_text="The number of prompts must be a multiple of this: 64 prompts make 8 batches of 8.",
    )  # fmt: skip
    ratings_per_reply = forms.IntegerField(
        min_value=1,
        max_value=50,
        initial=1,
        label="Ratings per reply",
        help_text="How many raters of one group rate each reply.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sets = PromptSet.objects.filter(prompts__isnull=False).distinct()
        known = set(sets.exclude(bank=None).values_list("bank_id", flat=True))
        banks = banks_of_prompts().exclude(pk__in=known)
        choices = [(f"set-{each.pk}", each.title) for each in sets] + [
            (f"bank-{each.pk}", each.title) for each in banks
        ]
        self.fields["prompts"].choices = choices  # type: ignore[attr-defined]


class PeopleForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Study
        fields = ("ethics_reference", "help_text", "help_link", "baseline_note")
        labels = {
            "ethics_reference": "Ethics reference or statement of exemption",
            "help_text": "Who helps a rater whom a text upset",
            "help_link": "Address of that help",
            "baseline_note": "Who wrote people’s replies",
        }
        help_texts = {
            "ethics_reference": "Such as: 2026-114, Example University.",
            "help_text": "One line, shown behind “Stop now”.",
            "help_link": "Starts with https:// or tel:.",
            "baseline_note": "Visitors read it beside the results. Such as: “Human” are replies of our staff.",
        }

    def clean_help_link(self) -> str:
        link = str(self.cleaned_data["help_link"]).strip()
        if link and not link.startswith(("https://", "tel:")):
            raise ValidationError("Start it with https:// or tel:.")
        return link


class ConsentVersionForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = ConsentForm
        fields = ("organisation", "contact", "purpose", "pay", "minutes", "kept_months")
        labels = {
            "organisation": "Who runs the study",
            "contact": "E-mail address for questions",
            "purpose": "What it is for",
            "pay": "Pay",
            "minutes": "Minutes it takes",
            "kept_months": "Months until raters become unknown",
        }
        help_texts = {
            "purpose": "A sentence or two, without a hint at who wrote the replies.",
            "pay": "As a rater reads it: You are paid £1.80.",
            "minutes": "Pay and minutes together have to reach the minimum wage.",
            "kept_months": "Then the hashes are replaced by random codes.",
        }
        widgets = {"purpose": forms.Textarea(attrs=_AREA)}

    def clean_minutes(self) -> int:
        minutes: int = self.cleaned_data["minutes"]
        if not 1 <= minutes <= MOST_MINUTES:
            raise ValidationError(f"Write 1 to {MOST_MINUTES} minutes.")
        return minutes

    def clean_kept_months(self) -> int:
        months: int = self.cleaned_data["kept_months"]
        if months < 1:
            raise ValidationError("Choose 1 month or more: raters must be known while they take part.")
        if months > MOST_MONTHS:
            raise ValidationError(f"Choose {MOST_MONTHS} months or fewer: that is {MOST_MONTHS // 12} years.")
        return months


class EntryForm(forms.ModelForm):  # type: ignore[type-arg]
    completion_url = forms.URLField(
        label="Address to return to", required=False, max_length=500, assume_scheme="https",
        help_text="Of the platform; optional.",
    )  # fmt: skip

    class Meta:
        model = Study
        fields = ("entry_mode", "id_parameter", "completion_code", "completion_url")
        labels = {
            "entry_mode": "Who may take part",
            "id_parameter": "Name of the id in the link",
            "completion_code": "Completion code",
        }
        help_texts = {
            "entry_mode": "Whoever follows a platform’s link, or whoever has a code of ours.",
            "id_parameter": "Prolific calls it PROLIFIC_PID.",
            "completion_code": "One code for all, as platforms want it. Empty: each rater gets an own one.",
        }
        widgets = {"entry_mode": forms.RadioSelect}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(EntryMode.PLATFORM, "by a platform’s link"), (EntryMode.INVITED, "by invitation code")]
        self.fields["entry_mode"].choices = choices  # type: ignore[attr-defined]

    def clean_id_parameter(self) -> str:
        """Other signs end or change the name within a link, and then nobody's id would be found."""
        name: str = self.cleaned_data["id_parameter"]
        if not _PARAMETER.fullmatch(name):
            raise ValidationError("Use letters, digits, “_”, “-” and “.” alone: the name that stands before the “=”.")
        return name


class InvitationsForm(forms.Form):
    number = forms.IntegerField(
        min_value=1, max_value=MOST_INVITATIONS, initial=60, label="How many codes",
        help_text="They are shown once, on the next page. The study keeps their hashes alone.",
    )  # fmt: skip


class PlanForm(forms.Form):
    """Fixed once a group has been open."""

    exclusion_rule = forms.MultipleChoiceField(
        label="Exclude a rater who has all of these flags",
        required=False,
        choices=Flag.choices,
        widget=forms.CheckboxSelectMultiple,
        help_text="None: all raters count. One flag alone should never exclude, so choose two or none.",
    )
    asks_background = forms.BooleanField(
        label="Ask for age band and gender", required=False, help_text="Shown only as counts from 10 up."
    )
    questionnaire = forms.CharField(
        label="Questionnaire, one question a line",
        required=False,
        widget=forms.Textarea(attrs=_AREA),
        help_text=f"Optional. With {N_QUESTIONS} questions it is scored like the Toronto Empathy Questionnaire.",
    )

    def clean_exclusion_rule(self) -> list[str]:
        chosen: list[str] = self.cleaned_data["exclusion_rule"]
        if len(chosen) == 1:
            raise ValidationError("Choose two flags or more: good raters have a single one, too.")
        return chosen

    def clean_questionnaire(self) -> list[str]:
        lines = [line.strip() for line in str(self.cleaned_data["questionnaire"]).splitlines() if line.strip()]
        if any(len(line) > LONGEST_QUESTION for line in lines):
            raise ValidationError(f"A question has more than {LONGEST_QUESTION} characters.")
        return lines

    def clean(self) -> dict[str, Any]:
        """Without the questions nobody has the flag of reversed ones, and the rule would exclude nobody."""
        data = super().clean() or {}
        has_all = len(data.get("questionnaire") or ()) == N_QUESTIONS
        if Flag.REVERSED in data.get("exclusion_rule", ()) and not has_all:
            self.add_error(
                "exclusion_rule", f"Reversed questions are only known in a questionnaire of {N_QUESTIONS} questions."
            )
        return data


class RepliesForm(forms.Form):
    """A responder with a file of its replies, or without, where only ratings will be imported."""

    label = forms.CharField(max_length=80, label="Name", help_text="Raters read it after they have sent all ratings.")
    kind = forms.ChoiceField(choices=ResponderKind.choices, widget=forms.RadioSelect, initial=ResponderKind.MODEL)
    is_baseline = forms.BooleanField(
        label="This is the baseline", required=False, help_text="People’s replies, which gains are relative to."
    )
    version = forms.CharField(max_length=80, required=False, help_text="Of the model, or where the replies are from.")
    file = FileField(
        label="File of replies", required=False,
        help_text="CSV with item_id, reply, one line per prompt. Without a file only ratings can be imported.",
    )  # fmt: skip


class RunField(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.model}, run {obj.pk}"


class RunForm(forms.Form):
    """A responder from a run of replies on the queue."""

    run = RunField(queryset=Run.objects.none(), label="Finished run of replies")
    label = forms.CharField(max_length=80, label="Name", help_text="Raters read it after they have sent all ratings.")
    is_baseline = forms.BooleanField(
        label="This is the baseline", required=False, help_text="Only where people wrote the replies."
    )

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["run"].queryset = runs_for(study)  # type: ignore[attr-defined]


class GroupForm(forms.Form):
    responder = forms.ModelChoiceField(queryset=Responder.objects.none())
    target = forms.IntegerField(
        min_value=1, label="Raters", help_text=f"At least {LEAST_RATERS} for a place in the ranking and for a control."
    )

    def __init__(self, study: Study, wave: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        free = study.responders.exclude(frozen_sha256="").exclude(groups__wave=wave)
        self.fields["responder"].queryset = free  # type: ignore[attr-defined]


class ImportForm(forms.Form):
    file = FileField(label="File of ratings or counts")
    coding = forms.ChoiceField(
        choices=[("words", "Bad, Okay, Good"), ("1-3", "1 to 3, Bad is 1"), ("0-2", "0 to 2, Bad is 0")],
        label="How ratings are written",
    )
    wave = forms.IntegerField(
        min_value=1, max_value=MOST_WAVES, initial=1,
        help_text="The wave that the ratings belong to, unless the file has a column wave.",
    )  # fmt: skip
