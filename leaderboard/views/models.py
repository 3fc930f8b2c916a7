"""One model: its page and its badge."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path, reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page, require_safe

from evaluation.models import LanguageModel
from leaderboard.citations import Citations, Cited, citations
from leaderboard.queries.model_facts import listed_models
from leaderboard.queries.model_standing import StandingRow
from leaderboard.queries.models import ModelPage, ModelRequest, badge_of, model_page

BADGE_KEPT_SECONDS = 600


def visible_model(request: HttpRequest, slug: str) -> LanguageModel:
    """The model, if it is listed or a member of the staff asks; else 404."""
    models = LanguageModel.objects.all() if request.user.is_staff else listed_models()
    return get_object_or_404(models, slug=slug)


@conditional_page
@require_safe
def model_detail(request: HttpRequest, slug: str) -> HttpResponse:
    asked = ModelRequest(
        ranking=request.GET.get("ranking", ""),
        run=request.GET.get("run", ""),
        page=request.GET.get("page", ""),
        staff=request.user.is_staff,
    )
    page = model_page(visible_model(request, slug), asked)
    return render(request, "leaderboard/model.html", {"page": page, "cite": cite(request, page)})


def cite(request: HttpRequest, page: ModelPage) -> Citations | None:
    """How to name the result that opens the page; None where the model stands in no ranking."""
    if page.current is None:
        return None
    return citations(
        model=str(page.model),
        slug=page.model.slug,
        result=cited(request, page.model, page.current),
        badge=address(request, "model-badge", page.model, page.current.key),
        results=[cited(request, page.model, row) for row in page.standings],
    )


def cited(request: HttpRequest, model: LanguageModel, row: StandingRow) -> Cited:
    return Cited(
        ranking=row.key,
        title=row.title,
        score=row.score,
        low=row.low,
        high=row.high,
        rank=row.rank_words,
        origin=row.origin,
        computed_on=row.computed_at.date(),
        address=address(request, "model", model, row.key),
    )


def address(request: HttpRequest, name: str, model: LanguageModel, ranking: str) -> str:
    """The absolute address of a model's page or badge in a ranking."""
    path_and_query = f"{reverse(name, args=[model.slug])}?{urlencode({'ranking': ranking})}"
    return request.build_absolute_uri(path_and_query)


@cache_control(public=True, max_age=BADGE_KEPT_SECONDS)
@conditional_page
@require_safe
def model_badge(request: HttpRequest, slug: str) -> HttpResponse:
    badge = badge_of(get_object_or_404(listed_models(), slug=slug), request.GET.get("ranking", ""))
    return render(request, "leaderboard/model_badge.svg", {"badge": badge}, content_type="image/svg+xml")


urlpatterns = [
    path("models/<slug:slug>/", model_detail, name="model"),
    path("models/<slug:slug>/badge.svg", model_badge, name="model-badge"),
]
