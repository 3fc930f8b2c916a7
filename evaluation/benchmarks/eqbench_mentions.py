"""Where a line of a reply gives one of an item's names a number. Pure; linear on hostile text.

Of two numbers that compete for a name none is taken. For the rules that keep the time at one name limited see
eqbench_values.py.
"""

import re
import unicodedata
from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from evaluation.benchmarks.eqbench_values import (
    ARROW,
    CHANGING,
    EMOJI,
    MARKS,
    NUMBER_WORDS,
    REVISED_IN_WORDS,
    SCALE,
    SCORE_WORDS,
    SPACE,
    SPACES,
    WRAP,
    WRAP_LINES,
    Rating,
    behind,
    refused,
    value_at,
)
from evaluation.benchmarks.eqbench_words import folded, subject_of
from evaluation.late import late

# Format characters (Unicode category Cf), the combining grapheme joiner and variation selectors: they change no name.
_INVISIBLE = late(
    "[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]"
)
_NOTE = late(rf"{WRAP}[(\[{{（](?P<note>[^()（）\[\]{{}}\r\n]{{0,40}}+)[)\]}}）]{WRAP}")
_SCALE = late(rf"^\D{{0,20}}?{SCALE}\D{{0,20}}$", re.IGNORECASE)
_SUPERSCRIPT = late(rf"[¹²³⁰⁴-⁹]{{1,2}}+{WRAP}")
_BARE_SCALE = late(rf",?{SPACE}{{0,4}}+(?:on a scale (?:of|from){SPACE})?{SCALE}{WRAP}(?=[:：=])", re.IGNORECASE)
_EMOJIS = late(rf"{WRAP}{EMOJI}{{1,24}}+{WRAP}")
_ABOUT = late(
    rf"[{MARKS}]{{0,6}}+(?:(?<=['’])s)?[{SPACES}_-]{{0,4}}+(?<![^\W_]){SCORE_WORDS}(?:{SPACE}of\b)?{WRAP}",
    re.IGNORECASE,
)
_SEPARATOR = late(
    rf"{WRAP}(?:(?P<arrow>{ARROW}){WRAP}|[:：﹕∶=]{{1,2}}+{WRAP_LINES}|(?P<dash>[-–—]){WRAP}|\|{WRAP}"
    rf"|[,;]{WRAP}(?=(?:[^\W\d_]{{2,12}}+{SPACE})?{SCORE_WORDS}{WRAP}[:=]))",
    re.IGNORECASE,
)
_IS = late(rf"{WRAP}(?<={SPACE})(?:is|ist){SPACE}{WRAP}(?=[\d(\[<])", re.IGNORECASE)
_AFTER_IS = late(
    rf"[{MARKS})\]>]{{0,6}}+(?:[.;!,]{{1,3}}+(?:\s|$)|{SPACE}{{0,6}}+(?:$|\n|(?:and|und|because|since|weil|as)\b|[(\-–—]))",
    re.IGNORECASE,
)
_PLACEHOLDER = late(rf"[<(\[{{]{WRAP}(?:[^\W\d]|\d++{SPACE}{{0,3}}+[-–—]{SPACE}{{0,3}}+\d)|(?:[xX]\b|\?)")
_ITEM_BELOW = late(rf"[-•>]{SPACE}{{1,3}}+(?=\d)")
_IN_OWN_BRACKETS = late(rf"\){WRAP}[:：=]")
_IN_BRACKETS = late(rf"{WRAP}(?=[(\[（])")
_CLOSING = late(rf"{WRAP}[)\]）]")
_ALONE = late(
    rf"[{MARKS}]{{0,6}}+(?:{SPACE}{{1,8}}+|{SPACE}{{0,4}}+(?:[.·_]{{3,80}}+|…{{1,40}}+){SPACE}{{0,8}}+)[{MARKS}]{{0,6}}+(?=\d)"
)
_AFTER_A_BAR = late(rf"(?<=[{SPACES}{MARKS}])(?=\d)")
_LIST_NUMBER = late(rf"[.)]{SPACE}{{1,4}}+[^\W\d]")
_NEXT_NUMBER = late(r"(?:^|[\s(\[|,;])[(\[]?\d{1,2}[.):\]]?[\s*_\"'`\-|.)]{0,20}+$")
_COMPETING = late(
    r"\b(?:confiden\w{0,20}+|certain\w{0,20}+|sure|revis\w{0,20}+|correct\w{0,20}+|chang\w{0,20}+|final\w{0,20}+|updat\w{0,20}+|adjust\w{0,20}+|actual\w{0,20}+|instead|rather|"
    r"now|then|no|not|was|were|first|initial\w{0,20}+|second|or|maybe|perhaps|to|up|down|score\w{0,20}+|rat\w{0,20}+|level|previous\w{0,20}+|"
    r"before|weight|rank|wait|better|mine|humans?|readers?|gold|reference|expected|target|pass|"
    r"sicher\w{0,20}+|überarbeitet\w{0,20}+|eher|jetzt|nicht|oder|vorher|zuerst|erst|besser)\b",
    re.IGNORECASE,
)
_REVISED_BELOW = late(
    rf"^[\s>*_`\-•]{{0,12}}(?:{ARROW}|(?:\w{{1,20}} )?(?:\w{{1,20}} )?"
    rf"(?:{CHANGING}|new|now|after|second|actual(?:ly)?|better|neu\w{{0,3}}+|jetzt|danach|endgültig\w{{0,2}}+)\b"
    r"(?![^:=\n\d]{0,20}(?:total|sum|average|mean|confidence|certainty|summe|sicherheit)\b)"
    rf"[^:=\n\d]{{0,20}}?(?:[:=]|\b(?:to|auf)\b|{ARROW}))[\s*_`~(]{{0,8}}\d(?!\d?[.)]\s)",
    re.IGNORECASE | re.MULTILINE,
)
# Another rating in words right behind one in digits, or behind a word of doubt: `9 (three)`, `9, no, three`.
_SAID_IN_WORDS = late(
    rf"(?:^[^\w\n]{{0,8}}|\b(?:no[,;:.–—-]|wait|make (?:that|it)|rather|actually|mean|say|said|or|to|now|maybe|perhaps"
    rf"|instead|nein|oder|bis|eher|jetzt|sondern)[^\w\n]{{1,4}})(?P<word>{'|'.join(NUMBER_WORDS)})\b[^\w\n]{{0,8}}$",
    re.IGNORECASE,
)
_BULLET = late(r"[\s\"'*_`\-•>#|]{0,20}+(?:\(?\d{1,2}[.)]\s?)?[\s\"'*_`]{0,8}+$")
_SECOND_DIGIT = late(r"\d")
_ANY_NUMBER = late(r"(\d{1,40}+)(?:(?P<ten>\s?[/／]\s?10(?!\d))|(?P<cent>\s?[%％]))?")
_LETTER = late(r"[^\W\d_]")
_OF_OTHER_NAME = late(rf"[^\W\d_]{{2,20}}[{MARKS}]{{0,4}}\s?[:：=]\s?[{MARKS}]{{0,4}}$")
# The noun that a number counts, in small letters; verbs and prepositions make the number one that stands for itself.
_COUNTED = late(
    r"\s(?!(?:or|to|and|out|is|was|are|were|be|would|could|should|might|may|must|can|will|seems?|feels?|fits?|looks?"
    r"|sounds?|makes?|works?|better|instead|now|then|for|from|after|before|with|than|points?|pts|though|but|rather"
    r"|because|since|given|here|there|too|also|again|only|when|overall|max(?:imum)?|min(?:imum)?"
    r"|oder|bis|und|ist|wäre|passt|scheint|für|nach|vor|bei|wenn|als|punkte?|aber|weil)\b)[^\W\d_A-ZÄÖÜ][^\W\d_]{2,30}+"
)
# The value that a rating replaces: `3 (down from 9)`, `3, not 9`.
_OLD = late(
    rf"\b(?:from|was|previously|originally|formerly|initially|instead of|rather than|not|statt|vorher|ursprünglich)"
    rf"[{MARKS}:\s]{{1,6}}$",
    re.IGNORECASE,
)
_NUMBER_BEFORE = late(rf"\d\s?(?:[-–—|•·]|{ARROW})[\s{MARKS}]{{0,6}}$")
_RATING_BEFORE = late(rf"(?:\d\s?/\s?10|\(\d{{1,2}}\)|(?<![\d.])\d{{1,2}})[\s{MARKS}]{{1,6}}$")
_SAYS_ITS_NUMBER = late(rf"{WRAP}(?:[:：=\-–—]|{ARROW})")
_CLOSERS, _NUMBER_WORDS = " \t\r*_`\"'~)]}.,;:!?”’", tuple(NUMBER_WORDS)
LONGEST_TAIL, MOST_NAMES = 200, 1_000
_BARS = ("|", "•", "·")
_BREAKS = frozenset(("", "\n", "\r", *_BARS))


class Mention(NamedTuple):
    """A name of the item at `at` with what follows it; `rating` is None for a placeholder such as `<score>`."""

    at: int
    label: str
    rating: Rating | None


class Name(NamedTuple):
    """A place where one of the item's names stands."""

    at: int
    end: int
    label: str


def without_invisible(text: str) -> str:
    return text if text.isascii() else _INVISIBLE.sub("", text)


def names_in(text: str, labels: tuple[str, ...]) -> list[Name]:
    """The places of the labels, in any case, in order; of very many the last ones, since the last block counts."""
    pattern, labels_by_name = _names(labels)
    found: deque[Name] = deque(maxlen=MOST_NAMES)
    for name in pattern.finditer(text):
        label = labels_by_name.get(name.group()) or labels_by_name.get(folded(name.group()))
        if label:
            found.append(Name(name.start(), name.end(), label))
    return list(found)


def mentions(text: str, labels: tuple[str, ...]) -> Iterator[Mention]:
    """All places where one of the labels, in any case, is followed by a number or a placeholder, in order."""
    return mentions_of(text, names_in(text, labels))


def mentions_of(text: str, names: Sequence[Name]) -> Iterator[Mention]:
    """The names that are followed by a number or a placeholder in their line, in order."""
    reversed_line, last = False, -1
    for number, name in enumerate(names):
        stop = names[number + 1].at if number + 1 < len(names) else len(text)
        if last < 0 or "\n" in text[last : name.at]:
            reversed_line = _follow_their_numbers(text, name, stop)
        last = name.end
        mention = None if reversed_line else _mention(text, name, stop)
        if mention:
            yield mention


def _follow_their_numbers(text: str, first: Name, stop: int) -> bool:
    """Whether a line gives numbers before names, as in `3 - Angry - 6 - Hopeful`: a number behind is the next one's."""
    between = text[first.end : stop]
    if stop >= len(text) or "\n" in between:
        return False
    before = text[max(0, first.at - 12) : first.at].rpartition("\n")[2]
    if _NUMBER_BEFORE.search(before):
        return True
    alone = _RATING_BEFORE.search(before) and not _SAYS_ITS_NUMBER.match(between)
    return bool(alone) and len(_ANY_NUMBER.findall(between)) == 1


@lru_cache(maxsize=2048)
def _names(labels: tuple[str, ...]) -> tuple[re.Pattern[str], dict[str, str]]:
    """A pattern for the labels as whole words, composed or decomposed, and the label by its plain and its folded form.

    A digit may touch a name (`3Hopeful`), a letter may not; an underscore is an emphasis mark. A name behind a quote
    that is escaped stands within a text.
    """
    forms = {unicodedata.normalize(form, label) for label in labels for form in ("NFC", "NFD")}
    spellings = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    pattern = re.compile(rf"(?<![^\W\d_])(?<!\\[\"'])(?:{spellings})(?![^\W_¹²³⁰⁴-⁹])", re.IGNORECASE)
    return pattern, {name: label for label in labels for name in (label, folded(label))}


def _mention(text: str, name: Name, stop: int) -> Mention | None:
    passed = _behind_name(text, name.end)
    separator = _SEPARATOR.match(text, passed.at)
    if separator:
        rating = _rating(text, separator, name)
        is_unsaid = rating is None or (rating.value is None and not rating.scale)
        if passed.filled is None and is_unsaid and _PLACEHOLDER.match(text, separator.end()):
            return Mention(name.at, name.label, None)
    else:
        rating = None if passed.filled else _without_separator(text, passed.at, name, stop)
    found = passed.filled or rating
    if found is None:
        return None
    differ = rating is not None and rating.value != found.value
    if differ or _competes(text, rating or found, stop):
        return Mention(name.at, name.label, refused(found, text))
    return Mention(name.at, name.label, found if passed.filled else found._replace(form=found.form or passed.form))


class _Passed(NamedTuple):
    """Where a separator may stand behind a name, the flag of what was passed, and the rating that a bracket held."""

    at: int
    form: str = ""
    filled: Rating | None = None


def _behind_name(text: str, end: int) -> _Passed:
    if text[end : end + 1] == ")" and _IN_OWN_BRACKETS.match(text, end):
        end += 1  # `Emotion 1 (Angry): 3`
    passed = _Passed(end)
    for _ in range(2):
        note = _NOTE.match(text, passed.at)
        if note is None or note["note"] is None:
            break
        after = _past_note(text, note, passed, is_first=note.start() == end)
        if after is None:
            break
        passed = after
    for pattern, flag in ((_SUPERSCRIPT, "footnote"), (_EMOJIS, "emoji"), (_BARE_SCALE, ""), (_ABOUT, "score word")):
        found = pattern.match(text, passed.at)
        if found:
            passed = passed._replace(at=found.end(), form=flag or passed.form)
    note = _NOTE.match(text, passed.at)
    if note and passed.filled is None and _SCALE.match(note["note"]):
        passed = passed._replace(at=note.end())
    return passed


def _past_note(text: str, note: re.Match[str], passed: _Passed, *, is_first: bool) -> _Passed | None:
    """Past the brackets behind a name; None where they hold a number that is no rating, no scale and no footnote, or
    say that the number behind them is none: `Angry (confidence): 9`.
    """
    if len(note["note"].split()) < 3 and subject_of(note["note"]) == "other" and not _SCALE.match(note["note"]):
        return None
    if not _SECOND_DIGIT.search(note["note"]) or _SCALE.match(note["note"]):
        return passed._replace(at=note.end())
    is_index = text[note.start()] == "[" and note["note"].removeprefix("^").isdecimal()
    if is_first and is_index and _SEPARATOR.match(text, note.end()):
        return _Passed(note.end(), "footnote")
    filled = _in_brackets(text, passed.at)
    return passed._replace(at=note.end(), filled=filled) if filled else None


def _in_brackets(text: str, at: int) -> Rating | None:
    """`Angry (3)`: a number that fills the brackets behind a name."""
    bracket = _IN_BRACKETS.match(text, at)
    rating = value_at(text, bracket.end()) if bracket else None
    return rating if rating and _CLOSING.match(text, rating.end) else None


def _rating(text: str, separator: re.Match[str], name: Name) -> Rating | None:
    """The number behind a separator; None where none stands there."""
    item = _ITEM_BELOW.match(text, separator.end()) if "\n" in separator.group() else None
    rating = value_at(text, item.end() if item else separator.end())
    if rating is None or (item and text[behind(text, rating) :][:1] not in {"", "\n", "\r"}):
        return None
    if _looks_negative(text, separator):
        return Rating(text[separator.start("dash") : rating.end].strip(), None, rating.end)
    if "\n" in separator.group() and (rating.form == "score word" or _LIST_NUMBER.match(text, rating.end)):
        return None  # a key of a section, or the number of the next entry of a list
    if separator["arrow"] and not rating.form:
        return rating._replace(form="arrow")
    return rating._replace(plain=_is_plain(text[name.at : separator.end()], name.label))


def _looks_negative(text: str, separator: re.Match[str]) -> bool:
    """Whether the dash is a sign rather than a separator: space before it and a digit right behind (`Angry -3`)."""
    at = separator.start("dash")
    return at > 0 and text[at] != "—" and text[at - 1].isspace() and text[at + 1 : at + 2].isdecimal()


def _is_plain(written: str, label: str) -> bool:
    """Whether a name, its separator and what stands before the number are as the prompt asks, but for emphasis."""
    bare = re.sub(rf"[{MARKS}]", "", written)
    return bare.startswith(f"{label}:") and bare[len(label) + 1 :].isspace()


def _without_separator(text: str, at: int, name: Name, stop: int) -> Rating | None:
    """`Angry is 3`, and `Angry 3` where nothing else stands in the line or between the names."""
    told = _IS.match(text, at)
    alone = None if told else _ALONE.match(text, at) or _AFTER_A_BAR.match(text, at)
    found = told or alone
    rating = value_at(text, found.end()) if found else None
    if rating is None or "," in rating.written:
        return None
    if told:
        return rating._replace(form="score word") if _AFTER_IS.match(text, rating.end) else None
    line = text[text.rfind("\n", max(0, name.at - 40), name.at) + 1 if name.at else 0 : name.at]
    after = text[behind(text, rating) : stop].lstrip(" \t")
    begins = _BULLET.match(line) is not None or _begins_behind(line.rstrip(" \t*_"))
    return rating._replace(form="no separator") if begins and after[:1] in _BREAKS else None


def _begins_behind(line: str) -> bool:
    """Whether a name may begin a pair behind this part of its line: a pair before it, or a heading of ratings."""
    return line.endswith((",", ";", *_BARS)) or (line.endswith(":") and subject_of(line) in {"", "rating", "final"})


def _competes(text: str, rating: Rating, stop: int) -> bool:
    """Whether another number in the rest of the line could be the rating as well: `3, 9`, `3 (9)`, `9, no, 3`."""
    if rating.value is None and not rating.scale:
        return False
    return is_doubted(text, behind(text, rating), stop, rating.value)


def is_doubted(text: str, at: int, stop: int, value: float | None) -> bool:
    """Whether what stands behind a rating, up to the next name at `stop`, may be the rating instead."""
    tail, _, below = text[at : min(stop, at + LONGEST_TAIL)].partition("\n")
    if _REVISED_BELOW.search(below) or REVISED_IN_WORDS.search(tail):
        return True
    if _ends_in_another_word(tail, value):
        return True
    if not _SECOND_DIGIT.search(tail):
        return False
    if stop <= at + len(tail):
        tail = _NEXT_NUMBER.sub("", tail)
    return any(
        not (_is_the_same(value, number) or _OLD.search(tail[: number.start()]) or _is_of_prose(tail, number))
        for number in _ANY_NUMBER.finditer(tail)
    )


def _ends_in_another_word(tail: str, value: float | None) -> bool:
    """Whether a tail ends with another number in words, as in `9 (three)`."""
    if not tail.rstrip(_CLOSERS).lower().endswith(_NUMBER_WORDS):
        return False
    said = _SAID_IN_WORDS.search(tail)
    return said is not None and NUMBER_WORDS[said["word"].lower()] != value


def _is_the_same(value: float | None, number: re.Match[str]) -> bool:
    """Whether a number behind a rating only says it again: `3/10 (30%)`, `3 (3/10)`."""
    again = float(number[1][:4])
    return value == (again / 10 if number["cent"] else again)


def _is_of_prose(tail: str, number: re.Match[str]) -> bool:
    """Whether a number behind a rating belongs to the words around it: `because 2 friends left`, `Pride = 4`."""
    words = tail[: number.start()]
    if _COMPETING.search(words) or not _LETTER.search(words):
        return False
    return _OF_OTHER_NAME.search(words) is not None or _COUNTED.match(tail, number.end()) is not None
