"""A form filled in from a submission that was sent before, so that a setting can be changed and all sent again."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.importers.configurations import split_name
from leaderboard.submissions.offers import BETWEEN
from leaderboard.submissions.variants import field_of

WEIGHTS = {True: "open", False: "closed", None: ""}
SAME = ("base_url", "api_model", "repeats", "max_tokens", "concurrency", "system_prompt")


def form_again(request: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the form by what `Submission.request` holds of them; one that it lacks is left to the form.

    Key, mail address and consent are not stored there, so that they are given anew.
    """
    facts, extra_body = request.get("facts", {}), request.get("extra_body")
    fields = {
        **{name: request.get(name) for name in SAME},
        **dict(zip(("name", "configuration"), split_name(facts.get("name", "")), strict=True)),
        **{name: facts.get(name) for name in ("organisation", "licence", "link", "released_on")},
        **split(request.get("banks")),
        **{field_of(key): variant for key, variant in request.get("variants", {}).items()},
        "params": as_typed(facts.get("params_billion")),
        "weights": WEIGHTS[facts.get("open_weights")],
        "extra_body": json.dumps(extra_body, ensure_ascii=False) if extra_body else None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def split(keys: Sequence[str] | None) -> dict[str, list[str]]:
    """The keys of what was chosen by the two fields that offer them; nothing where none are stored."""
    if keys is None:
        return {}
    return {"banks": [key for key in keys if BETWEEN not in key], "ways": [key for key in keys if BETWEEN in key]}


def as_typed(billion: float | None) -> str | None:
    """7.0 -> "7"."""
    return None if billion is None else f"{billion:.10g}"
