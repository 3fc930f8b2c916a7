"""What the form says of a model that the board knows."""

from dataclasses import dataclass

from leaderboard.models import Standing
from leaderboard.queries.api import public_models
from leaderboard.rounding import points

MOST_NAMES = 2000


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model of the board. `place` is its best place in words, "" without any; `facts` is what is known of it."""

    name: str
    slug: str
    place: str
    facts: str


def known_names() -> list[str]:
    """The names that the form completes. One query."""
    return list(public_models().values_list("name", flat=True)[:MOST_NAMES])


def known_model(name: str) -> KnownModel | None:
    """The model of exactly that name, if anything public is known of it. Two queries."""
    model = public_models().filter(name=name).first() if name else None
    if model is None:
        return None
    standing = Standing.objects.filter(model=model).order_by("rank", "ranking").first()
    rank = f"rank {standing.rank}, " if standing and standing.rank else ""
    weights = "" if model.open_weights is None else f"{'open' if model.open_weights else 'closed'} weights"
    facts = (model.organisation, model.params, model.licence, weights)
    return KnownModel(
        name=model.name,
        slug=model.slug,
        place=f"{rank}{points(standing.score)} points" if standing else "",
        facts=", ".join(fact for fact in facts if fact),
    )
