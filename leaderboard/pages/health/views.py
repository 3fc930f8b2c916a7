"""What monitors ask: is the process alive, is the installation ready, how do its figures run."""

from ipaddress import ip_address

from django.conf import settings
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from evaluation import __version__
from leaderboard.operations.health import CHECKS, as_json, is_ready, readiness
from leaderboard.operations.metrics import registries

FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Via")
KEPT_SECONDS = 2  # so that whoever asks often does not make the broker answer as often
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """That this process answers. It asks nothing else, so a database that is away restarts no web process."""
    return JsonResponse({"alive": True, "version": __version__})


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """All checks, or those that `?check=` names. 503 where one fails."""
    names = frozenset(request.GET.getlist("check")) & CHECKS.keys()
    checks = cache.get_or_set(f"ready:{'-'.join(sorted(names))}", lambda: readiness(names), KEPT_SECONDS) or {}
    return JsonResponse(as_json(checks), status=200 if is_ready(checks) else 503)


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """For whoever bears METRICS_TOKEN; without one, for this machine alone. To others the page does not exist."""
    if not may_read_metrics(request):
        raise Http404("no metrics for this reader")
    text = b"".join(generate_latest(registry) for registry in registries())
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)


def may_read_metrics(request: HttpRequest) -> bool:
    if settings.METRICS_TOKEN:
        return constant_time_compare(request.headers.get("Authorization", ""), f"Bearer {settings.METRICS_TOKEN}")
    return is_local(request)


def is_local(request: HttpRequest) -> bool:
    """Whether nobody but this machine can have asked: a proxy on it would tell by its headers or by the host's name."""
    if settings.TRUSTED_PROXIES or any(name in request.headers for name in FORWARDED):
        return False
    host = request.get_host().rpartition(":")[0] or request.get_host()
    try:
        peer = ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return False
    return peer.is_loopback and (host in LOOPBACK_NAMES or request.get_host() in LOOPBACK_NAMES)


urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
]
