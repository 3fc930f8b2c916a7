"""Refusing whoever sends more than this server can make pages for: a refusal must cost far less than a page."""

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard.submissions.limits import network_of

KEPT_SECONDS = 2  # for so long a process refuses a network again without asking the database


def too_many(request: HttpRequest, sentence: str) -> HttpResponse:
    """A short page with status 429. Further posts of this network get the same for a moment (`refused_lately`)."""
    response = render(request, "leaderboard/too_many.html", {"sentence": sentence}, status=429)
    cache.set(_name(network_of(request)), response.content, KEPT_SECONDS)
    return response


def refused_lately(network: str) -> HttpResponse | None:
    """The refusal that this network got from this process a moment ago, if any."""
    content: bytes | None = cache.get(_name(network))
    return None if content is None else HttpResponse(content, status=429)


def _name(network: str) -> str:
    return f"refused:{network}"
