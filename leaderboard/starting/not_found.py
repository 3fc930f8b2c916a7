"""The site's own page for an address that is not there, in development too.

Under DEBUG Django would list the patterns of addresses instead, which tells a visitor of `make run` nothing.
"""

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse
from django.views.defaults import page_not_found


def own_not_found(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """A middleware. What is no page of HTML, as an answer of the API, stays as it is."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_page = response.get("Content-Type", "").startswith("text/html")
        # The pages of raters have their own, which does not name the board.
        if response.status_code == 404 and is_page and not request.path.startswith("/rate/"):
            return page_not_found(request, Http404())
        return response

    return answer
