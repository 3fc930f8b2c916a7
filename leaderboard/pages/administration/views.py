"""Pages of the administration that are no list of rows: the queue board, one act on a run, uploads, the audit log."""

from collections.abc import Callable
from datetime import date

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from evaluation.disclosure import sees_private
from evaluation.importers.eqbench_files import MAX_FILE_BYTES
from evaluation.models import Run
from leaderboard.administration.rights import ACT_ON_RUNS, SEE_RUNS
from leaderboard.administration.run_acts import ACTS, note, perform, who
from leaderboard.administration.unpacking import MEGABYTE, MOST_UNPACKED_BYTES
from leaderboard.administration.uploading import MOST_FILES, Preview, confirm, previews
from leaderboard.pages.administration.audit import KINDS, LAST_PAGE, audit_page
from leaderboard.pages.administration.queue_board import queue_board
from leaderboard.submissions.moderating import Refused

View = Callable[..., HttpResponse]
LONGEST_WORD = 100
MAY_SEE_SUBMISSIONS = "leaderboard.view_submission"


def for_staff(view: View, *rights: str) -> View:
    """The view behind the login of the admin, with the CSRF check, never kept; 403 without these rights."""

    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if not request.user.has_perms(rights):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return admin.site.admin_view(guarded)


def page(request: HttpRequest, template: str, title: str, **context: object) -> HttpResponse:
    return TemplateResponse(request, template, {**admin.site.each_context(request), "title": title, **context})


@require_safe
def queue(request: HttpRequest) -> HttpResponse:
    may = {"may_act": request.user.has_perm(ACT_ON_RUNS), "may_decide": request.user.has_perm(MAY_SEE_SUBMISSIONS)}
    board = queue_board(private=sees_private(request.user))
    return page(request, "administration/admin_queue.html", "Queue", board=board, **may)


@require_POST
def act(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    """One act on one run, then back to where the button stood."""
    if name not in ACTS:
        raise Http404("no such act")
    runs = Run.objects.all() if sees_private(request.user) else Run.objects.shown()
    run = get_object_or_404(runs.select_related("endpoint", "model", "bank"), pk=pk)
    try:
        messages.success(request, perform(name, run, who(request)))
    except Refused as refusal:
        messages.warning(request, str(refusal))
    return HttpResponseRedirect(back(request))


def back(request: HttpRequest) -> str:
    """Where the form says it stood, if that is on this site; else the queue board."""
    asked = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(asked, {request.get_host()}, require_https=request.is_secure()):
        return asked
    return reverse("admin-queue")


def import_results(request: HttpRequest) -> HttpResponse:
    """The form; a POST with files answers with what each would do, and writes nothing that counts."""
    lines: list[Preview] = []
    error = ""
    if request.method == "POST":
        files = request.FILES.getlist("files")
        error = "" if 0 < len(files) <= MOST_FILES else f"Choose one to {MOST_FILES} files."
        if not error:
            lines = previews(
                files, who(request), configuration=_configuration(request), new_model="new_model" in request.POST
            )
    context = {
        "lines": lines,
        "error": error,
        "configuration": _configuration(request),
        "limit_mb": MAX_FILE_BYTES // MEGABYTE,
        "all_mb": MOST_UNPACKED_BYTES // MEGABYTE,
        "most": MOST_FILES,
        "n_new": sum(line.verdict == "created" for line in lines),
    }
    return page(request, "administration/admin_import.html", "Import results", **context)


def _configuration(request: HttpRequest) -> str:
    return request.POST.get("configuration", "").strip()


@require_POST
def import_confirmed(request: HttpRequest) -> HttpResponse:
    ids = [int(text) for text in request.POST.getlist("upload") if text.isascii() and text.isdigit() and len(text) < 19]
    done = confirm(ids, who(request), configuration=_configuration(request))
    for line in done:
        level = messages.SUCCESS if line.verdict == "created" else messages.WARNING
        messages.add_message(request, level, f"{line.sentence} ({line.file_name})")
    if not done:
        messages.warning(request, "There was nothing left to import: it was imported already, or a day has passed.")
    note(
        who(request),
        Run.objects.filter(pk__in=[x.upload for x in done if x.verdict == "created"]),
        "Imported by upload.",
    )
    return redirect("admin-import")


@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    allowed = {name: kind for name, kind in KINDS.items() if request.user.has_perm(kind.right)}
    if not allowed:
        raise PermissionDenied
    kind = request.GET.get("kind", "")
    word = request.GET.get("word", "").replace("\0", "").strip()[:LONGEST_WORD]
    day = iso_day(request.GET.get("day", ""))
    found = audit_page({kind} if kind in allowed else allowed, word=word, day=day, number=number_of(request))
    context = {"page": found, "kinds": allowed, "kind": kind, "word": word, "day": day}
    return page(request, "administration/admin_audit.html", "Audit log", **context)


def number_of(request: HttpRequest) -> int:
    """The page that the address names; 1 for what is no number."""
    text = request.GET.get("page", "")
    return min(int(text), LAST_PAGE) if text.isascii() and text.isdigit() and len(text) <= 6 else 1


def iso_day(text: str) -> str:
    """The day as it stands, or "" for what is none."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return ""


urlpatterns = [
    path("admin/queue/", for_staff(queue, SEE_RUNS), name="admin-queue"),
    path("admin/runs/<int:pk>/<slug:name>/", for_staff(act, ACT_ON_RUNS), name="admin-act"),
    path("admin/import/", for_staff(import_results, "evaluation.add_run"), name="admin-import"),
    path("admin/import/confirmed/", for_staff(import_confirmed, "evaluation.add_run"), name="admin-import-confirmed"),
    path("admin/audit/", for_staff(audit), name="admin-audit"),
]
