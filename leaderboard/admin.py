"""The admin of the site: submissions are decided here; standings are computed, so they can only be looked at."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.filters import AllValuesFieldListFilter
from django.db.models import Model, QuerySet
from django.forms import CharField, Form, Textarea
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from evaluation.admin import ReadOnlyAdmin, rounded
from evaluation.admin_words import benchmark_title, column, said, titled, yes_no
from evaluation.disclosure import sees_private
from evaluation.models import Access, ItemBank
from evaluation.runs.judging import judge_names, slug_of
from leaderboard.administration import (
    figure_admin,
    judge_admin,
    login_admin,
    model_admin,
    name_admin,
    people_admin,
    report_admin,
    run_admin,
    schedule_admin,
)
from leaderboard.administration.rights import DECIDE, may
from leaderboard.administration.run_acts import note, who
from leaderboard.administration.touched import TouchedAdmin
from leaderboard.models import Standing, Submission, SubmissionEvent
from leaderboard.rounding import counted, month
from leaderboard.standings.keys import SEPARATOR, bank_in
from leaderboard.submissions.moderating import Refused, approve, reject

__all__ = [
    "figure_admin",
    "judge_admin",
    "login_admin",
    "model_admin",
    "name_admin",
    "people_admin",
    "report_admin",
    "run_admin",
    "schedule_admin",
]  # imported so that they register


class ReasonForm(Form):
    """Why a submission is rejected: its submitter reads it."""

    reason = CharField(widget=Textarea(attrs={"rows": 3, "cols": 70}), max_length=290)


class EventInline(admin.TabularInline):  # type: ignore[type-arg]
    """The timeline, as the submitter reads it."""

    model = SubmissionEvent
    fields = ["at", "text"]
    readonly_fields = ["at", "text"]
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Submission)
class SubmissionAdmin(TouchedAdmin):
    """Approving and rejecting are actions; by hand only note and flag can be changed. The key is never shown.

    The address of a submission's page is its only lock, so it is shown to those alone who may change submissions.
    """

    list_display = [
        column("pk", "number", order="id"), "model", "state", column("flagged", "flagged", words=said("flagged")),
        "doubt", "dry_run_passed", column("publish_consent", "may be published", boolean=True), "sender",
        column("created_at", "sent"),
    ]  # fmt: skip
    list_display_links = list_display[:2]
    list_filter = ["state", ("flagged", yes_no("flagged", "yes", "no"))]
    labels = {
        "flagged": "Flagged", "note": "Note for moderators", "owner": "Network",
        "consent_version": "Version of the consent", "created_at": "Sent", "decided_at": "Decided",
        "request": "The form as sent",
    }  # fmt: skip
    list_select_related = ["model"]
    search_fields = ["model__name", "owner", "contact", "endpoint__base_url"]
    show_full_result_count = False
    actions = ["approve_them", "reject_them"]
    readonly_fields = [
        "model", "endpoint", "state", "runs", "owner", "contact", "publish_consent", "judging_consent",
        "consent_version", "proven_domain", "proven_at", "reason", "status_page", "request", "dry_run", "created_at",
        "decided_at",
    ]  # fmt: skip
    fields = ["flagged", "note", *readonly_fields]
    inlines = [EventInline]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Submission | None = None) -> bool:
        return False

    def get_fields(self, request: HttpRequest, obj: Submission | None = None) -> Any:
        return [name for name in self.fields if name != "status_page" or may(request, DECIDE)]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Not by the token: `?token__startswith=` would give it away letter by letter."""
        return not lookup.startswith("token") and super().lookup_allowed(lookup, value, request)

    @admin.display(boolean=True, description="dry run passed")
    def dry_run_passed(self, submission: Submission) -> bool:
        return submission.dry_run is not None

    @admin.display(description="from", ordering="owner")
    def sender(self, submission: Submission) -> str:
        return ", ".join(filter(None, (submission.contact, submission.owner)))

    @admin.display(description="why flagged, or note")
    def doubt(self, submission: Submission) -> str:
        """What the check of the names found, which stands in the note, in the list's width."""
        return Truncator(submission.note).chars(90)

    @admin.display(description="status page")
    def status_page(self, submission: Submission) -> SafeString:
        return format_html('<a href="{}">As its submitter sees it</a>', reverse("submission", args=[submission.token]))

    @admin.action(description="Approve, and queue the runs", permissions=["change"])
    def approve_them(self, request: HttpRequest, submissions: QuerySet[Submission]) -> None:
        done = [each for each in submissions.select_related("endpoint", "model") if self._approved(request, each)]
        note(who(request), done, "Approved.")
        words = f"{counted(len(done), 'submission')} approved. Those decided before stay as they were."
        self.message_user(request, words)

    def _approved(self, request: HttpRequest, submission: Submission) -> bool:
        """Whether it was; what was refused is said with its reason."""
        try:
            return approve(submission)
        except Refused as refusal:
            self.message_user(request, str(refusal), messages.WARNING)
            return False

    @admin.action(description="Reject, with a reason", permissions=["change"])
    def reject_them(self, request: HttpRequest, submissions: QuerySet[Submission]) -> HttpResponse | None:
        """Asks for the reason first; the second POST rejects."""
        form = ReasonForm(request.POST if "confirmed" in request.POST else None)
        if form.is_valid():
            done = [each for each in submissions if reject(each, form.cleaned_data["reason"])]
            note(who(request), done, f"Rejected: {form.cleaned_data['reason']}")
            words = f"{counted(len(done), 'submission')} rejected. Those decided before stay as they were."
            self.message_user(request, words)
            return None
        context = {
            **self.admin_site.each_context(request),
            "title": f"Reject {counted(submissions.count(), 'submission')}?",
            "action": "reject_them",
            "selected": list(submissions),
            "form": form,
            "opts": self.model._meta,
        }
        return TemplateResponse(request, "administration/admin_reject.html", context)


class RankingFilter(AllValuesFieldListFilter):
    """By ranking, each under the title of its bank."""

    def choices(self, changelist: Any) -> Iterator[Any]:
        titles, judges = bank_titles(), judge_names()
        for at, choice in enumerate(super().choices(changelist)):
            display = str(choice["display"])
            yield {**choice, "display": ranking_title(display, titles, judges) if at else display}


def bank_titles() -> dict[str, str]:
    return dict(ItemBank.objects.values_list("slug", "title"))


def ranking_title(key: str, titles: Mapping[str, str], judges: Mapping[str, str]) -> str:
    """The bank or the published table, with whatever else the key names behind it. `titles` are those of the banks."""
    slug = bank_in(key, titles)
    rest = key.removeprefix(slug).removeprefix(SEPARATOR) if slug else ""
    parts = rest.split(SEPARATOR)
    # A judge says it all: the rule beside it is always that of judging.
    own = [f"judged by {judges.get(judge, judge)}" for judge in map(slug_of, parts) if judge]
    own = own or list(map(benchmark_title, parts))
    return ", ".join([titles[slug] if slug else benchmark_title(key), *filter(None, own)])


@admin.register(Standing)
class StandingAdmin(ReadOnlyAdmin):
    list_display = [
        "model", "title", "rank", column("score", "score", words=rounded),
        column("origin", "where the score comes from"), column("runs_used", "runs behind it"),
        column("computed_at", "computed"),
    ]  # fmt: skip
    list_filter = [("ranking", RankingFilter), ("origin", titled("where the score comes from"))]
    list_select_related = ["model"]
    search_fields = ["model__name", "model__display_name"]
    titles: Mapping[str, str] = {}
    judges: Mapping[str, str] = {}
    private: frozenset[str] = frozenset()

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Standing]":
        # Once a page; another request may put the same in its place.
        self.titles, self.judges = bank_titles(), judge_names()
        self.private = frozenset(ItemBank.objects.filter(access=Access.PRIVATE).values_list("slug", flat=True))
        return super().get_queryset(request)

    def get_list_display(self, request: HttpRequest) -> Any:
        """Without the right to view items: of a private bank the month, and no order by the moment."""
        shown = self.list_display
        return shown if sees_private(request.user) else [*shown[:-1], "computed"]

    def get_fields(self, request: HttpRequest, obj: Standing | None = None) -> Any:
        names = [field.name for field in Standing._meta.concrete_fields if field.name != "id"]
        return names if sees_private(request.user) else [*(name for name in names if name != "computed_at"), "computed"]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Not by what a private bank's row hides: a few filters would find the moment."""
        hidden = lookup.partition("__")[0] == "computed_at" and not sees_private(request.user)
        return not hidden and super().lookup_allowed(lookup, value, request)

    @admin.display(description="computed")
    def computed(self, standing: Standing) -> Any:
        """Nothing is told to the day of a private bank, as on every page."""
        return month(standing.computed_at) if bank_in(standing.ranking, self.private) else standing.computed_at

    @admin.display(description="ranking", ordering="ranking")
    def title(self, standing: Standing) -> str:
        return ranking_title(standing.ranking, self.titles, self.judges)
