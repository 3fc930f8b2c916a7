"""What the ranking says of the chosen models that share no item: who is ahead, and who is tied."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from leaderboard.pages.compare.chosen import ModelRow
from leaderboard.pages.compare.pairs import Pairs
from leaderboard.standings.ahead import ahead_among


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the ranking says of two models that share no item; `ahead` has the better score, also where `tied`."""

    ahead: ModelRow
    behind: ModelRow
    tied: bool


def verdicts_of(models: Sequence[ModelRow], ranking: str, pairs: Pairs) -> tuple[Verdict, ...]:
    """What the ranking's table says of ranked models that share no item, best first. One query, or none."""
    tested = {frozenset((pair.ahead.kind, pair.behind.kind)) for pair in pairs.rows}
    ranked = sorted((each.standing.rank, at) for at, each in enumerate(models) if each.standing and each.standing.rank)
    rows = [models[at] for _, at in ranked]
    left = [
        (i, j) for i, j in combinations(range(len(rows)), 2) if frozenset((rows[i].kind, rows[j].kind)) not in tested
    ]
    table = ahead_among(ranking, [row.standing.model_id for row in rows if row.standing]) if left else None
    return () if table is None else tuple(Verdict(rows[i], rows[j], tied=not table[i, j]) for i, j in left)
