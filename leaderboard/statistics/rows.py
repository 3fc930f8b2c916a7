"""One row a model: its results read once and stored, so that a new run costs the reading of one model."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import TextField
from django.db.models.functions import Cast
from numpy.typing import NDArray

from evaluation.models import ItemResult, Run
from evaluation.statistics.arrays import Floats, as_floats, present_mean
from leaderboard.kinds import kind_of, scale_of
from leaderboard.kinds.base import ItemScale
from leaderboard.models import StatisticsRow
from leaderboard.standings.counted import (
    PASS_COLUMNS,
    CountedRun,
    as_scored,
    places,
    scored_cells,
)
from leaderboard.statistics.agreement import agreement
from leaderboard.statistics.marks import Inputs
from leaderboard.statistics.outcomes import Value

MODELS_AT_ONCE = 500
ANSWER_TYPE = np.float32

ShortFloats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class BankItems:
    """Items of a bank in order: keys, numbers, names, and for each of their feelings (a slot) word and reference.

    `starts[i]` is the first slot of item i, and the last entry their number. Items without a reference have no slot.
    """

    keys: tuple[int, ...]
    numbers: tuple[int, ...]
    item_ids: tuple[str, ...]
    words: tuple[str, ...]
    reference: Floats
    starts: tuple[int, ...]

    @property
    def n_slots(self) -> int:
        return self.starts[-1]


def refresh_rows(inputs: Inputs, items: BankItems) -> None:
    """Stores the row of each model whose runs have changed and deletes those of models that left the ranking."""
    rows = StatisticsRow.objects.filter(ranking=inputs.ranking)
    held = dict(rows.values_list("model_id", "stamp"))
    if gone := [model for model in held if model not in inputs.stamps]:
        rows.filter(model__in=gone).delete()
    stale = [model for model, stamp in inputs.stamps.items() if held.get(model) != stamp]
    for at in range(0, len(stale), MODELS_AT_ONCE):
        StatisticsRow.objects.bulk_create(
            read_rows(inputs, items, stale[at : at + MODELS_AT_ONCE]),
            batch_size=100,
            update_conflicts=True,
            unique_fields=["ranking", "model"],
            update_fields=["stamp", "scores", "answers", "repeats"],
        )


def read_rows(inputs: Inputs, items: BankItems, models: Sequence[int]) -> list[StatisticsRow]:
    """The rows of some models from their results. Two queries, three where items without an answer count."""
    runs = {model: inputs.runs[model] for model in models}
    passes = pass_matrices(runs, items, scale_of(inputs.rule))
    answers = answer_rows({model: own[-1] for model, own in runs.items()}, items, inputs)
    counted = scores_of_passes(runs) if kind_of(inputs.rule).unread_as else {}
    return [
        StatisticsRow(
            ranking=inputs.ranking,
            model_id=model,
            stamp=inputs.stamps[model],
            scores=present_mean(passes[model], axis=1).tobytes(),
            answers=answers[model].tobytes(),
            repeats=repeats_of(passes[model], own, counted.get(model)),
        )
        for model, own in runs.items()
    ]


def repeats_of(passes: Floats, runs: Sequence[CountedRun], scores: Floats | None) -> Value:
    return agreement(passes, scores=scores, n_newest=runs[-1].repeats if len(runs) > 1 else 0)


def scores_of_passes(runs: Mapping[int, Sequence[CountedRun]]) -> dict[int, Floats]:
    """Model -> the scores of its passes, as the summaries of its runs have them: where items without an answer count,
    they are no means of the others. One query."""
    pks = [run.pk for own in runs.values() for run in own]
    stored = dict(Run.objects.filter(pk__in=pks).values_list("pk", "repeat_scores"))
    return {model: as_floats([score for run in own for score in stored[run.pk]]) for model, own in runs.items()}


def pass_matrices(runs: Mapping[int, Sequence[CountedRun]], items: BankItems, scale: ItemScale) -> dict[int, Floats]:
    """Model -> items x passes in points, the oldest pass first, NaN where nothing was scored."""
    every = [run for own in runs.values() for run in own]
    first, n_passes = {}, 0
    for run in every:
        first[run.pk], n_passes = n_passes, n_passes + run.repeats
    cells = scored_cells(every, PASS_COLUMNS)
    table = np.full((n_passes, len(items.keys)), np.nan)
    starts = np.array(list(first.values()))[places(cells[:, 0], np.array(list(first)))]
    table[starts + cells[:, 2].astype(np.int64) - 1, places(cells[:, 1], np.array(items.keys))] = scale.score(
        cells[:, 3]
    )
    ends = {model: first[own[0].pk] + sum(run.repeats for run in own) for model, own in runs.items()}
    return {model: table[first[own[0].pk] : ends[model]].T for model, own in runs.items()}


def answer_rows(runs: Mapping[int, CountedRun], items: BankItems, inputs: Inputs) -> dict[int, ShortFloats]:
    """Model -> its answers of the run, slot by slot; of an item with several repeats the first that was read."""
    table = {model: np.full(items.n_slots, np.nan, dtype=ANSWER_TYPE) for model in runs}
    if not items.n_slots:
        return table
    places_of = {key: at for at, key in enumerate(items.keys)}
    family = inputs.bank.benchmark if inputs.bank else ""
    for model, item, answer in answers_of(runs):
        at = places_of[item]
        start, end = items.starts[at], items.starts[at + 1]
        values = as_scored(answer, family)
        if values is not None and len(values) == end - start and np.isnan(table[model][start]):
            table[model][start:end] = values
    return table


def answers_of(runs: Mapping[int, CountedRun]) -> Iterable[tuple[int, int, Sequence[float] | None]]:
    """Model, item and answer, repeat after repeat.

    The texts of the answers are joined and read as one: decoding each apart takes several times as long.
    """
    model_of = {run.pk: model for model, run in runs.items()}
    results = ItemResult.objects.filter(run__in=list(model_of), answer__isnull=False).order_by("repeat")
    rows = list(results.annotate(text=Cast("answer", TextField())).values_list("run_id", "item_id", "text"))
    answers = json.loads(f"[{','.join(text for _, _, text in rows)}]")
    return ((model_of[run], item, answer) for (run, item, _), answer in zip(rows, answers, strict=True))


def by_model(ranking: str) -> dict[int, tuple[Floats, Floats, Value]]:
    """Model -> scores, answers and repeats as they are stored. One query."""
    rows = StatisticsRow.objects.filter(ranking=ranking).values_list("model_id", "scores", "answers", "repeats")
    return {
        model: (np.frombuffer(scores), as_floats(np.frombuffer(answers, dtype=ANSWER_TYPE)), repeats)
        for model, scores, answers, repeats in rows
    }
