"""Long sentences for narrow columns. Pure."""

import re

ELLIPSIS, OPENING, CLOSING = "…", "“", "”"


def shortened(text: str, length: int) -> str:
    """The text, or as many of its whole words as fit, an ellipsis after them, into `length` characters (3 or more).

    A quotation that is cut is closed. A word that takes up half of the room is cut itself, though not in a number: half
    of one would be another.
    """
    if len(text) <= length:
        return text
    room = length - len(ELLIPSIS) - len(CLOSING)
    words = text[: room + 1].rpartition(" ")[0]
    kept = (words if len(words) > room / 2 else _without_half_a_number(text, room)).rstrip(" .,;:")
    return f"{kept}{ELLIPSIS}{CLOSING}" if kept.count(OPENING) > kept.count(CLOSING) else f"{kept}{ELLIPSIS}"


def _without_half_a_number(text: str, length: int) -> str:
    head = text[:length]
    cut_in_two = re.search(r"\d[\d.,]*$", head) and re.match(r"[.,]?\d", text[length:])
    return head.rstrip("0123456789.,") or head if cut_in_two else head


def shortened_around_numbers(text: str, length: int) -> str:
    """As `shortened`, but it may begin later, with an ellipsis, where the text then shows more of its numbers."""
    if len(text) <= length:
        return text
    starts = [match.start() for match in re.finditer(r"(?<!\S)\S", text)]
    parts = [shortened(text, length), *(shortened(f"{ELLIPSIS}{text[start:]}", length) for start in starts[1:])]
    return max(parts, key=lambda part: len(re.findall(r"\d+", part)))  # the first of several that show as many
