"""How one EQ-Bench reply is read: thinking off, then the official reading, where that fails the tolerant one. Pure."""

from dataclasses import dataclass

from evaluation.benchmarks.base import Answer, Item, Options, Reading, Reply
from evaluation.benchmarks.eqbench_numbers import SCALE_TOP, ordered
from evaluation.benchmarks.eqbench_official import Span, may_be_cut, official_values, spans
from evaluation.benchmarks.eqbench_prompt import Language
from evaluation.benchmarks.eqbench_tolerant import NO_SCORES, TolerantValues, passes, tolerant_values
from evaluation.benchmarks.thinking import Spoken, take_off_thinking

LONGEST = 65_536
"""How many characters of a reply are read."""

LONGEST_OFFICIAL = 2 * LONGEST
"""How far the official reader goes on where it would find more behind `LONGEST`; longer than any model's answer."""

PARTS = ("first_pass", "revised")
CUT = frozenset(("length", "content_filter"))
"""Finish reasons with which an endpoint says that a reply did not end by itself."""

_FAULT_MARK = "[ERROR]"


def read_reply(item: Item, reply: Reply, options: Options, language: Language) -> Reading:
    """All that was read from a reply: one answer a pass. The item is asked again unless every pass was read."""
    spoken = take_off_thinking(reply.text, cut=reply.finish_reason in CUT)
    parts = PARTS if options.revision else PARTS[:1]
    flags = () if spoken.thinking is None else ("thinking",)
    reason = _unreadable(reply, spoken)
    if reason:
        answers = tuple(Answer(part, "none", reason=reason, flags=flags) for part in parts)
    else:
        asked = _Asked(item.labels, language, options.revision, reply)
        answers = _answers(spoken.text, asked, flags)
    return Reading(answers, all(answer.values is not None for answer in answers), spoken.thinking or "")


def _unreadable(reply: Reply, spoken: Spoken) -> str:
    """Why there is nothing to read in a reply, or an empty text."""
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
    return "cut off" if cut else NO_SCORES


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a reader must know of the item and the run."""

    labels: tuple[str, ...]
    language: Language
    revision: bool
    reply: Reply


def _answers(text: str, asked: _Asked, flags: tuple[str, ...]) -> tuple[Answer, ...]:
    """One answer a pass, from the official reader or else the tolerant one."""
    seen, head = _cut_for_official(text, asked), text[:LONGEST]
    answers = []
    for number, span in enumerate(spans(seen, asked.language, revision=asked.revision)):
        official = _official(seen, span, asked, PARTS[number], _cut_flag(flags, text, seen))
        answers.append(official or _tolerant(head, asked, number, _cut_flag(flags, text, head)))
    return tuple(answers)


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
    found = official_values(text, span, asked.labels, asked.language) if span else None
    return Answer(part, "official", found.values, flags=ordered(flags + found.flags)) if found else None


def _tolerant(text: str, asked: _Asked, number: int, flags: tuple[str, ...]) -> Answer:
    part = PARTS[number]
    cleaned = passes(text, asked.language, revision=asked.revision)[number]
    found = tolerant_values(cleaned, asked.labels, asked.language)
    if found.values is None:
        return Answer(part, "none", reason=_cause(found, asked.reply), flags=flags)
    above = ("above 10",) if max(found.values) > SCALE_TOP else ()
    return Answer(part, "tolerant", found.values, flags=ordered(flags + above))


def _cause(found: TolerantValues, reply: Reply) -> str:
    """The reason of an unread pass; where names miss a number, what the endpoint says of the reply explains more."""
    if reply.tool_call:
        return "tool call"
    return "cut off" if found.incomplete and reply.finish_reason == "length" else found.reason
