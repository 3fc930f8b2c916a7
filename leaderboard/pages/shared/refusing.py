"""Refusing whoever sends more than this server can make pages for: a refusal must cost far less than a page."""

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard.submissions.limits import network_of

KEPT_SECONDS = 2  # for so long a process refuses a network again without asking the database
PAGE, PANEL = "page", "panel"
"""What a refusal stands on: a page of its own, or the panel of a form that htmx asked for."""


def too_many(request: HttpRequest, sentence: str) -> HttpResponse:
    """A short page with status 429. Further posts of this network get the same for a moment (`refused_lately`)."""
    response = render(request, "pages/shared/too_many.html", {"sentence": sentence}, status=429)
    return kept(network_of(request), response)


def kept(network: str, response: HttpResponse, on: str = PAGE) -> HttpResponse:
    """The refusal, which further posts of this network get for a moment."""
    cache.set(_name(network, on), (response.content, response.status_code), KEPT_SECONDS)
    return response


def refused_lately(network: str, on: str = PAGE) -> HttpResponse | None:
    """The refusal that this network got from this process a moment ago, if any."""
    found: tuple[bytes, int] | None = cache.get(_name(network, on))
    return None if found is None else HttpResponse(found[0], status=found[1])


def _name(network: str, on: str) -> str:
    return f"refused:{on}:{network}"
