"""How far the passes of one model agree, as it is stored with its row. Pure."""

from evaluation.statistics.arrays import Floats, present_mean
from evaluation.statistics.icc import IntraclassCorrelation, intraclass_correlation
from evaluation.statistics.repeatability import DriftTest, drift_test, rerun_sd, run_agreement, spread
from leaderboard.statistics.outcomes import Value, ends, stored


def agreement(passes: Floats, *, scores: Floats | None = None, n_newest: int = 0) -> Value:
    """The figures of one model; {} for fewer than two passes with a score.

    Args:
        passes: Items x passes in points, the oldest first; NaN where missing.
        scores: Those of the passes, where they are not the means of the items that have one.
        n_newest: How many of the passes, the last ones, are those of the newest run; 0 where there is but one run.

    Returns:
        n, mean, sd, cv_percent, low and high over the scores of the passes; `sem` is the scatter of one score that
        re-running alone causes; `icc` and `icc_mean` are value, low and high of ICC(2,1) and ICC(2,k) over items;
        `first` and `last` are two passes' scores, n_equal of n_shared their items that scored the same, r their
        correlation; `drift` compares the newest run with the earlier ones, item by item.
    """
    means = present_mean(passes, axis=0) if scores is None else scores
    scatter = spread(means)
    if scatter is None or scatter.n < 2:
        return {}
    two = run_agreement(passes[:, 0], passes[:, -1])
    figures = {
        "n": scatter.n,
        "mean": scatter.mean,
        "sd": scatter.sd,
        "cv_percent": scatter.cv_percent,
        "low": scatter.low,
        "high": scatter.high,
        "sem": rerun_sd(passes),
        **icc_figures(intraclass_correlation(passes)),
        "first": float(means[0]),
        "last": float(means[-1]),
        "n_shared": two.n if two else 0,
        "n_equal": two.n_equal if two else 0,
        "r": two.r if two else None,
        "drift": drift_figures(drift_test(passes[:, :-n_newest], present_mean(passes[:, -n_newest:], axis=1)))
        if n_newest
        else None,
    }
    return {key: stored(value) for key, value in figures.items()}


def icc_figures(icc: IntraclassCorrelation | None) -> dict[str, object]:
    if icc is None:
        return {"icc": None, "icc_mean": None, "icc_items": 0}
    return {
        "icc": [icc.single, *ends(icc.single_interval)],
        "icc_mean": [icc.average, *ends(icc.average_interval)],
        "icc_items": icc.n_items,
    }


def drift_figures(drift: DriftTest | None) -> dict[str, object] | None:
    """Newest less earlier, with interval and p of the paired test over items."""
    if drift is None:
        return None
    low, high = ends(drift.items.interval)
    return {
        "difference": drift.items.mean,
        "low": low,
        "high": high,
        "p": drift.items.p,
        "n_items": drift.items.n,
        "n_earlier": drift.n_earlier,
        "drifted": drift.drifted,
    }
