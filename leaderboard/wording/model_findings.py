"""What the model page says in words, each sentence computed from what it speaks of. Pure: no query, no request."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.models import FaultKind, Origin, Run, Status
from evaluation.statistics.emotions import BANDS, Bias
from leaderboard.rounding import counted, number, with_sign

WAITS = {
    Status.QUEUED: "not yet, in the queue",
    Status.RUNNING: "not yet, still running",
    Status.WAITING: "not yet, waiting for the endpoint",
    Status.CANCELLED: "no, cancelled",
}
FAILURES = {
    FaultKind.ENDPOINT: "no, stopped by a fault of the endpoint",
    FaultKind.MODEL: "no, stopped by a fault of the model",
    FaultKind.PARSE: "no, too few replies could be read",
    FaultKind.PLATFORM: "no, stopped by a fault of our platform",
}
SMALLEST_FAMILY = 10  # answers about a family before a headline names it
UNRANKED = {
    Origin.BASELINE: "It has no rank: it is a baseline, not a model.",
    Origin.DEMO: "It has no rank: it is a scripted endpoint that shows how the board works.",
}


@dataclass(frozen=True, slots=True)
class Counting:
    """What counts for a model in a ranking: runs of one origin, and how they were asked otherwise than the benchmark's
    standard, "" for not at all."""

    origin: str = ""
    run_ids: Sequence[int] = ()
    other_settings: str = ""


NOTHING = Counting()


def verdict(run: Run, counting: Counting) -> str:
    """Why a run does not count in its ranking; "" where it does. The rules are those of `standings`."""
    if run.status == Status.FAILED:
        return FAILURES.get(FaultKind(run.failure_kind), "") if run.failure_kind else "no, ended without a score"
    if run.status != Status.FINISHED:
        return WAITS[Status(run.status)]
    if not run.published:
        return "no, not public"
    if run.limit is not None:
        return f"no, partial: {counted(run.limit, 'item')} only"
    if run.score is None:
        return "no, its replies are rated by judges or people"
    return of_other_evidence(run, counting) or of_other_settings(run, counting)


def of_other_evidence(run: Run, counting: Counting) -> str:
    """Why a run does not count because something else of the model does."""
    if run.origin == Origin.PUBLISHED:
        return "no, a published figure"
    if not counting.origin or run.origin == counting.origin:
        return ""
    if not run.departures or counting.other_settings:
        return f"no, {counting.origin} runs count before {run.origin} ones"
    if counting.origin == Origin.PUBLISHED:
        return "no, run with other settings: the published score comes first"
    return "no, run with other settings"


def of_other_settings(run: Run, counting: Counting) -> str:
    """Why a run does not count that might. One that came after the last computation may still be taken up."""
    if run.pk in counting.run_ids:
        return ""
    if counting.run_ids and run.departures and not counting.other_settings:
        return "no, run with other settings"
    if counting.run_ids and run.departures and run.pk < max(counting.run_ids):
        return "no, its settings differ from the newest run’s"
    return "not yet, the ranking is being recomputed"


def standing_sentence(origin: str, rank: int | None, tied: int | None, n_ranked: int) -> str:
    """How firmly a model holds its place."""
    if rank is None:
        return UNRANKED.get(Origin(origin), "It has no rank.")
    if tied is None:
        return f"Rank {rank} of {n_ranked} by score. Its error is unknown, so ties cannot be tested."
    if tied == 0:
        return "Compared pair by pair, it is tied with no other model."
    return f"Compared pair by pair, it is statistically tied with {counted(tied, 'other model')}."


def items_headline(n_better: int, n_worse: int, n: int, n_models: int) -> str:
    """Over n items, of which some may be equal; the only one of `n_models` is its own median."""
    if n_models < 2 and not n_better and not n_worse:
        return "No other model has answered these items yet"
    if n_better == n_worse:
        return "Above the median of all models as often as below it"
    more, less = ("Above", "below") if n_better > n_worse else ("Below", "above")
    if 2 * max(n_better, n_worse) > n:
        return f"{more} the median of all models on most items"
    return f"{more} the median of all models more often than {less} it"


def items_sentence(n_better: int, n_worse: int, n: int) -> str:
    """How often a model is better than the field and how often worse, over n items."""
    equal = n - n_better - n_worse
    parts = [f"above it on {n_better}", f"below it on {n_worse}", *([f"equal on {equal}"] if equal else [])]
    return f"Against the field’s median on each of {counted(n, 'item')}: {', '.join(parts)}."


def families_headline(families: Sequence[Bias]) -> str:
    """Which family is rated highest and which lowest at equal reference, of those that are clear of zero."""
    clear = [
        (bias.adjusted.mean_error, bias.name)
        for bias in families
        if bias.adjusted and bias.adjusted.is_clear and bias.adjusted.n >= SMALLEST_FAMILY
    ]
    over = max((found for found in clear if found[0] > 0), default=None)
    under = min((found for found in clear if found[0] < 0), default=None)
    parts = [f"{found[1]} is rated {word}" for found, word in ((over, "highest"), (under, "lowest")) if found]
    text = ", ".join(parts)
    return f"Among feelings with the same reference {text}" if text else "No family is clearly over- or underrated"


def bands_headline(bands: Sequence[Bias]) -> str:
    """The errors at both ends of the scale, in figures: an answer there can only err inwards, so that its direction is
    no finding."""
    ends = [bias for bias in bands if bias.name in {BANDS[0][0], BANDS[-1][0]}]
    parts = [f"{with_sign(bias.mean_error, 2)} where the reference is {bias.name}" for bias in ends]
    if not parts:
        return "Mean error by the reference"
    return f"Mean error {', '.join([parts[0], *(part.replace('the reference', 'it') for part in parts[1:])])}"


def calibration_sentence(points: Sequence[tuple[float, float]]) -> str:
    """The mean answer at the lowest and at the highest reference. "" without points."""
    if not points:
        return ""
    low, high = points[0], points[-1]
    first = f"Where the reference is {number(low[0], 0)}, the mean answer is {number(low[1], 2)}"
    if len(points) == 1:
        return f"{first}."
    return f"{first}; where it is {number(high[0], 0)}, the mean answer is {number(high[1], 2)}."
