"""Published figures in the admin: added and corrected by hand, with their source. It replaces the engine's list."""

import math
import re
from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db import transaction
from django.forms import BooleanField, CharField, Textarea
from django.http import HttpRequest
from django.utils import timezone

from evaluation.admin import ReferenceScoreAdmin as EngineFigureAdmin
from evaluation.admin_words import column, said, yes_no
from evaluation.models import ReferenceScore
from leaderboard.administration.deleting import StandingsFollow
from leaderboard.administration.touched import TouchedForm, save_touched
from leaderboard.calling import call_refresh
from leaderboard.standings import refresh_standings

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")
DATE = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")
HIGHEST = 10_000.0  # Arena Elo ratings have four digits; nothing that is listed has more
SHORTEST_SOURCE = 10
FIELDS = ["model", "benchmark", "value", "setting", "as_of", "source", "match", "matched_name", "prefer"]
KEPT = (
    "A figure that you add or correct here keeps your values, and stays the preferred one if you prefer it: "
    "load_published, which runs with every update, sets the others to what the shipped tables say. A shipped figure "
    "that you delete comes back with the next update; take “Preferred” from it instead."
)

admin.site.unregister(ReferenceScore)


class FigureForm(TouchedForm):
    """One figure. `prefer` makes it the one of its model and benchmark that the site shows; another yields to it.

    `hand_back` undoes that it was corrected by hand.
    """

    prefer = BooleanField(required=False, label="Preferred", help_text="the figure that the site shows; another yields")
    hand_back = BooleanField(
        required=False, label="Hand back", help_text="let load_published set this figure again from its next run on"
    )
    source = CharField(
        widget=Textarea(attrs={"rows": 2, "cols": 80}), help_text="address, or paper with table and page"
    )

    class Meta:
        model = ReferenceScore
        fields = ["model", "benchmark", "value", "setting", "as_of", "source", "match", "matched_name"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["prefer"].initial = self.instance.preferred

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        return cleaned if "prefer" in self.changed_data else {**cleaned, "prefer": self.instance.preferred}

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
class ReferenceScoreAdmin(StandingsFollow, EngineFigureAdmin):
    """The engine's list with a form that adds and corrects. What was saved here, `load_published` leaves as it is."""

    form = FigureForm
    readonly_fields = ["by_hand"]
    list_display = [*EngineFigureAdmin.list_display, column("by_hand", "set by", words=said("hand", "table"))]
    list_filter = [*EngineFigureAdmin.list_filter, ("by_hand", yes_no("set by hand", "yes", "no"))]

    def get_fieldsets(self, request: HttpRequest, obj: ReferenceScore | None = None) -> Any:
        return [
            (None, {"fields": FIELDS, "description": KEPT}),
            ("Set by hand", {"fields": ["by_hand", "hand_back"]}),
        ]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return super(EngineFigureAdmin, self).has_add_permission(request)

    def save_model(self, request: HttpRequest, obj: ReferenceScore, form: Any, change: bool) -> None:
        """The one that was preferred yields first, since one only may be; the standings follow."""
        obj.preferred = form.cleaned_data["prefer"]
        obj.by_hand = not form.cleaned_data["hand_back"] and (obj.by_hand or form.has_changed())
        if obj.preferred:
            rivals = ReferenceScore.objects.filter(model=obj.model, benchmark=obj.benchmark, preferred=True)
            rivals.exclude(pk=obj.pk).update(preferred=False, changed_at=timezone.now())
        if change:
            save_touched(obj, form, "preferred", "by_hand", "changed_at")
        else:
            super().save_model(request, obj, form, change)
        transaction.on_commit(refresh_standings)
        call_refresh()
