"""A reply without the model's thinking aloud. Pure; one pass over the marks, so linear in the length of the reply."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from evaluation.benchmarks.thinking_marks import (
    A_KEY,
    BARE,
    CHANNEL,
    FENCE,
    QUOTE,
    SPECIAL,
    Mark,
    begins_an_answer,
    holds_a_fence,
    holds_an_escape,
    marks_in,
)
from evaluation.benchmarks.thinking_quotes import holds_a_quote

_OPENS = re.compile(r"\[(?!End of answer\])")
"""A bracket that may begin a mark; many prompts ask for the one left out."""
_BRACKET = re.compile(r"[＜〈⟨◁【［「]")
_BRACED = re.compile(r"\{/?\w{2,20}+\}")
_BEGINNINGS = ("assistant", "analysis", "commentary", "thought", "thinking", "here", "my ", "chain", "reasoning p")
_BEFORE_IT, _NEAR = "\t\n\r\f\v \xa0#*_=—-", 100

DEEPEST = 50
"""How many blocks within blocks are told apart."""


class Spoken(NamedTuple):
    """What a reply says once its thinking is off.

    `thinking` is None where there was none; `unclosed` says that a block was opened and never closed.
    """

    text: str
    thinking: str | None = None
    unclosed: bool = False


def take_off_thinking(text: str, *, cut: bool = False) -> Spoken:
    """The text without its blocks of thinking, and the blocks apart. thinking_marks.py lists the marks.

    All before a closing mark goes too if no block is open there, for chat templates that swallow the opening mark, and
    all before the mark that begins an answer. What is left is joined by newlines, so that no number grows by a block
    taken out of its middle. A block that never closes takes all that follows.

    Args:
        cut: Whether the token limit or a filter ended the reply. Then a block that may have been left open is so.
    """
    if not _may_hold_marks(text):
        return Spoken(text)
    marks, whole = marks_in(text)
    marks = _that_count(marks, cut=cut)
    if all(mark.kind in {"end", "role"} for mark in marks):
        return Spoken(text)
    walk = _Walk(text, marks, cut=cut)
    for mark in marks:
        walk.pass_by(mark)
    return walk.ended(whole=whole)


def _may_hold_marks(text: str) -> bool:
    """A quick look at a text: most replies are done with it."""
    return (
        "<" in text
        or _OPENS.search(text) is not None
        or begins_an_answer(text)
        or holds_a_fence(text)
        or ('"' in text and A_KEY.search(text) is not None)
        or holds_an_escape(text)
        or holds_a_quote(text)
        or ("{" in text and _BRACED.search(text) is not None)
        or text[:_NEAR].lstrip(_BEFORE_IT).lower().startswith(_BEGINNINGS)
        or (not text.isascii() and _BRACKET.search(text) is not None)
    )


def _that_count(marks: Sequence[Mark], *, cut: bool) -> list[Mark]:
    """The marks without the weak openings that nothing closes: those are headings, unless the reply was cut. Then a
    quotation that it ends with is not closed.
    """
    if cut:
        return [mark for mark in marks if not (mark.family == QUOTE and mark.kind == "close" and mark.weak)]
    last_closing = {mark.family: mark.start for mark in marks if mark.kind == "close"}
    return [
        mark
        for mark in marks
        if not (mark.weak and mark.kind == "open") or last_closing.get(mark.family, -1) > mark.start
    ]


class _Walk:
    """Goes from mark to mark and files the text between them under spoken or thought."""

    def __init__(self, text: str, marks: Sequence[Mark], *, cut: bool) -> None:
        self.text, self.at, self.cut = text, 0, cut
        self.open: list[str] = []  # families of the blocks that are open, outermost first
        self.spoken: list[str] = []
        self.thought: list[str] = []
        self.seen = False  # whether there was any thinking
        self.answered = False
        self.last_word = _last_word(text, marks)
        self.ahead = Counter((mark.family, mark.kind) for mark in marks)

    def pass_by(self, mark: Mark) -> None:
        if mark.start < self.at:  # within the header of a channel
            return
        self.ahead[mark.family, mark.kind] -= 1
        (self.thought if self.open else self.spoken).append(self.text[self.at : mark.start])
        self.at = mark.end
        was_open = bool(self.open)
        {"open": self._open, "close": self._close, "answer": self._answer, "end": self._end, "role": self._head}[
            mark.kind
        ](mark)
        if was_open and self.open and mark.family != CHANNEL:
            self.thought.append(self.text[mark.start : mark.end])
        elif was_open != bool(self.open):
            parts = self.thought if self.open else self.spoken
            parts.append("\n" if parts else "")

    def _open(self, mark: Mark) -> None:
        if mark.family == CHANNEL and self.open and self.open[-1] == CHANNEL:
            return  # a channel ends where the next one begins
        if len(self.open) < DEEPEST:
            self.open.append(mark.family)
        self.seen = True

    def _close(self, mark: Mark) -> None:
        if mark.family in self.open:
            self._close_one_of(mark.family)
        elif not self.open:
            self._close_swallowed()
        elif not self.ahead[self.open[-1], "close"]:
            self.open.pop()  # `<think>` closed by `</reasoning>`: nothing else will close it

    def _close_one_of(self, family: str) -> None:
        """A block within a block closes alone, where closing marks enough are left. If not, its opening was just told
        of within the thinking, and all is closed; of a reply that was cut that is not known.
        """
        depth = self.open.count(family)
        left = self.ahead[family, "close"] - self.ahead[family, "open"]
        if depth > 1 and (left >= depth - 1 or self.cut):
            del self.open[len(self.open) - 1 - self.open[::-1].index(family) :]
        else:
            del self.open[self.open.index(family) :]

    def _close_swallowed(self) -> None:
        """All so far was thinking, unless it is an answer that a closing mark too many stands behind."""
        if not self.seen or self.at < self.last_word:
            self._all_was_thought()

    def _answer(self, mark: Mark) -> None:
        if not self.answered:
            self._all_was_thought()
        self.answered = True
        self.open.clear()

    def _all_was_thought(self) -> None:
        self.seen = True
        self.thought.extend(self.spoken)
        self.spoken.clear()

    def _end(self, mark: Mark) -> None:
        """`<|end|>` ends a channel, or a block of a special token that has no closing mark of its own."""
        top = self.open[-1] if self.open else ""
        fits = (
            top == mark.family
            if mark.family == "details" or mark.family.startswith(FENCE)
            else top in {CHANNEL, BARE} or top.startswith(SPECIAL)
        )
        if top and fits and not self.ahead[top, "close"]:
            self.open.pop()
        elif not self.open:
            self.spoken.append(self.text[mark.start : mark.end])

    def _head(self, mark: Mark) -> None:
        """A new message ends the channel before it; one that is cut into two has no other end."""
        if self.open and self.open[-1] == CHANNEL:
            self.open.pop()

    def ended(self, *, whole: bool) -> Spoken:
        if not self.seen:
            return Spoken(self.text)
        if whole:  # what stands behind too many marks is not kept: nothing of it will be read
            (self.thought if self.open else self.spoken).append(self.text[self.at :])
        return Spoken("".join(self.spoken), "".join(self.thought), bool(self.open) or not whole)


def _last_word(text: str, marks: Sequence[Mark]) -> int:
    """Where the last sign ends that is neither space nor within a mark."""
    end, last = len(text), len(marks) - 1
    while end:
        if text[end - 1].isspace():
            end -= 1
        elif last >= 0 and marks[last].end == end:
            end, last = marks[last].start, last - 1
        else:
            break
    return end
