"""The same models on two banks: a language against another, a public bank against a private one.

Value: `languages` and `private` list the pairs of rankings; `models` of each has the columns of PAIR_COLUMNS or
GAP_COLUMNS. A pair needs two models that were run on both.
"""

from collections.abc import Mapping, Sequence

from evaluation.statistics.correlation import bonett_wright_interval, fisher_interval, pearson, spearman
from evaluation.statistics.differences import paired_difference
from leaderboard.statistics.contamination import Contamination, contamination
from leaderboard.statistics.marks import Inputs, Member, PrivateRanking
from leaderboard.statistics.outcomes import Outcome, ends, outcome

PAIR_COLUMNS = ("model", "slug", "score", "other_score", "difference")
GAP_COLUMNS = ("model", "slug", "public", "private", "difference", "beyond_median", "low", "high", "left_open")

Rankings = Mapping[str, Inputs]


def of_rankings(rankings: Rankings, private_ones: Sequence[PrivateRanking]) -> Outcome:
    languages = [pair for first, second in language_pairs(rankings) if (pair := pair_of(first, second))]
    pairs = private_pairs(rankings, private_ones)
    private = [gap for first, second in pairs if (gap := gap_of(first, second))]
    n = sum(int(str(entry["n"])) for entry in (*languages, *private))
    return outcome(n, languages=languages, private=private) if n else Outcome(0, {})


def with_runs(rankings: Rankings) -> list[Inputs]:
    """Rankings on a bank's own rule whose members have runs."""
    return [each for each in rankings.values() if each.bank and each.ranking == each.bank.slug and each.runs]


def language_pairs(rankings: Rankings) -> list[tuple[Inputs, Inputs]]:
    """An English bank and its translation, which bears the same name with the language behind it."""
    found = {each.ranking: each for each in with_runs(rankings)}
    return [
        (found[base], other)
        for other in found.values()
        if other.bank
        and (base := other.ranking.removesuffix(f"-{other.bank.language}")) != other.ranking
        and base in found
    ]


def private_pairs(rankings: Rankings, private_ones: Sequence[PrivateRanking]) -> list[tuple[Inputs, PrivateRanking]]:
    """Those that are scored by one rule and asked in one language: else a gap says nothing of the items."""
    return [
        (first, second)
        for second in private_ones
        for first in with_runs(rankings)
        if first.bank and (first.rule, first.bank.language) == (second.rule, second.language)
    ]


def pair_of(first: Inputs, second: Inputs) -> dict[str, object] | None:
    others = {member.model_id: member for member in second.members}
    both = [(member, others[member.model_id]) for member in first.members if member.model_id in others]
    scores, translated = [one.score for one, _ in both], [other.score for _, other in both]
    found = paired_difference(translated, scores, distribution="t") if len(both) > 1 else None
    if found is None:
        return None
    low, high = ends(found.interval)
    return {
        "first": first.ranking,
        "second": second.ranking,
        "n": found.n,
        "difference": found.mean,
        "low": low,
        "high": high,
        **agreement(scores, translated),
        "models": [pair_row(one, other) for one, other in both],
    }


def agreement(scores: Sequence[float], others: Sequence[float]) -> dict[str, object]:
    """How far both banks order the models alike: Pearson's r and Spearman's rho with their intervals."""
    n = len(scores)
    # Two models always lie on a line.
    r, rho = (pearson(scores, others), spearman(scores, others)) if n > 2 else (None, None)
    return {
        "pearson": r,
        "pearson_interval": None if r is None else fisher_interval(r, n),
        "spearman": rho,
        "spearman_interval": None if rho is None else bonett_wright_interval(rho, n),
    }


def pair_row(one: Member, other: Member) -> list[object]:
    return [one.name, one.slug, one.score, other.score, other.score - one.score]


def gap_of(first: Inputs, second: PrivateRanking) -> dict[str, object] | None:
    found = contamination(first.ranking, second.ranking)
    if not found.rows:
        return None
    return {
        "first": first.ranking,
        "second": second.ranking,
        "n": len(found.rows),
        "median_gap": found.median_gap,
        "models": gap_rows(found),
    }


def gap_rows(found: Contamination) -> Sequence[list[object]]:
    return [
        [
            row.model, row.slug, row.public_score, row.private_score, row.difference, row.beyond_median,
            *ends(row.interval), row.is_open,
        ]
        for row in found.rows
    ]  # fmt: skip
