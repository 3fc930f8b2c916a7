"""The studies and their result pages, for everybody."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.utils.cache import patch_cache_control
from django.views.decorators.http import conditional_page, require_safe

from leaderboard.study import entry_views, rate_views
from leaderboard.study.files import as_csv, as_json
from leaderboard.study.judges.beside import beside
from leaderboard.study.material import material_of
from leaderboard.study.models import Study
from leaderboard.study.page import RULE, Material, study_page
from leaderboard.study.rights import IMPORT, SEE, may
from leaderboard.study.studies import public_studies, unlisted_studies


@conditional_page
@require_safe
def studies(request: HttpRequest) -> HttpResponse:
    """Staff with the right to see studies find there as well those without results."""
    is_staff = may(request, SEE)
    context = {"studies": public_studies(), "unlisted": unlisted_studies() if is_staff else (), "operator": is_staff}
    return _answer(render(request, "study/studies.html", context), is_staff=is_staff)


@conditional_page
@require_safe
def result(request: HttpRequest, slug: str) -> HttpResponse:
    """`scope` chooses the prompts, `model` whose emotions are shown, and `raters=rule` applies the exclusion rule; any
    other value is the first one."""
    study, material = _material(request, slug)
    page = study_page(material, request.GET.get("scope", ""), request.GET.get("model", ""))
    is_staff = may(request, SEE)
    context = {
        "page": page, "operator": is_staff, "slug": slug, "tab": "results", "may_import": may(request, IMPORT),
        "beside": beside(study),
    }  # fmt: skip
    return _answer(render(request, "study/result.html", context), is_staff=is_staff)


@conditional_page
@require_safe
def result_csv(request: HttpRequest, slug: str) -> HttpResponse:
    return HttpResponse(as_csv(_material(request, slug)[1]), content_type="text/csv; charset=utf-8")


@conditional_page
@require_safe
def result_json(request: HttpRequest, slug: str) -> HttpResponse:
    return HttpResponse(as_json(_material(request, slug)[1]), content_type="application/json")


def _material(request: HttpRequest, slug: str) -> tuple[Study, Material]:
    study = get_object_or_404(Study.objects.select_related("prompt_set"), slug=slug)
    found = material_of(study, with_rule=request.GET.get("raters") == RULE)
    if found is None:
        raise Http404("this study has no results yet")
    return study, found


def _answer(response: HttpResponse, *, is_staff: bool) -> HttpResponse:
    """A page with the operators' links is for this browser alone."""
    if is_staff:
        patch_cache_control(response, private=True, no_store=True)
    return response


urlpatterns = [
    *entry_views.urlpatterns,
    *rate_views.urlpatterns,
    *entry_views.ANY_OTHER,
    path("studies/", studies, name="studies"),
    path("studies/<slug:slug>/", result, name="study"),
    path("studies/<slug:slug>.csv", result_csv, name="study-csv"),
    path("studies/<slug:slug>.json", result_json, name="study-json"),
]
