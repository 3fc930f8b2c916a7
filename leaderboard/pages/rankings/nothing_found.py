"""Where else a search finds models that found none in its ranking, and how it may have been meant."""

import re
from collections import Counter
from dataclasses import dataclass
from difflib import get_close_matches
from urllib.parse import urlencode

from evaluation.models import Origin
from leaderboard.models import Standing
from leaderboard.pages.rankings.tabs import Tab
from leaderboard.pages.shared.naming import is_named_like, squeezed, words_of

SHORTEST_WORD = 4  # letters, so that no short word is taken for another
ALIKE = 0.7


@dataclass(frozen=True, slots=True)
class Elsewhere:
    key: str
    title: str
    n: int
    query: str


@dataclass(frozen=True, slots=True)
class Hints:
    """`spelling` is a search that finds something, "" where none is near; `elsewhere` has the rankings in which it, or
    the search itself, finds models, with how many."""

    spelling: str
    elsewhere: tuple[Elsewhere, ...]


def hints_for(search: str, tabs: tuple[Tab, ...]) -> Hints:
    """One query, of all rows of the board."""
    rows = Standing.objects.exclude(origin=Origin.DEMO).values_list(
        "ranking", "model__name", "model__display_name", "model__organisation"
    )
    named = [(ranking, names) for ranking, *names in rows]
    found = counted_in(named, search)
    spelling = "" if found else spelling_of(search, [name for _, names in named for name in names])
    if spelling:
        found = counted_in(named, spelling)
    query = urlencode({"q": spelling or search})
    return Hints(
        spelling if found else "",
        tuple(Elsewhere(tab.key, tab.title, found[tab.key], query) for tab in tabs if found[tab.key]),
    )


def counted_in(named: list[tuple[str, list[str]]], search: str) -> Counter[str]:
    words = words_of(search)
    return Counter(ranking for ranking, names in named if is_named_like(names, search, words))


def spelling_of(search: str, names: list[str]) -> str:
    """The search with each word that is in no name replaced by the nearest word of a name; "" where one has none."""
    known = {word for name in names for word in re.findall(r"[^\W\d_]+", name.casefold()) if len(word) >= SHORTEST_WORD}
    everything = "\0".join(map(squeezed, names))
    words = []
    for word in search.split():
        if squeezed(word) in everything:
            words.append(word)
        elif len(word) >= SHORTEST_WORD and (near := get_close_matches(word.casefold(), known, 1, ALIKE)):
            words += near
        else:
            return ""
    return " ".join(words)
