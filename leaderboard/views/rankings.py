"""The ranked tables."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from leaderboard.queries import RankingRequest, rankings_page


@require_safe
def rankings(request: HttpRequest, key: str | None = None) -> HttpResponse:
    asked = RankingRequest(
        sort=request.GET.get("sort", ""),
        search=request.GET.get("q", "")[:120],
        page=request.GET.get("page", ""),
        demo="demo" in request.GET,
    )
    page = rankings_page(key, asked)
    if page is None:
        raise Http404("no such ranking")
    return render(request, "leaderboard/rankings.html", {"page": page})


urlpatterns = [
    path("", rankings, name="home"),
    path("rankings/<slug:key>/", rankings, name="ranking"),
]
