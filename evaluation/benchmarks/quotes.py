"""Where a text in quotes ends, as JSON writes it. Pure."""

from evaluation.late import late

_AFTER_SINGLE = late(r"\s{0,20}+[,:}\]]")


def closing_quote(text: str, at: int) -> int | None:
    """Where the text that a quote at that place begins ends: a double quote that none closes takes all that follows.

    None for a single quote that is an apostrophe.
    """
    quote, search = text[at], at + 1
    while (end := text.find(quote, search)) >= 0:
        slashes = end
        while slashes > search and text[slashes - 1] == "\\":
            slashes -= 1
        if (end - slashes) % 2 == 0:
            return end if quote == '"' or _AFTER_SINGLE.match(text, end + 1) else None
        search = end + 1
    return len(text) if quote == '"' else None
