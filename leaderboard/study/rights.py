"""Which right opens which of the operators' pages: docs/administration.md. Being staff opens nothing by itself."""

from collections.abc import Callable, Iterable

from django.contrib import admin
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse

from leaderboard.administration.rights import may
from leaderboard.administration.run_acts import note, who

__all__ = ["BUILD", "CREATE", "EXPORT", "IMPORT", "OPEN", "SEE", "for_operators", "log", "may"]
SEE = "study.view_study"
CREATE = "study.add_study"
BUILD = "study.change_study"
OPEN = "study.open_study"
IMPORT = "study.import_study"
EXPORT = "study.export_study"

View = Callable[..., HttpResponse]


def for_operators(view: View, *rights: str) -> View:
    """The view behind the login of the admin, with the CSRF check, never kept; 403 without these rights."""

    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if not request.user.has_perms(rights):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return admin.site.admin_view(guarded)


def log(request: HttpRequest, rows: Iterable[Model], text: str) -> User:
    """Writes an act of staff into the audit log, and says whose it was."""
    user = who(request)
    note(user, rows, text)
    return user
