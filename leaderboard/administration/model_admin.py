"""Models in the admin: facts are edited with their history, duplicates are merged. It replaces the engine's list."""

import re
from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.forms import BooleanField, Form
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from evaluation.admin import LanguageModelAdmin as EngineModelAdmin
from evaluation.endpoints.address import locate
from evaluation.importers.published_rows import TABLE_FACTS
from evaluation.models import LanguageModel, Origin
from leaderboard.administration.deleting import StandingsFollow
from leaderboard.administration.merging import merge, plan, remember, usual_keeper
from leaderboard.administration.run_acts import note, who
from leaderboard.administration.touched import TouchedForm, save_touched
from leaderboard.administration.waiting import IS_LISTED, LookAtModels, missing_facts
from leaderboard.calling import call_refresh
from leaderboard.models import Standing
from leaderboard.rounding import counted
from leaderboard.submissions.moderating import Refused

MOST_MERGED = 10
HOST_NAME = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}")
NO_MODELS = (Origin.BASELINE, Origin.DEMO)

admin.site.unregister(LanguageModel)


KEPT = (
    "A fact that you change here keeps your value: load_published, which runs with every update, sets the others to "
    "what the shipped tables say. A changed name or slug leads on from the old one."
)


class MissingFacts(admin.SimpleListFilter):
    """Listed models of which a fact is not known that visitors filter by. A closed model has no known size."""

    title = "what is missing"
    parameter_name = "missing"
    gaps = {
        "size": Q(params_billion__isnull=True) & ~Q(open_weights=False),
        "weights": Q(open_weights__isnull=True),
        "maker": Q(organisation=""),
    }

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("any", "any of these"), *((name, name) for name in self.gaps)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[LanguageModel]) -> QuerySet[LanguageModel]:
        value = self.value()
        if value is None:
            return queryset
        wanted = self.gaps.get(value) or self.gaps["size"] | self.gaps["weights"] | self.gaps["maker"]
        real = Exists(Standing.objects.filter(model=OuterRef("pk")).exclude(origin__in=NO_MODELS))
        return queryset.filter(wanted, real)


class FactsForm(TouchedForm):
    """The facts of a model, and the way to undo that they are set by hand."""

    hand_back = BooleanField(
        required=False, label="Hand back", help_text="let load_published set the facts above again from its next run on"
    )

    def clean_maker_domain(self) -> str:
        """A name of a host alone, as `https://` needs it."""
        domain: str = self.cleaned_data["maker_domain"].strip().lower().removesuffix(".")
        if domain and (not HOST_NAME.fullmatch(domain) or locate(f"https://{domain}").is_number):
            raise ValidationError("Write a domain alone, like maker.example.")
        return domain


@admin.register(LanguageModel)
class LanguageModelAdmin(StandingsFollow, EngineModelAdmin):
    """The engine's form, whose history says what was and what is, and the merge."""

    actions = ["merge_duplicates"]
    list_display = [*EngineModelAdmin.list_display, "lacks"]
    list_filter = [LookAtModels, MissingFacts, *EngineModelAdmin.list_filter]
    form = FactsForm
    readonly_fields = ["set_by_hand", "created_at"]

    def get_fieldsets(self, request: HttpRequest, obj: LanguageModel | None = None) -> Any:
        return [
            (None, {"fields": EngineModelAdmin.fields, "description": KEPT}),
            ("Set by hand", {"fields": ["set_by_hand", "hand_back"]}),
        ]

    @admin.display(description="missing facts")
    def lacks(self, model: Any) -> str:
        return ", ".join(missing_facts(model)) if model.is_listed else ""

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Any]":
        models: QuerySet[Any] = super().get_queryset(request).annotate(is_listed=IS_LISTED)
        return models

    @admin.display(description="Facts")
    def set_by_hand(self, model: LanguageModel) -> str:
        words = [name.replace("_", " ") for name in model.facts_by_hand]
        return ", ".join(words) or "none"

    def construct_change_message(
        self, request: HttpRequest, form: Form, formsets: Iterable[Any], add: bool = False
    ) -> Any:
        """ "licence: “mit” → “apache-2.0”", for the history and the audit log."""
        if add:
            return super().construct_change_message(request, form, formsets, add)
        changes = [
            f"{name}: {shown(form.initial.get(name))} → {shown(form.cleaned_data[name])}"
            for name in form.changed_data
            if name != "hand_back"
        ]
        changes += ["facts handed back to the published tables"] if form.cleaned_data["hand_back"] else []
        return "; ".join(changes) or "Saved without a change."

    def save_model(self, request: HttpRequest, obj: LanguageModel, form: Any, change: bool) -> None:
        """A changed fact is one set by hand from now on; a changed name or slug leads on to the model."""
        by_hand = {*obj.facts_by_hand, *(TABLE_FACTS & set(form.changed_data))}
        obj.facts_by_hand = [] if form.cleaned_data["hand_back"] else sorted(by_hand)
        if change and form.has_changed():
            save_touched(obj, form, "facts_by_hand", "changed_at")
        elif not change:
            super().save_model(request, obj, form, change)
        if change and {"name", "slug"} & set(form.changed_data):
            remember(obj, name=form.initial["name"], slug=form.initial["slug"])
        call_refresh()

    def has_merge_permission(self, request: HttpRequest) -> bool:
        """Both rights; an action that names the two itself is offered to whoever has one of them."""
        return self.has_change_permission(request) and self.has_delete_permission(request)

    @admin.action(description="Merge duplicates into one", permissions=["merge"])
    def merge_duplicates(self, request: HttpRequest, models: QuerySet[LanguageModel]) -> HttpResponse | None:
        """Asks which one stays and says what would move; the second POST merges."""
        chosen = list(models.order_by("pk")[: MOST_MERGED + 1])
        if not 2 <= len(chosen) <= MOST_MERGED:
            self.message_user(request, f"Choose two to {MOST_MERGED} models to merge.", messages.WARNING)
            return None
        keeper = next((each for each in chosen if str(each.pk) == request.POST.get("keeper")), usual_keeper(chosen))
        others = [each for each in chosen if each != keeper]
        if "confirmed" in request.POST:
            self._merge(request, keeper, others)
            return None
        context = {
            **self.admin_site.each_context(request),
            "title": f"Merge {counted(len(chosen), 'model')} into one?",
            "action": "merge_duplicates",
            "chosen": chosen,
            "keeper": keeper,
            "others": others,
            "plan": plan(keeper, others),
            "opts": self.model._meta,
        }
        return TemplateResponse(request, "administration/admin_merge.html", context)

    def _merge(self, request: HttpRequest, keeper: LanguageModel, others: list[LanguageModel]) -> None:
        try:
            merged = merge(keeper, others)
        except Refused as refusal:
            self.message_user(request, str(refusal), messages.WARNING)
            return
        note(who(request), [merged.model], merged.sentence)
        self.message_user(request, f"{merged.sentence} The standings are computed anew, and old addresses lead on.")


def shown(value: object) -> str:
    """A value in the history; what is not known is said."""
    return "nothing" if value in {"", None} else f"“{value}”"
