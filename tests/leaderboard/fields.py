"""Small fields of models with answers, for the pages that compare them item by item."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from evaluation.models import ItemBank, ItemState, Run
from leaderboard.standings import refresh_standings
from tests.factories import make_model, make_result, make_run

UNREAD: Mapping[str, Any] = {"state": ItemState.UNREAD, "reading": "none", "answer": None, "score": None}


def answered(bank: ItemBank, name: str, scores: Sequence[float | None], **fields: Any) -> Run:
    """A public, finished run of the model of that slug, with these item scores in the order of the bank's items.

    None leaves an item unread. `model` takes a model that is there; other fields are those of the run.
    """
    model = fields.pop("model", None) or make_model(f"maker/{name}", slug=name)
    known = [score for score in scores if score is not None]
    defaults = {"status": "finished", "score": 10 * fmean(known or [5.0]), "n_scored": len(known)}
    run = make_run(bank=bank, model=model, **{**defaults, **fields})
    add_results(run, scores)
    return run


def add_results(run: Run, scores: Sequence[float | None], repeat: int = 1, **fields: Any) -> None:
    for number, score in enumerate(scores, 1):
        if score is None:
            make_result(run, str(number), repeat=repeat, reason="no scores found", **UNREAD)
        else:
            make_result(run, str(number), repeat=repeat, score=score, **fields)


def two_models(bank: ItemBank) -> None:
    """Differences in points: 10, -10, 30, 10, 0. Mean 8, sd sqrt(880 / 4) = 14.832, error 6.633, t 1.206."""
    answered(bank, "alpha", [10, 8, 6, 9, 7])
    answered(bank, "beta", [9, 9, 3, 8, 7])
    refresh_standings()
