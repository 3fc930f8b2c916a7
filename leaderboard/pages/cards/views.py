"""The pictures that go with a shared link, one for each model, run, pair of models, ranking and visitor's result.

A picture is made when a service first asks for it and kept as any page; its address holds a mark of what it says.
"""

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_safe

from evaluation.models import LanguageModel, Run
from leaderboard.drawings.card_words import Card
from leaderboard.pages.cards.words import model_card, pair_card, ranking_card, result_card, run_card
from leaderboard.pages.compare.page import CompareRequest, compare_page
from leaderboard.pages.compare.views import moved as moved_models
from leaderboard.pages.models.former_slugs import moved, present_slugs
from leaderboard.pages.models.page import standing_of
from leaderboard.pages.rankings.asked import RankingRequest
from leaderboard.pages.rankings.directory import figures_stamp, rankings_stamp
from leaderboard.pages.rankings.page import rankings_page
from leaderboard.pages.shared.warm import warm
from leaderboard.pages.you.views import outcome_of
from leaderboard.submissions.listing import listed_models


def png(request: HttpRequest, stamp: object, make: Callable[[], Card | HttpResponse]) -> HttpResponse:
    """The card as a PNG, which does not shrink any more; it is kept in memory as pages are. What is no card, such as a
    way to another address, is the answer as it is."""

    def answer() -> HttpResponse:
        card = make()
        if isinstance(card, HttpResponse):
            return card
        # Pillow and the font take time and memory: only a process that draws loads them.
        from leaderboard.drawings.cards import drawn  # noqa: PLC0415

        return HttpResponse(drawn(card, request.get_host()), content_type="image/png")

    return warm(request, stamp, answer)


@require_safe
def model_picture(request: HttpRequest, slug: str) -> HttpResponse:
    def make() -> Card | HttpResponse:
        model = listed_models().filter(slug=slug).first()
        if model is None:
            return moved(request, slug, "model-card", listed_models())
        return card_of_model(model, request.GET.get("ranking", ""))

    return png(request, rankings_stamp(), make)


def card_of_model(model: LanguageModel, ranking: str) -> Card:
    return model_card(str(model), model.slug, model.organisation, standing_of(model, ranking))


@require_safe
def run_picture(request: HttpRequest, pk: int) -> HttpResponse:
    run = get_object_or_404(Run.objects.listed().select_related("model", "bank"), pk=pk)
    if not run.bank.shows_items:
        raise Http404("runs on private banks have no page of their own")
    mark = (run.pk, run.status, run.score, run.n_scored, len(run.score_history), str(run.model), run.bank.title)
    return png(request, mark, lambda: run_card(run))


@require_safe
def pair_picture(request: HttpRequest) -> HttpResponse:
    asked = CompareRequest(models=tuple(request.GET.getlist("m")), ranking=request.GET.get("ranking", ""), search="")

    def make() -> Card | HttpResponse:
        page = compare_page(asked)
        if present := present_slugs(page.unknown):
            return moved_models(request, present, "pair-card")
        card = pair_card(page)
        if card is None:
            raise Http404("no such pair")
        return card

    return png(request, figures_stamp(), make)


@require_safe
def ranking_picture(request: HttpRequest, key: str) -> HttpResponse:
    def make() -> Card:
        page = rankings_page(key, RankingRequest(), timezone.now().date())
        if page is None:
            raise Http404("no such ranking")
        return ranking_card(page)

    return png(request, rankings_stamp(), make)


@require_safe
def result_picture(request: HttpRequest, token: str) -> HttpResponse:
    _, outcome = outcome_of(token)
    return png(request, (token, outcome), lambda: result_card(outcome))


urlpatterns = [
    path("cards/models/<slug:slug>.png", model_picture, name="model-card"),
    path("cards/runs/<int:pk>.png", run_picture, name="run-card"),
    path("cards/pair.png", pair_picture, name="pair-card"),
    path("cards/rankings/<slug:key>.png", ranking_picture, name="ranking-card"),
    path("cards/you/<str:token>.png", result_picture, name="you-card"),
]
