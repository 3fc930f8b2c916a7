"""Submitting a model: the form, and the dry run that a button of it asks for."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluation.endpoints.address import locate
from evaluation.outbound import guard_from_settings
from leaderboard.forms import SubmissionForm
from leaderboard.models import Submission, new_token
from leaderboard.pages.shared.refusing import PAGE, PANEL, kept, refused_lately, too_many
from leaderboard.pages.submissions.queueing import Place, place_if_sent
from leaderboard.pages.submissions.views import hidden
from leaderboard.pages.submit.known_models import known_model, known_names
from leaderboard.submissions.again import form_again
from leaderboard.submissions.dry_run_cost import span_of_time
from leaderboard.submissions.dry_run_plan import plan_of, scope_of
from leaderboard.submissions.dry_run_progress import dry_run_watched, progress_of
from leaderboard.submissions.dry_run_report import Report, report, together
from leaderboard.submissions.giving_way import Waiting
from leaderboard.submissions.limits import network_of, take_turn, widest_network
from leaderboard.submissions.places import address_refusal, bounded_lookup, name_refusal, waiting_place
from leaderboard.submissions.submitting import AlreadyOpen, QuotaUsedUp, Wanted, check_quota, submit

SALT = "leaderboard.dry-run"
PROOF_SECONDS = 3600
MOST_REMEMBERED = 50
TICKET = re.compile(r"[A-Za-z0-9_-]{22}")
BUSY = (
    "A dry run from your network or to this endpoint is already running, or too many others are. Nothing was "
    "sent; try again in a minute."
)
GAVE_WAY = (
    "Your dry run was stopped before it ended, because others were waiting and your network had taken the most time. "
    "Try again in a minute, or submit without a dry run."
)
OFTEN = "Too many dry runs from your network or to this endpoint. Nothing was sent; try again in ten minutes."
OFTEN_SENT = "Too many submissions from your network. Nothing was sent; try again in ten minutes."
OFTEN_WRONG = "Too many forms with errors from your network. Nothing was sent; try again in ten minutes."
FIRST_OF_A_NETWORK = 2  # dry runs of one host
FAULTY_FORMS = 2  # times DRY_RUNS_PER_ADDRESS: nobody needs so many tries, and each costs as much as a page


@dataclass(frozen=True, slots=True)
class Queue:
    """The place that the run would have if it were sent now, in words."""

    ahead: str
    starts: str


@dataclass(frozen=True, slots=True)
class DryRun:
    """What the panel shows: a report with its proof, or why nothing was asked. `report` says whether all benchmarks
    passed, `reports` has one for each that was asked, `unasked` names the others. `quota` says that it is used up."""

    report: Report | None = None
    reports: tuple[Report, ...] = ()
    unasked: tuple[str, ...] = ()
    proof: str = ""
    queue: Queue | None = None
    quota: str = ""
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Twin:
    """An open submission that asks the same; `token` is known to the browser that sent it, and "" to others."""

    sent_at: Any
    token: str


@never_cache
@sensitive_post_parameters("key")
@sensitive_variables("form", "wanted")
@require_http_methods(["GET", "HEAD", "POST"])
def submit_model(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return page(request, SubmissionForm(initial={"name": request.GET.get("model", "")[:120]}))
    network = network_of(request)
    if refusal := refused_lately(network):  # before the form is made, which is most of the work
        return refusal
    form = SubmissionForm(request.POST)
    if refusal := refused(request, form, network):
        return refusal
    wanted = form.wanted()
    try:
        proof, ticket = proven(request, wanted), ticket_in(request)
        sent = submit(wanted, owner=network, site=site_of(request), dry_run=proof, ticket=ticket)
    except AlreadyOpen as error:
        return page(request, form, twin=twin_of(request, error), status=409)
    except QuotaUsedUp as error:
        return page(request, form, refusal=str(error), status=429)
    remember(request, sent.token)
    return redirect("submission", token=sent.token)


@sensitive_variables("form", "wanted")
def refused(request: HttpRequest, form: SubmissionForm, network: str) -> HttpResponse | None:
    """The answer to a form that has a fault or comes too often; a look-up of its name comes last, after the turn."""
    form.ask_for_consent()
    if not form.is_valid():
        return page(request, form, status=422) if may_be_wrong(network) else too_many(request, OFTEN_WRONG)
    wanted = form.wanted()
    if not take_turn("submission", network, settings.DRY_RUNS_PER_ADDRESS):
        return too_many(request, OFTEN_SENT)
    if sentence := name_refusal(wanted.base_url, network, has_key=bool(wanted.key)):
        form.add_error("base_url", sentence)
        return page(request, form, status=422)
    return None


@never_cache
@require_safe
def submit_again(request: HttpRequest, token: str) -> HttpResponse:
    """The form as it was sent, for whoever knows the submission's address; without its key, mail address and consent,
    which are given anew."""
    found = get_object_or_404(Submission, token=token)
    return hidden(page(request, SubmissionForm(initial=form_again(found.request)), again=found))


@never_cache
@sensitive_post_parameters("key")
@sensitive_variables("form", "wanted")
@require_POST
def dry_run_model(request: HttpRequest) -> HttpResponse:
    """The panel alone for htmx; without JavaScript the whole form again, with the panel in it."""
    network, by_htmx = network_of(request), bool(request.headers.get("HX-Request"))
    if refusal := refused_lately(network, PANEL if by_htmx else PAGE):
        return refusal
    form = SubmissionForm(request.POST)
    found: DryRun | None = DryRun(trouble=OFTEN_WRONG)
    if form.is_valid():
        found = tried(request, form)
    elif may_be_wrong(network):
        found = None
    if by_htmx:
        context = {"form": form, "dry_run": found, "dry_run_asked": True, "checked": True}
        panel = render(request, "pages/submit/_dry_run.html", context)
        return kept(network, panel, PANEL) if found and found.trouble in {OFTEN, OFTEN_WRONG} else panel
    if found and found.trouble == OFTEN_WRONG:
        return too_many(request, OFTEN_WRONG)
    return page(request, form, dry_run=found, dry_run_asked=True, status=200 if found else 422)


@never_cache
@require_safe
def dry_run_progress(request: HttpRequest, name: str) -> JsonResponse:
    """What a dry run is doing at this moment, for the page that waits for it."""
    return JsonResponse({"asking": progress_of(name)})


def may_be_wrong(network: str) -> bool:
    """Whether a form with a fault from this network gets the whole page again; the view then need not make it."""
    return take_turn("faulty-form", network, FAULTY_FORMS * settings.DRY_RUNS_PER_ADDRESS)


def tried(request: HttpRequest, form: SubmissionForm) -> DryRun | None:
    """The dry run of a form that is in order, unless there were too many. None where its address is refused, which the
    form then says."""
    network = network_of(request)
    host = locate(form.wanted().base_url).name
    mine = take_turn("dry-run", network, settings.DRY_RUNS_PER_ADDRESS)
    if not mine or not host_takes_one_more(host, network):
        return DryRun(trouble=OFTEN)
    with waiting_place(network, host) as place:
        if place is None:
            return DryRun(trouble=BUSY)
        found = asked(form, request.POST, network, place)
        return DryRun(trouble=GAVE_WAY) if place.has_to_leave else found


def host_takes_one_more(host: str, network: str) -> bool:
    """Whether the network may ask the host once more. The first dry runs of each network are its own, so that others
    cannot use up all of a host that everybody knows; the others are counted over all networks."""
    own = take_turn("dry-run-first", f"{widest_network(network)}@{host}", FIRST_OF_A_NETWORK)
    return own or take_turn("dry-run-host", host, settings.DRY_RUNS_PER_HOST)


@sensitive_variables("form", "wanted", "plan")
def asked(form: SubmissionForm, posted: Mapping[str, str], network: str, place: Waiting) -> DryRun | None:
    """The dry run itself. It holds a web thread for as long as the endpoint takes, so it wants a place."""
    wanted = form.wanted()
    if sentence := address_refusal(wanted.base_url, network, place, has_key=bool(wanted.key)):
        form.add_error("base_url", sentence)
    if sentence or place.has_to_leave:
        return None
    guard = guard_from_settings(bounded_lookup(network))
    scopes = [scope_of(wanted, offer) for offer in wanted.offers]
    reports = list[Report]()
    for offer, scope in zip(wanted.offers, scopes, strict=True):
        plan = plan_of(wanted, offer, posted.get("base_url", ""))
        asking = scope.asked if len(scopes) > 1 else ""
        outcome = dry_run_watched(plan, guard, posted.get("watch", ""), place.leaving, asking)
        reports.append(report(plan, outcome, scope))
        if place.has_to_leave or not outcome.heard:
            break  # the endpoint gave no reply at all, so the other benchmarks would get none either
    unasked = tuple(scope.asked for scope in scopes[len(reports) :])
    found, host = together(reports), locate(wanted.base_url).name
    queue = queue_for(host, network, sum(scope.requests for scope in scopes))
    return DryRun(found, tuple(reports), unasked, proof_of(found, wanted), queue, quota_of(network))


def queue_for(host: str, owner: str, answers: int) -> Queue:
    return in_words(place_if_sent(host, owner, answers))


def in_words(place: Place) -> Queue:
    if place.more:
        return Queue(f"{place.ahead} or more ahead", "too many ahead to estimate when it starts")
    return Queue(f"{place.ahead} ahead", starts_of(place))


def starts_of(place: Place) -> str:
    if not place.ahead:
        return "starts at once"
    if place.start is None:
        return "too few timed runs to estimate when it starts"
    return f"starts in {span_of_time(place.start.low, place.start.high)}"


def quota_of(owner: str) -> str:
    """That it is used up and when there is room again; "" while there is."""
    try:
        check_quota(owner)
    except QuotaUsedUp as error:
        return str(error)
    return ""


def page(request: HttpRequest, form: SubmissionForm, *, status: int = 200, **context: Any) -> HttpResponse:
    usual = {
        "form": form,
        "names": known_names(),
        "ticket": ticket_in(request) or new_token(),
        "kept_proof": request.POST.get("proof", "") if proof_in(request) else "",
        "networks": settings.ENDPOINT_ALLOWED_NETWORKS,
        "dry_run_seconds": round(settings.DRY_RUN_SECONDS),
    }
    return render(request, "pages/submit/submit.html", {**usual, **context}, status=status)


@never_cache
@require_safe
def known(request: HttpRequest) -> HttpResponse:
    """What is known of the model whose name is being typed: a part of the form."""
    found = known_model(request.GET.get("name", "")[:120].replace("\0", "").strip())
    return render(request, "pages/submit/_known_model.html", {"known": found})


def ticket_in(request: HttpRequest) -> str:
    """The random name of the copy of the form that was sent; "" for none."""
    ticket = request.POST.get("ticket", "")
    return ticket if TICKET.fullmatch(ticket) else ""


def proof_of(found: Report, wanted: Wanted) -> str:
    """A signed text that says that a dry run with these settings gave this report."""
    return signing.dumps({"print": wanted.fingerprint(), "report": asdict(found)}, salt=SALT, compress=True)


def proof_in(request: HttpRequest) -> dict[str, Any] | None:
    """The content of the proof that came with the form, of a dry run that passed within the hour, or None."""
    try:
        proof: dict[str, Any] = signing.loads(request.POST.get("proof", ""), salt=SALT, max_age=PROOF_SECONDS)
    except signing.BadSignature:
        return None
    return proof if proof["report"]["passed"] else None


def proven(request: HttpRequest, wanted: Wanted) -> dict[str, Any] | None:
    """The report of a dry run that passed with exactly these settings within the hour, or None."""
    proof = proof_in(request)
    if proof is None or proof["print"] != wanted.fingerprint():
        return None
    found: dict[str, Any] = proof["report"]
    return found


def site_of(request: HttpRequest) -> str:
    return request.build_absolute_uri("/").removesuffix("/")


def remember(request: HttpRequest, token: str) -> None:
    """The session of this browser keeps what it sent, so that a twin can be linked to whom it belongs."""
    request.session["submissions"] = [*request.session.get("submissions", []), token][-MOST_REMEMBERED:]


def twin_of(request: HttpRequest, error: AlreadyOpen) -> Twin:
    token = error.submission.token
    return Twin(error.submission.created_at, token if token in request.session.get("submissions", []) else "")


urlpatterns = [
    path("submit/", submit_model, name="submit"),
    path("submit/dry-run/", dry_run_model, name="dry-run"),
    path("submit/dry-run/<slug:name>/", dry_run_progress, name="dry-run-progress"),
    path("submit/known/", known, name="known-model"),
    path("submissions/<slug:token>/again/", submit_again, name="submission-again"),
]
