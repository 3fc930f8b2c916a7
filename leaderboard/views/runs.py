"""One run: its state while it works, its items, its manifest."""

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from evaluation.models import Run
from leaderboard.queries import items_page, manifest_of, run_page


def visible_run(request: HttpRequest, pk: int) -> Run:
    """The run, if it is public or a member of the staff asks; else 404, so that ids tell nothing."""
    runs = Run.objects.select_related("model", "bank")
    run = get_object_or_404(runs, pk=pk)
    if not run.published and not request.user.is_staff:
        raise Http404("not public")
    return run


@require_safe
def run_detail(request: HttpRequest, pk: int) -> HttpResponse:
    return render(request, "leaderboard/run.html", {"page": run_page(visible_run(request, pk))})


@never_cache
@require_safe
def run_live(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of the run page that renews itself. Once the run has ended, htmx loads the whole page a last time."""
    run = visible_run(request, pk)
    response = render(request, "leaderboard/_run_live.html", {"page": run_page(run)})
    if not run.is_open:
        response["HX-Refresh"] = "true"
    return response


@require_safe
def run_items(request: HttpRequest, pk: int) -> HttpResponse:
    run = visible_run(request, pk)
    only_unread = request.GET.get("show") == "unread"
    page = items_page(run, page=request.GET.get("page", ""), only_unread=only_unread)
    return render(request, "leaderboard/run_items.html", {"page": page})


@require_safe
def run_manifest(request: HttpRequest, pk: int) -> HttpResponse:
    manifest = manifest_of(visible_run(request, pk))
    headers = {"Content-Disposition": f'attachment; filename="run-{pk}-manifest.json"'}
    return JsonResponse(manifest, json_dumps_params={"indent": 2, "ensure_ascii": False}, headers=headers)


urlpatterns = [
    path("runs/<int:pk>/", run_detail, name="run"),
    path("runs/<int:pk>/live/", run_live, name="run-live"),
    path("runs/<int:pk>/items/", run_items, name="run-items"),
    path("runs/<int:pk>/manifest.json", run_manifest, name="run-manifest"),
]
