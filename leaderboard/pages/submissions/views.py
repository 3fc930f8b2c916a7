"""The page of one submission, whose address is its only lock, and what its owner can do there."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_POST, require_safe

from evaluation.keys.endpoint_keys import needs_key
from leaderboard.administration.rights import acting_staff
from leaderboard.administration.run_acts import note
from leaderboard.forms import KeyForm
from leaderboard.models import Submission
from leaderboard.pages.shared.keeping import Answer
from leaderboard.pages.shared.refusing import refused_lately, too_many
from leaderboard.pages.submissions.page import status_page
from leaderboard.rounding import counted
from leaderboard.sharing.citations import badge_markdown
from leaderboard.submissions.closing import Closing
from leaderboard.submissions.limits import network_of, take_turn
from leaderboard.submissions.moderating import (
    cancel,
    cancel_by_staff,
    replace_key,
    resume_all,
    stop_judging,
    try_now,
    withdraw,
)
from leaderboard.submissions.places import name_refusal
from leaderboard.submissions.proving import address_of, ask, domains_of, token_of
from leaderboard.submissions.publishing import agree, list_at_once

OFTEN_PROVED = "Too many checks from your network or of this domain. Try again in ten minutes."
DECIDED = "Nothing was changed: this submission was withdrawn or rejected meanwhile."
OFTEN_KEYS = "Too many keys from your network. Nothing was changed; try again in ten minutes."


def submission_or_404(token: str) -> Submission:
    return get_object_or_404(Submission.objects.select_related("model", "endpoint"), token=token)


def hidden(response: Answer) -> Answer:
    """The response, kept out of search engines and out of the referrer of links to other sites."""
    response["X-Robots-Tag"] = "noindex, nofollow"
    response["Referrer-Policy"] = "same-origin"
    return response


@never_cache
@require_safe
def submission(request: HttpRequest, token: str) -> HttpResponse:
    """The page; `?still=1` asks for one that does not renew itself."""
    found = submission_or_404(token)
    return shown(request, found, KeyForm(endpoint=found.endpoint))


@never_cache
@require_safe
def submission_live(request: HttpRequest, token: str) -> HttpResponse:
    """The part that renews itself. When all has ended, htmx loads the whole page a last time."""
    page = status_page(submission_or_404(token), replies=False)
    response = render(request, "pages/submissions/_status_live.html", {"page": page})
    if not page.is_open:
        response["HX-Refresh"] = "true"
    return hidden(response)


@never_cache
@sensitive_post_parameters("key")
@sensitive_variables("form")
@require_POST
def submission_key(request: HttpRequest, token: str) -> HttpResponse:
    """A new key in place of the old one; failed runs go on with it."""
    network = network_of(request)
    if refusal := refused_lately(network):
        return refusal
    found = submission_or_404(token)
    form = KeyForm(request.POST, endpoint=found.endpoint)
    if not stands(found):
        return decided(request, found)
    if not take_turn("key", network, settings.DRY_RUNS_PER_ADDRESS):
        return too_many(request, OFTEN_KEYS)
    if form.is_valid() and (sentence := name_refusal(found.endpoint.base_url, network, has_key=True)):
        form.add_error("key", sentence)
    if form.errors:
        return shown(request, found, form, status=422)
    user = acting_staff(request)
    if not replace_key(found, form.cleaned_data["key"], by_staff=user is not None):
        return decided(request, found)
    n = resume_all(found)
    if user:
        note(user, [found], "Replaced the key, by the submission's page.")
    went_on = f", and {counted(n, 'run')} went on" if n else ""
    messages.success(request, f"The new key is saved{went_on}.")
    return redirect("submission", token=token)


@never_cache
@require_POST
def submission_act(request: HttpRequest, token: str, act: str) -> HttpResponse:
    found, user = submission_or_404(token), acting_staff(request)
    if act in ASKED_TWICE and request.POST.get("sure") != "on":
        messages.info(request, UNSURE)
        return redirect("submission", token=token)
    done = ACTS[act](found, user is not None)
    messages.info(request, done.words)
    if user and done.changed:
        note(user, [found], f"{act.capitalize()}, by the submission's page: {done.words}")
    return redirect("submission", token=token)


@never_cache
@require_POST
def submission_prove(request: HttpRequest, token: str) -> HttpResponse:
    """Has a worker look for the token under one of the submission's domains; the page says later what was found."""
    found, network = submission_or_404(token), network_of(request)
    domain = request.POST.get("domain", "")
    if not stands(found):
        return decided(request, found)
    if domain not in domains_of(found):
        raise Http404("no such domain")
    mine = take_turn("prove", network, settings.DRY_RUNS_PER_ADDRESS)
    if not mine or not take_turn("prove-host", domain, settings.DRY_RUNS_PER_HOST):
        return too_many(request, OFTEN_PROVED)
    ask(found, domain)
    messages.info(request, f"This board now looks for the token under {domain}. Reload the page in a minute.")
    return redirect("submission", token=token)


def shown(request: HttpRequest, found: Submission, form: KeyForm, status: int = 200) -> HttpResponse:
    page = status_page(found)
    results = [result_of(request, each) for each in page.closings]
    still = request.GET.get("still") == "1"
    context = {"page": page, "form": form, "still": still, "results": results, "proof": proof_of(found)}
    return hidden(render(request, "pages/submissions/status.html", context, status=status))


class Proof(NamedTuple):
    """The token and where it may be put: domain and address of each file."""

    token: str
    files: tuple[tuple[str, str], ...]


def proof_of(found: Submission) -> Proof | None:
    """None where there is nothing to prove, or nowhere."""
    domains = domains_of(found) if stands(found) else ()
    return Proof(token_of(found), tuple((domain, address_of(domain)) for domain in domains)) if domains else None


class Result(NamedTuple):
    """What a place that the submission made is shown with; addresses are whole."""

    closing: Closing
    address: str
    markdown: str


def result_of(request: HttpRequest, closing: Closing) -> Result:
    address, badge = (request.build_absolute_uri(path) for path in (closing.path, closing.badge_path))
    alt = f"{closing.model} on {closing.title}: {closing.rank}"
    return Result(closing, address, badge_markdown(alt, badge, address))


def decided(request: HttpRequest, found: Submission) -> HttpResponse:
    """Back to the page as it stands now, from one that was opened before the submission was withdrawn or rejected."""
    messages.info(request, DECIDED)
    return redirect("submission", token=found.token)


def stands(found: Submission) -> bool:
    return found.state in {Submission.State.PENDING, Submission.State.APPROVED}


class Done(NamedTuple):
    """What came of an act, as its page says it."""

    changed: bool
    words: str


def act_cancel(found: Submission, by_staff: bool) -> Done:
    n = sum((cancel_by_staff if by_staff else cancel)(run) for run in found.runs.open())
    return Done(n > 0, f"{counted(n, 'run')} cancelled. What was answered is kept." if n else "No run was open.")


def act_try_now(found: Submission, by_staff: bool) -> Done:
    """Limits itself: only a run that waits can be called, and then it waits no more."""
    n = sum(try_now(run) for run in found.runs.open())
    words = f"{counted(n, 'run')} will be tried as soon as a worker is free." if n else "No run was waiting."
    return Done(n > 0, words)


def act_withdraw(found: Submission, by_staff: bool) -> Done:
    changed = withdraw(found, by_staff=by_staff)
    return Done(changed, "The submission is withdrawn." if changed else "The submission was decided before.")


def act_resume(found: Submission, by_staff: bool) -> Done:
    if needs_key(found.endpoint):
        return Done(False, "The key was erased. Enter it again to resume.")
    n = resume_all(found)
    return Done(n > 0, f"{counted(n, 'run')} resumed from the last finished item." if n else "No run could be resumed.")


def act_stop_judging(found: Submission, by_staff: bool) -> Done:
    changed = stop_judging(found, by_staff=by_staff)
    return Done(changed, "No more replies go to judges." if changed else "No replies were going to judges.")


def act_publish(found: Submission, by_staff: bool) -> Done:
    """The submitter's own consent, which nobody else can give."""
    if by_staff:
        return Done(False, "Only the submitter can agree to publish.")
    if not agree(found):
        return Done(False, "Nothing was changed: the result is public or the submission was decided before.")
    n = len(list_at_once(found))
    return Done(True, f"{counted(n, 'run')} became public." if n else "Thank you. A moderator now lists the result.")


ASKED_TWICE = frozenset({"withdraw"})
UNSURE = "Nothing was changed. Tick the box that says that you are sure, then withdraw."
ACTS: Mapping[str, Callable[[Submission, bool], Done]] = {
    "cancel": act_cancel,
    "try-now": act_try_now,
    "withdraw": act_withdraw,
    "resume": act_resume,
    "stop-judging": act_stop_judging,
    "publish": act_publish,
}

urlpatterns = [
    path("submissions/<slug:token>/", submission, name="submission"),
    path("submissions/<slug:token>/live/", submission_live, name="submission-live"),
    path("submissions/<slug:token>/key/", submission_key, name="submission-key"),
    path("submissions/<slug:token>/prove/", submission_prove, name="submission-prove"),
    *(path(f"submissions/<slug:token>/{act}/", submission_act, {"act": act}, name=f"submission-{act}") for act in ACTS),
]
