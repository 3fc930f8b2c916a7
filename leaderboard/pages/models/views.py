"""One model: its page, the numbers of its drawings, and its badge."""

from dataclasses import replace
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page, require_safe

from evaluation.models import LanguageModel
from leaderboard.administration.rights import ACT_ON_RUNS, SEE_MODELS, SEE_RUNS, may
from leaderboard.administration.run_acts import staff_part
from leaderboard.pages.cards.links import CardLink, link_to
from leaderboard.pages.cards.words import model_card
from leaderboard.pages.models.former_slugs import moved
from leaderboard.pages.models.page import ModelPage, ModelRequest, badge_of, looked_up, model_page
from leaderboard.pages.models.standing import StandingRow
from leaderboard.pages.rankings.directory import Ranking
from leaderboard.pages.shared.warm import warm
from leaderboard.sharing.citations import Citations, Cited, citations
from leaderboard.sharing.citing import as_of_address
from leaderboard.sharing.model_tables import TABLES, as_csv
from leaderboard.submissions.listing import listed_models

BADGE_KEPT_SECONDS = 600


def visible_models(request: HttpRequest) -> QuerySet[LanguageModel]:
    """The listed models; all of them for whoever may see hidden ones."""
    return LanguageModel.objects.all() if may(request, SEE_MODELS) else listed_models()


@require_safe
def model_detail(request: HttpRequest, slug: str) -> HttpResponse:
    asked = asked_of(request)
    looked = looked_up(slug, hidden=may(request, SEE_RUNS))

    def make() -> HttpResponse:
        model = visible_models(request).filter(slug=slug).first()
        if model is None:
            return moved(request, slug, "model", visible_models(request))
        page = model_page(model, asked, looked)
        staff = staff_part(request, [row.run for group in page.replicates for row in group.runs])
        context = {"page": page, "cite": cite(request, page), "staff": staff, "card_link": card_link(page)}
        return render(request, "pages/models/model.html", context)

    return warm(request, looked.stamp, make, own=sees_more(request))


def sees_more(request: HttpRequest) -> bool:
    """Whether a model's page shows this reader hidden rows or buttons."""
    return any(may(request, right) for right in (SEE_RUNS, SEE_MODELS, ACT_ON_RUNS))


def asked_of(request: HttpRequest) -> ModelRequest:
    return ModelRequest(*(request.GET.get(name, "") for name in ("ranking", "run", "page")))


@require_safe
def model_table(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """What one drawing of the page shows in the ranking that the address names; a header alone where there is none."""
    if name not in TABLES:
        raise Http404("no such table")
    looked = looked_up(slug, hidden=may(request, SEE_RUNS))

    def make() -> HttpResponse:
        model = visible_models(request).filter(slug=slug).first()
        if model is None:
            return moved(request, slug, "model-table", visible_models(request), name)
        text = as_csv(TABLES[name], model_page(model, asked_of(request), looked))
        return HttpResponse(text, content_type="text/csv; charset=utf-8")

    response = warm(request, looked.stamp, make, own=sees_more(request))
    response["Content-Disposition"] = f'attachment; filename="{slug}-{name}.csv"'
    return response


def card_link(page: ModelPage) -> CardLink | None:
    """The card of the result that opens the page."""
    card = model_card(str(page.model), page.model.slug, page.model.organisation, page.current)
    return link_to(card, "model-card", page.model.slug, ranking=page.current.key) if page.current else None


def cite(request: HttpRequest, page: ModelPage) -> Citations | None:
    """How to name the result that opens the page; None where the model stands in no ranking."""
    if page.current is None:
        return None
    return citations(
        model=str(page.model),
        slug=page.model.slug,
        result=with_sources(cited(request, page.model, page.current), page.current, page.ranking),
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
        as_of="" if row.is_private else as_of_address(request, row.key, row.computed_at.date()),
        approximate=row.approximate,
        digits=row.digits,
        unit=row.unit,
    )


def with_sources(result: Cited, row: StandingRow, ranking: Ranking | None) -> Cited:
    """The result with what made it: runs, scorer and items."""
    same = ranking if ranking is not None and ranking.key == row.key else None
    return replace(
        result,
        run_ids=row.run_ids,
        other_settings=row.other_settings,
        scorer_version=row.scorer_version,
        bank=row.key,
        bank_sha256=same.bank_sha256 if same and row.run_ids else "",
        paper=same.citation if same else "",
    )


def address(request: HttpRequest, name: str, model: LanguageModel, ranking: str) -> str:
    """The absolute address of a model's page or badge in a ranking."""
    path_and_query = f"{reverse(name, args=[model.slug])}?{urlencode({'ranking': ranking})}"
    return request.build_absolute_uri(path_and_query)


@cache_control(public=True, max_age=BADGE_KEPT_SECONDS)
@conditional_page
@require_safe
def model_badge(request: HttpRequest, slug: str) -> HttpResponse:
    model = listed_models().filter(slug=slug).first()
    if model is None:
        return moved(request, slug, "model-badge", listed_models())
    badge = badge_of(model, request.GET.get("ranking", ""))
    return render(request, "pages/models/model_badge.svg", {"badge": badge}, content_type="image/svg+xml")


urlpatterns = [
    path("models/<slug:slug>/", model_detail, name="model"),
    path("models/<slug:slug>/<slug:name>.csv", model_table, name="model-table"),
    path("models/<slug:slug>/badge.svg", model_badge, name="model-badge"),
]
