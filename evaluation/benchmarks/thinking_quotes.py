"""Thinking that a front end shows as a quotation of Markdown, under a heading such as `> 💭 Thought for 3 s`. Pure."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from evaluation.late import late

_HEAD = late(
    r"\s{0,3}+(?:\[![\w-]{2,20}+\][+-]?\s{0,3}+)?[*_#\s]{0,8}+"
    r"(?:[💭🤔🧠🗯]|(?:my\s|model(?:['’]s)?\s)?"
    r"(?:think(?:ing)?|thoughts?|reasoning|chain[ -]of[ -]thought|gedanken|denken|思考(?:过程)?)\b"
    r"[^:\n]{0,40}+:?[*_\s]{0,8}+\Z)"
    r"|\s{0,3}+\[!(?:think(?:ing)?|thoughts?|reasoning)\]",
    re.IGNORECASE,
)
DEEPEST = 4
"""How far from the start of its line the sign of a quotation may stand."""


class Quote(NamedTuple):
    """Lines of a quotation from `start` to `end`; its heading or the sign in front of it ends at `head`."""

    start: int
    head: int
    end: int


def holds_a_quote(text: str) -> bool:
    return ">" in text and (text.lstrip()[:1] == ">" or "\n>" in text or "\n >" in text)


def quoted_thinking(text: str) -> Iterator[Quote]:
    """The quotations that a heading calls thinking."""
    start = head = end = -1
    at = 0
    for line in text.splitlines(keepends=True):
        sign = line.find(">", 0, DEEPEST) + 1
        if sign and not line[: sign - 1].strip():
            if at != end:
                is_thinking = _HEAD.match(line[sign:].rstrip()) is not None
                start, head = (at, at + sign) if is_thinking else (-1, -1)
            end = at + len(line)
        elif start >= 0:
            yield Quote(start, head, end)
            start = -1
        at += len(line)
    if start >= 0:
        yield Quote(start, head, end)
