"""Rows behind the standings: when an administrator deletes one, the standings are computed anew."""

from typing import Any

from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from evaluation.admin_words import PlainAdmin
from leaderboard.calling import call_refresh
from leaderboard.standings import refresh_standings


class StandingsFollow(PlainAdmin):
    """Deleting by the form and by the action of the list alike."""

    def delete_model(self, request: HttpRequest, obj: Model) -> None:
        super().delete_model(request, obj)
        transaction.on_commit(refresh_standings)
        call_refresh()

    def delete_queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> None:
        super().delete_queryset(request, queryset)
        transaction.on_commit(refresh_standings)
        call_refresh()
