"""Finished runs with item scores behind them, so that there are items to resample and to test."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from evaluation.models import ItemBank, ItemResult, ItemState, Run
from evaluation.runs.parts import settle_parts
from evaluation.runs.summaries import summarise_run
from tests.leaderboard.pages import finished

Scores = Sequence[float | None]


def scored(bank: ItemBank, scores: Scores, *more_repeats: Scores, name: str = "", **fields: Any) -> Run:
    """A public run with these item points, the bank's items in order, a sequence a repeat; None was not read."""
    repeats = (scores, *more_repeats)
    means = [10 * fmean(value for value in repeat if value is not None) for repeat in repeats]
    defaults = {"repeats": len(repeats), "repeat_scores": means, "counted_part": "first_pass"}
    run = finished(bank, fmean(means), name=name, **{**defaults, **fields})
    store(run, repeats)
    return run


def store(run: Run, repeats: Sequence[Scores], revised: Sequence[Scores] | None = None) -> None:
    """The results of a run that has ended; `revised` are the points of the second pass, in the same shape."""
    items = list(run.bank.items.order_by("number"))
    ItemResult.objects.bulk_create(
        ItemResult(run=run, item=items[at], repeat=repeat, other_parts=more(revised, repeat, at), **columns(score))
        for repeat, scores in enumerate(repeats, 1)
        for at, score in enumerate(scores)
    )
    if revised is not None:
        settle_parts(run, summarise_run(run).counted_parts)


def more(revised: Sequence[Scores] | None, repeat: int, at: int) -> dict[str, Any] | None:
    if revised is None:
        return None
    score = revised[repeat - 1][at]
    reading = "none" if score is None else "official"
    answer = None if score is None else [1.0, 2.0, 3.0, 4.0]
    return {"revised": {"answer": answer, "reading": reading, "reason": "", "flags": "", "score": score}}


def columns(score: float | None) -> dict[str, Any]:
    if score is None:
        return {"state": ItemState.UNREAD, "score": None}
    return {"state": ItemState.READ, "reading": "official", "score": score, "answer": [1.0, 2.0, 3.0, 4.0]}
