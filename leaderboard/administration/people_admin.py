"""Sets of answers that visitors gave, in the admin: they can be taken out and back in, and nothing in them changes."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from evaluation.admin_words import column, titled, yes_no
from leaderboard.administration.touched import TouchedAdmin
from leaderboard.administration.waiting import LookAtSets
from leaderboard.models import HumanSet
from leaderboard.rounding import counted


@admin.register(HumanSet)
class HumanSetAdmin(TouchedAdmin):
    """A set that is dropped stays, so that the number of those taken out can be told."""

    list_display = [
        column("pk", "set", order="id"), column("day", "given on"), column("bank", "item bank"), "n_answers", "counts",
        column("dropped_because", "why it was taken out"),
    ]  # fmt: skip
    list_filter = [
        LookAtSets, ("dropped", yes_no("taken out by staff", "yes", "no")), ("excluded", titled("left out by a rule")),
        ("bank", titled("item bank")),
    ]  # fmt: skip
    labels = {"dropped": "Taken out by staff", "dropped_because": "Why it was taken out", "day": "Given on"}
    list_select_related = ["bank"]
    fields = ["bank", "day", "answers", "consent_version", "excluded", "dropped", "dropped_because"]
    readonly_fields = ["bank", "day", "answers", "consent_version", "excluded"]
    actions = ["drop", "take_back"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @admin.display(description="dialogues")
    def n_answers(self, answers: HumanSet) -> int:
        return len(answers.answers)

    @admin.display(description="counts", boolean=True)
    def counts(self, answers: HumanSet) -> bool:
        return not (answers.dropped or answers.excluded)

    @admin.action(description="Take out of the line for people", permissions=["change"])
    def drop(self, request: HttpRequest, sets: QuerySet[HumanSet]) -> None:
        n = sets.filter(dropped=False).update(dropped=True)
        self.message_user(request, f"{counted(n, 'set')} taken out.")

    @admin.action(description="Count again", permissions=["change"])
    def take_back(self, request: HttpRequest, sets: QuerySet[HumanSet]) -> None:
        n = sets.filter(dropped=True).update(dropped=False)
        self.message_user(request, f"{counted(n, 'set')} counted again.")
