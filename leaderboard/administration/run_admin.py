"""Runs in the admin, with what an administrator can do to them. It takes the place of the engine's own list."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from evaluation.admin import MEASURED
from evaluation.admin import RunAdmin as EngineRunAdmin
from evaluation.command_line import command_line
from evaluation.models import Run
from evaluation.runs.rescoring import Rescored, rescore_run
from leaderboard.administration.run_acts import note, run_again, who
from leaderboard.administration.touched import TouchedForm
from leaderboard.administration.waiting import LookAtRuns
from leaderboard.calling import call_refresh
from leaderboard.rounding import count, counted, points
from leaderboard.standings import refresh_standings, take_turn
from leaderboard.submissions.moderating import (
    Refused,
    cancel_by_staff,
    resume,
    set_public,
    why_not_again,
    why_not_public,
)

MOST_RESCORED = 50  # in one request; `manage.py rescore --all` takes any number

admin.site.unregister(Run)


class RunForm(TouchedForm):
    """Refuses the tick of a run that may not be listed: a page that saves says that all was changed."""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        wants = "published" in self.changed_data and cleaned.get("published")
        if wants and (sentence := why_not_public(self.instance)):
            self.add_error("published", sentence)
        return cleaned


@admin.register(Run)
class RunAdmin(EngineRunAdmin):
    """The engine's lists, with actions. Each is a POST with the CSRF token and needs the right to change runs."""

    form = RunForm
    actions = ["run_again", "cancel_runs", "resume_runs", "publish", "unpublish", "rescore"]
    list_select_related = ["model", "bank", "endpoint"]
    list_filter = [LookAtRuns, *EngineRunAdmin.list_filter]
    fields = ["published", "priority", *MEASURED]

    def save_model(self, request: HttpRequest, obj: Run, form: Any, change: bool) -> None:
        """The standings follow the check box too. Nothing else is written: a worker may be at work on the row."""
        if "published" in form.changed_data:
            take_turn()  # before the first row is locked, as a merge of its model does
        if "priority" in form.changed_data:
            Run.objects.filter(pk=obj.pk).update(priority=obj.priority)
        if "published" not in form.changed_data:
            return
        if obj.published and (sentence := why_not_public(obj)):  # it was withdrawn since the form was checked
            self.message_user(request, sentence, messages.WARNING)
        else:
            set_public([obj], public=obj.published)

    @admin.action(description="Run again, as a replicate", permissions=["change"])
    def run_again(self, request: HttpRequest, runs: QuerySet[Run]) -> HttpResponse | None:
        """Asks first, with the count and the requests; the second POST opens the runs."""
        refusals = {run: why_not_again(run) for run in runs.select_related("model", "bank", "endpoint")}
        possible = [run for run, sentence in refusals.items() if not sentence]
        if "confirmed" in request.POST:
            user = who(request)
            opened = [self._tried(request, lambda run: run_again(run, user), run) for run in possible]
            self._told(request, "opened", opened)
            self._warned(request, refusals.values())
            return None
        context = {
            "title": f"Run {counted(len(possible), 'run')} again?",
            "action": "run_again",
            "runs": possible,
            "selected": list(refusals),
            "refusals": [sentence for sentence in refusals.values() if sentence],
            "requests": count(sum(run.n_asks for run in possible)),
        }
        return self._asked(request, "administration/admin_run_again.html", context)

    @admin.action(description="Cancel", permissions=["change"])
    def cancel_runs(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        self._told(request, "cancelled", self._each(request, cancel_by_staff, runs, "Cancelled."))

    @admin.action(description="Resume after a failure", permissions=["change"])
    def resume_runs(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        self._told(request, "resumed", self._each(request, resume, runs.select_related("endpoint"), "Resumed."))

    @admin.action(description="Publish", permissions=["change"])
    def publish(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        refusals = {run: why_not_public(run) for run in runs}
        hidden = [run for run, sentence in refusals.items() if not sentence and not run.published]
        done = set_public(hidden, public=True)
        note(who(request), done, "Published.")
        self._warned(request, refusals.values())
        self.message_user(request, f"{counted(len(done), 'run')} published. The standings are computed anew.")

    @admin.action(description="Take off the board", permissions=["change"])
    def unpublish(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        done = set_public([run for run in runs if run.published], public=False)
        note(who(request), done, "Taken off the board.")
        self.message_user(request, f"{counted(len(done), 'run')} taken off the board. The standings are computed anew.")

    @admin.action(description="Score anew from what is stored", permissions=["change"])
    def rescore(self, request: HttpRequest, runs: QuerySet[Run]) -> HttpResponse | None:
        """Asks first; the second POST scores. The old scores stay in each run's history."""
        chosen = list(runs.select_related("model", "bank").order_by("pk")[: MOST_RESCORED + 1])
        if len(chosen) > MOST_RESCORED:
            words = (
                f"Choose at most {MOST_RESCORED} runs, or score all on the server: {command_line('rescore', '--all')}"
            )
            self.message_user(request, words, messages.WARNING)
            return None
        if "confirmed" in request.POST:
            self._rescore(request, chosen)
            return None
        context = {"title": f"Score {counted(len(chosen), 'run')} anew?", "action": "rescore", "runs": chosen}
        return self._asked(request, "administration/admin_rescore.html", context)

    def _rescore(self, request: HttpRequest, runs: Sequence[Run]) -> None:
        outcomes = {run: rescore_run(run.pk) for run in runs}
        changed = {run: outcome for run, outcome in outcomes.items() if outcome.changed}
        for run, outcome in changed.items():
            # The audit log is read by people who may not see scores of private banks.
            note(who(request), [run], f"Scored anew: {change(outcome)}." if run.bank.shows_items else "Scored anew.")
        for run in {(run.bank_id, run.benchmark): run for run in changed}.values():
            refresh_standings(run.pk)
        if changed:
            call_refresh()
        self.message_user(request, f"{counted(len(changed), 'run')} of {len(runs)} changed.")
        for outcome in outcomes.values():
            if outcome.skipped:
                words = f"Run {outcome.run_id} was left alone: {outcome.skipped}."
                self.message_user(request, words, messages.WARNING)
            elif outcome.changed:
                self.message_user(request, f"Run {outcome.run_id}: {change(outcome)}.")

    def _asked(self, request: HttpRequest, template: str, context: Mapping[str, object]) -> HttpResponse:
        every = {**self.admin_site.each_context(request), "opts": self.model._meta, **context}
        return TemplateResponse(request, template, every)

    def _each(self, request: HttpRequest, act: Callable[[Run], object], runs: Iterable[Run], words: str) -> list[bool]:
        """Whether it was done, run by run; what was done is noted."""
        done = {run: self._tried(request, act, run) for run in runs}
        note(who(request), [run for run, changed in done.items() if changed], words)
        return list(done.values())

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


def change(outcome: Rescored) -> str:
    return f"{points(outcome.old_score)} → {points(outcome.new_score)}"
