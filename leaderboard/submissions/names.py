"""Whether a name may be shown. Pure: no query, no request.

A model's id is ASCII, so that what looks the same is the same but for a few pairs (rn and m, 1 and l, 0 and O).
"""

import re
import unicodedata

MODEL_ID_LENGTH = 120
SHOWN_LENGTH = 80

_MODEL_ID = re.compile(r"[A-Za-z0-9._\-/:@+]+")
# Unicode categories: control, format (bidirectional marks, zero width), private use, surrogates, line separators.
_FORBIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
_BLANK = frozenset({"Zs", "Mn", "Mc", "Me"})
_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and signs by category that have no ink


def checked_model_id(text: str) -> str:
    """The id without outer white space.

    Raises:
        ValueError: with a sentence, for anything but 1 to 120 of the signs that Hugging Face and APIs use.
    """
    name = text.strip()
    if len(name) > MODEL_ID_LENGTH:
        raise ValueError(f"The name is longer than {MODEL_ID_LENGTH} characters.")
    if not _MODEL_ID.fullmatch(name) or not re.search("[A-Za-z0-9]", name.rpartition("/")[2]):
        raise ValueError("Write the name with Latin letters, digits and the signs . _ - / : @ + only, without spaces.")
    return name


def checked_name(text: str) -> str:
    """The name in the composed form (NFC) with single spaces; "" for one that is empty.

    Raises:
        ValueError: with a sentence, for invisible or directional signs, and for more than 80 characters.
    """
    name = " ".join(unicodedata.normalize("NFC", text).split(" ")).strip()
    if any(unicodedata.category(sign) in _FORBIDDEN for sign in name):
        raise ValueError("The name holds signs that cannot be seen or that turn its direction. Type it anew.")
    if name and all(unicodedata.category(sign) in _BLANK or sign in _FILLERS for sign in name):
        raise ValueError("The name holds nothing that can be seen.")
    if len(name) > SHOWN_LENGTH:
        raise ValueError(f"The name is longer than {SHOWN_LENGTH} characters.")
    return name
