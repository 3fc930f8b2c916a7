"""The admin of the site. Standings are computed, so here they can only be looked at."""

from django.contrib import admin
from django.http import HttpRequest

from leaderboard.models import Standing


@admin.register(Standing)
class StandingAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # the stubs take one, the class at run time none
    list_display = ["ranking", "rank", "model", "origin", "score", "runs_used", "computed_at"]
    list_filter = ["ranking", "origin"]
    list_select_related = ["model"]
    search_fields = ["model__name", "model__display_name"]
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Standing | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Standing | None = None) -> bool:
        return False
