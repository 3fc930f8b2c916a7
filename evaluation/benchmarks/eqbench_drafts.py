"""Drafts that a reply keeps in a tag of its own, such as `<pondering>`, before it rates anew. Pure."""

import re

from evaluation.benchmarks.eqbench_blocks import rates_otherwise
from evaluation.benchmarks.eqbench_mentions import without_invisible
from evaluation.benchmarks.eqbench_prepared import DRESS
from evaluation.benchmarks.eqbench_tolerant import last_row
from evaluation.benchmarks.thinking import Spoken
from evaluation.late import late

MOST_TAGS, MOST_READ, LONGEST = 20, 2, 65_536
_TAG = late(r"<(?P<name>[^\W\d]\w{1,40}+)>")
_DRESS = late(rf"(?:{DRESS})$", re.IGNORECASE)
_OF_THE_ANSWER = late(
    r"answer|output|respon|result|final|solution|scor|rating|revis|updat|correct|content", re.IGNORECASE
)
_OF_A_STRUCTURE = late(r"emotion|feeling|item|entr|list|row|root|data|json|xml|function|param|tool|pass", re.IGNORECASE)


def without_drafts(spoken: Spoken, labels: tuple[str, ...], *, cut: bool = False) -> Spoken:
    """A reply without the elements that rate all labels, where ratings follow that differ. They count as thinking.

    Args:
        cut: Whether the reply was cut. Then ratings may have been to follow where an element is still open or the last.
    """
    text, thinking, at, n_read = spoken.text, spoken.thinking, 0, 0
    if ("<" if cut else "</") not in text or len(text) > LONGEST:
        return spoken
    for _ in range(MOST_TAGS):
        tag = _TAG.search(text, at)
        if tag is None or n_read == MOST_READ:
            break
        at, closing = tag.end(), f"</{tag['name']}>"
        end = text.find(closing, at)
        if (end < 0 and not cut) or _holds_the_answer(tag["name"]):
            continue
        n_read += 1
        inner, rest = (text[at:], "") if end < 0 else (text[at:end], text[end + len(closing) :])
        if cut and not _OF_A_STRUCTURE.search(tag["name"]) and _is_last_word(inner, rest, labels):
            return Spoken(text[: tag.start()], (thinking or "") + inner, unclosed=True)
        if _is_draft(inner, rest, labels):
            thinking = (thinking or "") + text[at:end]
            text, at = f"{text[: tag.start()]}\n{text[end + len(closing) :]}", tag.start()
    return spoken._replace(text=text, thinking=thinking)


def _holds_the_answer(name: str) -> bool:
    return _DRESS.match(name) is not None or _OF_THE_ANSWER.search(name) is not None


def _is_last_word(inner: str, rest: str, labels: tuple[str, ...]) -> bool:
    """Whether an element rates all labels, and nothing behind it rates any."""
    return len(last_row(without_invisible(inner), labels)) == len(labels) and not last_row(
        without_invisible(rest), labels
    )


def _is_draft(inner: str, rest: str, labels: tuple[str, ...]) -> bool:
    draft = last_row(without_invisible(inner), labels)
    return len(draft) == len(labels) and rates_otherwise(last_row(without_invisible(rest), labels), draft)
