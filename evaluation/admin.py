"""The admin of the engine. What was measured or loaded is shown and never edited; keys are never shown at all."""

import json
from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import Model, URLField
from django.forms import JSONField, ModelForm
from django.http import HttpRequest

from evaluation.benchmarks.base import JsonValue
from evaluation.endpoints.extra_fields import read_extra_body
from evaluation.models import Endpoint, Item, ItemBank, ItemResult, LanguageModel, ReferenceScore, Run

MEASURED = [
    "model", "endpoint", "bank", "parent", "benchmark", "origin", "status", "repeats", "limit",
    "settings", "departures", "manifest", "source", "source_sha256", "score", "strict_score", "standard_error",
    "repeat_scores", "n_items", "n_scored", "n_strict", "parse_share", "strict_share", "scorer_version",
    "published_score", "score_history", "requests", "prompt_tokens", "completion_tokens", "fault_counts",
    "failure_kind", "failure_message", "heartbeat_at", "not_before", "created_at", "queued_at", "started_at",
    "finished_at", "wall_seconds",
]  # fmt: skip


# ModelAdmin takes a type argument in its stubs and none at run time.
class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows that no hand may change."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(LanguageModel)
class LanguageModelAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["name", "display_name", "organisation", "params", "open_weights", "released_on"]
    list_filter = ["open_weights"]
    search_fields = ["name", "display_name", "organisation"]
    fields = [
        "name", "slug", "display_name", "organisation", "params", "params_billion", "open_weights", "licence",
        "released_on", "released_month_only", "link", "created_at",
    ]  # fmt: skip
    readonly_fields = ["created_at"]
    formfield_overrides = {URLField: {"assume_scheme": "https"}}


class EndpointForm(ModelForm):  # type: ignore[type-arg]
    """What the submission form refuses is refused here too, but for a name twice, of which the last counts."""

    # By hand, since the model's default is a callable: Django would tell by a hidden field whether it was changed.
    extra_body = JSONField(required=False)

    def clean_extra_body(self) -> dict[str, JsonValue]:
        value = self.cleaned_data["extra_body"]
        try:
            return read_extra_body("" if value is None else json.dumps(value))
        except ValueError as error:
            raise ValidationError(str(error)) from None


@admin.register(Endpoint)
class EndpointAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    form = EndpointForm
    list_display = ["api_model", "base_url", "model", "has_key", "max_concurrency", "created_at"]
    list_select_related = ["model"]
    search_fields = ["api_model", "base_url", "model__name"]
    raw_id_fields = ["model"]
    fields = [
        "model", "base_url", "api_model", "has_key", "extra_body", "system_prompt", "max_concurrency", "owner",
        "created_at",
    ]  # fmt: skip
    # A sealed key belongs to the address that it was given for, so an address is not edited but submitted anew.
    readonly_fields = ["base_url", "has_key", "created_at"]

    def get_readonly_fields(self, request: HttpRequest, obj: Endpoint | None = None) -> list[str]:
        """While a run is open, what it sends stays too: else one score would be of two models, or of two settings."""
        is_asked = obj is not None and obj.runs.open().exists()
        return [*self.readonly_fields, *(("api_model", "extra_body") if is_asked else ())]

    def save_model(self, request: HttpRequest, obj: Endpoint, form: Any, change: bool) -> None:
        """Only what was changed is written: a key that was erased since the form was opened stays erased."""
        obj.save(update_fields=form.changed_data)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Endpoint | None = None) -> bool:
        """The audit lines of its key would go with it."""
        return False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Not by the sealed key, which an address like `?sealed_key__startswith=` would give away letter by letter."""
        return not lookup.startswith("sealed_key") and super().lookup_allowed(lookup, value, request)

    @admin.display(boolean=True, description="key")
    def has_key(self, endpoint: Endpoint) -> bool:
        return bool(endpoint.sealed_key)


@admin.register(ItemBank)
class ItemBankAdmin(ReadOnlyAdmin):
    list_display = ["slug", "title", "benchmark", "language", "version", "texts_public", "loaded_at"]
    search_fields = ["slug", "title"]


@admin.register(Item)
class ItemAdmin(ReadOnlyAdmin):
    list_display = ["bank", "number", "item_id"]
    list_filter = ["bank"]
    list_select_related = ["bank"]
    search_fields = ["item_id"]


@admin.register(Run)
class RunAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Only whether a run is public can be changed by hand; its status changes through its own methods."""

    list_display = ["id", "model", "benchmark", "origin", "status", "published", "score", "parse_share", "created_at"]
    list_filter = ["status", "origin", "published", "benchmark"]
    list_select_related = ["model"]
    search_fields = ["model__name", "model__display_name", "source"]
    show_full_result_count = False
    fields = ["published", *MEASURED]
    readonly_fields = MEASURED

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Run | None = None) -> bool:
        """A run that should not be seen is taken off the board; what was measured stays."""
        return False


@admin.register(ItemResult)
class ItemResultAdmin(ReadOnlyAdmin):
    list_display = ["id", "run_id", "item_id", "repeat", "state", "reading", "reason", "score", "attempts"]
    list_filter = ["state", "reading"]
    search_fields = ["=run__id"]


@admin.register(ReferenceScore)
class ReferenceScoreAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["model", "benchmark", "value", "preferred", "as_of", "setting"]
    list_filter = ["benchmark", "preferred"]
    list_select_related = ["model"]
    search_fields = ["model__name"]
    show_full_result_count = False
    raw_id_fields = ["model"]
    fields = ["model", "benchmark", "value", "setting", "as_of", "source", "match", "matched_name", "preferred"]
    readonly_fields = ["value", "setting", "as_of", "source", "match", "matched_name"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False
