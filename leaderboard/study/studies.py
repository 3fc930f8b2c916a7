"""The list of studies: those with results, for everybody, and those without, for operators."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet

from leaderboard.study.material import material_of
from leaderboard.study.models import Study
from leaderboard.study.page import study_page
from leaderboard.study.result_models import StudyResult


@dataclass(frozen=True, slots=True)
class ListedStudy:
    slug: str
    title: str
    finding: str
    about: str


def public_studies() -> tuple[ListedStudy, ...]:
    found = [(study, material_of(study)) for study in _with_results(has_any=True).select_related("prompt_set")]
    pages = [(study, study_page(material)) for study, material in found if material]
    return tuple(ListedStudy(study.slug, study.title, page.headline, page.lede) for study, page in pages)


def unlisted_studies() -> tuple[Study, ...]:
    return tuple(_with_results(has_any=False))


def _with_results(*, has_any: bool) -> "QuerySet[Study]":
    stored = Exists(StudyResult.objects.filter(study=OuterRef("pk")))
    return Study.objects.filter(stored if has_any else ~stored).order_by("-pk")
