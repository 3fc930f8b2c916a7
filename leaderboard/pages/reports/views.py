"""A visitor reports a mistake on the page of a run or a model, or suggests a model. Staff find it in the admin."""

from django.forms import ModelForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from evaluation.models import Run
from leaderboard.models import Report
from leaderboard.pages.models.former_slugs import present_slugs
from leaderboard.pages.rankings.directory import title_of_run
from leaderboard.pages.shared.keeping import is_public
from leaderboard.pages.shared.refusing import refused_lately, too_many
from leaderboard.submissions.limits import network_of, take_turn
from leaderboard.submissions.listing import listed_models
from leaderboard.submissions.report_forms import MistakeForm, SuggestionForm

REPORTS_PER_ADDRESS = 5
WRONG_PER_ADDRESS = 20
OFTEN = "There were many reports from your network. Nothing was stored; try again in ten minutes."


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def report_run(request: HttpRequest, pk: int) -> HttpResponse:
    run = get_object_or_404(Run.objects.listed().select_related("model", "bank"), pk=pk)
    if not is_public(run):
        raise Http404("no such run")
    subject = f"Run {run.pk} of {run.model} on {title_of_run(run)}"
    report = Report(kind=Report.Kind.MISTAKE, run=run, model=run.model)
    return answered(request, MistakeForm(request.POST or None, instance=report), subject, reverse("run", args=[pk]))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def report_model(request: HttpRequest, slug: str) -> HttpResponse:
    """The form under a slug that the model had before, too: what was written while it was renamed is not lost."""
    slug = present_slugs([slug]).get(slug, slug)
    model = get_object_or_404(listed_models(), slug=slug)
    report = Report(kind=Report.Kind.MISTAKE, model=model)
    form = MistakeForm(request.POST or None, instance=report)
    return answered(request, form, str(model), reverse("model", args=[slug]))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def suggest(request: HttpRequest) -> HttpResponse:
    form = SuggestionForm(request.POST or None, instance=Report(kind=Report.Kind.SUGGESTION))
    return answered(request, form, "", reverse("submit"))


def answered(request: HttpRequest, form: "ModelForm[Report]", subject: str, back: str) -> HttpResponse:
    """The form; after a report that is in order, the page that says so."""
    status = 200
    if request.method == "POST":
        network = network_of(request)
        if refusal := refused_lately(network):
            return refusal
        good = form.is_valid()
        if not take_turn(
            "report" if good else "faulty-report", network, REPORTS_PER_ADDRESS if good else WRONG_PER_ADDRESS
        ):
            return too_many(request, OFTEN)
        if good:
            form.save()
            return redirect("reported")
        status = 422
    return render(request, "pages/reports/report.html", {"form": form, "subject": subject, "back": back}, status=status)


@require_safe
def reported(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/reports/reported.html")


urlpatterns = [
    path("report/runs/<int:pk>/", report_run, name="report-run"),
    path("report/models/<slug:slug>/", report_model, name="report-model"),
    path("report/thanks/", reported, name="reported"),
    path("suggest/", suggest, name="suggest"),
]
