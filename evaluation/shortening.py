"""Long sentences for narrow columns. Pure."""

ELLIPSIS, OPENING, CLOSING = "…", "“", "”"


def shortened(text: str, length: int) -> str:
    """The text, or as many of its whole words as fit, an ellipsis after them, into `length` characters (3 or more).

    A quotation that is cut is closed. A word that takes up half of the room is cut itself.
    """
    if len(text) <= length:
        return text
    room = length - len(ELLIPSIS) - len(CLOSING)
    words = text[: room + 1].rpartition(" ")[0]
    kept = (words if len(words) > room / 2 else text[:room]).rstrip(" .,;:")
    return f"{kept}{ELLIPSIS}{CLOSING}" if kept.count(OPENING) > kept.count(CLOSING) else f"{kept}{ELLIPSIS}"
