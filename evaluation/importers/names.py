"""Names of models: one row a name, one slug a row, created where a file names a new model."""

from collections.abc import Collection

from django.utils.text import slugify

from evaluation.models import FormerName, LanguageModel

NAME_LENGTH = 120
SLUG_LENGTH = 140
_FALLBACK_SLUG = "model"


def display_name(name: str) -> str:
    """The part after the last slash, as pages show it."""
    return name.rpartition("/")[2][:80]


def organisation(name: str) -> str:
    """The namespace of a Hugging Face id; blank for a plain API name."""
    return name.rpartition("/")[0][:80]


def free_slug(name: str, taken: Collection[str]) -> str:
    """A slug for the name that is not in `taken`: "01-ai/Yi-6B-Chat" gives "01-ai-yi-6b-chat", then "...-2"."""
    base = slugify(name.replace("/", "-").replace(".", "-"))[: SLUG_LENGTH - 8] or _FALLBACK_SLUG
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


def model_named(name: str) -> LanguageModel:
    """The model of that name, created with what its name says if there is none."""
    found = known_model(name)
    if found:
        return found
    base = free_slug(name, ())
    taken = set(LanguageModel.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    taken |= set(FormerName.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    return LanguageModel.objects.create(
        name=name, slug=free_slug(name, taken), display_name=display_name(name), organisation=organisation(name)
    )
