"""What the form says of a model that the board knows."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import F

from evaluation.importers.names import known_model as model_that_has
from evaluation.models import LanguageModel, Origin
from leaderboard.models import Standing
from leaderboard.pages.api.public_rows import public_models
from leaderboard.pages.rankings.page import described, loaded_banks
from leaderboard.pages.shared.measures import ranking_measure
from leaderboard.rounding import in_unit

MOST_NAMES = 2000

REPLACED = "A listed run with the standard settings takes its place; the two are never put into one mean."
# Origin of the score that stands on the board -> what a run that is sent now does to it.
CONSEQUENCES: Mapping[str, str] = {
    Origin.MEASURED: "The board shows the mean of its listed runs with the same settings; others are not mixed in.",
    Origin.IMPORTED: f"This score is imported. {REPLACED}",
    Origin.PUBLISHED: f"This score is quoted from its source. {REPLACED}",
}


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model of the board. `place` is its best place in words and `consequence` what a new run does to it, both ""
    without any place; `facts` is what is known of it."""

    name: str
    slug: str
    place: str
    consequence: str
    facts: str


def known_names() -> list[str]:
    """The names that the form completes. One query."""
    return list(public_models().values_list("name", flat=True)[:MOST_NAMES])


def known_model(name: str) -> KnownModel | None:
    """The model that a submission under that name is of, which may have had it before a merge, if anything public is
    known of it. At most five queries."""
    found = model_that_has(name) if name else None
    model = public_models().filter(pk=found.pk).first() if found else None
    if model is None:
        return None
    standing = best_standing(model)
    weights = "" if model.open_weights is None else f"{'open' if model.open_weights else 'closed'} weights"
    facts = (model.organisation, model.params, model.licence, weights)
    return KnownModel(
        name=model.name,
        slug=model.slug,
        place=place_of(standing) if standing else "",
        consequence=CONSEQUENCES.get(standing.origin, REPLACED) if standing else "",
        facts=", ".join(fact for fact in facts if fact),
    )


def best_standing(model: LanguageModel) -> Standing | None:
    """The one with the best rank; one without a rank only where there is no other."""
    return Standing.objects.filter(model=model).order_by(F("rank").asc(nulls_last=True), "ranking").first()


def place_of(standing: Standing) -> str:
    """ "rank 3 of Own scenes, 61.50 points"."""
    ranking = described(standing.ranking, loaded_banks())
    where = f"rank {standing.rank} of {ranking.title}" if standing.rank else f"without a rank in {ranking.title}"
    return f"{where}, {in_unit(standing.score, ranking_measure(ranking.benchmark))}"
