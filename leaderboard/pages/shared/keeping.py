"""How long a reader may keep an answer. What a public, ended run gives never changes but by a correction."""

from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from typing import TypeVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import http_date, quote_etag

from evaluation.models import Run
from leaderboard.site_version import SITE_VERSION

KEPT_SECONDS = 300
Answer = TypeVar("Answer", bound=HttpResponseBase)


def is_kept(run: Run) -> bool:
    return is_public(run) and not run.is_open


def is_public(run: Run) -> bool:
    return run.published and run.bank.shows_items


def changed_at(run: Run) -> datetime | None:
    """When the run's numbers last changed: its end or its newest correction."""
    corrections = [datetime.fromisoformat(entry["replaced_at"]) for entry in run.score_history]
    return max([*corrections, *filter(None, [run.finished_at])], default=None)


def etag_of(run: Run) -> str:
    """A mark of all that a file of the run can depend on, from columns that are at hand."""
    parts = (
        SITE_VERSION, run.pk, run.status, run.score, run.figures, run.scorer_version, len(run.score_history),
        run.n_scored, run.model.name, run.bank.sha256, run.bank.access, run.replies_erased_at,
    )  # fmt: skip
    return quote_etag(sha256(repr(parts).encode()).hexdigest()[:32])


def kept(request: HttpRequest, run: Run, answer: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """The answer with ETag and Last-Modified, or 304 without making it. Open and hidden runs are never kept."""
    if not is_kept(run):
        return marked(answer(), run)
    at = changed_at(run)
    seconds = None if at is None else int(at.timestamp())
    response = get_conditional_response(request, etag=etag_of(run), last_modified=seconds) or answer()
    response["ETag"] = etag_of(run)
    if at is not None:
        response["Last-Modified"] = http_date(at.timestamp())
    return marked(response, run)


def for_staff_alone(response: Answer) -> Answer:
    """The response with the buttons of staff on it: nobody but this browser may have it, and not twice."""
    patch_cache_control(response, private=True, no_store=True)
    return response


def marked(response: Answer, run: Run, *, staff: bool = False) -> Answer:
    """The response with the run's Cache-Control; a page with the buttons of staff is never kept."""
    if staff:
        for_staff_alone(response)
    elif is_kept(run):
        patch_cache_control(response, public=True, max_age=KEPT_SECONDS)
    elif is_public(run):
        patch_cache_control(response, no_cache=True)
    else:
        patch_cache_control(response, private=True, no_store=True)
    return response
