"""How one SECEU reply is read: JSON, else lines of option and points, else four bare numbers. Pure.

Source: specification of the SECEU scorer, sections 3 and 10; the paper shows the JSON shape and released no parser.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.benchmarks.eqbench_mentions import without_invisible
from evaluation.benchmarks.eqbench_reading import CUT
from evaluation.benchmarks.eqbench_words import subject_of
from evaluation.benchmarks.seceu.amounts import PER_CENT
from evaluation.benchmarks.seceu.pairs import Pair, bare_lines, json_block, pairs_in_lines
from evaluation.benchmarks.strict_json import json_in_text
from evaluation.benchmarks.thinking import take_off_thinking

OPTIONS = 4
LONGEST = 65_536
"""How many characters of a reply are read."""

END_MARKER = "<end>"
JSON, LINES, NUMBERS = "JSON", "lines", "numbers"
"""The forms of an answer, in the eight letters that are stored of a reading."""

CUT_IN_THINKING = "cut off in thinking"
NO_SCORES = "no scores found"
MISSING = "an option missing"
TWICE = "a name twice"
UNCLEAR = "a number refused"
MIXED_UNITS = "mixed units"
DIFFERS = "later numbers differ"
ODD_NAME = "a name that is no option"
ALL_ZERO = "all zero"
REASONS = frozenset({CUT_IN_THINKING, NO_SCORES, MISSING, TWICE, UNCLEAR, MIXED_UNITS, DIFFERS, ODD_NAME, ALL_ZERO})
"""All reasons for no answer. None of them holds a word of an item or of a reply."""

THINKING_FLAG, PER_CENT_FLAG = "thinking", "per cent"
FLAGS = frozenset({THINKING_FLAG, PER_CENT_FLAG})


class Found(NamedTuple):
    """Four numbers as written, in the order of the item's options, and the form that they stood in; or a reason."""

    values: tuple[float, ...] | None
    reading: str = "none"
    reason: str = ""
    unit: str = ""
    thinking: str | None = None

    @property
    def flags(self) -> tuple[str, ...]:
        return (PER_CENT_FLAG,) if self.unit == PER_CENT else ()


class _NoAnswer(Exception):
    """There is no answer, for the reason given."""


def read_points(
    text: str, labels: Sequence[str], order: Sequence[int] | None = None, *, finish_reason: str = ""
) -> Found:
    """The four numbers of a reply, before normalising.

    Args: `order` has, for each place in which an option was shown, its position among `labels`; None as listed.
    """
    spoken = take_off_thinking(text, cut=finish_reason in CUT)
    if spoken.unclosed:
        return Found(None, reason=CUT_IN_THINKING, thinking=spoken.thinking)
    reader = _Reader(without_invisible(_before_end_marker(spoken.text)[:LONGEST]), labels, order or range(len(labels)))
    try:
        found = reader.read()
    except _NoAnswer as reason:
        return Found(None, reason=str(reason), thinking=spoken.thinking)
    return found._replace(thinking=spoken.thinking)


def _before_end_marker(text: str) -> str:
    end = text.casefold().find(END_MARKER)
    return text if end < 0 else text[:end]


@dataclass(frozen=True, slots=True)
class _Reader:
    text: str
    labels: Sequence[str]
    order: Sequence[int]

    def read(self) -> Found:
        return self._from_json() or self._from_lines() or self._from_numbers()

    def _from_json(self) -> Found | None:
        """The last JSON value with all four options, or four values with one each."""
        try:
            values = json_in_text(self.text, comments=True)
        except ValueError as error:
            raise _NoAnswer(UNCLEAR) from error
        blocks = [block for block in (json_block(value, self.labels) for value in values) if block.pairs or block.odd]
        if not blocks:
            return None
        full = [number for number, block in enumerate(blocks) if len(block.pairs) >= OPTIONS]
        counted = blocks[full[-1] :] if full else blocks
        if any(block.odd for block in counted):
            doubled = any(len({pair.label for pair in block.pairs}) < len(block.pairs) for block in counted)
            raise _NoAnswer(TWICE if doubled else ODD_NAME)
        found = _last_set([pair for block in counted for pair in block.pairs], JSON)
        if any(_says_otherwise(pair, found) for block in counted for pair in block.pairs):
            raise _NoAnswer(DIFFERS)  # sets within one value are no draft and its answer, unless its keys say so
        self._check_rest(counted[-1].end, found)
        return found

    def _from_lines(self) -> Found | None:
        pairs = pairs_in_lines(self.text, self.labels)
        if not pairs:
            return None
        found = _last_set(pairs, LINES)
        self._check_titles(pairs, found)
        self._check_rest(pairs[-1].end, found)
        return found

    def _check_titles(self, pairs: Sequence[Pair], found: Found) -> None:
        """A set that is called final and another one behind it, which is not, leave open which of the two counts."""
        ends = [0, *(pair.end for pair in pairs)]
        titles = [_last_words(self.text[ends[at] : pairs[at].start]) for at in range(0, len(pairs), OPTIONS)]
        finals = [at for at, title in enumerate(titles) if subject_of(title) == "final"]
        if finals and finals[-1] < len(titles) - 1:
            final = pairs[finals[-1] * OPTIONS : (finals[-1] + 1) * OPTIONS]
            if any(_says_otherwise(pair, found) for pair in final):
                raise _NoAnswer(DIFFERS)

    def _from_numbers(self) -> Found:
        lines = list(bare_lines(self.text, self.labels, self.order))
        if not lines:
            raise _NoAnswer(NO_SCORES)
        return Found(lines[-1].values, NUMBERS, unit=lines[-1].unit)

    def _check_rest(self, end: int, found: Found) -> None:
        """Numbers behind an answer that say something else leave open which of the two counts."""
        rest = self.text[end:]
        later = [(pair.label, pair.value, pair.unit) for pair in pairs_in_lines(rest, self.labels)]
        later += [
            (label, value, line.unit)
            for line in bare_lines(rest, self.labels, self.order)
            for label, value in enumerate(line.values)
        ]
        if any((found.values or ())[label] != value or found.unit != unit for label, value, unit in later):
            raise _NoAnswer(DIFFERS)


def _last_words(text: str) -> str:
    """The last line that holds a letter."""
    return next((line for line in reversed(text.splitlines()) if any(map(str.isalpha, line))), "")


def _says_otherwise(pair: Pair, found: Found) -> bool:
    if found.values is None or pair.value is None:
        return False
    return (pair.value, pair.unit) != (found.values[pair.label], found.unit)


def _last_set(pairs: Sequence[Pair], form: str) -> Found:
    """The last four pairs, if all pairs are full sets one after the other."""
    sets = [pairs[start : start + OPTIONS] for start in range(0, len(pairs), OPTIONS)]
    if any(len({pair.label for pair in one}) < len(one) for one in sets):
        raise _NoAnswer(TWICE)
    last = sets[-1]
    if len(last) < OPTIONS:
        raise _NoAnswer(MISSING if len(sets) == 1 else TWICE)
    if any(pair.value is None for pair in last):
        raise _NoAnswer(UNCLEAR)
    if len({pair.unit for pair in last}) > 1:
        raise _NoAnswer(MIXED_UNITS)
    by_label = {pair.label: pair.value for pair in last}
    values = tuple(value for label in range(OPTIONS) if (value := by_label[label]) is not None)
    if not all(map(_may_be_points, values)):
        raise _NoAnswer(UNCLEAR)
    return Found(values, form, unit=last[0].unit)


def _may_be_points(value: float) -> bool:
    """Whether a number can be points: finite, and of at most six digits before the point."""
    return abs(value) < 1_000_000
