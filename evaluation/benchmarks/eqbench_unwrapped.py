"""The answer that a reply in JSON gives as one text: `{"answer": "Angry: 3\\nHopeful: 6"}`. Pure; one pass."""

import json
import re
from collections.abc import Iterator

from evaluation.late import late

MOST_LEVELS = 6
_ANSWERS = late(
    r"answer|response|reply|output|result|content|message|text$|arguments|final|scores|ratings", re.IGNORECASE
)
_FENCE = late(r"```\w{0,10}+\n")


def unwrapped(text: str, labels: tuple[str, ...]) -> str | None:
    """The only text under a key of an answer that holds all labels; None where the reply is no JSON with one such."""
    body = text.strip()
    fence = _FENCE.match(body)
    if fence:
        body = body[fence.end() :].removesuffix("```").strip()
    if body[:1] not in {"{", "[", '"'}:
        return None
    if body.startswith('{\\"'):  # JSON with its quotes escaped once too often
        return body.replace('\\"', '"')
    try:
        value = json.loads(body, strict=False)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, str):
        return value
    found = [each for each in _texts(value, MOST_LEVELS) if all(label.lower() in each.lower() for label in labels)]
    return found[0] if len(found) == 1 else None


def _texts(value: object, levels: int) -> Iterator[str]:
    """The texts under keys of an answer, at any depth."""
    if levels == 0:
        return
    if isinstance(value, dict):
        for key, each in value.items():
            if isinstance(each, str) and _ANSWERS.search(key):
                yield each
            yield from _texts(each, levels - 1)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each, levels - 1)
