"""How one filled-in questionnaire is read: JSON, else lines, else bare integers. Pure.

Source: specification of our EmotionBench, sections 4.2 and 12. The authors' own reader takes the last character of each
line, whatever it is.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evaluation.benchmarks.base import REFUSAL as REFUSED
from evaluation.benchmarks.base import Reply
from evaluation.benchmarks.eqbench_mentions import without_invisible
from evaluation.benchmarks.eqbench_reading import CUT
from evaluation.benchmarks.strict_json import JsonInText, JsonObject, json_in_text
from evaluation.benchmarks.thinking import take_off_thinking
from evaluation.late import late

LOWEST, HIGHEST = 1, 5
LONGEST = 32_768
"""How many characters of a reply are read; twenty lines take some hundreds."""

PROVIDER_ERROR, OUT_OF_RANGE, UNREADABLE = "provider error", "out of range", "unreadable"
INCOMPLETE, REFUSAL = "incomplete", "refusal"
REASONS = (PROVIDER_ERROR, OUT_OF_RANGE, UNREADABLE, INCOMPLETE, REFUSAL)
"""Why a questionnaire counts as unanswered."""

JSON, LINES, NUMBERS = "JSON", "lines", "numbers"
_FAULT_MARK = "[ERROR]"

_DECORATION = late(r"[*_`\"'“”#>•]")
_BULLETS = ("-", "+", "–", "—")
_GENERIC = r"(?:items?|questions?|q|no|number|nr|scores?|ratings?|answers?|feeling|i\s{1,3}+feel)"
_ITEM_MENTION = late(r"\b(?:item|question|number|q)\s{0,3}+#?\d", re.IGNORECASE)
_NUMBERED = late(
    rf"(?:{_GENERIC}\s{{0,3}}+#?\s{{0,3}}+)?[(\[]?(?P<number>\d{{1,3}}+)"
    r"(?P<mark>\s{0,3}+[.)\]:=|]{1,3}+|\s{1,3}+[-–—]|\s{0,3}+[-=]>|\s{0,3}+→)?",
    re.IGNORECASE,
)
_GENERIC_WORD = late(rf"\b{_GENERIC}\b", re.IGNORECASE)
_DIGIT, _DIGITS = late(r"\d"), late(r"\d++")
_LETTER = late(r"[^\W\d]")
_NO_MORE = r"(?!\d|[.,]\d)"
_OF_FIVE = late(rf"\s{{0,3}}+(?:(?:/|out of)\s{{0,3}}+5{_NO_MORE}|\(out of 5\))", re.IGNORECASE)
_SCALE = late(r"\s{0,3}+,?\s{0,3}+(?:on|in) (?:a|the) scale (?:of|from) 1 (?:to|-|–) 5", re.IGNORECASE)
_JOINED = late(r"[^\W_]|[.,]\d")
_OTHER_UNIT = late(r"[¼-¾⅐-⅞%％]|\bper ?cent\b")
_PAIR = late(
    r"[(\[]?(?P<number>\d{1,3}+)(?:\s{0,3}+[.)\]]\s{1,3}+|\s{0,3}+[:=]\s{0,3}+)(?P<score>-?\d{1,9}+)"
    r"(?:\s{0,3}+/\s{0,3}+5)?(?:[\s,;]{1,8}+|$)"
)
_SEPARATORS = str.maketrans(dict.fromkeys("[](){},;|", " "))
_REFUSES = late(
    r"\b(?:sorry|apolog\w{1,8}+|cannot|can['’]?t|can not|unable|not able|won['’]?t|decline"
    r"|(?:do(?:es)? not|don['’]?t) (?:have|experience|feel)|as an? (?:ai|artificial|language)"
    r"|i['’]?m an? (?:ai|language))\b",
    re.IGNORECASE,
)
_KEY_NUMBER = late(rf"\W{{0,8}}+(?:{_GENERIC}\W{{0,8}}+)?(?P<number>\d{{1,3}}+)\W{{0,8}}+$", re.IGNORECASE)
_SCORE_TEXT = late(r"\s{0,8}+(?P<score>-?\d{1,9}+)\s{0,8}+(?:/\s{0,8}+5\s{0,8}+)?$")
_MEANING = late(
    r"(?P<number>[1-5])\s{0,3}+(?:[=:–-]|means|is)\s{0,3}+"
    r"(?!(?:one|two|three|four|five)\b)[^\W\d_](?:[^\W\d_]|[ '’-]){0,60}[,;:/.()\s]{0,4}+(?:and\s{1,3}+|to\s{1,3}+)?",
    re.IGNORECASE,
)
_NAME_KEYS = ("number", "item", "question", "id", "name", "emotion", "word")
_SCORE_KEYS = ("score", "rating", "answer", "value")


class Ratings(NamedTuple):
    """The twenty answers in the order of the questionnaire, or one of REASONS."""

    values: tuple[int, ...] | None
    reading: str = "none"
    reason: str = ""
    thinking: str | None = None


class _Entry(NamedTuple):
    """An answer to one item. `label` is None where it is not clear to which; `value` where it is not clear what."""

    label: int | None
    value: int | None


def read_ratings(reply: Reply, labels: Sequence[str], order: Sequence[int] | None = None) -> Ratings:
    """The answers of a reply; all of them, or none and why.

    Args: `order` has, for each number shown, the position of its word among `labels`; None as listed.
    """
    if reply.finish_reason == REFUSED:
        return Ratings(None, reason=REFUSAL)
    spoken = take_off_thinking(reply.text, cut=reply.finish_reason in CUT)
    text = without_invisible(spoken.text[:LONGEST]).strip()
    if text.startswith(_FAULT_MARK):
        return Ratings(None, reason=PROVIDER_ERROR, thinking=spoken.thinking)
    if spoken.unclosed or not text or len(spoken.text) > LONGEST:
        return Ratings(None, reason=UNREADABLE, thinking=spoken.thinking)
    words = _Words(labels, order or range(len(labels)))
    return _read(text, words)._replace(thinking=spoken.thinking)


class _Words:
    """The words of the questionnaire and the numbers under which they were shown."""

    def __init__(self, labels: Sequence[str], order: Sequence[int]) -> None:
        self.n, self.order = len(labels), tuple(order)
        self.by_word = {label.casefold(): number for number, label in enumerate(labels)}
        longest_first = sorted(labels, key=len, reverse=True)
        self.any = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", re.IGNORECASE)
        self.starts = re.compile(rf"(?:[(\[]?\d{{1,3}}\s*[.)\]:]\s*)?{self.any.pattern}", re.IGNORECASE)

    def in_text(self, text: str) -> list[int]:
        return [self.by_word[found.group().casefold()] for found in self.any.finditer(text)]

    def numbered(self, number: int) -> int | None:
        """The label shown under a number from 1."""
        return self.order[number - 1] if 1 <= number <= self.n else None


def _read(text: str, words: _Words) -> Ratings:
    try:
        found = json_in_text(text, comments=True)
    except ValueError:
        return Ratings(None, reason=UNREADABLE)
    entries, outside, last = [], [], 0
    for value in found:
        taken = list(_in_json(value, words))
        entries += taken
        if taken:
            outside.append(text[last : value.start])
            last = value.end
    reading = JSON if entries else LINES
    bare: list[list[int]] = []
    for line in "\n".join([*outside, text[last:]]).splitlines():
        integers = _integers(line)
        if integers is not None:
            bare.append(integers)
        else:
            entries += _in_line(line, words)
    if bare and not entries:
        entries, reading = _bare_entries(bare, words), NUMBERS
    elif bare:
        entries.append(_Entry(None, None))  # numbers beside an answer that say they know not what
    return _settled(entries, words, text, reading)


def _settled(entries: Sequence[_Entry], words: _Words, text: str, reading: str) -> Ratings:
    """All answers, each item once, or the first reason in their order of precedence."""
    if not entries:
        return Ratings(None, reason=REFUSAL if _REFUSES.search(text) else UNREADABLE)
    if any(entry.value is not None and not LOWEST <= entry.value <= HIGHEST for entry in entries):
        return Ratings(None, reason=OUT_OF_RANGE)
    by_label = {entry.label: entry.value for entry in entries}
    values = [by_label.get(label) for label in range(words.n)]
    if any(entry.label is None or entry.value is None for entry in entries) or len(by_label) < len(entries):
        return Ratings(None, reason=UNREADABLE)
    if len(by_label) < words.n:
        return Ratings(None, reason=INCOMPLETE)
    return Ratings(tuple(value for value in values if value is not None), reading)


def _integers(line: str) -> list[int] | None:
    """The numbers of a line that holds nothing else; None for any other line."""
    plain = _DECORATION.sub("", line).strip()
    parts = plain.removesuffix(".").translate(_SEPARATORS).split()
    if not parts or not all(part.removeprefix("-").isdecimal() for part in parts) or _pairs(plain):
        return None
    return [_whole(part) for part in parts]


def _pairs(plain: str) -> list[tuple[int, int]]:
    """Number and score of each item of a line such as `1: 3, 2: 4`; none for any other line."""
    found, at = [], 0
    while at < len(plain):
        pair = _PAIR.match(plain, at)
        if pair is None:
            return []
        found.append((int(pair["number"]), _whole(pair["score"])))
        at = pair.end()
    return found


def _bare_entries(rows: Sequence[Sequence[int]], words: _Words) -> list[_Entry]:
    """Numbers in the order shown; or, where each line has two and the first ones are those of all items, as pairs."""
    firsts = sorted(row[0] for row in rows)
    if all(len(row) == 2 for row in rows) and firsts == list(range(1, words.n + 1)):
        return [_Entry(words.numbered(number), value) for number, value in rows]
    values = [value for row in rows for value in row]
    if len(values) > words.n:
        return [_Entry(None, None), *(_Entry(None, value) for value in values)]
    return [_Entry(label, value) for label, value in zip(words.order, values, strict=False)]


def _in_line(line: str, words: _Words) -> list[_Entry]:
    plain = _DECORATION.sub("", line).strip()
    if plain.startswith(_BULLETS) and plain[1:2].isspace():
        plain = plain[1:]
    plain = plain.strip(" \t|").replace("|", ":").strip()
    if not any(map(str.isdecimal, plain)):
        return []
    if pairs := _pairs(plain):
        return [_Entry(words.numbered(number), score) for number, score in pairs]
    if _is_legend(plain):
        return []
    starts = [found.start() for found in words.starts.finditer(plain)]
    if len(starts) < 2:
        return _one_entry(plain, words)
    if any(map(str.isdecimal, plain[: starts[0]])):
        return [_Entry(None, None)]
    pieces = [plain[start:end] for start, end in zip(starts, [*starts[1:], len(plain)], strict=True)]
    return [entry for piece in pieces for entry in _one_entry(piece.strip(" \t,;"), words)]


def _is_legend(plain: str) -> bool:
    """Whether a line says what the numbers mean, all five or the first and last: `1 = not at all, 5 = extremely`."""
    numbers, at = [], len(plain) - len(plain.lstrip("([ "))
    while found := _MEANING.match(plain, at):
        numbers.append(int(found["number"]))
        at = found.end()
    return at == len(plain) and numbers in ([LOWEST, HIGHEST], list(range(LOWEST, HIGHEST + 1)))


def _one_entry(plain: str, words: _Words) -> list[_Entry]:
    """What a line says of one item; nothing for a line of prose."""
    number, said = _numbered(plain, words)
    named = words.in_text(said)
    if number is None and not named:
        return [_Entry(None, None)] if _ITEM_MENTION.search(plain) else []
    if len(set(named)) > 1:
        return [_Entry(None, None)]
    label = named[0] if named else words.numbered(number or 0)
    others = _GENERIC_WORD.sub("", words.any.sub("", said))
    digit = _DIGIT.search(others)
    if digit is None:
        # "5. Proud" repeats the question; "5. Proud: very" is an answer, though not one in numbers.
        return [_Entry(label, None)] if named and _LETTER.search(others) else []
    if _LETTER.search(others[: digit.start()]) or (number is None and not _begins_with_word(plain, words)):
        return [_Entry(None, None)]
    return [_Entry(label, _value(others, digit.start()))]


def _numbered(plain: str, words: _Words) -> tuple[int | None, str]:
    """The item number that a line begins with, and what stands behind it. "5 people" is prose, "5. Proud" and
    "5 Proud" are not.
    """
    found = _NUMBERED.match(plain)
    if found is None:
        return None, plain
    rest = plain[found.end() :]
    if rest[:1].isdecimal() or not (found["mark"] or words.any.search(rest)):
        return None, plain
    return int(found["number"]), rest


def _begins_with_word(plain: str, words: _Words) -> bool:
    found = words.any.search(plain)
    return found is not None and not re.search(r"\w", plain[: found.start()])


def _value(text: str, at: int) -> int | None:
    """The number that begins at `at` if nothing around it makes it another one."""
    digits = _DIGITS.match(text, at)
    if digits is None:
        return None
    after, before = text[digits.end() :], text[:at]
    for scale in (_OF_FIVE, _SCALE):
        if found := scale.match(after):
            after = after[found.end() :]
    if _JOINED.match(after) or any(map(str.isdecimal, after)) or _OTHER_UNIT.search(after):
        return None
    if before.endswith(("-", "−", "–")):
        # In "Proud -3" the sign may be a dash; behind a colon it is a minus, and the number out of range.
        return -_whole(digits.group()) if before[:-1].rstrip().endswith((":", "=")) else None
    return _whole(digits.group())


def _in_json(found: JsonInText, words: _Words) -> Iterator[_Entry]:
    """The answers of a JSON value: number or word to score, objects of both, or a list of all scores."""
    value = found.value
    if isinstance(value, list) and value and not any(isinstance(entry, list | JsonObject) for entry in value):
        if len(value) == 1:
            return  # "[1]" in a text is no answer
        scores = [_json_score(entry) for entry in value]
        if len(scores) > words.n:
            yield _Entry(None, None)
        for label, score in zip(words.order, scores, strict=False):
            yield _Entry(label, score)
    else:
        yield from _nested(value, words)


def _nested(value: object, words: _Words) -> Iterator[_Entry]:
    if isinstance(value, list):
        for entry in value:
            yield from _nested(entry, words)
    elif isinstance(value, JsonObject):
        if value.doubled is not None:
            yield _Entry(None, None)
        names, score = _names_of(value, words), _one_of(value, _SCORE_KEYS)
        if names and score is not None:
            yield _Entry(_label_of(names, words), _json_score(score))
        else:
            for key, entry in value.items():
                yield from _in_field(_json_label(key, words), entry, words)


def _in_field(label: int | None, value: object, words: _Words) -> Iterator[_Entry]:
    """The answers in one field of an object, whose key says of which item it is."""
    if isinstance(value, list):
        yield from _in_json(JsonInText(0, 0, value), words)
    elif isinstance(value, JsonObject):
        score = _one_of(value, _SCORE_KEYS)
        if label is not None and score is not None:
            named = [name for name in _names_of(value, words) if words.in_text(name)]
            yield _Entry(_label_of(named, words) if named else label, _json_score(score))
        else:
            yield from _nested(value, words)
    elif label is not None:
        yield _Entry(label, _json_score(value))
    elif _json_score(value) is not None:
        yield _Entry(None, None)  # of no item, so in no range either


def _names_of(value: JsonObject, words: _Words) -> list[str]:
    """What an object says of which item it is: its words where it has any, else its numbers."""
    found = [str(entry) for key, entry in value.items() if key.casefold() in _NAME_KEYS and _is_plain(entry)]
    return [name for name in found if words.in_text(name)] or found


def _label_of(names: Sequence[str], words: _Words) -> int | None:
    labels = {_json_label(name, words) for name in names}
    return labels.pop() if len(labels) == 1 else None


def _is_plain(entry: object) -> bool:
    return isinstance(entry, str | int) and not isinstance(entry, bool)


def _json_label(key: str, words: _Words) -> int | None:
    named = words.in_text(key)
    if named:
        return named[0] if len(set(named)) == 1 else None
    numbered = _KEY_NUMBER.match(key)
    return words.numbered(int(numbered["number"])) if numbered else None


def _json_score(value: object) -> int | None:
    if isinstance(value, str):
        whole = _SCORE_TEXT.match(value)
        return int(whole["score"]) if whole else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _one_of(value: JsonObject, keys: Sequence[str]) -> object:
    found = [entry for key, entry in value.items() if key.casefold() in keys and not isinstance(entry, list | dict)]
    return found[0] if len(found) == 1 else None


def _whole(digits: str) -> int:
    """The number; a very long one is out of range in any case."""
    return int(digits[:9])
