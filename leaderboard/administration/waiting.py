"""Filters that leave what staff should look at. The dashboard counts the same rows, so list and count agree."""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any, ClassVar

from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from evaluation.importers.spellings import skeleton
from evaluation.models import Driver, ItemResult, Judge, LanguageModel, Origin, Run, Status
from evaluation.runs.clocks import lease_lives
from leaderboard.models import HumanSet, Schedule, Standing

QUIET_AFTER = timedelta(minutes=10)  # a run with a worker and without an answer for so long stands still
LATELY = timedelta(days=1)
NEW_SETS = timedelta(days=7)
LOOK = "look"  # the parameter of all these filters

IS_LISTED = Exists(Standing.objects.filter(model=OuterRef("pk")).exclude(origin__in=(Origin.BASELINE, Origin.DEMO)))
Narrow = Callable[["QuerySet[Any]"], "QuerySet[Any]"]


def stand_still(runs: "QuerySet[Run]") -> "QuerySet[Run]":
    """Runs that count as running, though no worker holds them any more or no answer came for ten minutes."""
    now = timezone.now()
    answered = ItemResult.objects.filter(run=OuterRef("pk"), created_at__gt=now - QUIET_AFTER)
    quiet = Q(driver=Driver.WORKER, started_at__lt=now - QUIET_AFTER) & ~Exists(answered)
    return runs.filter(~lease_lives(now) | quiet, status=Status.RUNNING)


def failed_lately(runs: "QuerySet[Run]") -> "QuerySet[Run]":
    return runs.filter(status=Status.FAILED, finished_at__gt=timezone.now() - LATELY)


def imported_unpublished(runs: "QuerySet[Run]") -> "QuerySet[Run]":
    """Imported runs that nobody published yet."""
    return runs.filter(origin=Origin.IMPORTED, status=Status.FINISHED, published=False)


def without_facts(models: "QuerySet[LanguageModel]") -> "QuerySet[LanguageModel]":
    """Models on the board without a fact that visitors filter by. A closed model may have no published size."""
    unknown = Q(organisation="") | Q(open_weights=None) | Q(released_on=None)
    return models.filter(unknown | Q(open_weights=True, params_billion=None), IS_LISTED)


def missing_facts(model: LanguageModel) -> list[str]:
    """The facts of `without_facts` that this model lacks, in words."""
    unknown = {
        "maker": not model.organisation,
        "whether the weights are open": model.open_weights is None,
        "size": model.open_weights is True and model.params_billion is None,
        "release date": model.released_on is None,
    }
    return [fact for fact, is_missing in unknown.items() if is_missing]


def look_alikes(models: "QuerySet[LanguageModel]") -> "QuerySet[LanguageModel]":
    """Models whose name a reader may take for that of another model: perhaps both are one. One query for all names."""
    names = {pk: skeleton(name) for pk, name in LanguageModel.objects.values_list("pk", "display_name").order_by()}
    times = Counter(names.values())
    return models.filter(pk__in=[pk for pk, name in names.items() if times[name] > 1])


def in_trouble(judges: "QuerySet[Judge]") -> "QuerySet[Judge]":
    """Enabled judges whose endpoint makes a run wait now, or failed one within a day."""
    runs = Run.objects.filter(endpoint=OuterRef("endpoint"))
    failed = Q(status=Status.FAILED, finished_at__gt=timezone.now() - LATELY)
    return judges.filter(Exists(runs.filter(failed | Q(status=Status.WAITING))), enabled=True)


def troubled(schedules: "QuerySet[Schedule]") -> "QuerySet[Schedule]":
    return schedules.exclude(trouble="")


def newly_given(sets: "QuerySet[HumanSet]") -> "QuerySet[HumanSet]":
    """Sets of the last seven days that count, or that only a rule leaves out."""
    return sets.filter(day__gt=timezone.now().date() - NEW_SETS, dropped=False)


def locked(attempts: "QuerySet[AccessAttempt]") -> "QuerySet[AccessAttempt]":
    """Names that may not log in now."""
    since = timezone.now() - settings.AXES_COOLOFF_TIME
    return attempts.filter(failures_since_start__gte=settings.AXES_FAILURE_LIMIT, attempt_time__gt=since)


class Look(SimpleListFilter):
    """A filter in words. `kinds` has for each value of the parameter the words and what it leaves."""

    title = "needs a look"
    parameter_name = LOOK
    kinds: ClassVar[dict[str, tuple[str, Narrow]]] = {}

    def lookups(self, request: HttpRequest, model_admin: "ModelAdmin[Any]") -> list[tuple[str, str]]:
        return [(value, words) for value, (words, _) in self.kinds.items()]

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> "QuerySet[Any]":
        found = self.kinds.get(self.value() or "")
        return found[1](queryset) if found else queryset


class LookAtRuns(Look):
    kinds: ClassVar[dict[str, tuple[str, Narrow]]] = {
        "still": ("stands still", stand_still),
        "failed": ("failed in the last day", failed_lately),
        "imported": ("imported, not published", imported_unpublished),
    }


class LookAtModels(Look):
    kinds: ClassVar[dict[str, tuple[str, Narrow]]] = {
        "facts": ("facts are missing", without_facts),
        "alike": ("name looks like another", look_alikes),
    }


class LookAtJudges(Look):
    kinds: ClassVar[dict[str, tuple[str, Narrow]]] = {"trouble": ("does not answer", in_trouble)}


class LookAtSchedules(Look):
    kinds: ClassVar[dict[str, tuple[str, Narrow]]] = {"trouble": ("could not run", troubled)}


class LookAtSets(Look):
    kinds: ClassVar[dict[str, tuple[str, Narrow]]] = {"new": ("given in the last 7 days", newly_given)}


class LookAtLogins(Look):
    kinds: ClassVar[dict[str, tuple[str, Narrow]]] = {"locked": ("locked now", locked)}
