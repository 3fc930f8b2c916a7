"""How django-axes throttles the login of administrators: by which address it counts, and what a locked one reads."""

from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.helpers import get_client_username
from axes.models import AccessAttempt
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard.submissions.limits import counted_networks, network_of

NO_ADDRESS = "::"  # a request without one, as over a unix socket without a trusted proxy: all of these count together


def network_address(request: HttpRequest) -> str:
    """The client's IPv4 address, or the first address of its IPv6 /64, behind so many proxies as are trusted."""
    network = network_of(request)
    return NO_ADDRESS if network == "unknown" else network.partition("/")[0]


class NetworkHandler(AxesDatabaseHandler):  # type: ignore[misc]
    """Counts failures by name and network as axes does, and those of a name by the wider IPv6 networks as well."""

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        """Those of the network, or a wider one's divided by how many times the limit it has, whichever is more."""
        own: int = super().get_failures(request, credentials)
        _, *wider = counted_networks(network_of(request))
        if not wider:
            return own
        failures = AccessAttempt.objects.filter(
            username=get_client_username(request, credentials), attempt_time__gte=get_cool_off_threshold(request)
        ).values_list("ip_address", "failures_since_start")
        return max(own, *(_within(network, list(failures)) // times for network, times in wider))


def _within(network: str, failures: list[tuple[str | None, int]]) -> int:
    """How many of the failures came from inside the network."""
    wide = ip_network(network)
    return sum(n for address, n in failures if address and ip_address(address) in wide)


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
