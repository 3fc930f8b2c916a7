"""How every answer of the API is written: strict JSON, with an ETag, 304 where the reader has it already."""

from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag
from ninja import NinjaAPI
from ninja.renderers import JSONRenderer

from evaluation.signs import escaped
from leaderboard.sharing.run_exports import finite

KEPT_SECONDS = 60


class StrictJson(JSONRenderer):
    """No NaN and no Infinity, which are no JSON; signs that cannot be seen as escapes, other characters as they are."""

    json_dumps_params = {"allow_nan": False, "ensure_ascii": False}

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> Any:
        return escaped(super().render(request, finite(data), response_status=response_status))


def _also_head(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """The view, which answers HEAD as it does GET: the server leaves the content out."""

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
        asked = request.method
        request.method = "GET" if asked == "HEAD" else asked
        try:
            return view(request, *args, **named)
        finally:
            request.method = asked

    return answered


class BoardApi(NinjaAPI):
    def __init__(self, **options: Any) -> None:
        super().__init__(renderer=StrictJson(), **options)

    def _get_urls(self) -> list[Any]:
        found = super()._get_urls()
        for pattern in found:
            if pattern.callback is not None:
                pattern.callback = _also_head(pattern.callback)
        return found

    def create_response(self, request: HttpRequest, data: Any, **options: Any) -> HttpResponse:
        response = super().create_response(request, data, **options)
        return conditional(request, response) if response.status_code == 200 else response


def conditional(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The response marked with what it holds, or 304 where the request names that mark. Any site may read it."""
    response["ETag"] = quote_etag(sha256(response.content).hexdigest()[:32])
    open_to_all(response)
    patch_cache_control(response, public=True, max_age=KEPT_SECONDS)
    return get_conditional_response(request, etag=response["ETag"], response=response) or response


def open_to_all(response: HttpResponse) -> HttpResponse:
    """The response with the header that lets scripts of any site read it, or follow it where it leads on."""
    response["Access-Control-Allow-Origin"] = "*"
    return response
