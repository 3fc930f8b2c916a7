"""The admin of the engine. What was measured or loaded is shown and never edited; keys are never shown at all."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet, URLField
from django.forms import JSONField, ModelForm
from django.forms.fields import InvalidJSONInput
from django.http import HttpRequest
from django.utils.html import format_html

from evaluation.admin_words import PlainAdmin, benchmark, benchmark_title, column, named, titled, yes_no
from evaluation.benchmarks.base import JsonValue
from evaluation.disclosure import TEXT_COLUMNS, counted_part, failure_of, manifest_of, parts_of, sees_private
from evaluation.endpoints.extra_fields import read_extra_body
from evaluation.models import Access, Endpoint, Item, ItemBank, ItemResult, LanguageModel, ReferenceScore, Run

MEASURED = [
    "model", "endpoint", "bank", "parent", "benchmark_name", "variant", "origin", "status", "repeats", "limit", "seed",
    "settings", "departures", "what_was_done", "source", "source_sha256", "score", "standard_error",
    "figures", "repeat_scores", "n_items", "n_asks", "ranks", "n_scored", "parse_share",
    "scorer_version", "published_score", "score_history", "requests", "prompt_tokens", "completion_tokens",
    "fault_counts", "failure_kind", "failure", "heartbeat_at", "not_before", "created_at", "queued_at", "started_at",
    "finished_at", "wall_seconds",
]  # fmt: skip


def listed(words: Any) -> str:
    """The words of a list, or what there is instead of one."""
    return ", ".join(map(str, words)) if isinstance(words, list) else str(words)


def in_lines(values: Mapping[str, Any]) -> str:
    """A line for each value, as a page can break it."""
    return format_html("<pre>{}</pre>", json.dumps(values, ensure_ascii=False, indent=1))


def rounded(score: float | None) -> str | None:
    return None if score is None else f"{score:.2f}"


def in_percent(share: float | None) -> str | None:
    return None if share is None else f"{share:.0%}"


class ReadOnlyAdmin(PlainAdmin):
    """Rows that no hand may change."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(LanguageModel)
class LanguageModelAdmin(PlainAdmin):
    list_display = [
        column("display_name", "name"), column("organisation", "maker"), column("params", "size"),
        column("open_weights", "weights are open", boolean=True), column("released_on", "released"),
        column("name", "full name"),
    ]  # fmt: skip
    list_filter = [("open_weights", yes_no("weights", "open", "closed"))]
    labels = {"name": "Full name", "display_name": "Name on pages", "organisation": "Maker", "link": "Its own page"}
    search_fields = ["name", "display_name", "organisation"]
    fields = [
        "name", "slug", "display_name", "organisation", "params", "params_billion", "open_weights", "licence",
        "released_on", "released_month_only", "link", "maker_domain", "price_prompt", "price_completion", "created_at",
    ]  # fmt: skip
    readonly_fields = ["created_at"]
    formfield_overrides = {URLField: {"assume_scheme": "https"}}


def in_order(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True)


class ExtraBodyField(JSONField):
    """Read by our own rules: Django's field breaks on nesting and on numbers that Python refuses to read."""

    def to_python(self, value: Any) -> Any:
        try:
            return read_extra_body(value if isinstance(value, str) else json.dumps(value or {}))
        except ValueError as error:
            raise ValidationError(str(error)) from None

    def bound_data(self, data: str | None, initial: Any) -> Any:
        """What was typed, as it stands, so that it can be corrected."""
        return InvalidJSONInput(data or "")

    def has_changed(self, initial: Any, data: str | None) -> bool:
        """What cannot be read counts as changed. Compared as text: 1 and true are equal to Python."""
        try:
            return in_order(self.to_python(data or "")) != in_order(initial or {})
        except ValidationError:
            return True


class EndpointForm(ModelForm):  # type: ignore[type-arg]
    """What the submission form refuses is refused here too, but for a name twice, of which the last counts."""

    # By hand, since the model's default is a callable: Django would tell by a hidden field whether it was changed.
    extra_body = ExtraBodyField(required=False)


@admin.register(Endpoint)
class EndpointAdmin(PlainAdmin):
    form = EndpointForm
    list_display = [
        "model", column("api_model", "name in the API"), column("base_url", "base address"), "has_key",
        column("max_concurrency", "requests at once"), column("created_at", "since"),
    ]  # fmt: skip
    labels = {"created_at": "Known since", "owner": "Submitted from"}
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

    @admin.display(boolean=True, description="has a key")
    def has_key(self, endpoint: Endpoint) -> bool:
        return bool(endpoint.sealed_key)


WHO_SEES = (
    "Texts and references of every bank, private ones too, are open here to staff with the right to view items, and so "
    "are exact scores and runs of private banks. Everybody else sees what the access of the bank allows: all of an "
    "open one, no texts and no replies of a withheld one, and of a private one whole points for each model."
)


HIDDEN_OF_PRIVATE = frozenset({"sha256", "version", "source", "facts", "loaded_at"})
"""Of a private bank: a guess of its file could be checked by the hash, of which the version is the beginning."""


def if_open(name: str, heading: str) -> Callable[[ItemBank], Any]:
    """A column of the list of banks that is empty for private ones, and by which the list cannot be put in order."""

    @admin.display(description=heading)
    def shown(bank: ItemBank) -> Any:
        return getattr(bank, name) if bank.shows_items else None

    shown.__name__ = f"open_{name}"
    return shown


@admin.register(ItemBank)
class ItemBankAdmin(ReadOnlyAdmin):
    """Who opens a private bank with the right to view items reads the exact scores here, which no page shows."""

    list_display = [
        "title", benchmark, "language", "version", column("access", "the public may see"),
        column("loaded_at", "loaded"),
    ]  # fmt: skip
    list_filter = [("access", titled("what the public may see"))]
    search_fields = ["slug", "title"]

    def get_list_display(self, request: HttpRequest) -> Any:
        """The same columns for everybody, without what is hidden of private banks."""
        if sees_private(request.user):
            return self.list_display
        *others, access, _ = self.list_display
        shown = [name for name in others if name != "version"]
        return [*shown, if_open("version", "version"), access, if_open("loaded_at", "loaded")]

    def get_fieldsets(self, request: HttpRequest, obj: ItemBank | None = None) -> Any:
        fields = [field.name for field in ItemBank._meta.concrete_fields if field.name != "id"]
        names = ["benchmark_name" if name == "benchmark" else name for name in fields]
        private = obj is not None and not obj.shows_items
        if private and not sees_private(request.user):
            names = [name for name in names if name not in HIDDEN_OF_PRIVATE]
        elif private:
            names.append("exact_scores")
        return [(None, {"fields": names, "description": WHO_SEES})]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Not by what the page of a private bank hides: a filter would give it away letter by letter."""
        return lookup.partition("__")[0] not in HIDDEN_OF_PRIVATE and super().lookup_allowed(lookup, value, request)

    @admin.display(description="benchmark")
    def benchmark_name(self, bank: ItemBank) -> str:
        return benchmark_title(bank.benchmark)

    @admin.display(description="scores of its whole runs, not rounded")
    def exact_scores(self, bank: ItemBank) -> str:
        runs = Run.objects.filter(bank=bank, limit__isnull=True, score__isnull=False).select_related("model")
        return "; ".join(
            f"{run.model.name}, run {run.pk}: {run.score:.2f} (standard error "
            f"{'unknown' if run.standard_error is None else format(run.standard_error, '.2f')})"
            for run in runs.order_by("-score", "pk")
        )


@admin.register(Item)
class ItemAdmin(ReadOnlyAdmin):
    """Dialogues, words and references of every bank, private ones too, for those with the right to view items.

    Django lets the right to change rows open a list as well; here nothing but that one right does.
    """

    list_display = [
        column("number", "item"), column("bank", "item bank"), column("labels", "words to rate", words=listed),
        column("item_id", "name in the bank’s file"),
    ]  # fmt: skip
    list_filter = [("bank", titled("item bank"))]
    ordering = ["bank__title", "number"]
    list_select_related = ["bank"]
    search_fields = ["item_id"]

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return sees_private(request.user)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return sees_private(request.user)


@admin.register(Run)
class RunAdmin(PlainAdmin):
    """Only whether a run is public can be changed by hand; its status changes through its own methods."""

    list_display = [
        column("pk", "run", order="id"), "model", column("bank", "item bank", order="bank__title"), "state",
        column("origin", "origin"), column("published", "published", boolean=True),
        column("score", "score", words=rounded), column("parse_share", "replies read", words=in_percent),
        column("created_at", "since"),
    ]  # fmt: skip
    list_display_links = list_display[:2]
    list_filter = [
        "status", "origin", ("published", yes_no("published", "yes", "no")),
        ("benchmark", named("benchmark", benchmark_title)),
    ]  # fmt: skip
    list_select_related = ["model", "bank"]
    search_fields = ["model__name", "model__display_name", "source"]
    show_full_result_count = False
    fields = ["published", *MEASURED]
    readonly_fields = MEASURED

    def get_queryset(self, request: HttpRequest) -> QuerySet[Run]:
        """Runs on private banks only for those who may see the items."""
        return Run.objects.all() if sees_private(request.user) else Run.objects.shown()

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Not by a column of texts, which `?reason__startswith=` would give away letter by letter."""
        return lookup.partition("__")[0] not in TEXT_COLUMNS and super().lookup_allowed(lookup, value, request)

    @admin.display(description="status", ordering="status")
    def state(self, run: Run) -> str:
        """The status, and for a failed run where it failed."""
        where = f" ({run.get_failure_kind_display().lower()})" if run.failure_kind else ""
        return f"{run.get_status_display()}{where}"

    @admin.display(description="benchmark")
    def benchmark_name(self, run: Run) -> str:
        return benchmark_title(run.benchmark)

    @admin.display(description="failure message")
    def failure(self, run: Run) -> str:
        return failure_of(run)

    @admin.display(description="manifest")
    def what_was_done(self, run: Run) -> str:
        return in_lines(manifest_of(run))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Run | None = None) -> bool:
        """A run that should not be seen is taken off the board; what was measured stays."""
        return False


@admin.register(ItemResult)
class ItemResultAdmin(ReadOnlyAdmin):
    list_display = [
        column("run__model", "model", order="run__model__display_name"), column("run_id", "run"),
        column("item__number", "item"), "repeat", "state", column("reading", "how it was read"), "why_unread",
        column("score", "score", words=rounded), column("attempts", "attempts"),
    ]  # fmt: skip
    list_filter = ["state", ("reading", titled("how it was read"))]
    list_select_related = ["run__bank", "run__model", "item__bank"]
    search_fields = ["=run__id"]
    fields = [
        "run", "item", "repeat", "state", "reading", "answer", "why_unread", "out_of_the_ordinary", "score",
        "all_parts", "attempts", "latency_ms", "prompt_tokens", "completion_tokens", "created_at",
    ]  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[ItemResult]:
        """Those of runs on private banks only for those who may see the items."""
        results = ItemResult.objects.all()
        return results if sees_private(request.user) else results.exclude(run__bank__access=Access.PRIVATE)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Not by a column of texts, which `?reason__startswith=` would give away letter by letter."""
        return lookup.partition("__")[0] not in TEXT_COLUMNS and super().lookup_allowed(lookup, value, request)

    @admin.display(description="why nothing was read")
    def why_unread(self, result: ItemResult) -> str:
        return counted_part(result, result.run.bank)["reason"]

    @admin.display(description="flags")
    def out_of_the_ordinary(self, result: ItemResult) -> str:
        return counted_part(result, result.run.bank)["flags"]

    @admin.display(description="all parts")
    def all_parts(self, result: ItemResult) -> str:
        return in_lines(parts_of(result, result.run.bank))


@admin.register(ReferenceScore)
class ReferenceScoreAdmin(PlainAdmin):
    list_display = [
        "model", benchmark, column("value", "figure"), column("preferred", "shown on the site", boolean=True),
        column("as_of", "date"), column("setting", "how it was measured"),
    ]  # fmt: skip
    list_filter = [
        ("benchmark", named("benchmark", benchmark_title)), ("preferred", yes_no("shown on the site", "yes", "no")),
    ]  # fmt: skip
    labels = {"value": "Figure", "preferred": "Shown on the site"}
    list_select_related = ["model"]
    search_fields = ["model__name"]
    show_full_result_count = False
    raw_id_fields = ["model"]
    fields = ["model", "benchmark", "value", "setting", "as_of", "source", "match", "matched_name", "preferred"]
    readonly_fields = ["value", "setting", "as_of", "source", "match", "matched_name"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False
