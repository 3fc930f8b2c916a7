"""Whether a name is one that somebody looks for. Pure."""

from collections.abc import Iterable, Sequence


def words_of(search: str) -> tuple[str, ...]:
    """The words of a search, each as `squeezed` leaves it."""
    return tuple(filter(None, map(squeezed, search.split())))


def squeezed(text: str) -> str:
    """The letters and digits of a text in lower case: "GPT-4 Turbo" becomes "gpt4turbo"."""
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def is_named_like(names: Iterable[str], search: str, words: Sequence[str] | None = None) -> bool:
    """Whether the names together hold each word of the search; signs alone have to be in one of them as they are.

    `words` are `words_of(search)` where the caller has them.
    """
    wanted = words_of(search) if words is None else words
    if not wanted:
        return any(search.strip() in name for name in names)
    squeezed_names = "\0".join(map(squeezed, names))
    return all(word in squeezed_names for word in wanted)
