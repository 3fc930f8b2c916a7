"""Logins in the admin: nobody edits them. Deleting an attempt lifts its lock; what is old, the hourly purge deletes.

It takes the place of the library's lists: one of these is never filled here, and one has an action that asks no right.
"""

import axes.admin  # noqa: F401 it registers the lists that these replace
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.conf import settings
from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils import timezone

from evaluation.admin import ReadOnlyAdmin
from evaluation.admin_words import column
from leaderboard.administration.waiting import LookAtLogins

LOGIN_LABELS = {
    "username": "Name", "ip_address": "Network", "attempt_time": "Last tried", "failures_since_start": "Failures",
    "user_agent": "Browser",
}  # fmt: skip

admin.site.unregister([AccessAttempt, AccessFailureLog, AccessLog])


@admin.register(AccessAttempt)
class AccessAttemptAdmin(ReadOnlyAdmin):
    """Names that failed to log in, from which network, and how often since the last success."""

    list_display = [
        column("username", "name"), column("ip_address", "network"), column("attempt_time", "last tried"),
        column("failures_since_start", "failures"), "state",
    ]  # fmt: skip
    list_filter = [LookAtLogins]
    search_fields = ["username", "ip_address"]
    fields = ["username", "ip_address", "attempt_time", "failures_since_start", "state", "user_agent"]
    labels = LOGIN_LABELS

    @admin.display(description="state")
    def state(self, attempt: AccessAttempt) -> str:
        over = attempt.attempt_time + settings.AXES_COOLOFF_TIME
        if attempt.failures_since_start < settings.AXES_FAILURE_LIMIT or over <= timezone.now():
            return "may try"
        return f"locked until {over:%H:%M} UTC; deleting this line lifts the lock"

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return super(ReadOnlyAdmin, self).has_delete_permission(request, obj)


@admin.register(AccessLog)
class AccessLogAdmin(ReadOnlyAdmin):
    """Who logged in, when, from which network."""

    list_display = [
        column("username", "name"), column("ip_address", "network"), column("attempt_time", "logged in"),
        column("logout_time", "logged out"),
    ]  # fmt: skip
    search_fields = ["username", "ip_address"]
    fields = ["username", "ip_address", "attempt_time", "logout_time", "user_agent"]
    labels = {**LOGIN_LABELS, "attempt_time": "Logged in", "logout_time": "Logged out"}
