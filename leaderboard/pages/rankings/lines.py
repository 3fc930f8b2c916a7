"""What scores of a ranking are read by and is no model, such as people: for its files and the API."""

from collections.abc import Sequence

from leaderboard.kinds import kind_of
from leaderboard.kinds.base import Line
from leaderboard.pages.rankings.directory import Ranking, described, loaded_banks
from leaderboard.pages.rankings.page import subject_of


def lines_beside(ranking: Ranking) -> Sequence[Line]:
    """One query where the ranking's kind has lines, else none."""
    found = kind_of(ranking.benchmark).lines
    return found(subject_of(ranking)) if found else ()


def lines_of_key(key: str, benchmark: str) -> Sequence[Line]:
    """The same of a ranking of which only its key and benchmark are at hand."""
    return lines_beside(described(key, loaded_banks())) if kind_of(benchmark).lines else ()
