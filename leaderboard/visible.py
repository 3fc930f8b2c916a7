"""Raw text made safe to look at: signs that cannot be seen become marks, and very long texts are cut.

A reply is a stranger's text. It is escaped, never rendered; control and bidirectional characters are shown as their
code points, so that what was read is what one sees.
"""

import re
import unicodedata

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

LIMIT = 65_536  # characters of one text on a page; the stored text stays whole
MARKED_APART = 8  # of signs in a row; the rest of the row is counted

# Unicode categories Cc (without tab and line feed), Cf, Cs, Zl, Zp, and the fillers that have no ink.
_INVISIBLE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u180e"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f"
)
_ROWS = re.compile(f"([{_INVISIBLE}]+)")


def marked(text: str) -> SafeString:
    """The text escaped, with each invisible sign as `<mark class="sign">`; tabs and line ends stay as they are."""
    pieces = _ROWS.split(text.replace("\r\n", "\n"))
    return format_html_join("", "{}", ((_mark(piece) if at % 2 else piece,) for at, piece in enumerate(pieces)))


def _mark(signs: str) -> SafeString:
    shown, rest = signs[:MARKED_APART], len(signs) - MARKED_APART
    words = " ".join(f"U+{ord(sign):04X}" for sign in shown) + (f" and {rest} more" if rest > 0 else "")
    return format_html('<mark class="sign" title="{}">{}</mark>', _name(signs[0]), words)


def _name(sign: str) -> str:
    return unicodedata.name(sign, "a control character").lower()
