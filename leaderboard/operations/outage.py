"""A page that cannot be made while the database or the disk fails: one line in the log, and the site's own page.

Each visitor would leave a traceback of fifty lines otherwise, for as long as it lasts, and under DEBUG see it.
"""

import logging
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.views.defaults import server_error

from evaluation.database_faults import OTHER, public_reason

logger = logging.getLogger(__name__)
RETRY_SECONDS = 60


class OutageMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """None for what may be our own fault, which keeps its traceback. Pages of raters have words of their own."""
        why = public_reason(error)
        if why in ("", OTHER) or request.path.startswith("/rate/"):
            return None
        logger.error("%s could not be answered: %s", request.path, why)
        response = server_error(request)
        response.status_code = 503
        response["Retry-After"] = str(RETRY_SECONDS)
        return response
