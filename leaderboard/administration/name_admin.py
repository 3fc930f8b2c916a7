"""Which models the names of published tables mean, in the admin: seen, and corrected."""

from typing import Any

from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from evaluation.admin_words import benchmark_title, column, named, said, yes_no
from evaluation.models import PublishedName, ReferenceScore
from leaderboard.administration.touched import TouchedAdmin, save_touched
from leaderboard.calling import call_refresh
from leaderboard.standings import refresh_standings

KEPT = (
    "The name in the table means this model, and the table’s figures stand on its page. A name that you correct here "
    "keeps your model: load_published, which runs with every update, sets the others to what the shipped tables say. "
    "Write “exact”, “alias: why” for another spelling of the same model, or “approx: why” where the source does not "
    "name the snapshot."
)


@admin.register(PublishedName)
class PublishedNameAdmin(TouchedAdmin):
    """Names come from the tables alone, so none is added or deleted here."""

    list_display = [
        column("name", "name in the table"), column("table", "published table", words=benchmark_title), "model",
        column("match", "how it was matched"), column("by_hand", "set by", words=said("hand", "table")),
    ]  # fmt: skip
    list_filter = [
        ("table", named("published table", benchmark_title)), ("by_hand", yes_no("set by hand", "yes", "no")),
    ]  # fmt: skip
    labels = {"name": "Name in the table"}
    list_select_related = ["model"]
    search_fields = ["name", "model__name"]
    raw_id_fields = ["model"]
    readonly_fields = ["table", "name", "by_hand"]
    fieldsets = [(None, {"fields": ["table", "name", "model", "match", "by_hand"], "description": KEPT})]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: PublishedName | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: PublishedName, form: Any, change: bool) -> None:
        """Figures move to another model with their name, and the standings follow. The preferred one stays preferred,
        but not beside another figure that the model has of this table."""
        obj.by_hand = obj.by_hand or form.has_changed()
        save_touched(obj, form, "by_hand")
        figures = ReferenceScore.objects.filter(benchmark=obj.table, matched_name=obj.name)
        if "match" in form.changed_data:
            figures.update(match=obj.match, changed_at=timezone.now())
        if "model" in form.changed_data:
            _move(figures, obj)
        transaction.on_commit(refresh_standings)
        call_refresh()


def _move(figures: QuerySet[ReferenceScore], name: PublishedName) -> None:
    _keep_once(figures)
    first = figures.order_by("-preferred", "-pk").first()
    figures.update(model=name.model, preferred=False, changed_at=timezone.now())
    if first and not ReferenceScore.objects.filter(benchmark=name.table, model=name.model, preferred=True).exists():
        figures.filter(pk=first.pk).update(preferred=True)


def _keep_once(figures: QuerySet[ReferenceScore]) -> None:
    """Of one figure that stands at several models, as where staff moved it and it was loaded since, one stays: that
    of staff, else the newest."""
    seen = set()
    for figure in figures.order_by("-by_hand", "-pk"):
        place = (figure.setting, figure.as_of, figure.source)
        if place in seen:
            figure.delete()
        seen.add(place)
