"""A rating as it is written, in any of the usual dresses: `3`, `**3**/10`, `three (3)`, `≈3`, `{3}`, `9 → 3`. Pure.

Every repetition of one sign is possessive, and bounded where it could meet the same signs again: the time at one place
is limited. A group of several signs never is: Python before 3.11.5 keeps the half of it that matched (CPython's issue
106052).
"""

import re
from typing import NamedTuple

from evaluation.benchmarks.eqbench_numbers import (
    NOTHING_FOLLOWS,
    is_of_another_scale,
    is_per_cent,
    is_range,
    ratio,
)
from evaluation.late import late

SPACES = r" \t\f\v\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"  # all but line breaks
SPACE = rf"[{SPACES}]"
MARKS = r"\"'“”„‟‘’‚«»‹›「」『』【】《》*_`\\"
WRAP = rf"[{SPACES}{MARKS}]{{0,40}}+"
WRAP_LINES = rf"[\s{MARKS}]{{0,40}}+"
EMOJI = r"[\u2580-\u2793\u2b50-\u2b55\U0001f000-\U0001faff\u20e3]"
ARROW = r"(?:[→⇒⟶⟹⇨↦\u2794-\u27be]|[-=]{1,2}>)"
SCORE_WORDS = (
    r"(?:(?:scores?|rating|value|intensity|level|strength|punktzahl|bewertung|wert|intensität|stärke|points|rated"
    r"|puntuación|puntaje|pontuação|punteggio|intensité|intensidade?|intensità|оценка|балл)\b"
    r"|得分|评分|分数|强度|スコア|評価|点数|점수)"
)

SCALE = (
    r"(?:[01]\s?(?:[-–—~～]|to|bis|à|до)\s?10"
    r"|(?:[/／]|(?:out )?of|max|von|sur|su|de|из|满分|満点|最高)\s?10(?:\s?[分点])?)(?!\d)"
)
_SCALE_BEHIND = late(
    rf"{SPACE}{{0,4}}+[(\[（][^()（）\[\]\r\n\d]{{0,20}}?{SCALE}[^()（）\[\]\r\n\d]{{0,20}}+[)\]）]", re.IGNORECASE
)
_SCALE_NOTE = late(
    rf"[(\[{{（][^()（）\[\]{{}}\r\n\d]{{0,20}}?{SCALE}[^()（）\[\]{{}}\r\n\d]{{0,20}}+[)\]}}）]{WRAP}:?{WRAP}",
    re.IGNORECASE,
)
# Or a bar that is drawn: `███░░░░ 3/10`, `[###----] 3/10`.
_EMOJIS = late(rf"(?:{EMOJI}{{1,24}}+|\[[#=\-.\u2580-\u25ff ]{{2,24}}+\]){WRAP}")
_SCORE_WORD = late(
    rf"(?:an?{SPACE}|the{SPACE})?(?:[^\W\d_]{{2,20}}+{SPACE})?{SCORE_WORDS}{WRAP}(?:(?:of|is|ist|von)\b|[:=]|[-–—](?=\s))?"
    rf"{WRAP}",
    re.IGNORECASE,
)
_TAGGED = late(rf"<{SCORE_WORDS}>{WRAP}", re.IGNORECASE)
_BRACKETED = late(rf"[(\[]{WRAP}(?={SCORE_WORDS}{WRAP}[:=]{WRAP}\d)", re.IGNORECASE)
_APPROXIMATE = late(
    rf"(?:[≈≃~∼]|(?:about|around|approx(?:imately)?|roughly|circa|ca|etwa|ungefähr)\b\.?){WRAP}(?=[\d(\[<{{+.])",
    re.IGNORECASE,
)
_PLUS = late(rf"\+{SPACE}{{0,2}}+(?=\d)")
_BRACE = late(rf"\{{{WRAP}(?=\d++(?:[.,]\d++)?{WRAP}(?:/10)?\}})")
_ADJECTIVES = "none|low|slight|mild|medium|moderate|high|strong|severe|extreme|minimal|niedrig|mittel|hoch|stark|gering"
NUMBER_WORDS = {
    word: value
    for words in (
        "zero one two three four five six seven eight nine ten",
        "null eins zwei drei vier fünf sechs sieben acht neun zehn",
    )
    for value, word in enumerate(words.split())
}
_IN_WORDS = late(
    rf"(?:(?P<word>{'|'.join(NUMBER_WORDS)})|(?:very{SPACE}|sehr{SPACE})?(?:{_ADJECTIVES})){WRAP}(?=[(\[])",
    re.IGNORECASE,
)
_MINUS = late(rf"[-−–—]{SPACE}{{0,3}}+\d++")
_NUMBER = late(rf"[<(\[（]?+{WRAP}(?:(?P<whole>\d++)(?:[.,](?P<decimals>\d++))?|\.(?P<bare>\d++))")
_RUNS_ON = late(r"[.,]\d|[¼-¾⅐-⅞]|e[+-]?\d|[°€$£¥₀-₉]|(?:st|nd|rd|th|[a-oq-z])\b", re.IGNORECASE)
# What makes a number one of another thing, a change or a bound: `9 times`, `9/10 confidence`, `9 points lower`, `9+`.
_THING = (
    r"(?:confiden(?:t|ce)|certain(?:ty)?|sure|mentions?|occurrences?|instances?|tokens|words|votes|times|sicher(?:heit)?"
    r"|konfidenz|mal)\b"
)
_OF_ANOTHER_THING = late(
    rf"{WRAP}(?:\+[{MARKS}]{{0,4}}+(?=[\s.,;]|$)|{_THING}|[(\[]{WRAP}{_THING}{WRAP}[)\]]"
    rf"|(?:points?{SPACE}|pts{SPACE})?(?:lower|higher|more|less|fewer|höher|niedriger|mehr|weniger)\b"
    rf"|(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|too{SPACE}(?:high|low)|and{SPACE}an?{SPACE}half)\b"
    rf"|(?:or|at|oder){SPACE}(?:more|less|higher|lower|above|below|up|most|least|mehr|weniger)\b)",
    re.IGNORECASE,
)
_CLOSED = late(rf"{WRAP}>")
_BECOMES = late(rf"[{MARKS})\]>}}]{{0,8}}+{SPACE}{{0,8}}+{ARROW}{WRAP}(?=\d)")
_BEFORE = late(WRAP_LINES)
_CLOSERS = late(rf"[{SPACES}{MARKS})\]>}}）.!,;，。；！、]{{0,40}}+")
_SUPERSCRIPT = late(r"[¹²³⁰⁴-⁹]{1,2}+")
_FOOTNOTE = late(r"\[\^?\d{1,2}+\]")
CHANGING = (
    r"(?:revis\w{1,6}+|final\w{0,6}+|correct(?:ed|ion)|updated?|adjust\w{0,6}+|chang\w{1,4}+|lower\w{0,4}+|rais\w{1,4}+"
    r"|reduc\w{1,5}+|increas\w{1,4}+|decreas\w{1,4}+|reconsider\w{0,4}+|reassess\w{0,6}+|recalibrat\w{0,4}+"
    r"|überarbeit\w{0,6}+|korrig\w{0,6}+|gesenkt|erhöht)"
)
REVISED_IN_WORDS = late(
    rf"\b{CHANGING}\b[^\n\d]{{0,20}}?\b(?:{'|'.join(NUMBER_WORDS)})\b(?!{SPACE}{{0,3}}+[(\[])", re.IGNORECASE
)
_SECOND_NUMBER = late(r"\d|[¼-¾⅐-⅞]")
LONGEST_NOTE = 400
_POINTS = late(
    rf"{SPACE}{{0,4}}+(?:(?:points?|pts|punkte?|puntos|pontos|punti|балл(?:ов|а)?)\b|[分点점])", re.IGNORECASE
)


_DIGITS = frozenset("0123456789")


class Rating(NamedTuple):
    """A number as a reply gives it. `value` is None where the number is refused: a range, per cent, a negative one.

    Attributes:
        end: Where it ends in the text that it was read from.
        whole: Its whole part as it was written, in digits.
        form: The flag of the form it has, or "".
        scale: The flag of another scale, for which it was refused.
        plain: Whether it stands behind its name as the prompt asks, but for emphasis.
        draft: Whether its key or header calls it a first one.
    """

    written: str
    value: float | None
    end: int = -1
    whole: str = ""
    decimal: bool = False
    form: str = ""
    scale: str = ""
    plain: bool = False
    draft: bool = False


def value_at(text: str, at: int) -> Rating | None:
    """The rating that begins at a place of a text, any dress of it first; None where none stands there."""
    form, said = "", None
    if text[at : at + 1] not in _DIGITS:  # no dress begins with a digit
        at, form = _undressed(text, at)
        minus = _MINUS.match(text, at)
        if minus:
            return Rating(minus.group()[:20], None, minus.end())
        said = _IN_WORDS.match(text, at)
    number = _NUMBER.match(text, said.end() if said else at)
    if number is None:
        return None
    if said:
        return _in_words(text, said, number)
    rating = _judged(text, number)
    later = _after_arrows(text, rating)
    return later or (rating._replace(form=form) if form else rating)


def _undressed(text: str, at: int) -> tuple[int, str]:
    """Where the number itself may begin, and the flag of what stands before it."""
    form = ""
    for pattern, flag in (
        (_EMOJIS, "emoji"),
        (_SCALE_NOTE, ""),
        (_BRACKETED, ""),
        (_TAGGED, "score word"),
        (_SCORE_WORD, "score word"),
        (_SCALE_NOTE, ""),
        (_APPROXIMATE, "approximate"),
        (_PLUS, "dressed number"),
        (_BRACE, "dressed number"),
    ):
        found = pattern.match(text, at)
        if found:
            at, form = found.end(), flag or form
    return at, form


def _in_words(text: str, said: re.Match[str], number: re.Match[str]) -> Rating:
    """`three (3)`: the word and the number have to agree."""
    rating = _judged(text, number)._replace(form="number word")
    word = said["word"]
    if word and rating.value != NUMBER_WORDS[word.lower()]:
        return rating._replace(written=f"{word} ({rating.written}"[:20], value=None)
    return rating


def _after_arrows(text: str, rating: Rating) -> Rating | None:
    """The last number of `9 → 3`; None without an arrow."""
    last = None
    for _ in range(8):
        arrow = _BECOMES.match(text, rating.end)
        number = _NUMBER.match(text, arrow.end()) if arrow else None
        if number is None:
            break
        last = rating = _judged(text, number)._replace(form="changed value")
    return last


def _judged(text: str, number: re.Match[str]) -> Rating:
    written = number.group().strip(" \t(<[*_\"'`")
    end = number.end()
    part = ratio(text, end)
    after = part.end() if part else end
    whole = number["whole"] or "0"
    fraction = number["decimals"] or number["bare"]
    is_decimal = fraction is not None
    scale = ""
    if not _is_refused(text, number, after):
        scale = "other scale" if is_of_another_scale(part) else "per cent" if is_per_cent(text, after) else ""
        if not scale:
            value = float(f"{whole[:4]}.{fraction[:15]}") if fraction else float(whole[:4])
            return Rating(written, value, after, whole, is_decimal)
    return Rating(_with_tail(text, number, written), None, after, whole, is_decimal, scale=scale)


def _is_refused(text: str, number: re.Match[str], after: int) -> bool:
    """Whether the number is only the start of something else: a range, `1,000`, `3.4.5`, `9e5`."""
    if "," in number.group() and len(number["decimals"]) == 3:
        return True
    if number.group()[0] == "<" and not _CLOSED.match(text, after):
        return True  # less than
    if text[number.end() : number.end() + 1] in NOTHING_FOLLOWS:
        return False
    return (
        _RUNS_ON.match(text, after) is not None
        or is_range(text, after)
        or _OF_ANOTHER_THING.match(text, after) is not None
    )


def _with_tail(text: str, number: re.Match[str], written: str) -> str:
    """The number with a little of what follows in its line, for the sentence that says why it was refused."""
    line = (written + text[number.end() : number.end() + 6]).splitlines()[0][:20]
    return "".join(sign for sign in line if sign.isprintable()).strip()


def refused(rating: Rating, text: str) -> Rating:
    """The rating as one that another number beside it makes unsure."""
    line = (text[rating.end - len(rating.written) : rating.end + 8].splitlines() or [""])[0]
    shown = "".join(sign for sign in line if sign.isprintable()).strip()[:20]
    return rating._replace(value=None, written=shown or rating.written, scale="")


def behind(text: str, rating: Rating) -> int:
    """Where the closing marks, footnotes and units behind a rating end."""
    at = rating.end
    for pattern in (_POINTS, _SUPERSCRIPT, _FOOTNOTE, _SCALE_BEHIND, _CLOSERS):
        found = pattern.match(text, at)
        at = found.end() if found else at
    return at


def whole_value(text: str) -> Rating | None:
    """The rating that a text holds and nothing else but its dress: a cell, a string, a line."""
    skipped = _BEFORE.match(text)
    rating = value_at(text, skipped.end() if skipped else 0)
    if rating is None:
        return None
    rest = text[behind(text, rating) :]
    if rating.scale == "per cent":
        rest = rest.lstrip(" %％٪").removeprefix("percent")
    emptied = _EMOJIS.sub("", rest).strip()
    return rating if not emptied or (rating.value is None and len(emptied) < 20) else None


def noted_value(text: str) -> Rating | None:
    """The rating that a text begins with, if what stands behind it is a note without a number: `3 - mild`."""
    rating = value_at(text, 0)
    if rating is None or rating.value is None:
        return None
    note = text[behind(text, rating) :]
    return None if len(note) > LONGEST_NOTE or _SECOND_NUMBER.search(note) or REVISED_IN_WORDS.search(note) else rating
