"""Slugs that were a model's once, before it was merged or its slug changed, and the slug that it has now."""

from collections.abc import Collection

from evaluation.models import FormerName, LanguageModel
from leaderboard.queries.model_facts import listed_models


def present_slugs(asked: Collection[str]) -> dict[str, str]:
    """Former slug -> present slug, of those asked that no model has now and that a listed model had last.

    Empty where none is one. Two queries, and none for nothing asked.
    """
    slugs = {slug for slug in asked if slug and "\0" not in slug}
    if not slugs:
        return {}
    taken = set(LanguageModel.objects.filter(slug__in=slugs).values_list("slug", flat=True))
    # The oldest row comes first, so that of several models that had a slug the last one stays.
    rows = FormerName.objects.filter(slug__in=slugs - taken, model__in=listed_models()).order_by("pk")
    return dict(rows.values_list("slug", "model__slug"))
