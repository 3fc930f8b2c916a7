"""Published figures in the admin: added and corrected by hand, with their source. It replaces the engine's list."""

import math
import re
from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db import transaction
from django.forms import BooleanField, CharField, ModelForm, Textarea
from django.http import HttpRequest

from evaluation.admin import ReferenceScoreAdmin as EngineFigureAdmin
from evaluation.models import ReferenceScore
from leaderboard.standings import refresh_standings

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")
DATE = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")
HIGHEST = 10_000.0  # Arena Elo ratings have four digits; nothing that is listed has more
SHORTEST_SOURCE = 10

admin.site.unregister(ReferenceScore)


class FigureForm(ModelForm):  # type: ignore[type-arg]  # the stubs take one, the class at run time none
    """One figure. `prefer` makes it the one of its model and benchmark that the site shows; another yields to it."""

    prefer = BooleanField(required=False, label="Preferred", help_text="the figure that the site shows; another yields")
    source = CharField(
        widget=Textarea(attrs={"rows": 2, "cols": 80}), help_text="address, or paper with table and page"
    )

    class Meta:
        model = ReferenceScore
        fields = ["model", "benchmark", "value", "setting", "as_of", "source", "match", "matched_name"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["prefer"].initial = self.instance.preferred

    def clean_benchmark(self) -> str:
        name: str = self.cleaned_data["benchmark"].strip()
        if not NAME.fullmatch(name):
            raise ValidationError("Write it as mmlu, arena_elo or eq-bench-v2: small letters, digits, - and _.")
        return name

    def clean_value(self) -> float:
        value: float = self.cleaned_data["value"]
        if not math.isfinite(value) or abs(value) > HIGHEST:
            raise ValidationError(f"Write a number from −{HIGHEST:g} to {HIGHEST:g}.")
        return value

    def clean_as_of(self) -> str:
        text: str = self.cleaned_data["as_of"].strip()
        if text and not DATE.fullmatch(text):
            raise ValidationError("Write 2024, 2024-01 or 2024-01-29, as far as it is known.")
        return text

    def clean_source(self) -> str:
        text: str = self.cleaned_data["source"].strip()
        if len(text) < SHORTEST_SOURCE:
            raise ValidationError("Name the source so that a reader can find the figure there.")
        return text


@admin.register(ReferenceScore)
class ReferenceScoreAdmin(EngineFigureAdmin):
    """The engine's list with a form that adds and corrects. What `load_published` ships, it writes again."""

    form = FigureForm
    fields = ["model", "benchmark", "value", "setting", "as_of", "source", "match", "matched_name", "prefer"]
    readonly_fields = []

    def has_add_permission(self, request: HttpRequest) -> bool:
        return super(EngineFigureAdmin, self).has_add_permission(request)

    def save_model(self, request: HttpRequest, obj: ReferenceScore, form: Any, change: bool) -> None:
        """The one that was preferred yields first, since one only may be; the standings follow."""
        obj.preferred = form.cleaned_data["prefer"]
        if obj.preferred:
            rivals = ReferenceScore.objects.filter(model=obj.model, benchmark=obj.benchmark, preferred=True)
            rivals.exclude(pk=obj.pk).update(preferred=False)
        super().save_model(request, obj, form, change)
        transaction.on_commit(refresh_standings)

    def delete_model(self, request: HttpRequest, obj: ReferenceScore) -> None:
        super().delete_model(request, obj)
        transaction.on_commit(refresh_standings)
