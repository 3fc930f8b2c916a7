"""What a submitter says of a model becomes the model's facts while nothing of the model is listed, and not after."""

from datetime import date
from typing import Any

from evaluation.importers.name_facts import Size, size_of
from evaluation.importers.names import organisation
from evaluation.models import LanguageModel
from leaderboard.models import Submission
from leaderboard.submissions.listing import listed_models


def take_facts(submission: Submission) -> None:
    """Sets the facts of a model that is not listed to those of the submission, all but what staff set by hand.

    Called when a submission is approved, and again when a run of it makes the model listed: so the facts belong to the
    submission that the figures come from, whatever an earlier one said that was rejected or never finished.
    """
    model, said = submission.model, submission.request.get("facts")
    if not said or listed_models().filter(pk=model.pk).exists():
        return
    told = {name: value for name, value in _facts(model, said).items() if name not in model.facts_by_hand}
    for name, value in told.items():
        setattr(model, name, value)
    model.save(update_fields=[*told, "changed_at"])


def size_said(name: str, billion: float | None) -> Size | None:
    """The size that the submitter gave, else the one that the name says."""
    return Size(f"{billion:g}B", billion) if billion else size_of(name)


def _facts(model: LanguageModel, said: dict[str, Any]) -> dict[str, Any]:
    """Column -> value. Submissions of earlier versions say nothing of the release."""
    size, released_on = size_said(model.name, said.get("params_billion")), said.get("released_on")
    return {
        "organisation": said.get("organisation") or organisation(model.name),
        "params_billion": size.billion if size else None,
        "params": size.params if size else "",
        "licence": said.get("licence", ""),
        "open_weights": said.get("open_weights"),
        "link": said.get("link", ""),
        "released_on": date.fromisoformat(released_on) if released_on else None,
        "released_month_only": False,
    }
