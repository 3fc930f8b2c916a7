"""How one judgement is read: a JSON object with one of the three labels, or nothing. Pure.

A verdict is never guessed: numbers, bare words, prose and other labels are not read, and several verdicts in one reply
have to agree, whatever form the others have. Source: our specification of the study, sections 6.3 and 10.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from evaluation.benchmarks.base import REFUSAL, Reply
from evaluation.benchmarks.eqbench_mentions import without_invisible
from evaluation.benchmarks.eqbench_reading import CUT
from evaluation.benchmarks.strict_json import JsonObject, json_in_text
from evaluation.benchmarks.thinking import take_off_thinking
from evaluation.late import late

RATINGS = {"good": 3, "okay": 2, "bad": 1}
KEY = "rating"
_LABEL = r"[\"'“‘*_`]{0,4}(good|okay|bad)\b"
_NAMED = late(rf"(?:rating|verdict)[\"'”’*_`]{{0,4}}\s{{0,3}}(?:is|was|:|=)\s{{0,3}}{_LABEL}", re.IGNORECASE)
"""A verdict that is no valid JSON, or lies deeper in it than a verdict may."""

_ON_SECOND_THOUGHT = late(
    r"(?:^|[:,.;!\n]|\bis)\s{0,3}[\"'“‘*_`]{0,4}(Good|Okay|Bad|GOOD|OKAY|BAD)[\"'”’*_`]{0,4}\s{0,3}(?=[.!\n]|$)"
)
"""A label by itself or at the end of a sentence. Before the verdict it may be of one side of the reply alone."""

LONGEST = 32_768
"""How many characters of a judgement are read; a verdict takes twenty."""

REFUSED = "refusal"
CUT_IN_THINKING = "cut off in thinking"
NO_VERDICT = "no verdict as JSON"
OTHER_LABEL = "another label"
DIFFER = "verdicts that differ"
TWICE = "a name twice"
REASONS = frozenset({REFUSED, CUT_IN_THINKING, NO_VERDICT, OTHER_LABEL, DIFFER, TWICE})
"""Why a judgement is not read. None of them holds a word of a reply."""


class Verdict(NamedTuple):
    """A rating from 1 (Bad) to 3 (Good), or a reason. `reading` is "JSON" where the reply is the object and nothing
    else, "in text" where words or a fence stand around it."""

    rating: int | None
    reading: str = "none"
    reason: str = ""
    thinking: str | None = None


class _NoVerdict(Exception):
    """There is no verdict, for the reason given."""


def read_verdict(reply: Reply) -> Verdict:
    if reply.finish_reason == REFUSAL:
        return Verdict(None, reason=REFUSED)
    spoken = take_off_thinking(reply.text, cut=reply.finish_reason in CUT)
    if spoken.unclosed:
        return Verdict(None, reason=CUT_IN_THINKING, thinking=spoken.thinking)
    text = without_invisible(spoken.text[:LONGEST]).strip()
    try:
        rating, is_all = _rating(text)
    except _NoVerdict as reason:
        return Verdict(None, reason=str(reason), thinking=spoken.thinking)
    return Verdict(rating, "JSON" if is_all else "in text", thinking=spoken.thinking)


def _rating(text: str) -> tuple[int, bool]:
    """The rating, and whether the text is one JSON object and nothing else."""
    try:
        found = json_in_text(text)
    except ValueError:
        found = []
    ratings = [rating for each in found if isinstance(each.value, JsonObject) for rating in _verdicts(each.value)]
    if not ratings:
        raise _NoVerdict(NO_VERDICT)
    others = [*_NAMED.findall(text), *_ON_SECOND_THOUGHT.findall(text[found[-1].end :])]
    if len({*ratings, *(RATINGS[label.casefold()] for label in others)}) > 1:
        raise _NoVerdict(DIFFER)
    return ratings[0], len(found) == 1 and (found[0].start, found[0].end) == (0, len(text))


def _verdicts(entry: JsonObject) -> Iterator[int]:
    """Those of one object: none where it holds no rating."""
    named = [value for name, value in entry.items() if name.strip().casefold() == KEY]
    if named and entry.doubled is not None:
        raise _NoVerdict(TWICE)
    for value in named:
        rating = RATINGS.get(value.strip().casefold()) if isinstance(value, str) else None
        if rating is None:
            raise _NoVerdict(OTHER_LABEL)
        yield rating
