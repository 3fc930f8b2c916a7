"""A reply as the tolerant reader takes it: without what is struck out, LaTeX and HTML that only dress it. Pure."""

import html
import re
from typing import NamedTuple

from evaluation.late import late

# With an arrow that leads from it to what stands in its place.
_STRUCK = late(
    r"(?:~~[^~\n]{1,60}+~~|[^\u0336\n]\u0336|<(del|s|strike)>[^<\n]{0,60}+</\1>"
    r"|\\(?:[bx]?cancel|sout|st)\{[^{}\n]{0,60}+\})(?:\s?(?:→|⇒|[-=]{1,2}>))?",
    re.IGNORECASE,
)
_LATEX_ARROW = late(r"\\(?:(?:long)?rightarrow|Rightarrow|to|implies)(?![A-Za-z])\s?")
_LATEX_FRACTION = late(r"\\[dt]?frac\{(\d{1,3}+)\}\{(\d{1,3}+)\}")
# The `&` that sets off the columns of a table or an alignment.
_LATEX_COLUMN = late(r"\s{0,8}+&\s{0,8}+([:=])|([:=])\s{0,8}+&|&")
_LATEX = late(
    r"\\(?:boxed|fbox|text|textbf|textit|mathbf|mathrm|mathit|emph|underline)\{([^{}\n]{0,60}+)\}"
    r"|\$\$?\s{0,3}+([\d.,]{1,8}+(?:/\d{1,3}+)?(?:\s?→\s?[\d.,]{1,8}+)?)\s{0,3}+\$\$?|\\[(\[]\s{0,3}+([\d.,]{1,8}+(?:/10)?)\s{0,3}+\\[)\]]"
)
_ENTITY = late(r"&(?:nbsp|ensp|emsp|rarr|ndash|mdash|colon|equals|#\d{2,4}|#x[0-9a-f]{2,4});", re.IGNORECASE)
# Signs that are a number in one piece, where a rating stands.
_SIGNS = dict(zip("⓪①②③④⑤⑥⑦⑧⑨⑩\U0001f51f", ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "10"), strict=True))
_SIGN = late(rf"([:：=][\s*_`\"']{{0,8}}+)([{''.join(_SIGNS)}])")
DRESS = (
    r"b|i|u|em|strong|code|span|p|br|ul|ol|li|div|font|mark|small|big|tt|kbd|h[1-6]|table|thead|tbody|tr|td|th|dl|dt|dd"
    r"|section|pre|hr|center"
)
_FOOTNOTE = late(r"<sup>[^<\n]{0,8}+</sup>", re.IGNORECASE)
_HTML = late(rf"<(?P<end>/?)(?P<tag>{DRESS})(?:\s[^<>]{{0,120}}+)?/?>", re.IGNORECASE)
_LINE_ENDS = frozenset(
    ("br", "p", "li", "div", "tr", "ul", "ol", "table", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "dd", "dt")
)


class Prepared(NamedTuple):
    """A text to be read, with the flags of what was taken out of it."""

    text: str
    forms: tuple[str, ...]


def prepared(text: str) -> Prepared:
    forms = []
    if "~~" in text or "\u0336" in text or "</" in text or "\\" in text:
        text, struck = _STRUCK.subn("", text)
        forms += ["changed value"] * bool(struck)
    if not text.isascii() and (signs := _SIGN.subn(_with_digits, text))[1]:
        text, forms = signs[0], [*forms, "dressed number"]
    for reader, marks in ((_without_latex, "\\$"), (_without_html, "<&")):
        if any(mark in text for mark in marks):
            text, more = reader(text)
            forms += more
    return Prepared(text, tuple(forms))


def _without_latex(text: str) -> tuple[str, list[str]]:
    forms = []
    text = _LATEX_FRACTION.sub(r"\1/\2", _LATEX_ARROW.sub("→ ", text))
    if "\\begin{" in text:
        text, n = _LATEX_COLUMN.subn(lambda found: found[1] or found[2] or "|", text)
        forms += ["LaTeX"] * bool(n)
    for _ in range(2):  # `$\boxed{3}$`
        text, n = _LATEX.subn(lambda found: found[1] or found[2] or found[3] or "", text)
        forms += ["LaTeX"] * bool(n)
    return text, forms


def _without_html(text: str) -> tuple[str, list[str]]:
    text, n_entities = _ENTITY.subn(lambda found: html.unescape(found.group()), text)
    has_rows = "</tr" in text or "</TR" in text
    text, n_tags = _HTML.subn(_plain, _FOOTNOTE.sub("", text))
    if has_rows:  # its rows may stand on lines apart, which would part a table of bars
        text = "\n".join(line for line in text.split("\n") if line.strip())
    return text, ["HTML"] * bool(n_entities or n_tags)


def _with_digits(found: re.Match[str]) -> str:
    return found[1] + _SIGNS[found[2]]


def _plain(tag: re.Match[str]) -> str:
    name = tag["tag"].lower()
    if name in {"td", "th"}:
        return " | " if tag["end"] else ""
    return "\n" if name in _LINE_ENDS and (tag["end"] or name in {"br", "hr"}) else ""
