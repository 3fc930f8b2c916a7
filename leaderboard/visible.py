"""Raw text made safe to look at: signs that cannot be seen become marks, and very long texts are cut.

A reply is a stranger's text. It is escaped, never rendered; control and bidirectional characters are shown as their
code points, so that what was read is what one sees. `marked` is for texts that are quoted; `visible` goes over whatever
a template gives, so that no other text of a stranger has to be remembered.
"""

import re
import unicodedata

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from evaluation.late import late
from evaluation.signs import INVISIBLE, IS_MARK, is_plain, spelled_lines, tower

LIMIT = 65_536  # characters of one text on a page; the stored text stays whole
MARKED_APART = 8  # of signs in a row; the rest of the row is counted

_ROWS = late(lambda: f"([{INVISIBLE}]+|{tower()})")
# What a browser sends back as it stands: the values of a form must not change because they were shown once.
_SENT_BACK = re.compile(r"""(<textarea\b.*?</textarea>|\bvalue=(?:"[^"]*"|'[^']*'))""", re.DOTALL | re.IGNORECASE)


def marked(text: str) -> SafeString:
    """The text escaped, with each invisible sign as `<mark class="sign">`; tabs and line ends stay as they are."""
    pieces = _ROWS.split(text.replace("\r\n", "\n"))
    return format_html_join("", "{}", ((_mark(piece) if at % 2 else piece,) for at, piece in enumerate(pieces)))


def visible(document: str) -> str:
    """A page, a part of one, an image or a mail as a template gave it, with what hides in it spelled out.

    Our own templates hold no such signs, so what is found came from a stranger. Values of forms stay as they are.
    """
    if is_plain(document):
        return document
    pieces = _SENT_BACK.split(document)
    return "".join(piece if at % 2 else spelled_lines(piece) for at, piece in enumerate(pieces))


def _mark(signs: str) -> SafeString:
    if IS_MARK.match(signs):
        return format_html('<mark class="sign" title="combining marks">{} more marks</mark>', len(signs))
    shown, rest = signs[:MARKED_APART], len(signs) - MARKED_APART
    words = " ".join(f"U+{ord(sign):04X}" for sign in shown) + (f" and {rest} more" if rest > 0 else "")
    return format_html('<mark class="sign" title="{}">{}</mark>', _name(signs[0]), words)


def _name(sign: str) -> str:
    return unicodedata.name(sign, "a control character").lower()
