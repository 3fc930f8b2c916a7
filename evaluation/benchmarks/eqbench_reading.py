"""How one EQ-Bench reply is read: thinking off, then the official reading, where that fails the tolerant one. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from evaluation.benchmarks.base import REFUSAL, Answer, Item, Options, Reading, Reply
from evaluation.benchmarks.eqbench_drafts import without_drafts
from evaluation.benchmarks.eqbench_mentions import mentions, without_invisible
from evaluation.benchmarks.eqbench_numbers import ordered
from evaluation.benchmarks.eqbench_official import Span, may_be_cut, official_values, spans
from evaluation.benchmarks.eqbench_people import are_of_another_thing, last_may_be_another, rate_several_people
from evaluation.benchmarks.eqbench_prompt import REVISION, Language
from evaluation.benchmarks.eqbench_scales import other_scales
from evaluation.benchmarks.eqbench_tolerant import (
    CUT_OFF,
    NO_SCORES,
    PLACEHOLDER,
    TolerantValues,
    passes,
    tolerant_values,
)
from evaluation.benchmarks.thinking import Spoken, take_off_thinking

LONGEST = 65_536
"""How many characters of a reply are read."""

LONGEST_OFFICIAL = 2 * LONGEST
"""How far the official reader goes on where it would find more behind `LONGEST`; longer than any model's answer."""

PARTS = ("first_pass", "revised")
CUT = frozenset(("length", "content_filter"))
"""Finish reasons with which an endpoint says that a reply did not end by itself."""

_FOUR_NUMBERS = re.compile(r"\D*+\d++\D++\d++\D++\d++\D++\d")
_FAULT_MARK = "[ERROR]"
CUT_NUMBER, LATER_BLOCK, SEVERAL_PEOPLE = "cut number", "later block differs", "several people"
PROMPT_REPEATED, REPEATS_ITSELF = "prompt repeated", "repeats itself"
SHORTEST_BLOCK, SHORTEST_ECHO, LONG_LINE = 16, 80, 30
LOOP_SEEN, SHORTEST_LOOP = 240, 24
"""How much of a reply's end is looked at for a loop, and how long one has to be."""


def read_reply(item: Item, reply: Reply, options: Options, language: Language) -> Reading:
    """All that was read from a reply: one answer a pass. The item is asked again unless every pass was read."""
    spoken = take_off_thinking(reply.text, cut=reply.finish_reason in CUT)
    revision = REVISION in options.switched
    if not revision:
        spoken = without_drafts(spoken, item.labels, cut=reply.finish_reason in CUT)
    parts = PARTS if revision else PARTS[:1]
    flags = () if spoken.thinking is None else ("thinking",)
    reason = _unreadable(reply, spoken)
    if reason:
        answers = tuple(Answer(part, "none", reason=reason, flags=flags) for part in parts)
    else:
        asked = _Asked(item, language, revision, reply)
        answers = _answers(spoken.text, asked, flags)
    return Reading(answers, all(answer.values is not None for answer in answers), spoken.thinking or "")


def _unreadable(reply: Reply, spoken: Spoken) -> str:
    """Why there is nothing to read in a reply, or an empty text."""
    if reply.finish_reason == REFUSAL:
        return "refused"
    if spoken.unclosed:
        return "cut off in thinking"
    text = spoken.text.strip()
    if not text:
        return _empty(reply, thought=bool(reply.reasoning) or spoken.thinking is not None)
    # Some gateways answer with status 200 and put the error into the text; its digits are no ratings.
    return "endpoint fault" if text.startswith(_FAULT_MARK) else ""


def _empty(reply: Reply, *, thought: bool) -> str:
    cut = reply.finish_reason == "length"
    if reply.tool_call:
        return "tool call"
    if thought:
        # Blocks in the text were closed, so only thinking that the endpoint filed apart can be cut.
        return "cut off in thinking" if cut and not reply.text.strip() else "no answer after thinking"
    return CUT_OFF if cut else NO_SCORES


class _Asked(NamedTuple):
    """What a reader must know of the item and the run."""

    item: Item
    language: Language
    revision: bool
    reply: Reply

    @property
    def labels(self) -> tuple[str, ...]:
        return self.item.labels

    @property
    def cut(self) -> bool:
        return self.reply.finish_reason in CUT


def _answers(text: str, asked: _Asked, flags: tuple[str, ...]) -> tuple[Answer, ...]:
    """One answer a pass, from the official reader or else the tolerant one."""
    seen, head = _cut_for_official(text, asked), text[:LONGEST]
    answers = []
    for number, span in enumerate(spans(seen, asked.language, revision=asked.revision)):
        official = _official(seen, span, asked, PARTS[number], _cut_flag(flags, text, seen))
        answers.append(official or _tolerant(head, asked, number, _cut_flag(flags, text, head)))
    tops = other_scales(head)
    return tuple(_with_named_scale(answer, tops) for answer in answers) if tops else tuple(answers)


def _with_named_scale(answer: Answer, tops: Sequence[float]) -> Answer:
    if answer.values is None or max(value or 0.0 for value in answer.values) > max(tops):
        return answer
    return replace(answer, flags=ordered((*answer.flags, "other scale")))


def _cut_for_official(text: str, asked: _Asked) -> str:
    """A long text cut to `LONGEST` where that leaves the official reading as it is, else to `LONGEST_OFFICIAL`."""
    if len(text) <= LONGEST:
        return text
    further = text[:LONGEST_OFFICIAL]
    same = may_be_cut(further, LONGEST, asked.language, revision=asked.revision)
    return text[:LONGEST] if same else further


def _cut_flag(flags: tuple[str, ...], text: str, seen: str) -> tuple[str, ...]:
    return (*flags, "reply cut") if len(seen) < len(text) else flags


def _official(text: str, span: Span | None, asked: _Asked, part: str, flags: tuple[str, ...]) -> Answer | None:
    labels = asked.item.labels
    found = official_values(text, span, labels, asked.language) if span else None
    if found is None or span is None:
        return None
    cut = asked.cut
    if cut and found.end == len(text):
        flags = (*flags, CUT_NUMBER)
    name = labels[0]
    if text.find(name, text.find(name, span.start) + 1, found.end) >= 0:
        flags = (*flags, *_several(text[span.start : span.end], asked))
    # Behind the first of two passes stands the critique, which weighs numbers and gives none.
    end = min(span.end, LONGEST) if not asked.revision or part == PARTS[-1] else found.end
    is_long = end - found.end >= SHORTEST_BLOCK
    if (is_long and _is_rated_otherwise(text[found.end : end], found.values, asked)) or (
        cut and end == len(text) and _is_under_way(text[span.start : end], asked)
    ):
        flags = (*flags, LATER_BLOCK)
    flags += found.flags
    return Answer(part, "official", found.values, flags=ordered(flags) if flags else ())


def _several(text: str, asked: _Asked) -> tuple[str, ...]:
    """What the official answer is, where it is the last of several: that of another person, or of another thing."""
    first = f"{asked.labels[0]}:"
    if text.find(first) == text.rfind(first) or not last_may_be_another(text, asked.labels):
        return ()
    found = list(mentions(text, asked.labels))
    if rate_several_people(text, found, asked.labels):
        return (SEVERAL_PEOPLE,)
    return ("second number",) if are_of_another_thing(text, found, asked.labels) else ()


def _is_rated_otherwise(rest: str, values: tuple[float, ...], asked: _Asked) -> bool:
    """Whether the text behind an official answer holds another one that only the tolerant reader can read."""
    # Most replies end with their answer, and most critiques hold no numbers: the dear reading is for few.
    if not _FOUR_NUMBERS.match(rest):
        return False
    lower = without_invisible(rest).lower()
    if not all(label.lower() in lower for label in asked.labels):
        return False
    later = tolerant_values(without_invisible(rest), asked.labels, asked.language).values
    return later is not None and later != values


def _is_under_way(text: str, asked: _Asked) -> bool:
    """Whether a reply was cut when it had begun to give other ratings than those that the official reader took."""
    return tolerant_values(without_invisible(text), asked.labels, asked.language, cut=True).reason == CUT_OFF


def _tolerant(text: str, asked: _Asked, number: int, flags: tuple[str, ...]) -> Answer:
    part = PARTS[number]
    parts = passes(text, asked.language, revision=asked.revision)
    ended = not any(parts[number + 1 :])  # whether the pass ends where the reply does
    found = tolerant_values(parts[number], asked.labels, asked.language, cut=asked.cut and ended)
    if found.values is None:
        cut = (CUT_OFF,) if asked.cut and ended else ()
        return Answer(part, "none", reason=_cause(found, parts[number], asked), flags=ordered((*flags, *cut)))
    half = (CUT_NUMBER,) if asked.cut and ended and found.at_end else ()
    return Answer(part, "tolerant", found.values, flags=ordered((*flags, *found.flags, *half)))


def _cause(found: TolerantValues, text: str, asked: _Asked) -> str:
    """The reason of an unread pass. The cut explains it only where the reply was on its way to an answer: no other
    names, no blanks to fill in, nothing repeated.
    """
    if asked.reply.tool_call:
        return "tool call"
    if not found.incomplete or found.reason == PLACEHOLDER:
        return found.reason
    if found.reason == NO_SCORES and _repeats(text, asked.item.prompt):
        return PROMPT_REPEATED
    if asked.reply.finish_reason != "length" or found.odd_names:
        return found.reason
    return REPEATS_ITSELF if _loops(text) else CUT_OFF


def _repeats(text: str, prompt: str) -> bool:
    """Whether a reply is in good part made of the prompt's own lines."""
    if len(text) < SHORTEST_ECHO:
        return False
    lines = {line.strip() for line in prompt.splitlines()}
    echoed = sum(len(line) for line in lines if len(line) >= LONG_LINE and line in text)
    return echoed >= min(SHORTEST_ECHO, len(text) // 2)


def _loops(text: str) -> bool:
    """Whether a text ends with one and the same piece again and again."""
    end = text.rstrip()[-LOOP_SEEN:]
    return any(
        len(end) >= (span := max(2 * period, SHORTEST_LOOP) + period) and end[-span:-period] == end[period - span :]
        for period in range(1, LOOP_SEEN // 3)
    )
