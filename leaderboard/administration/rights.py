"""What a right opens on pages that visitors see too: docs/administration.md. Being staff opens nothing by itself."""

from django.contrib.auth.models import User
from django.http import HttpRequest

SEE_RUNS = "evaluation.view_run"
SEE_MODELS = "evaluation.view_languagemodel"
ACT_ON_RUNS = "evaluation.change_run"
DECIDE = "leaderboard.change_submission"


def may(request: HttpRequest, right: str) -> bool:
    """Whether a member of the staff with this right asks. No query for a visitor."""
    return request.user.is_staff and request.user.has_perm(right)


def acting_staff(request: HttpRequest) -> User | None:
    """The member of the staff who is logged in, whatever rights they have: what they do is written as done by staff."""
    return request.user if isinstance(request.user, User) and request.user.is_staff else None
