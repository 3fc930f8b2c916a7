"""Runs in the admin, with what an administrator can do to them. It takes the place of the engine's own list."""

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from evaluation.admin import RunAdmin as EngineRunAdmin
from evaluation.models import Run
from leaderboard.moderating import Refused, cancel, replicate, resume, set_public, why_not_again, why_not_public
from leaderboard.rounding import count, counted

admin.site.unregister(Run)


@admin.register(Run)
class RunAdmin(EngineRunAdmin):
    """The engine's lists, with actions. Each is a POST with the CSRF token and needs the right to change runs."""

    actions = ["run_again", "cancel_runs", "resume_runs", "publish", "unpublish"]
    list_select_related = ["model", "bank", "endpoint"]

    def save_model(self, request: HttpRequest, obj: Run, form: Any, change: bool) -> None:
        """The standings follow the check box too."""
        sentence = why_not_public(obj) if obj.published else ""
        if "published" not in form.changed_data:
            return
        if sentence:
            self.message_user(request, sentence, messages.WARNING)
        else:
            set_public([obj], public=obj.published)

    @admin.action(description="Run again, as a replicate", permissions=["change"])
    def run_again(self, request: HttpRequest, runs: QuerySet[Run]) -> HttpResponse | None:
        """Asks first, with the count and the requests; the second POST opens the runs."""
        refusals = {run: why_not_again(run) for run in runs.select_related("model", "bank", "endpoint")}
        possible = [run for run, sentence in refusals.items() if not sentence]
        if "confirmed" in request.POST:
            self._told(request, "opened", [self._tried(request, replicate, run) for run in possible])
            self._warned(request, refusals.values())
            return None
        context = {
            **self.admin_site.each_context(request),
            "title": f"Run {counted(len(possible), 'run')} again?",
            "action": "run_again",
            "runs": possible,
            "selected": list(refusals),
            "refusals": [sentence for sentence in refusals.values() if sentence],
            "requests": count(sum(run.n_items * run.repeats for run in possible)),
            "opts": self.model._meta,
        }
        return TemplateResponse(request, "leaderboard/admin_run_again.html", context)

    @admin.action(description="Cancel", permissions=["change"])
    def cancel_runs(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        self._told(request, "cancelled", [cancel(run) for run in runs])

    @admin.action(description="Resume after a failure", permissions=["change"])
    def resume_runs(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        self._told(request, "resumed", [self._tried(request, resume, run) for run in runs.select_related("endpoint")])

    @admin.action(description="Publish", permissions=["change"])
    def publish(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        refusals = {run: why_not_public(run) for run in runs}
        n = set_public((run for run, sentence in refusals.items() if not sentence), public=True)
        self._warned(request, refusals.values())
        self.message_user(request, f"{counted(n, 'run')} published. The standings are computed anew.")

    @admin.action(description="Take off the board", permissions=["change"])
    def unpublish(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        n = set_public(runs, public=False)
        self.message_user(request, f"{counted(n, 'run')} taken off the board. The standings are computed anew.")

    def _tried(self, request: HttpRequest, act: Callable[[Run], object], run: Run) -> bool:
        """Whether it was done; what was refused is said, each with its reason."""
        try:
            return bool(act(run))
        except Refused as refusal:
            self.message_user(request, str(refusal), messages.WARNING)
            return False

    def _told(self, request: HttpRequest, word: str, done: list[bool]) -> None:
        left = len(done) - sum(done)
        rest = f" {counted(left, 'run')} left as they were." if left else ""
        self.message_user(request, f"{counted(sum(done), 'run')} {word}.{rest}")

    def _warned(self, request: HttpRequest, sentences: Iterable[str]) -> None:
        for sentence in filter(None, sentences):
            self.message_user(request, sentence, messages.WARNING)
