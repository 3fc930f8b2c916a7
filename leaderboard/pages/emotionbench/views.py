"""Pages of EmotionBench alone: all models by factor, models beside each other, the people, and the way to a plan."""

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.http import require_safe

from evaluation.benchmarks.emotionbench import EMOTION_BENCH
from evaluation.models import ItemBank
from leaderboard.pages.compare.views import moved
from leaderboard.pages.emotionbench.compare import compare_by_factor
from leaderboard.pages.emotionbench.page import emotion_ranking, heat_page, people_csv, people_page
from leaderboard.pages.models.former_slugs import present_slugs
from leaderboard.pages.rankings.page import Ranking, rankings_stamp
from leaderboard.pages.shared.warm import warm
from leaderboard.standings.keys import ranking_key


@require_safe
def factors(request: HttpRequest, key: str) -> HttpResponse:
    return _of_ranking(
        request, key, lambda ranking: render(request, "kinds/emotionbench/factors.html", {"page": heat_page(ranking)})
    )


@require_safe
def compare(request: HttpRequest, key: str) -> HttpResponse:
    def make(ranking: Ranking) -> HttpResponse:
        asked = request.GET.getlist("m")[:8]
        if present := present_slugs(asked):
            return moved(request, present, "emotion-compare", key)
        page = compare_by_factor(ranking, asked)
        return render(request, "kinds/emotionbench/compare.html", {"page": page})

    return _of_ranking(request, key, make)


def _of_ranking(request: HttpRequest, key: str, make: Callable[[Ranking], HttpResponse]) -> HttpResponse:
    def made() -> HttpResponse:
        ranking = emotion_ranking(key)
        if ranking is None:
            raise Http404("no ranking of EmotionBench")
        return make(ranking)

    return warm(request, rankings_stamp(), made)


@require_safe
def people(request: HttpRequest, slug: str) -> HttpResponse:
    page = people_page(slug)
    if page is None:
        raise Http404("no people of that bank")
    return render(request, "kinds/emotionbench/people.html", {"page": page})


@require_safe
def people_file(request: HttpRequest, slug: str) -> HttpResponse:
    content = people_csv(slug)
    if content is None:
        raise Http404("no people of that bank")
    name = f'attachment; filename="{slug}-people.csv"'
    return HttpResponse(content, content_type="text/csv; charset=utf-8", headers={"Content-Disposition": name})


@require_safe
def plan(request: HttpRequest, slug: str) -> HttpResponse:
    """The ranking of the plan that a form names."""
    bank = get_object_or_404(ItemBank, slug=slug, benchmark=EMOTION_BENCH.bank)
    chosen = request.GET.get("plan", "")
    if chosen not in EMOTION_BENCH.variants:
        raise Http404("no such plan")
    return redirect("ranking", ranking_key(bank.slug, bank.benchmark, EMOTION_BENCH.name, chosen))


urlpatterns = [
    path("emotionbench/<slug:key>/factors/", factors, name="emotion-factors"),
    path("emotionbench/<slug:key>/compare/", compare, name="emotion-compare"),
    path("emotionbench/<slug:slug>/people/", people, name="emotion-people"),
    path("emotionbench/<slug:slug>/people.csv", people_file, name="emotion-people-csv"),
    path("emotionbench/<slug:slug>/plan/", plan, name="emotion-plan"),
]
