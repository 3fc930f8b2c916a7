"""The replies of a run as they came, in one file of JSON lines: for reading and scoring them by a reader of one's own.

There are none where the texts of the bank are closed. A reply that retention erased, or that never came, has no line.
"""

from collections.abc import Iterator, Mapping

from evaluation.disclosure import replies_of
from evaluation.models import Run
from leaderboard.sharing.run_exports import json_text

CHUNK = 100  # replies read at a time: one may hold a megabyte
FIELDS: Mapping[str, str] = {
    "item": "result__item__item_id",
    "number": "result__item__number",
    "repeat": "result__repeat",
    "text": "text",
    "reasoning": "reasoning",
    "finish_reason": "finish_reason",
}
"""The names in a line, and where each stands."""


def has_replies(run: Run) -> bool:
    """Whether any reply of it is stored. One query."""
    return replies_of(run).exists()


def reply_lines(run: Run) -> Iterator[str]:
    """A line a stored reply, by item number and repeat, texts whole; nothing where none is stored."""
    replies = replies_of(run).order_by("result__item__number", "result__repeat")
    for values in replies.values_list(*FIELDS.values()).iterator(CHUNK):
        yield f"{json_text({'run': run.pk, **dict(zip(FIELDS, values, strict=True))})}\n"
