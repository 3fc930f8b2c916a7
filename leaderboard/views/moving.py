"""Addresses that were a model's once, before it was merged or its slug changed, lead to where it is now."""

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.cache import patch_cache_control

from evaluation.models import FormerName, LanguageModel


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
