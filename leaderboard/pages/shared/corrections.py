"""Results whose score was made anew, with the values before and after."""

from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from typing import Any

from django.db.models import Func, TextField

from evaluation.models import Run
from evaluation.transitions import RunQuerySet


@dataclass(frozen=True, slots=True)
class Correction:
    """One change of one run's score. A score is None where the run had or has too few readable replies."""

    run: Run
    model: str
    bank: str
    at: datetime
    old_score: float | None
    new_score: float | None
    old_version: str
    new_version: str

    @property
    def run_id(self) -> int:
        return self.run.pk


def corrections_of(run: Run) -> tuple[Correction, ...]:
    """All corrections of a run whose model and bank are at hand, newest first."""
    now = {"score": run.score, "scorer_version": run.scorer_version}
    return tuple(
        Correction(
            run=run,
            model=str(run.model),
            bank=run.bank.title,
            at=datetime.fromisoformat(old["replaced_at"]),
            old_score=old["score"],
            new_score=new["score"],
            old_version=old["scorer_version"],
            new_version=new["scorer_version"],
        )
        for old, new in reversed(list(pairwise([*run.score_history, now])))
    )


class LastCorrected(Func):
    """When the newest score in a history was replaced, as text. Django asks no database for the last of a list."""

    output_field = TextField()
    template = "JSON_EXTRACT(%(expressions)s, '$[#-1].replaced_at')"

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="(%(expressions)s #>> '{-1,replaced_at}')", **context)


def newest_corrections(most: int) -> tuple[Correction, ...]:
    """The newest corrections of public runs. They are among those of as many runs, the last corrected first."""
    last = last_corrected(most).select_related("model", "bank")
    found = [correction for run in last for correction in corrections_of(run)]
    return tuple(sorted(found, key=lambda correction: correction.at, reverse=True)[:most])


def newest_correction_days(most: int) -> list[date]:
    """The days of the same, newest first, without the runs themselves: two tables less to read."""
    histories = last_corrected(most).values_list("score_history", flat=True)
    found = [datetime.fromisoformat(old["replaced_at"]) for history in histories for old in history]
    return [at.date() for at in sorted(found, reverse=True)[:most]]


def last_corrected(most: int) -> RunQuerySet:
    runs = Run.objects.listed().exclude(score_history=[])
    # ISO 8601 in UTC, as all of them are written, has the order of time.
    return runs.annotate(corrected_at=LastCorrected("score_history")).order_by("-corrected_at", "-pk")[:most]
