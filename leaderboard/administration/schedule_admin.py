"""Schedules and the notes that they raise, in the admin."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from evaluation.admin_words import column, said, yes_no
from evaluation.disclosure import sees_private
from evaluation.models import Access
from leaderboard.administration.touched import TouchedAdmin, save_touched
from leaderboard.administration.waiting import LookAtSchedules
from leaderboard.models import Note, Schedule
from leaderboard.rounding import counted


@admin.register(Schedule)
class ScheduleAdmin(TouchedAdmin):
    """A replicate of the endpoint's newest run every so many days. Its trouble is cleared when it is enabled again."""

    list_display = [
        column("endpoint__model", "model", order="endpoint__model__display_name"), column("bank", "item bank"),
        column("every_days", "every so many days"), column("next_at", "next run"),
        column("enabled", "runs", boolean=True), column("trouble", "why it could not run"),
    ]  # fmt: skip
    list_filter = [LookAtSchedules, ("enabled", yes_no("state", "runs", "stopped"))]
    list_select_related = ["endpoint__model", "bank"]
    labels = {
        "every_days": "Every so many days", "next_at": "Next run", "enabled": "Runs", "trouble": "Why it could not run",
    }  # fmt: skip
    search_fields = ["endpoint__api_model", "endpoint__base_url", "endpoint__model__name"]
    raw_id_fields = ["endpoint"]
    fields = ["endpoint", "bank", "every_days", "next_at", "enabled", "trouble", "created_by", "created_at"]
    readonly_fields = ["trouble", "created_by", "created_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Schedule]:
        """A schedule tells when a bank is run: that of a private bank is for those who may see its runs."""
        schedules = Schedule.objects.all()
        return schedules if sees_private(request.user) else schedules.exclude(bank__access=Access.PRIVATE)

    def save_model(self, request: HttpRequest, obj: Schedule, form: Any, change: bool) -> None:
        obj.trouble = "" if obj.enabled else obj.trouble
        if change:
            save_touched(obj, form, "trouble")
        else:
            obj.created_by = request.user.get_username()
            super().save_model(request, obj, form, change)


@admin.register(Note)
class NoteAdmin(TouchedAdmin):
    """Written by the site; all that a hand does is to mark them as seen."""

    list_display = [
        "text", column("run__model", "model", order="run__model__display_name"), column("run_id", "run"),
        column("at", "when"), column("seen", "state", words=said("seen", "new")),
    ]  # fmt: skip
    list_filter = [("seen", yes_no("state", "seen", "new"))]
    list_select_related = ["run__model", "run__bank"]
    labels = {"text": "Note"}
    readonly_fields = ["run", "text", "at"]
    fields = ["text", "run", "at", "seen"]
    actions = ["mark_seen"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Note]:
        """Notes tell scores: those on runs on private banks are for those who may see the items."""
        notes = Note.objects.all()
        return notes if sees_private(request.user) else notes.exclude(run__bank__access=Access.PRIVATE)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @admin.action(description="Mark as seen", permissions=["change"])
    def mark_seen(self, request: HttpRequest, notes: QuerySet[Note]) -> None:
        n = notes.filter(seen=False).update(seen=True)
        self.message_user(request, f"{counted(n, 'note')} marked as seen.")
