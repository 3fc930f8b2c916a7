"""Slugs that were a model's once, before it was merged or its slug changed, lead to the slug that it has now."""

from collections.abc import Collection

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.cache import patch_cache_control

from evaluation.models import FormerName, LanguageModel
from leaderboard.submissions.listing import listed_models


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


def moved(request: HttpRequest, slug: str, name: str, visible: QuerySet[LanguageModel], *rest: str) -> HttpResponse:
    """301 to the address `name` of the model that had the slug last; `rest` is what the address holds behind the slug.

    Raises: Http404, where there was none or it is not among those that may be seen.
    """
    former = FormerName.objects.filter(slug=slug).values("model")[:1]
    model = get_object_or_404(visible, pk__in=former)
    query = request.META.get("QUERY_STRING", "")
    return leading_to(reverse(name, args=[model.slug, *rest]) + (f"?{query}" if query else ""))


def leading_to(address: str) -> HttpResponse:
    """301 that a browser asks for anew each time: one that it had kept would lead in a circle once a model has its old
    slug back."""
    response = redirect(address, permanent=True)
    patch_cache_control(response, no_cache=True)
    return response
