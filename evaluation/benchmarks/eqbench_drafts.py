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


def without_drafts(spoken: Spoken, labels: tuple[str, ...]) -> Spoken:
    """A reply without the elements that rate all labels, where ratings follow that differ. They count as thinking."""
    text, thinking, at, n_read = spoken.text, spoken.thinking, 0, 0
    if "</" not in text or len(text) > LONGEST:
        return spoken
    for _ in range(MOST_TAGS):
        tag = _TAG.search(text, at)
        if tag is None or n_read == MOST_READ:
            break
        at, closing = tag.end(), f"</{tag['name']}>"
        end = text.find(closing, at)
        if end < 0 or _DRESS.match(tag["name"]) or _OF_THE_ANSWER.search(tag["name"]):
            continue
        n_read += 1
        if _is_draft(text[at:end], text[end + len(closing) :], labels):
            thinking = (thinking or "") + text[at:end]
            text, at = f"{text[: tag.start()]}\n{text[end + len(closing) :]}", tag.start()
    return spoken._replace(text=text, thinking=thinking)


def _is_draft(inner: str, rest: str, labels: tuple[str, ...]) -> bool:
    draft = last_row(without_invisible(inner), labels)
    return len(draft) == len(labels) and rates_otherwise(last_row(without_invisible(rest), labels), draft)
