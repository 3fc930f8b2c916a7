"""What visitors reported or suggested, in the admin: read, noted and marked as done."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.text import Truncator

from evaluation.admin_words import column, said, yes_no
from leaderboard.administration.touched import TouchedAdmin
from leaderboard.models import Report
from leaderboard.rounding import counted


@admin.register(Report)
class ReportAdmin(TouchedAdmin):
    """Written by visitors; a hand adds a note and marks it as done."""

    list_display = [
        "subject",
        "kind",
        "words",
        column("at", "when"),
        column("done", "state", words=said("done", "open")),
    ]
    list_filter = [("done", yes_no("state", "done", "open")), "kind"]
    labels = {"text": "What the visitor wrote", "name": "Suggested model", "link": "Its page", "note": "Our note"}
    list_select_related = ["run__model", "model"]
    search_fields = ["text", "name", "model__name"]
    fields = ["kind", "run", "model", "name", "link", "text", "at", "done", "note"]
    readonly_fields = ["kind", "run", "model", "name", "link", "text", "at"]
    actions = ["mark_done"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @admin.display(description="about")
    def subject(self, report: Report) -> str:
        run = f", run {report.run_id}" if report.run_id else ""
        return report.name or f"{report.model or 'deleted'}{run}"

    @admin.display(description="what the visitor wrote")
    def words(self, report: Report) -> str:
        return Truncator(report.text).chars(90)

    @admin.action(description="Mark as done", permissions=["change"])
    def mark_done(self, request: HttpRequest, reports: QuerySet[Report]) -> None:
        n = reports.filter(done=False).update(done=True)
        self.message_user(request, f"{counted(n, 'report')} marked as done.")
