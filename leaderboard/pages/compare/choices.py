"""The list from which models are chosen for a comparison: those with answers in a ranking, best first.

One query, two with a search.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, F, QuerySet, Window

from evaluation.benchmarks.base import Better
from leaderboard.models import Standing
from leaderboard.pages.compare.chosen import ANSWERED
from leaderboard.pages.rankings.rows import ranks_text
from leaderboard.pages.shared.naming import is_named_like, words_of

SHOWN = 12


@dataclass(frozen=True, slots=True)
class Choice:
    slug: str
    name: str
    organisation: str
    origin: str
    ranks: str
    score: float


@dataclass(frozen=True, slots=True)
class Choices:
    """The first `SHOWN` of the models found; `n_found` counts all of them."""

    shown: tuple[Choice, ...]
    n_found: int


def choices(ranking: str, search: str, chosen: Iterable[str], better: Better) -> Choices:
    """The models of a ranking that have answers, are not chosen yet and are named like the search. Of models without a
    rank the one with the `better` score comes first."""
    found = with_answers(ranking).exclude(model__slug__in=list(chosen))
    if search.strip():
        found = found.filter(pk__in=named_like(found, search))
    score = "score" if better == "lower" else "-score"
    ordered = found.select_related("model").order_by(F("rank").asc(nulls_last=True), score, "model__name")
    shown = ordered.annotate(n_found=Window(Count("pk")))[:SHOWN]
    return Choices(tuple(choice(standing) for standing in shown), max((each.n_found for each in shown), default=0))


def with_answers(ranking: str) -> QuerySet[Standing]:
    return Standing.objects.filter(ANSWERED, ranking=ranking, run__isnull=False)


def answered_rankings() -> dict[str, int]:
    """Ranking -> how many of its rows have answers; those without any are left out."""
    answered = Standing.objects.filter(run__isnull=False).values("ranking").annotate(n=Count("pk"))
    return dict(answered.values_list("ranking", "n"))


def named_like(found: QuerySet[Standing], search: str) -> list[int]:
    """Those whose model's or maker's name holds each word, whatever the signs between them."""
    words, names = words_of(search), ("model__name", "model__display_name", "model__organisation")
    return [pk for pk, *own in found.values_list("pk", *names) if is_named_like(own, search, words)]


def choice(standing: Standing) -> Choice:
    model = standing.model
    return Choice(model.slug, str(model), model.organisation, standing.origin, ranks_text(standing), standing.score)
