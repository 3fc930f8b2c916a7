"""How exactly scores and ranks are known: ties of neighbours and of all pairs, the gap that can be seen, rank ranges.

Value: `kind` is "items" where paired tests over items were made, "published" where only scores are public and a field's
usual gap stands in. `models` has the columns of MODEL_COLUMNS, best first. Gaps and errors are in points.
"""

import numpy as np

from evaluation.statistics.arrays import Floats, Ints, as_floats
from evaluation.statistics.differences import smallest_resolvable_gap
from evaluation.statistics.pairs import PairTable, pair_table, unpaired_ties
from evaluation.statistics.ranks import ranks_of, resampled_ranks
from evaluation.statistics.regression import fit_line
from leaderboard.standings.field import PublishedField
from leaderboard.statistics.frames import Frame
from leaderboard.statistics.outcomes import Outcome, outcome

VERSION = 1
MODEL_COLUMNS = (
    "model", "slug", "origin", "score", "standard_error", "rank", "rank_low", "rank_high", "gap_to_next",
    "tied_with_next",
)  # fmt: skip
SEED, DRAWS = 171, 1_000
MOST_COMPARED = 500


def compute(frame: Frame) -> Outcome:
    if frame.has_items:
        return of_items(frame)
    if frame.published is not None and len(frame.members) > 1:
        return of_published(frame, frame.published)
    return Outcome(len(frame.members), {})


def of_items(frame: Frame) -> Outcome:
    """The figures of a field with item scores."""
    n = len(frame.members)
    if n < 2:
        return outcome(n)
    totals = as_floats([member.score for member in frame.members])
    table = pair_table(frame.scores)
    low, high = ranges(table, totals)
    neighbours = table.tied[np.arange(n - 1), np.arange(1, n)]
    above = np.triu_indices(n, 1)
    return outcome(
        n,
        kind="items",
        n_items=frame.scores.shape[1],
        neighbours=n - 1,
        neighbours_tied=int(neighbours.sum()),
        pairs=above[0].size,
        pairs_tied=int(table.tied[above].sum()),
        tied_with_first=int(table.tied[0].sum()) - 1,
        widths=widths(high - low + 1),
        **by_other_ways(frame, totals),
        **gap_figures(table),
        **error_figures(frame, totals),
        models=model_rows(frame, neighbours.tolist(), low.tolist(), high.tolist()),
    )


def ranges(table: PairTable, totals: Floats) -> tuple[Ints, Ints]:
    """The best and the worst rank that the tests leave open, as `evaluation.statistics.ranks.rank_ranges` has them."""
    ranks = ranks_of(totals)
    low, high = 1 + table.ahead.sum(axis=0), totals.size - table.ahead.sum(axis=1)
    return np.minimum(low, ranks), np.maximum(high, ranks)


def by_other_ways(frame: Frame, totals: Floats) -> dict[str, object]:
    """Ties without pairing, and ranks by drawing items anew: to compare with, in fields that are not too large."""
    n = len(totals)
    if n > MOST_COMPARED or np.isnan(frame.scores).all(axis=1).any():
        return {"pairs_tied_unpaired": None, "resampling": None}
    drawn = resampled_ranks(frame.scores, seed=SEED, draws=DRAWS, totals=totals)
    unpaired = unpaired_ties(frame.scores)[np.triu_indices(n, 1)]
    return {"pairs_tied_unpaired": int(unpaired.sum()), "resampling": widths(drawn.width)}


def widths(width: Ints) -> dict[str, object]:
    return {"mean": float(width.mean()), "median": float(np.median(width)), "largest": int(width.max())}


def gap_figures(table: PairTable) -> dict[str, object]:
    """The observed gap that is no tie (median and quartiles over pairs), and the true gap found four times of five."""
    gaps = table.least_significant_differences
    if not gaps.size:
        return {"gap": None, "gap_quartiles": None, "resolvable_gap": None}
    errors = table.standard_error[np.triu_indices(len(table.standard_error), 1)]
    return {
        "gap": float(np.median(gaps)),
        "gap_quartiles": np.percentile(gaps, [25, 75]).tolist(),
        "resolvable_gap": smallest_resolvable_gap(float(np.nanmedian(errors))),
    }


def error_figures(frame: Frame, totals: Floats) -> dict[str, object]:
    """The standard errors of the scores, and the line that they follow."""
    errors = np.array([member.standard_error for member in frame.members], dtype=np.float64)
    known = errors[~np.isnan(errors)]
    line = fit_line(totals, errors)
    return {
        "errors": {
            "n": known.size,
            "mean": float(known.mean()) if known.size else None,
            "median": float(np.median(known)) if known.size else None,
            "low": float(known.min()) if known.size else None,
            "high": float(known.max()) if known.size else None,
        },
        "error_line": {"intercept": line.intercept, "slope": line.slope, "r": -(line.r_squared**0.5)}
        if line and line.slope < 0
        else None,
    }


def model_rows(frame: Frame, tied: list[bool], lows: list[int], highs: list[int]) -> list[list[object]]:
    members = frame.members
    after = [*members[1:], None]
    return [
        [
            member.name, member.slug, member.origin, member.score, member.standard_error, member.rank, low, high,
            member.score - following.score if following else None,
            is_tied if following else None,
        ]
        for member, following, is_tied, low, high in zip(members, after, [*tied, False], lows, highs, strict=True)
    ]  # fmt: skip


def of_published(frame: Frame, field: PublishedField) -> Outcome:
    """The figures of published scores: two are tied where their gap is below the one that usually separates models."""
    scores = as_floats([member.score for member in frame.members])
    gaps = -np.diff(scores)
    tied = gaps < field.least_significant_difference
    inside = (np.abs(scores[:, None] - scores) < field.least_significant_difference).sum(axis=1) - 1
    return outcome(
        scores.size,
        kind="published",
        neighbours=gaps.size,
        neighbours_tied=int(tied.sum()),
        gap=field.least_significant_difference,
        gap_between_neighbours=float(np.median(gaps)),
        tied_with_first=int(inside[0]),
        others_inside={"mean": float(inside.mean()), "median": float(np.median(inside)), "largest": int(inside.max())},
        errors={"n": 0, "median": field.median_standard_error},
        models=model_rows(
            frame,
            tied.tolist(),
            [member.low or 0 for member in frame.members],
            [member.high or 0 for member in frame.members],
        ),
    )
