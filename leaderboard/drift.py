"""Whether a repeated run departs from the earlier ones by more than re-running explains: then a note is raised."""

from collections.abc import Sequence
from datetime import timedelta
from statistics import fmean

import numpy as np
from django.db.models import Q
from django.utils import timezone

from evaluation.models import ItemResult, Run, Status
from evaluation.runs.departures import PACE_SETTINGS
from evaluation.statistics.repeatability import DriftTest, drift_test
from leaderboard.kinds import kind_of
from leaderboard.models import Note
from leaderboard.rounding import counted, number, score, score_number
from leaderboard.standings.counted import CountedRun, score_matrix

LOOKED_BACK = timedelta(days=2)
MOST_EARLIER = 50
FEWEST_ITEMS = 2


def note_drift(run_id: int | None = None) -> int:
    """Looks at that run, or at all that ended lately. Returns how many notes were raised."""
    again = Run.objects.filter(status=Status.FINISHED, parent__isnull=False, endpoint__isnull=False, note=None)
    wanted = Q(finished_at__gt=timezone.now() - LOOKED_BACK) if run_id is None else Q(pk=run_id)
    return sum(_noted(run) for run in again.filter(wanted).select_related("model"))


def earlier_replicates(run: Run) -> list[Run]:
    """The finished runs before it that asked the same endpoint the same, newest first."""
    before = Run.objects.filter(
        endpoint=run.endpoint_id,
        bank=run.bank_id,
        benchmark=run.benchmark,
        variant=run.variant,
        n_items=run.n_items,
        status=Status.FINISHED,
        pk__lt=run.pk,
    )
    return [found for found in before[:MOST_EARLIER] if _asked(found) == _asked(run)]


def _noted(run: Run) -> bool:
    earlier = earlier_replicates(run)
    found = _tested(run, earlier) if earlier else None
    if found is None or not found.drifted or found.items.n < FEWEST_ITEMS:
        return False
    return Note.objects.get_or_create(run=run, defaults={"text": sentence(run, earlier, found)})[1]


def _tested(run: Run, earlier: Sequence[Run]) -> DriftTest | None:
    runs = [_counted(one) for one in (*earlier, run)]
    results = ItemResult.objects.filter(run__in=[one.pk for one in runs])
    items = sorted(results.order_by().values_list("item_id", flat=True).distinct())
    if not items:
        return None
    matrix = score_matrix(runs, {one.pk: row for row, one in enumerate(runs)}, items)
    return drift_test(np.transpose(matrix[:-1]), matrix[-1])


def sentence(run: Run, earlier: Sequence[Run], found: DriftTest) -> str:
    """What an administrator reads: the figures, n, interval and method."""
    usual = fmean(one.score for one in earlier if one.score is not None)
    items = found.items
    within = items.interval
    between = f", 95 % interval {number(within.low, 2)} to {number(within.high, 2)}" if within else ""
    return (
        f"Run {run.pk} of {run.model} scored {score(run.score, run.benchmark)}; "
        f"{counted(len(earlier), 'earlier replicate')} "
        f"scored {score_number(usual, run.benchmark)} on average. "
        f"Item by item the difference is {number(items.mean, 2)} on the scale of "
        f"{kind_of(run.benchmark).item_parts.range or 'the items'} (paired t test over "
        f"{counted(items.n, 'item')}{between}), which is more than "
        "re-running explains: the model behind the endpoint may have changed."
    )


def _asked(run: Run) -> dict[str, object]:
    return {
        "repeats": run.repeats,
        "departures": run.departures,
        **{name: value for name, value in run.settings.items() if name not in PACE_SETTINGS},
    }


def _counted(run: Run) -> CountedRun:
    return CountedRun(run.pk, run.model_id, run.benchmark, run.repeats)
