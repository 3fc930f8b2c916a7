"""The row of tabs above a ranking: one per ranking, and one for all LLM judges of a bank."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evaluation.runs.judging import slug_of
from leaderboard.pages.rankings.directory import Ranking, described
from leaderboard.standings.keys import bank_in


@dataclass(frozen=True, slots=True)
class Tab:
    key: str
    title: str
    current: bool


def tabs_of(filled: Iterable[str], banks: Mapping[str, Ranking], chosen: str) -> tuple[Tab, ...]:
    """A tab for each ranking. The rankings of all LLM judges of a bank share one, which leads to the chosen judge or to
    the first: their page lists the others."""
    found = {name: described(name, banks) for name in filled}
    shared: dict[str, str] = {}
    for name in sorted(found, key=lambda name: name != chosen):
        shared.setdefault(tab_title(found[name], banks), name)
    return tuple(Tab(name, title, name == chosen) for name in found for title in shared if shared[title] == name)


def tab_title(ranking: Ranking, banks: Mapping[str, Ranking]) -> str:
    if not slug_of(ranking.variant):
        return ranking.title
    return f"{banks[bank_in(ranking.key, banks)].title}, judged by LLMs"
