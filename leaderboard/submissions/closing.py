"""What a submission came to once its runs have ended: rank and range, ties, and where it can be seen."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from evaluation.models import LanguageModel
from leaderboard.drawings.badges import rank_words
from leaderboard.kinds import kind_of
from leaderboard.models import Standing, Submission
from leaderboard.rounding import counted, number, score
from leaderboard.standings.ahead import tied_with
from leaderboard.submissions.offers import run_title

NAMED = 2  # of the models that it is tied with


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A model that it is tied with, one of the closest by rank."""

    name: str
    slug: str


@dataclass(frozen=True, slots=True)
class Closing:
    """A place that runs of the submission made. `result` is the score with its interval, `rank` the possible ranks, and
    `ties` a sentence, "" where ties are not known. Paths begin at the site's root."""

    title: str
    model: str
    result: str
    rank: str
    ties: str
    neighbours: tuple[Neighbour, ...]
    path: str
    badge_path: str


def closings_of(submission: Submission) -> tuple[Closing, ...]:
    """One for each place; () while a run is open and where none is listed. Two queries, and four more a place."""
    runs = {run.pk: run for run in submission.runs.shown().select_related("bank")}
    if any(run.is_open for run in runs.values()) or not any(run.published for run in runs.values()):
        return ()
    places = Standing.objects.filter(model=submission.model_id).select_related("model", "run__bank").order_by("ranking")
    return tuple(_closing(place) for place in places if runs.keys() & {*place.run_ids})


def _closing(place: Standing) -> Closing:
    n_ranked = Standing.objects.filter(ranking=place.ranking, rank__isnull=False).count()
    low, high = (place.rank, place.rank) if place.rank_low is None else (place.rank_low, place.rank_high)
    tied = tied_with(place.ranking, place.model_id) if place.rank else None
    neighbours = _named(tied or [])
    query = urlencode({"ranking": place.ranking})
    benchmark = place.run.benchmark if place.run else place.ranking
    return Closing(
        title=run_title(place.run.bank, benchmark) if place.run else kind_of(benchmark).family,
        model=str(place.model),
        result=f"{score(place.score, benchmark)}{_half(place)}",
        rank=rank_words(low, high, n_ranked, approximate=place.approximate),
        ties="" if tied is None else ties_in_words(len(tied), [each.name for each in neighbours]),
        neighbours=neighbours,
        path=f"{reverse('model', args=[place.model.slug])}?{query}",
        badge_path=f"{reverse('model-badge', args=[place.model.slug])}?{query}",
    )


def _half(place: Standing) -> str:
    if place.interval_low is None or place.interval_high is None:
        return ""
    return f" ± {number((place.interval_high - place.interval_low) / 2, 1)}"


def _named(tied: list[int]) -> tuple[Neighbour, ...]:
    models = LanguageModel.objects.in_bulk(tied[:NAMED])
    return tuple(Neighbour(str(models[pk]), models[pk].slug) for pk in tied[:NAMED] if pk in models)


def ties_in_words(n: int, names: list[str]) -> str:
    """Ends, for instance, in "48 models, A and B among them". The headline of the ranking compares all at once."""
    if not n:
        return "Compared pair by pair, it is tied with no other model."
    if n <= len(names):
        return f"Compared pair by pair, it is tied with {' and '.join(names)}."
    return f"Compared pair by pair, it is tied with {counted(n, 'model')}, {' and '.join(names)} among them."
