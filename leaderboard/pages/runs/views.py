"""One run: its state while it works, its items, its manifest, and all of it as files.

Each stands at two addresses: the public one, and one under the token of its submission, whose holder sees the run
whether it is listed or not.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import path, reverse
from django.utils.http import content_disposition_header
from django.views.decorators.cache import never_cache
from django.views.decorators.http import conditional_page, require_safe

from evaluation.disclosure import manifest_of, replies_of, sees_private
from evaluation.models import Run
from leaderboard.administration.rights import SEE_RUNS, may
from leaderboard.administration.run_acts import staff_part
from leaderboard.pages.cards.links import link_to
from leaderboard.pages.cards.words import run_card
from leaderboard.pages.runs.page import Way, items_page, run_page
from leaderboard.pages.shared.keeping import is_public, kept, marked
from leaderboard.pages.submissions.views import hidden
from leaderboard.sharing.citing import cite_run
from leaderboard.sharing.run_exports import FORMATS, json_text
from leaderboard.sharing.run_replies import has_replies, reply_lines
from leaderboard.standings.vouchers import with_voucher

JSON_LINES = "application/jsonl; charset=utf-8"
MOST_REPEATS = 32_767  # what the column holds


def visible_run(request: HttpRequest, pk: int, token: str) -> Run:
    """The run, if it is public, the token is of its submission, or whoever asks may see hidden runs.

    Else 404, so that ids tell nothing.
    """
    runs = with_voucher(Run.objects.select_related("model", "bank", "parent"))
    if not sees_private(request.user):
        runs = runs.shown()
    if token:
        return get_object_or_404(runs, pk=pk, submissions__token=token)
    run = get_object_or_404(runs, pk=pk)
    if not run.published and not may(request, SEE_RUNS):
        raise Http404("not public")
    return run


def way_of(pk: int, token: str) -> Way:
    if not token:
        return Way(reverse("run", args=[pk]))
    return Way(reverse("submission-run", args=[token, pk]), reverse("submission", args=[token]))


@conditional_page
@require_safe
def run_detail(request: HttpRequest, pk: int, token: str = "") -> HttpResponse:
    """The page; `?still=1` asks for one that does not renew itself."""
    run = visible_run(request, pk, token)
    staff = staff_part(request, [run])
    context: dict[str, Any] = {
        "page": run_page(run, way_of(pk, token)),
        "staff": staff,
        "still": request.GET.get("still") == "1",
    }
    context["replies"] = has_replies(run)
    context["card_link"] = link_to(run_card(run), "run-card", run.pk) if is_public(run) and not token else None
    context["cite"] = "" if token else cite_run(request, run)
    response = render(request, "pages/runs/run.html", context)
    return marked(response, run, staff=staff is not None)


@never_cache
@require_safe
def run_live(request: HttpRequest, pk: int, token: str = "") -> HttpResponse:
    """The part of the run page that renews itself. Once the run has ended, htmx loads the whole page a last time."""
    run = visible_run(request, pk, token)
    response = render(request, "pages/runs/_run_live.html", {"page": run_page(run, way_of(pk, token))})
    if not run.is_open:
        response["HX-Refresh"] = "true"
    return response


@conditional_page
@require_safe
def run_items(request: HttpRequest, pk: int, token: str = "") -> HttpResponse:
    run = visible_run(request, pk, token)
    only_unread = request.GET.get("show") == "unread"
    page = items_page(
        run,
        way_of(pk, token),
        page=request.GET.get("page", ""),
        only_unread=only_unread,
        item=request.GET.get("item", "")[:64].replace("\0", ""),
    )
    return marked(render(request, "pages/runs/run_items.html", {"page": page}), run)


@require_safe
def run_manifest(request: HttpRequest, pk: int, token: str = "") -> HttpResponseBase:
    run = visible_run(request, pk, token)
    headers = {"Content-Disposition": f'attachment; filename="run-{pk}-manifest.json"'}

    def answer() -> HttpResponse:
        return HttpResponse(json_text(manifest_of(run), indent=2), content_type="application/json", headers=headers)

    return kept(request, run, answer)


@require_safe
def run_file(request: HttpRequest, pk: int, kind: str, token: str = "") -> HttpResponseBase:
    """All items of a run as one of FORMATS."""
    run = visible_run(request, pk, token)
    make, content_type = FORMATS[kind]
    headers = {"Content-Disposition": f'attachment; filename="run-{pk}-items.{kind}"'}
    return kept(request, run, lambda: HttpResponse(make(run), content_type=content_type, headers=headers))


@require_safe
def run_reply(request: HttpRequest, pk: int, item_id: str, token: str = "") -> HttpResponseBase:
    """One stored reply as it came, whole: of the repeat that `?repeat=` names, or its reasoning by `?of=reasoning`."""
    run = visible_run(request, pk, token)
    if not run.bank.shows_texts:
        raise Http404("not public")
    of = "reasoning" if request.GET.get("of") == "reasoning" else "text"
    repeat = repeat_of(request)
    item_id = item_id.replace("\0", "")  # which PostgreSQL takes in no text
    replies = replies_of(run).filter(result__item__item_id=item_id, result__repeat=repeat)
    name = f"run-{pk}-item-{item_id}-repeat-{repeat}{'-reasoning' if of == 'reasoning' else ''}.txt"
    return kept(request, run, lambda: text_file(getattr(get_object_or_404(replies), of), name))


@require_safe
def run_replies(request: HttpRequest, pk: int, token: str = "") -> HttpResponseBase:
    """All stored replies as JSON lines, sent as they are read: all of them together may be larger than the memory."""
    run = visible_run(request, pk, token)
    if not run.bank.shows_texts:
        raise Http404("not public")
    headers = {"Content-Disposition": f'attachment; filename="run-{pk}-replies.jsonl"'}
    return kept(request, run, lambda: StreamingHttpResponse(reply_lines(run), content_type=JSON_LINES, headers=headers))


def repeat_of(request: HttpRequest) -> int:
    """The repeat that the address names; 1 where it names none that can be."""
    text = request.GET.get("repeat", "")
    known = text.isascii() and text.isdigit() and len(text) <= 5
    return min(max(int(text), 1), MOST_REPEATS) if known else 1


def text_file(text: str, name: str) -> HttpResponse:
    disposition = content_disposition_header(as_attachment=True, filename=name) or "attachment"
    headers = {"Content-Disposition": disposition, "X-Content-Type-Options": "nosniff"}
    return HttpResponse(text, content_type="text/plain; charset=utf-8", headers=headers)


def for_its_submitter(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """The view as it answers under a token: kept by nobody, and out of search engines."""

    @never_cache
    @wraps(view)
    def answer(request: HttpRequest, **wanted: Any) -> HttpResponseBase:
        return hidden(view(request, **wanted))

    return answer


# What follows the address of a run: the rest of the path, the view, what the view is told besides, the name.
PARTS: tuple[tuple[str, Callable[..., HttpResponseBase], dict[str, str], str], ...] = (
    ("", run_detail, {}, "run"),
    ("live/", run_live, {}, "run-live"),
    ("items/", run_items, {}, "run-items"),
    ("manifest.json", run_manifest, {}, "run-manifest"),
    ("replies/<path:item_id>.txt", run_reply, {}, "run-reply"),
    ("replies.jsonl", run_replies, {}, "run-replies"),
    *((f"items.{kind}", run_file, {"kind": kind}, f"run-items-{kind}") for kind in FORMATS),
)

urlpatterns = [
    *(path(f"runs/<int:pk>/{rest}", view, told, name=name) for rest, view, told, name in PARTS),
    *(
        path(f"submissions/<slug:token>/runs/<int:pk>/{rest}", for_its_submitter(view), told, name=f"submission-{name}")
        for rest, view, told, name in PARTS
    ),
]
