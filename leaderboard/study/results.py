"""A study's results: computed from its counts in a task, stored as JSON, and read back by pages.

Each change of the counts gives a new row, so an older adjusted p stays on record with its date and its family.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from django.db.models import Q, QuerySet

from evaluation.statistics.contingency import TableTest, table_test
from evaluation.statistics.raters import DRAWS
from evaluation.statistics.responders import study_statistics
from evaluation.statistics.study_figures import ALL, LEAST_RATERS, LEAST_RATINGS, LEVEL, SCOPES, Cell
from evaluation.statistics.study_figures import Study as Statistics
from leaderboard.study.counting import Cells, Counts, counts_of
from leaderboard.study.models import Study
from leaderboard.study.result_models import StudyResult
from leaderboard.study.states import GroupState, ParticipationState
from leaderboard.study.stored import statistics_of

SEED = 0
VERSION = 2
"""Of what is computed: another one computes all results anew."""


@dataclass(frozen=True, slots=True)
class Wave:
    """The control of one wave beside the stored baseline, and the wave's models against the control.

    `test` is None with `reason` where there is none. `statistics` has the control as its reference.
    """

    number: int
    control: str
    test: TableTest | None
    reason: str
    statistics: Statistics

    @property
    def differs(self) -> bool:
        """At 5 %, as the plan says: one test a wave, without a correction."""
        return self.test is not None and self.test.p is not None and self.test.p < LEVEL


@dataclass(frozen=True, slots=True)
class Result:
    """`labels` names each line; `waves` is empty where no wave has a control of its own."""

    statistics: Statistics
    labels: Mapping[str, str]
    responders: Mapping[str, str]
    waves: tuple[Wave, ...]


def refresh_results(study: Study) -> int:
    """Computes what has changed, with all raters and with the exclusion rule applied. Returns how many rows are new."""
    made = _refreshed(study, with_rule=False)
    return made + (_refreshed(study, with_rule=True) if study.exclusion_rule else 0)


def has_baseline(study: Study) -> bool:
    """Whether people's replies have counts or ratings that are closed: without any there is no result."""
    counts = study.counts.filter(responder__is_baseline=True, scope=ALL)
    done = {"state": ParticipationState.DONE, "group__state": GroupState.CLOSED}
    return counts.exists() or study.participations.filter(group__responder__is_baseline=True, **done).exists()


def studies(study_id: int | None = None) -> QuerySet[Study]:
    """That study, or all that have counts or a closed group."""
    if study_id is not None:
        return Study.objects.filter(pk=study_id)
    return Study.objects.filter(Q(counts__isnull=False) | Q(groups__state=GroupState.CLOSED)).distinct()


def _refreshed(study: Study, *, with_rule: bool) -> int:
    counts = counts_of(study, with_rule=with_rule)
    key = version_of(counts)
    newest = newest_result(study, with_rule=with_rule)
    over_all = {cell.responder for cell in counts.main.get(ALL, ())}
    # Counts of the baseline may be there by valence or emotion alone: then the page has nothing to compare with yet.
    if counts.reference not in over_all or (newest and newest.key == key):
        return 0
    content = computed(counts)
    StudyResult.objects.create(study=study, with_rule=with_rule, key=key, n_pairs=_n_pairs(content), content=content)
    return 1


def _n_pairs(content: Mapping[str, Any]) -> int:
    """The tested pairs of the ranking over all prompts."""
    pairs = content["statistics"]["scopes"][0]["pairs"]
    return sum(pair["family"] == "ranking" and pair["p_adjusted"] is not None for pair in pairs)


def version_of(counts: Counts) -> str:
    """Changes with any number that the results depend on."""
    cells = {
        scope: sorted((_plain(cell) for cell in cells), key=lambda cell: str(cell[0]))
        for scope, cells in sorted(counts.cells.items())
    }
    labels = sorted((key, source.label, source.wave) for key, source in counts.sources.items())
    parts = (VERSION, counts.reference, cells, labels, sorted(counts.n_raters.items()), sorted(counts.controls.items()))
    return sha256(repr(parts).encode()).hexdigest()


def _plain(cell: Cell) -> tuple[object, ...]:
    raters = (cell.raters.good.tolist(), cell.raters.n.tolist()) if cell.raters else None
    return cell.responder, cell.n, cell.good, cell.bad, cell.okay, raters, cell.basis


def computed(counts: Counts) -> dict[str, Any]:
    """All results as one JSON object."""
    return {
        "statistics": asdict(_statistics(counts.main, counts.reference, counts)),
        "labels": {key: source.label for key, source in counts.sources.items()},
        "responders": {key: source.responder for key, source in counts.sources.items()},
        "waves": [_wave(counts, number, key) for number, key in sorted(counts.controls.items())],
    }


def _statistics(cells: Cells, reference: str, counts: Counts) -> Statistics:
    """Scopes that the reference has no ratings in are left out: nothing can be compared there."""
    known = {
        scope: own
        for scope, own in cells.items()
        if scope not in SCOPES or any(cell.responder == reference for cell in own)
    }
    return study_statistics(known, reference=reference, n_raters=counts.n_raters, draws=DRAWS, seed=SEED)


def _wave(counts: Counts, number: int, control: str) -> dict[str, Any]:
    test, reason = _control_test(_cell(counts, control), _cell(counts, counts.reference))
    return {
        "number": number,
        "control": control,
        "test": asdict(test) if test else None,
        "reason": reason,
        "statistics": asdict(_statistics(counts.of_wave(number), control, counts)),
    }


def _cell(counts: Counts, key: str) -> Cell:
    return next(cell for cell in counts.cells[ALL] if cell.responder == key)


def _control_test(control: Cell, stored: Cell) -> tuple[TableTest | None, str]:
    """Good against the rest, once the control is full."""
    if control.raters is None:  # imported without codes of raters
        return None, "it is not known who rated"
    raters = control.raters.n.size
    if raters < LEAST_RATERS:
        return None, f"{raters} raters, fewer than {LEAST_RATERS}"
    if control.n < LEAST_RATINGS or stored.n < LEAST_RATINGS:
        return None, f"fewer than {LEAST_RATINGS} ratings"
    return table_test([control.good_or_not, stored.good_or_not]), ""


def newest_result(study: Study, *, with_rule: bool = False) -> StudyResult | None:
    """Without its content, which is large."""
    return StudyResult.objects.filter(study=study, with_rule=with_rule).defer("content").order_by("-pk").first()


def result_of(row: StudyResult) -> Result:
    """What a stored row says."""
    content = row.content
    waves = tuple(
        Wave(
            each["number"],
            each["control"],
            TableTest(**each["test"]) if each["test"] else None,
            each["reason"],
            statistics_of(each["statistics"]),
        )
        for each in content["waves"]
    )
    return Result(statistics_of(content["statistics"]), content["labels"], content["responders"], waves)
