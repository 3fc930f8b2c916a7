"""How django-axes throttles the login of administrators: by which address it counts, and what a locked one reads."""

from collections.abc import Mapping

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard.submissions.limits import network_of

NO_ADDRESS = "::"  # a request without one, as over a unix socket without a trusted proxy: all of these count together


def network_address(request: HttpRequest) -> str:
    """The client's IPv4 address, or the first address of its IPv6 /64, behind so many proxies as are trusted."""
    network = network_of(request)
    return NO_ADDRESS if network == "unknown" else network.partition("/")[0]


def locked_out(
    request: HttpRequest, original: HttpResponse | None, credentials: Mapping[str, object] | None
) -> HttpResponse:
    """The same page whether or not there is such a user, with what to do."""
    wait = settings.AXES_COOLOFF_TIME
    context = {
        "title": "Log in later",
        "failures": settings.AXES_FAILURE_LIMIT,
        "minutes": round(wait.total_seconds() / 60),
        "site_header": "EQ Leaderboard",
    }
    response = render(request, "admin/locked.html", context, status=429)
    response["Retry-After"] = str(round(wait.total_seconds()))
    return response
