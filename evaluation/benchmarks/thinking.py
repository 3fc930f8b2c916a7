"""A reply without the model's thinking aloud. Pure; one pass over the tags, so linear in the length of the reply."""

import re
from typing import NamedTuple

# Letters and a fixed end only: nothing here can backtrack. The tags are English words, so ASCII case is enough.
_TAG = re.compile(r"(</?think(?:ing)?>)", re.IGNORECASE | re.ASCII)


class Spoken(NamedTuple):
    """What a reply says once its thinking is off.

    `thinking` is None where there was none; `unclosed` says that a block was opened and never closed.
    """

    text: str
    thinking: str | None = None
    unclosed: bool = False


def take_off_thinking(text: str) -> Spoken:
    """The text without `<think>` and `<thinking>` blocks (any case), and the blocks apart.

    All before the first tag goes too if that one closes, for chat templates that swallow the opening tag. What is left
    is joined by newlines, so that no number grows by a block taken out of its middle. A block ends at the next closing
    tag; one that never closes takes all that follows.
    """
    pieces = _TAG.split(text) if "<" in text else [text]
    if len(pieces) == 1:
        return Spoken(text)
    parts: tuple[list[str], list[str]] = ([], [])  # outside and inside of blocks
    inside = _closes(pieces[1])
    parts[inside].append(pieces[0])
    for tag, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        if _closes(tag) == inside:
            inside = not inside
            parts[inside].append("\n" if parts[inside] else "")
        else:
            parts[inside].append(tag)
        parts[inside].append(piece)
    spoken, thought = parts
    return Spoken("".join(spoken), "".join(thought), inside)


def _closes(tag: str) -> bool:
    return tag[1] == "/"
