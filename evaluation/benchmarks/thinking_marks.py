"""How models mark their thinking in a reply: the shape that all such marks share. Pure.

The vendors and their marks are the table of `thinking_vendors.py`. Most need no code: a tag is a mark if one of its
words is a word of thinking (`<seed:think>`, `<|begin_of_thought|>`, `[/THINK]`), so tags that are not in the table are
recognised as well.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Literal, NamedTuple

from evaluation.benchmarks.quotes import closing_quote
from evaluation.benchmarks.thinking_quotes import holds_a_quote, quoted_thinking
from evaluation.late import late

Kind = Literal["open", "close", "answer", "end", "role"]


class Mark(NamedTuple):
    """A mark at `start` to `end` of a text. Marks of one `family` belong together.

    A `weak` one may be an ordinary heading: it counts where its block is closed too, or where the reply was cut.
    """

    start: int
    end: int
    kind: Kind
    family: str
    weak: bool = False


CHANNEL, SPECIAL, FENCE, BARE, STRING, QUOTE = "channel", "special ", "fence ", "bare", "string", "quote"
MOST_CANDIDATES = 10_000
"""A text with more bracketed words than this is no model's answer: its marks are not read to the end."""

_THINK = frozenset(
    (
        *("think", "thinking", "thinks", "thought", "thoughts", "deepthink", "deepthinking", "ultrathink", "rethink"),
        *("thoughtprocess", "innerthought", "innerthoughts", "denken", "nachdenken", "gedanke", "gedanken"),
        *(
            "思考",
            "pensée",
            "pensées",
            "pensamiento",
            "pensamientos",
            "pensamento",
            "pensiero",
            "мысли",
            "생각",
            "사고",
        ),
    )
)
_STRONG = frozenset(
    (
        *_THINK,
        *("reasoning", "reflection", "reflections", "reflecting", "reflect", "analysis", "analyse", "scratchpad"),
        *("scratch", "monologue", "cot", "deliberation", "deliberate", "rumination", "ruminate", "contemplation"),
        *("contemplate", "introspection", "musings", "brainstorm", "brainstorming"),
        *("überlegung", "überlegungen", "réflexion", "raisonnement", "reflexión", "razonamiento", "ragionamento"),
        *("raciocínio", "riflessione", "размышление", "размышления", "рассуждение", "推理", "推論", "推论", "思考过程"),
        *("思考過程", "추론"),
    )
)
_WEAK = frozenset(
    (
        *("reason", "rationale", "plan", "planning", "draft", "critique", "explanation", "begründung", "notes"),
        *("justification", "internal", "working", "workings", "consideration", "considerations"),
    )
)
_STARTS, _ENDS = frozenset(("begin", "start", "open")), frozenset(("end", "stop", "close", "finish"))
_ANSWERS = frozenset(["response", "solution", "answer", "output", "final", "content"])
_PLACEHOLDERS = frozenset(["your", "here", "insert"])
_MESSAGE_ENDS = [{"end"}, {"return"}, {"call"}, {"im", "end"}, {"eot", "id"}, {"eom", "id"}]
_MESSAGE_HEADS = [{"start"}, {"begin"}, {"message"}, {"im", "start"}, {"start", "header", "id"}]
_LITERAL: dict[str, tuple[Kind, str]] = {
    "unused94": ("open", "unused94"),
    "unused95": ("close", "unused94"),
    "unused16": ("open", "unused16"),
    "unused17": ("close", "unused16"),
}
_OPENING, _CLOSING = "<＜〈⟨◁\\[【［「{", ">＞〉⟩▷\\]】］」}"
_ESCAPED_OPENING, _ESCAPED_CLOSING = r"&(?:lt|\#60|\#x3[cC]);|\\u003[cC]", r"&(?:gt|\#62|\#x3[eE]);|\\u003[eE]"
_TAG_BODY = (
    rf"\s?\\?(?P<slash>/?)[|｜]?(?P<inner>/?)\s?"
    rf"(?P<name>[^\W\d_][\w▁:.\-]{{1,40}}+(?:[ ]\w{{2,20}}+)?(?:[ ]\w{{2,20}}+)?(?:[ ]\w{{2,20}}+)?)"
    rf"(?P<attributes>\s{{1,3}}+[\w:.\-]{{1,40}}+\s?=[^&\\{_OPENING}{_CLOSING}]{{0,200}}+)?\s?(?P<alone>/?)"
    rf"(?P<bar>[|｜]?)(?:\\?[{_CLOSING}]|{_ESCAPED_CLOSING})"
)
# Patterns of their own, since one that begins with a set of signs is searched for much faster than an alternative.
_TAG = late(rf"(?P<bracket>[{_OPENING}])(?=[\s|｜/\\]{{0,4}}+[^\W\d_][\w▁:.\-]){_TAG_BODY}")
_ESCAPED_TAG = late(rf"(?P<bracket>{_ESCAPED_OPENING}){_TAG_BODY}")
_FENCE = re.compile(r"^(?P<signs>```|~~~|:::)[^\S\n]{0,2}+(?P<fence>[\w-]{0,20}+)[^\S\n]{0,8}+$", re.MULTILINE)
_WORD = late(r"[A-ZÀ-ÖØ-Þ]?[a-zß-öø-ÿ]{1,40}+|[A-ZÀ-ÖØ-Þ]{1,40}(?![a-zß-öø-ÿ])|[^\W\d_a-zA-ZÀ-ÖØ-öø-ÿ]{1,40}+")
_HEAD_PART = r"(?:[^<\n]{0,60}+<[|｜](?:constrain|message)[|｜]>)?"
_CHANNEL_NAME = late(rf"\s{{0,3}}+(?P<name>[^\W\d_]{{3,20}}+){_HEAD_PART}{_HEAD_PART}{_HEAD_PART}\n?")
_ROLE = late(r"\s?(?P<role>[^\W\d_]{0,20}+)(?:<[|｜]end_header_id[|｜]>)?")
_GLUED = r"(?=[A-Z*\"'(])"
# What a text may begin with, whether that alone is a mark, and what begins the answer behind it.
_BARE = (
    (
        late(rf"\s{{0,64}}+(?:assistant)?(?:(?:commentary|thought){_GLUED}|analysis(?=[^\W_]|[*\"'(]))"),
        True,
        late("assistant ?final"),
    ),
    (late(r"\s{0,64}+(?:assistant)?(?:analysis|commentary|thought)\s"), False, late(r"assistant\s?final")),
    (late(r"\s{0,64}+Thinking(?:\.\.\.|…)[^\S\n]{0,8}+\n"), False, late(r"(?:\.\.\.|…)done thinking\.")),
    (
        late(r"\s{0,64}+Here(?: is|['’]s) my thought process:", re.IGNORECASE),
        False,
        late(r"Here(?: is|['’]s) my response:", re.IGNORECASE),
    ),
    (
        late(r"\s{0,64}+Here are my reasoning steps:", re.IGNORECASE),
        False,
        late(r"\[BEGIN FINAL RESPONSE\]"),
    ),
    (
        late(
            r"[\s#*_=—-]{0,64}+(?:my )?(?:thinking|thoughts?|(?:thought|thinking|reasoning) process"
            r"|chain of thought)[ \t:…*_=—-]{0,20}+\n",
            re.IGNORECASE,
        ),
        False,
        late(
            r"^[\s#*_=—-]{0,20}+(?:my )?(?:answer|response"
            r"|(?:final|revised) (?:response|answers?|scores|ratings|output))[ \t:*_=—-]{0,20}+$",
            re.IGNORECASE | re.MULTILINE,
        ),
    ),
)
_SWALLOWED = late(r"assistantfinal|\.\.\.done thinking\.")
"""What begins an answer also where nothing that opens the thinking is left of it."""

_SUMMARY, _END_OF_SUMMARY, LONGEST_SUMMARY = late(r"\s{0,8}+<summary>", re.IGNORECASE), "</summary>", 160
A_KEY = re.compile(r"\"\s?:")
# The look behind comes after the quote, since a pattern that begins with one sign is searched for much faster.
_STRING = late(r"\"(?<![\w\\]\")(?P<key>[^\W\d][\w \-]{1,40}+)\"\s{0,8}+:\s{0,8}+(?=\")")
_RATED = late(r"\w:\s{0,8}+\*{0,2}+\d")
MOST_UNRATED = 3
"""A JSON string of thinking with more numbers behind colons than this may be taken for an answer."""

_OF_THE_ANSWER = frozenset(("score", "scores", "rating", "ratings", "answer", "answers", "final", "result", "results"))


def begins_an_answer(text: str) -> bool:
    return "assistantfinal" in text or "...done thinking." in text


def holds_an_escape(text: str) -> bool:
    return ("&" in text and ("&lt;" in text or "&#" in text)) or ("\\" in text and "\\u003" in text)


def holds_a_fence(text: str) -> bool:
    return ("`" in text and "```" in text) or ("~" in text and "~~~" in text) or ":::" in text


def marks_in(text: str) -> tuple[list[Mark], bool]:
    """All marks of a text in order, and whether there may be more that were not looked at."""
    found = [*_bare(text), *_strings(text), *_quotes(text)]
    tags = list(islice(_tags(text), MOST_CANDIDATES + 1))
    for tag in tags[:MOST_CANDIDATES]:
        mark = _mark(text, tag)
        if mark and not _is_quoted(text, mark):
            escaped = text[mark.start - 1 : mark.start] == "\\"
            doubled = text[max(0, mark.start - 1) : mark.start] + text[mark.end : mark.end + 1] in {"``", "{}"}
            found.append(mark._replace(start=mark.start - (escaped or doubled), end=mark.end + doubled))
    return sorted(found), len(tags) <= MOST_CANDIDATES


def _may_close_a_tag(text: str) -> bool:
    """Looked at first, since a text may begin very many tags and end none."""
    return not text.isascii() or any(sign in text for sign in (">", "]", "}", "&", "\\u003"))


def _tags(text: str) -> Iterator[re.Match[str]]:
    if _may_close_a_tag(text):
        yield from _TAG.finditer(text)
    if holds_an_escape(text):
        yield from _ESCAPED_TAG.finditer(text)
    if holds_a_fence(text):
        yield from _FENCE.finditer(text)


def _bare(text: str) -> Iterator[Mark]:
    """Openings without a bracket, which only count where a text begins with them, and what begins the answer."""
    for opening, certain, answer in _BARE:
        begun = opening.match(text)
        if begun:
            ended = answer.search(text, begun.end())
            yield Mark(begun.start(), begun.end(), "open", BARE, weak=not certain and ended is None)
            if ended:
                yield Mark(ended.start(), ended.end(), "answer", BARE)
            return
    ended = _SWALLOWED.search(text) if begins_an_answer(text) else None
    if ended:
        yield Mark(ended.start(), ended.end(), "answer", BARE)


def _strings(text: str) -> Iterator[Mark]:
    """The JSON strings that weigh ratings under a key of thinking: `{"reasoning": "Angry: 9, …", "scores": …}`."""
    if not A_KEY.search(text):
        return
    at = 0
    for _ in range(MOST_CANDIDATES):
        key = _STRING.search(text, at)
        if key is None:
            return
        end = closing_quote(text, key.end())
        at = len(text) if end is None else end
        rated = islice(_RATED.finditer(text, key.end(), at), MOST_UNRATED + 1)
        if _words(key["key"]) & (_STRONG | _WEAK) and len(list(rated)) > MOST_UNRATED:
            yield Mark(key.end(), key.end() + 1, "open", STRING)
            if at < len(text):
                yield Mark(at, at + 1, "close", STRING)
        at += 1


def _quotes(text: str) -> Iterator[Mark]:
    """Quotations under a heading of thinking. One that a reply ends with may have been cut."""
    for quote in quoted_thinking(text) if holds_a_quote(text) else ():
        yield Mark(quote.start, quote.head, "open", QUOTE)
        yield Mark(quote.end, quote.end, "close", QUOTE, weak=quote.end == len(text))


def _is_quoted(text: str, mark: Mark) -> bool:
    """Whether a text only speaks of a mark, as in: the tag `<think>`. One that has a line to itself is used."""
    around = text[mark.start - 1 : mark.start] + text[mark.end : mark.end + 1]
    alone = text[mark.start - 2 : mark.start - 1] in {"", "\n"} and text[mark.end + 1 : mark.end + 2] in {"", "\n"}
    return around in {"``", '""', "''", "“”"} and not (around == "``" and alone)


def _mark(text: str, tag: re.Match[str]) -> Mark | None:
    if tag.re is _FENCE:
        return _fence(tag)
    found = _of_name(tag["name"], tag["bracket"], "|" in tag[0] or "｜" in tag[0])
    if found is None:
        return _details(text, tag)
    kind, family, weak = found
    if family == CHANNEL:
        return _channel(text, tag)
    if kind == "role":
        return _message_head(text, tag)
    if kind == "open" and (tag["slash"] or tag["inner"]):
        kind = "close"
    if kind == "open" and tag["alone"]:
        return None
    return Mark(tag.start(), tag.end(), kind, family, weak)


def _fence(line: re.Match[str]) -> Mark | None:
    family = FENCE + line["signs"]
    if _words(line["fence"]) & _STRONG:
        return Mark(line.start(), line.end(), "open", family)
    return None if line["fence"] else Mark(line.start(), line.end(), "end", family)


def _channel(text: str, tag: re.Match[str]) -> Mark:
    """`<|channel|>name<|message|>` or `<|channel>name` opens a channel, `<channel|>` ends it."""
    opens = tag[0][1:2] in "|｜"
    name = _CHANNEL_NAME.match(text, tag.end()) if opens else None
    if not opens:
        return Mark(tag.start(), tag.end(), "close", CHANNEL)
    if name is None:
        return Mark(tag.start(), tag.end(), "open", CHANNEL)
    kind: Kind = "answer" if name["name"].lower() in _ANSWERS else "open"
    return Mark(tag.start(), name.end(), kind, CHANNEL)


def _message_head(text: str, tag: re.Match[str]) -> Mark:
    """`<|start|>assistant`, `<|im_start|>thinking`: a message of thinking is a channel of its own."""
    head = _ROLE.match(text, tag.end())
    role = head["role"].lower() if head else ""
    if role in _STRONG and "message" not in tag["name"]:
        return Mark(tag.start(), head.end() if head else tag.end(), "open", CHANNEL)
    end = head.end() if head and role in {"assistant", "model"} else tag.end()
    return Mark(tag.start(), end, "role", SPECIAL)


def _details(text: str, tag: re.Match[str]) -> Mark | None:
    """`<details type="reasoning">`, or `<details><summary>Thought for 3 seconds</summary>`."""
    if not tag["name"].lower().startswith("details"):
        return None
    if tag["slash"]:
        return Mark(tag.start(), tag.end(), "end", "details")
    summary = _words(_summary_behind(text, tag.end()))
    is_folded = bool(summary & (_THINK | {"reasoning"})) and not summary & _OF_THE_ANSWER
    is_thinking = is_folded or bool(_words(tag["attributes"] or "") & _STRONG)
    return Mark(tag.start(), tag.end(), "open", "details") if is_thinking else None


def _summary_behind(text: str, at: int) -> str:
    begin = _SUMMARY.match(text, at)
    if begin is None:
        return ""
    end = text.find(_END_OF_SUMMARY, begin.end(), begin.end() + LONGEST_SUMMARY)
    return text[begin.end() : end] if end >= 0 else ""


@lru_cache(maxsize=4096)
def _of_name(name: str, bracket: str, special: bool) -> tuple[Kind, str, bool] | None:
    """What a tag of this name is: its kind, its family and whether it is weak; None for any other tag."""
    if name.lower() in _LITERAL:
        return *_LITERAL[name.lower()], False
    words = _words(name)
    if special and (found := _of_special(words)):
        return found
    if words & _STARTS and words & _ANSWERS and (special or name.isupper()):
        return "answer", BARE, False
    told = words & (_STRONG | _WEAK)
    squared = bracket in {"[", "【", "［", "「", "{"}
    if not told or words & _PLACEHOLDERS or (" " in name and not squared):
        return None
    family = "think" if words & _THINK else min(told)
    strong = special or (bool(words & _THINK) and name.isupper() if squared else bool(words & _STRONG))
    kind: Kind = "close" if words & _ENDS else "open"
    return kind, (SPECIAL if special else "") + family, not strong


def _of_special(words: frozenset[str]) -> tuple[Kind, str, bool] | None:
    """The tokens of chat formats that stand around thinking: `<|channel|>`, `<|end|>`, `<|start|>`, `<|content|>`."""
    if words == {"channel"}:
        return "open", CHANNEL, False
    if words == {"content"}:
        return "answer", BARE, False
    if words in _MESSAGE_ENDS:
        return "end", SPECIAL, False
    return ("role", SPECIAL, False) if words in _MESSAGE_HEADS else None


def _words(name: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(name))
