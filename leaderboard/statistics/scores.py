"""How exactly scores and ranks are known: ties of neighbours and of all pairs, the gap that can be seen, rank ranges.

Who is tied with whom, and the ranges of ranks, are those that the standings store: nothing is tested here again.

Value: `kind` is "items" where two models or more have stored answers, and these are compared; else "published".
`models` has the columns of MODEL_COLUMNS, best first; `ranges` has RANGE_COLUMNS of all that compete, with answers or
without. Gaps and errors are in points.
"""

from collections.abc import Sequence

import numpy as np

from evaluation.statistics.arrays import Bools, Floats, Ints, as_floats
from evaluation.statistics.correlation import fisher_interval
from evaluation.statistics.differences import smallest_resolvable_gap
from evaluation.statistics.intervals import Z95
from evaluation.statistics.pairs import PairTable, gaps_by_band, pair_table, unpaired_ties
from evaluation.statistics.regression import Line, fit_line
from leaderboard.standings.field import PublishedField
from leaderboard.statistics.frames import Frame
from leaderboard.statistics.marks import Member
from leaderboard.statistics.outcomes import Outcome, ends, outcome

MODEL_COLUMNS = (
    "model", "slug", "origin", "score", "standard_error", "rank", "rank_low", "rank_high", "gap_to_next",
    "tied_with_next",
)  # fmt: skip
RANGE_COLUMNS = ("model", "score", "rank", "rank_low", "rank_high", "rank_low_all", "rank_high_all")
MOST_COMPARED = 500


def compute(frame: Frame) -> Outcome:
    if frame.has_items and len(frame.members) > 1:
        return of_items(frame)
    if frame.published is not None and len(frame.everyone) > 1:
        return of_published(frame, frame.published)
    return Outcome(len(frame.members), {})


def tied_among(frame: Frame, members: Sequence[Member]) -> Bools:
    """Which two of these members are tied by the stored table; all are where there is none."""
    n = len(frame.everyone)
    ahead = np.zeros((n, n), dtype=np.bool_) if frame.ahead is None else frame.ahead
    places = {member.model_id: at for at, member in enumerate(frame.everyone)}
    at = [places[member.model_id] for member in members]
    return np.asarray(~(ahead | ahead.T)[np.ix_(at, at)])


def of_items(frame: Frame) -> Outcome:
    """The figures of the models with item scores."""
    n = len(frame.members)
    totals = as_floats([member.score for member in frame.members])
    tied = tied_among(frame, frame.members)
    low, high = stored_ranges(frame.members)
    neighbours = np.diagonal(tied, 1)
    above = np.triu_indices(n, 1)
    table = pair_table(frame.scores)
    return outcome(
        n,
        kind="items",
        n_items=frame.scores.shape[1],
        neighbours=n - 1,
        neighbours_tied=int(neighbours.sum()),
        pairs=above[0].size,
        pairs_tied=int(tied[above].sum()),
        tied_with_first=int(tied[0].sum()) - 1,
        widths=widths(high - low + 1),
        pairs_tied_unpaired=unpaired(frame),
        **gap_figures(table),
        gap_bands=[list(band) for band in gaps_by_band(table, totals)],
        **error_figures(frame, totals),
        models=model_rows(frame.members, neighbours.tolist()),
        ranges=range_rows(frame.everyone),
    )


def stored_ranges(members: Sequence[Member]) -> tuple[Ints, Ints]:
    """The ranges that the standings hold; the place itself where they hold none."""
    known = [(member.low or at, member.high or at) for at, member in enumerate(members, 1)]
    low, high = np.array(known, dtype=np.int64).T
    return low, high


def unpaired(frame: Frame) -> int | None:
    """Pairs tied without pairing the items, to compare with; None in fields that are too large for it."""
    n = len(frame.members)
    if n > MOST_COMPARED or np.isnan(frame.scores).all(axis=1).any():
        return None
    return int(unpaired_ties(frame.scores)[np.triu_indices(n, 1)].sum())


def widths(width: Ints) -> dict[str, object]:
    return {"mean": float(width.mean()), "median": float(np.median(width)), "largest": int(width.max())}


def gap_figures(table: PairTable) -> dict[str, object]:
    """The usual lead that is no tie, the least significant difference of a pair (median and quartiles over the pairs),
    and the true gap found four times in five."""
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
        "error_line": error_line(line) if line and line.slope < 0 else None,
    }


def error_line(line: Line) -> dict[str, object]:
    """The line of errors that fall with the score, with their correlation and Fisher's interval."""
    r = -(line.r_squared**0.5)
    low, high = ends(fisher_interval(r, line.n))
    return {"intercept": line.intercept, "slope": line.slope, "r": r, "r_low": low, "r_high": high}


def model_rows(members: Sequence[Member], tied: list[bool]) -> list[list[object]]:
    after = [*members[1:], None]
    return [
        [
            member.name, member.slug, member.origin, member.score, member.standard_error, member.rank, member.low,
            member.high, member.score - following.score if following else None, is_tied if following else None,
        ]
        for member, following, is_tied in zip(members, after, [*tied, False], strict=True)
    ]  # fmt: skip


def range_rows(everyone: Sequence[Member]) -> list[list[object]]:
    """The possible ranks that the standings hold; none where they hold none."""
    return [
        [member.name, member.score, member.rank, member.low, member.high, member.low_all, member.high_all]
        for member in everyone
        if member.low_all is not None
    ]


def of_published(frame: Frame, field: PublishedField) -> Outcome:
    """The figures of all ranked models where fewer than two have answers: by their scores and usual errors."""
    members = frame.everyone
    scores = as_floats([member.score for member in members])
    tied = tied_among(frame, members)
    others = tied.sum(axis=1) - 1
    neighbours = np.diagonal(tied, 1)
    errors = as_floats([field.own_error.at(member.score) for member in members])
    needed = Z95 * np.hypot(errors[:, None], errors)[np.triu_indices(scores.size, 1)]
    return outcome(
        scores.size,
        kind="published",
        neighbours=neighbours.size,
        neighbours_tied=int(neighbours.sum()),
        gap=float(np.median(needed)),
        gap_quartiles=np.percentile(needed, [25, 75]).tolist(),
        gap_between_neighbours=float(np.median(-np.diff(scores))),
        tied_with_first=int(others[0]),
        others_tied={"mean": float(others.mean()), "median": float(np.median(others)), "largest": int(others.max())},
        errors={"n": 0, "median": field.median_standard_error},
        models=model_rows(members, neighbours.tolist()),
        ranges=range_rows(members),
    )
