"""The list from which models are chosen for a comparison: those with answers in a ranking, best first. One query."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, F, Q, QuerySet, Window

from leaderboard.models import Standing
from leaderboard.queries.rows import ranks_text

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


def choices(ranking: str, search: str, chosen: Iterable[str]) -> Choices:
    """The models of a ranking that have answers, are not chosen yet and hold the text in their name or maker's name."""
    found = with_answers(ranking).exclude(model__slug__in=list(chosen)).filter(matches(search))
    ordered = found.select_related("model").order_by(F("rank").asc(nulls_last=True), "-score", "model__name")
    shown = ordered.annotate(n_found=Window(Count("pk")))[:SHOWN]
    return Choices(tuple(choice(standing) for standing in shown), max((each.n_found for each in shown), default=0))


def with_answers(ranking: str) -> QuerySet[Standing]:
    return Standing.objects.filter(ranking=ranking, run__isnull=False)


def answered_rankings() -> dict[str, int]:
    """Ranking -> how many of its rows have answers; those without any are left out."""
    answered = Standing.objects.filter(run__isnull=False).values("ranking").annotate(n=Count("pk"))
    return dict(answered.values_list("ranking", "n"))


def matches(search: str) -> Q:
    wanted = search.replace("\x00", "").strip()
    if not wanted:
        return Q()
    columns = ("model__name", "model__display_name", "model__organisation")
    matched = Q()
    for column in columns:
        matched |= Q(**{f"{column}__icontains": wanted})
    return matched


def choice(standing: Standing) -> Choice:
    model = standing.model
    return Choice(model.slug, str(model), model.organisation, standing.origin, ranks_text(standing), standing.score)
