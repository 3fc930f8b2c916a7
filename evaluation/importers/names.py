"""Names of models: one row a name, one slug a row, created where a file names a new model."""

import re
from collections.abc import Collection
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef
from django.utils.text import slugify

from evaluation.importers.configurations import split_name
from evaluation.importers.name_facts import is_repackaged, size_of
from evaluation.importers.spellings import look_alike
from evaluation.models import Endpoint, FormerName, LanguageModel, ReferenceScore, Run

NAME_LENGTH = 120
SLUG_LENGTH = 140
_FALLBACK_SLUG = "model"
_TRIES = 5
# What a model and its configurations have in common.
FACTS = (
    "organisation", "params", "params_billion", "open_weights", "licence", "released_on", "released_month_only", "link",
    "maker_domain",
)  # fmt: skip


def display_name(name: str) -> str:
    """The part after the last slash, as pages show it, with the configuration in brackets."""
    own, configuration = split_name(name)
    shown = own.rstrip("/").rpartition("/")[2] or own  # a folder's path may end with a slash
    return f"{shown} ({configuration})"[:80] if configuration else shown[:80]


def organisation(name: str) -> str:
    """The namespace of a Hugging Face id; blank for a plain API name."""
    return split_name(name)[0].rstrip("/").rpartition("/")[0][:80]


def free_slug(name: str, taken: Collection[str]) -> str:
    """A slug for the name that is not in `taken`: "01-ai/Yi-6B-Chat" gives "01-ai-yi-6b-chat", then "...-2"."""
    base = slugify(re.sub("[/.@]", "-", name))[: SLUG_LENGTH - 8] or _FALLBACK_SLUG
    slug, number = base, 1
    while slug in taken:
        number += 1
        slug = f"{base}-{number}"
    return slug


def known_model(name: str) -> LanguageModel | None:
    """The model that has the name, else the one that had it last, as after a merge."""
    found = LanguageModel.objects.filter(name=name).first()
    if found is None:
        former = FormerName.objects.filter(name=name).select_related("model").first()
        found = former.model if former else None
    return found


def other_spelling(name: str) -> str:
    """The name of a known model that this one could be taken for, as by its case or its hyphens; "" where the name is
    known itself or looks like none.

    A model that strangers alone have submitted is not known, before a run of it is public or it has a figure.
    """
    if known_model(name):
        return ""
    public = Exists(Run.objects.filter(published=True, model=OuterRef("pk")))
    figures = Exists(ReferenceScore.objects.filter(model=OuterRef("pk")))
    strangers = Exists(Endpoint.objects.filter(model=OuterRef("pk")).exclude(owner=""))
    known = LanguageModel.objects.filter(public | figures | ~strangers).order_by("name")
    formerly = FormerName.objects.filter(model__in=known).values_list("name", "model__name")
    names = {**dict(formerly), **{own: own for own in known.values_list("name", flat=True)}}
    return names.get(look_alike(name, names) or "", "")


def model_named(name: str) -> LanguageModel:
    """The model of that name, created if there is none: with what its name says, and with the facts of the model whose
    configuration it is."""
    found = known_model(name)
    if found:
        return found
    for _ in range(_TRIES):
        try:
            with transaction.atomic():
                return _created(name)
        except IntegrityError:  # another transaction took the name or the slug since we looked
            found = known_model(name)
            if found:
                return found
    return _created(name)


def _created(name: str) -> LanguageModel:
    base = free_slug(name, ())
    taken = set(LanguageModel.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    taken |= set(FormerName.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    return LanguageModel.objects.create(
        name=name, slug=free_slug(name, taken), display_name=display_name(name), **_facts_of(name)
    )


def _facts_of(name: str) -> dict[str, Any]:
    own, configuration = split_name(name)
    base = known_model(own) if configuration else None
    if base is None:
        size = size_of(name)
        found = {"params": size.params, "params_billion": size.billion} if size else {}
        return {"organisation": "" if is_repackaged(name) else organisation(name), **found}
    return {fact: getattr(base, fact) for fact in FACTS}
