"""What the field answered to each item, counted, and who stands at its ends: stored beside the figures of the items.

A page of an item would else read an answer of every model. The counts follow the field by difference: what a run that
left it answered is taken off, what a new one answered is added, and only where that does not fit all are read anew.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from statistics import fmean
from typing import Any, TypedDict

import numpy as np

from evaluation.benchmarks.base import Better
from evaluation.models import ItemResult, Run
from evaluation.published_tables import benchmark_of
from evaluation.statistics.arrays import Floats
from evaluation.statistics.ranking import oriented
from leaderboard.models import FieldFigures, ItemAnswers
from leaderboard.standings.counted import CountedRun, as_scored

RESULT_COLUMNS = ("run_id", "item_id", "score", "answer")
STATE_COLUMNS = ("counted_part", "scorer_version", "score", "n_scored", "finished_at", "score_history")
NAMED = 5  # models named at each end

Count = Counter[float]
"""Answer -> how many models gave it, to one feeling."""


class Stored(TypedDict):
    """The counts of an item as they are stored: of each feeling pairs of an answer and its number. `n` models answered;
    `best` and `worst` are the runs at both ends by score, `best` from the best one and `worst` from the worst one."""

    n: int
    labels: list[list[tuple[float, int]]]
    best: list[int]
    worst: list[int]


@dataclass(frozen=True, slots=True)
class Given:
    """What one model answered in one run: `score` is None where no repeat was scored, `values` None where none was
    read."""

    model_id: int
    run_id: int
    score: float | None
    values: Sequence[float] | None


@dataclass(frozen=True, slots=True)
class FieldAnswers:
    """The counts of all items over a field; `runs` are those of the field, each with a mark of its state."""

    runs: Mapping[str, str]
    items: Mapping[int, Stored]


class Tally:
    """Counts of one item that grow and shrink."""

    def __init__(self, n: int = 0, labels: Iterable[Iterable[tuple[float, int]]] = ()) -> None:
        self.n = n
        self.labels: list[Count] = [Counter(dict(pairs)) for pairs in labels]

    def add(self, values: Sequence[float], sign: int = 1) -> None:
        self.n += sign
        self.labels += [Counter() for _ in values[len(self.labels) :]]
        for count, value in zip(self.labels, values, strict=False):
            count[value] += sign
            if not count[value]:
                del count[value]


def tally_of(answers: Iterable[Sequence[float]]) -> Tally:
    tally = Tally()
    for values in answers:
        tally.add(values)
    return tally


def new_answers(
    ranking: str, runs: Sequence[CountedRun], items: Sequence[int], scores: Floats, family: str
) -> FieldAnswers:
    """The counts over these runs, each of another model, from the stored ones where most of the runs stand in them.

    Args:
        ranking: Whose stored counts are looked at.
        runs: The field; the rows of `scores`.
        items: Primary keys; the columns of `scores`.
        scores: Of each run on each item, a mean over repeats, NaN where nothing was scored.
        family: The benchmark of the ranking.
    """
    now, (before, stored) = states([run.pk for run in runs]), stored_answers(ranking)
    gone, come = before.keys() - now.keys(), now.keys() - before.keys()
    changed = any(before[pk] != now[pk] for pk in before.keys() & now.keys())
    if changed or stored.keys() != set(items) or len(gone) + len(come) > len(now) / 2:
        tallies, gone, come = {}, set(), set(now)
    else:
        tallies = {item: Tally(own["n"], own["labels"]) for item, own in stored.items()}
    for pks, sign in ((gone, -1), (come, 1)):
        for item, values in read_answers([int(pk) for pk in pks], family):
            tallies.setdefault(item, Tally()).add(values, sign)
    ends = ends_of(runs, oriented(scores, better_of_items(family)))
    return FieldAnswers(now, {item: as_stored(tallies.get(item), *ends[at]) for at, item in enumerate(items)})


def states(pks: Sequence[int]) -> dict[str, str]:
    """Run -> a mark of what its answers hang on: a run that is scored anew gets another."""
    rows = Run.objects.filter(pk__in=pks).order_by().values_list("pk", *STATE_COLUMNS)
    return {str(pk): sha256(repr(state).encode()).hexdigest()[:12] for pk, *state in rows}


def stored_answers(ranking: str) -> tuple[dict[str, str], dict[int, Stored]]:
    """The runs behind the stored counts and the counts; nothing where another refresh writes at this moment."""
    known = FieldFigures.objects.filter(ranking=ranking).values_list("mark", "runs")
    field = known.first()
    if field is None:
        return {}, {}
    rows = ItemAnswers.objects.filter(field__ranking=ranking, field__mark=field[0]).values_list("item_id", "counts")
    counts = dict(rows)
    return (field[1], counts) if known.first() == field else ({}, {})


def read_answers(pks: Sequence[int], family: str) -> Iterable[tuple[int, Sequence[float]]]:
    """Item and values of each answer of these runs that was read. Two queries, none without runs."""
    if not pks:
        return
    runs = {run.pk: run for run in counted_runs(pks)}
    rows = ItemResult.objects.filter(run__in=pks).order_by("run_id", "repeat").values_list(*RESULT_COLUMNS)
    results: defaultdict[tuple[int, int], list[Sequence[Any]]] = defaultdict(list)
    for run_id, item_id, *result in rows.iterator(chunk_size=20_000):
        results[run_id, item_id].append(result)
    for (run_id, item_id), own in results.items():
        values = given_of(runs[run_id], own, family).values
        if values is not None:
            yield item_id, values


def counted_runs(pks: Sequence[int]) -> list[CountedRun]:
    columns = tuple(CountedRun.__dataclass_fields__)
    return [CountedRun(*row) for row in Run.objects.filter(pk__in=pks).order_by("pk").values_list(*columns)]


def given_of(run: CountedRun, results: Iterable[Sequence[Any]], family: str) -> Given:
    """The mean score over the repeats, and the answer of the first repeat in which one was read, as the score has it.

    `results` hold score and answer, in the order of the repeats.
    """
    read = list(results)
    scores = [score for score, _ in read if score is not None]
    answers = (values for _, values in read if values is not None)
    return Given(run.model_id, run.pk, fmean(scores) if scores else None, as_scored(next(answers, None), family))


def better_of_items(benchmark: str) -> Better:
    """Which way the item scores of a benchmark go."""
    known = benchmark_of(benchmark)
    return known.item_measures[0].better if known else "higher"


def ends_of(runs: Sequence[CountedRun], scores: Floats) -> list[tuple[list[int], list[int]]]:
    """For each item the runs at both ends: the best first and the worst first, equal ones by model. Scores are turned,
    so that higher is better."""
    pks, models = np.array([run.pk for run in runs]), np.array([run.model_id for run in runs])
    ends = []
    for column in scores.T:
        scored = np.flatnonzero(~np.isnan(column))
        order = pks[scored[np.lexsort((models[scored], -column[scored]))]].tolist()
        ends.append((best_of(order), worst_of(order)))
    return ends


def best_of(ordered: Sequence[Any]) -> list[Any]:
    return list(ordered[: min(NAMED, (len(ordered) + 1) // 2)])


def worst_of(ordered: Sequence[Any]) -> list[Any]:
    """The worst first; none of a small field stands at both ends."""
    return list(ordered[::-1][: min(NAMED, len(ordered) // 2)])


def as_stored(tally: Tally | None, best: list[int], worst: list[int]) -> Stored:
    own = tally or Tally()
    return {"n": own.n, "labels": [sorted(count.items()) for count in own.labels], "best": best, "worst": worst}


def store_answers(ranking: str, answers: FieldAnswers) -> None:
    """Writes the counts to the stored field of the ranking. Within its transaction."""
    field = FieldFigures.objects.get(ranking=ranking)
    ItemAnswers.objects.filter(field=field).exclude(item__in=answers.items).delete()
    ItemAnswers.objects.bulk_create(
        [ItemAnswers(field=field, item_id=item, counts=counts) for item, counts in answers.items.items()],
        update_conflicts=True,
        unique_fields=["field", "item"],
        update_fields=["counts"],
    )
