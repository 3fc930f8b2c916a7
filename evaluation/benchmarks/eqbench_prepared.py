"""A reply as the tolerant reader takes it: without what is struck out, LaTeX and HTML that only dress it. Pure."""

import re
from typing import NamedTuple

from evaluation.late import late

# With an arrow that leads from it to what stands in its place.
_STRUCK = late(
    r"(?:~~[^~\n]{1,60}+~~|[^\u0336\n]\u0336|<(del|s|strike)>[^<\n]{0,60}+</\1>)(?:\s?(?:→|⇒|[-=]{1,2}>))?",
    re.IGNORECASE,
)
_LATEX = late(
    r"\\(?:boxed|fbox|text|textbf|textit|mathbf|mathrm|mathit|emph|underline)\{([^{}\n]{0,60}+)\}"
    r"|\$\$?\s{0,3}+([\d.,]{1,8}+(?:/10)?)\s{0,3}+\$\$?|\\[(\[]\s{0,3}+([\d.,]{1,8}+(?:/10)?)\s{0,3}+\\[)\]]"
)
_DRESS = (
    r"b|i|u|em|strong|code|span|p|br|ul|ol|li|div|font|mark|small|big|tt|kbd|h[1-6]|table|thead|tbody|tr|td|th|dl|dt|dd"
    r"|section|pre|hr|center"
)
_HTML = late(rf"<(?P<end>/?)(?P<tag>{_DRESS})(?:\s[^<>]{{0,120}}+)?/?>", re.IGNORECASE)
_LINE_ENDS = frozenset(
    ("br", "p", "li", "div", "tr", "ul", "ol", "table", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "dd")
)


class Prepared(NamedTuple):
    """A text to be read, with the flags of what was taken out of it."""

    text: str
    forms: tuple[str, ...]


def prepared(text: str) -> Prepared:
    forms = []
    if "~~" in text or "\u0336" in text or "</" in text:
        text, struck = _STRUCK.subn("", text)
        forms += ["changed value"] * bool(struck)
    if "\\" in text or "$" in text:
        for _ in range(2):  # `$\boxed{3}$`
            text, n = _LATEX.subn(lambda found: found[1] or found[2] or found[3] or "", text)
            forms += ["LaTeX"] * bool(n)
    if "<" in text:
        text, n = _HTML.subn(_plain, text)
        forms += ["HTML"] * bool(n)
    return Prepared(text, tuple(forms))


def _plain(tag: re.Match[str]) -> str:
    name = tag["tag"].lower()
    if name in {"td", "th"}:
        return " | " if tag["end"] else ""
    return "\n" if name in _LINE_ENDS and (tag["end"] or name in {"br", "hr"}) else ""
