"""Pages that are the same for everybody until a result changes: kept ready in memory, compressed, with an ETag."""

import gzip
import re
from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.http import quote_etag

from leaderboard.pages.shared.keeping import for_staff_alone
from leaderboard.pages.shared.stalls import stalled_line
from leaderboard.site_version import SITE_VERSION

KEPT_SECONDS = 60  # a page that nobody asks for makes room; stamps tell what has changed
LEVEL = 5  # of compression: higher ones take longer and save little
GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))")


class Ready(NamedTuple):
    """An answer as it is kept."""

    body: bytes
    content_type: str


def warm(request: HttpRequest, stamp: object, make: Callable[[], HttpResponse], *, own: bool = False) -> HttpResponse:
    """The answer to a request that depends on its address and on what `stamp` marks; 304 where the reader has it.

    A site without a stamp (None) makes its answer each time. So does a page that shows this reader more than a visitor
    (`own`), and nobody but their browser may have it. A session cookie alone changes nothing: anybody can send one.
    """
    if own:
        return for_staff_alone(make())
    # The middleware of sessions would delete a cookie that it does not know, and mark the answer as depending on it.
    request.COOKIES.pop(settings.SESSION_COOKIE_NAME, None)
    if stamp is None:
        response = make()
        patch_cache_control(response, no_cache=True)
        return response
    # What all pages carry is part of what the reader has: without it a 304 would keep an old line or link.
    carried = (SITE_VERSION, stalled_line(), settings.CONTACT, settings.SOURCE_URL)
    mark = sha256(repr((*carried, request.build_absolute_uri(), stamp)).encode()).hexdigest()[:32]
    etag = quote_etag(mark)
    response = get_conditional_response(request, etag=etag) or ready_response(request, f"warm:{mark}", make)
    if response.status_code in {200, 304}:
        response["ETag"] = etag
        patch_cache_control(response, no_cache=True)
        patch_vary_headers(response, ["Accept-Encoding"])
    return response


def ready_response(request: HttpRequest, key: str, make: Callable[[], HttpResponse]) -> HttpResponse:
    """The kept answer, made now where there is none; only complete ones (200) are kept."""
    ready: Ready | None = cache.get(key)
    if ready is None:
        response = make()
        if response.status_code != 200:
            return response
        ready = Ready(gzip.compress(response.content, LEVEL, mtime=0), response["Content-Type"])
        cache.set(key, ready, KEPT_SECONDS)
    if GZIP.search(request.headers.get("Accept-Encoding", "")):
        headers = {"Content-Encoding": "gzip"}
        return HttpResponse(ready.body, content_type=ready.content_type, headers=headers)
    return HttpResponse(gzip.decompress(ready.body), content_type=ready.content_type)
