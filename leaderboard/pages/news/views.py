"""What is new on the board."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard.pages.news.page import KINDS, news_page
from leaderboard.pages.rankings.asked import day, word
from leaderboard.pages.rankings.directory import rankings_stamp
from leaderboard.pages.shared.warm import warm


@require_safe
def news(request: HttpRequest) -> HttpResponse:
    today = timezone.now().date()
    kind, since = word(request.GET, "kind", KINDS), day(request.GET.get("since", ""))

    def make() -> HttpResponse:
        return render(request, "pages/news/news.html", {"page": news_page(today, kind, since), "kinds": KINDS})

    stamp = rankings_stamp()  # an order is stored with its standings, and a correction changes them
    return warm(request, stamp and (*stamp, today), make)


urlpatterns = [path("new/", news, name="news")]
