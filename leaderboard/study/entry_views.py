"""How a rater comes in and goes out: entry, consent, stopping, withdrawing, and pages that say that it is over."""

from django.conf import settings
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.csrf import csrf_failure
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard.study import answering
from leaderboard.study.assignment import Full, assign
from leaderboard.study.identity import forget, may_take_part, rater_hash, remember, remembered
from leaderboard.study.models import ConsentForm, Participation, Study
from leaderboard.study.rater_pages import address_of, is_over, participation_of, say, study_page
from leaderboard.study.states import ParticipationState, ResponderKind, StudyState
from leaderboard.submissions.limits import network_of, take_turn

either = require_http_methods(["GET", "HEAD", "POST"])


@either
@study_page
def entry(request: HttpRequest, study: Study) -> HttpResponse:
    """By a link with the platform's id, or by typing it or a code. The id leaves the address bar at once."""
    typed = request.POST.get("code", "") if request.method == "POST" else _linked(request, study)
    if typed or request.method == "POST":
        return _entered(request, study, typed)
    if study.state == StudyState.CLOSED:
        return say(request, "closed", study)
    return render(request, "study/rate/entry.html", {"study": study, "unknown": "again" in request.GET})


def _linked(request: HttpRequest, study: Study) -> str:
    return request.GET.get(study.id_parameter, "") or request.GET.get("code", "")


def _entered(request: HttpRequest, study: Study, typed: str) -> HttpResponse:
    most = settings.STUDY_ENTRIES_PER_ADDRESS
    if most and not take_turn("study-entry", network_of(request), most):
        return say(request, "many", study)
    rater = rater_hash(study, typed)
    mine = Participation.objects.select_related("group", "study").filter(study=study, rater_hash=rater).first()
    if mine is None and study.state == StudyState.CLOSED:
        return say(request, "closed", study)
    if not rater or (mine is None and not may_take_part(study, rater)):
        return redirect(f"{reverse('rate', args=[study.slug])}?again=1")
    if mine is None and remembered(request, study) != rater:  # a link that is opened again is no other person
        Study.objects.filter(pk=study.pk).update(n_entered=F("n_entered") + 1)
    response = redirect(_first_address(study, mine))
    remember(response, study, rater)
    return response


def _first_address(study: Study, mine: Participation | None) -> str:
    """Who has finished is told that it counts once, before the completion code is shown again."""
    if mine is None:
        return reverse("rate-consent", args=[study.slug])
    if mine.state == ParticipationState.DONE:
        return reverse("rate-before", args=[study.slug])
    return reverse("rate-go-on", args=[study.slug])


@require_safe
@study_page
def go_on(request: HttpRequest, study: Study) -> HttpResponse:
    """To the first thing that the rater has not done yet."""
    return redirect(address_of(request, study, participation_of(request, study)))


@either
@study_page
def consent(request: HttpRequest, study: Study) -> HttpResponse:
    """Nothing but a counter is stored before the rater agrees, and nothing else if he or she does not."""
    mine, rater = participation_of(request, study), remembered(request, study)
    if mine is not None or not rater:
        return redirect(address_of(request, study, mine))
    form = study.consent_forms.last()
    if study.state == StudyState.CLOSED or form is None:
        return say(request, "closed", study)
    if request.method == "POST" and "decline" in request.POST:
        return _declined(study)
    if request.method == "POST" and _agreed(request, form):
        return _taken_in(request, study, rater, form)
    context = {"study": study, "form": form, "unticked": request.method == "POST"}
    return render(request, "study/rate/consent.html", context, status=422 if request.method == "POST" else 200)


def _agreed(request: HttpRequest, form: ConsentForm) -> bool:
    """The box is ticked below the newest version of the text."""
    return "agree" in request.POST and request.POST.get("version") == str(form.version)


def _declined(study: Study) -> HttpResponse:
    Study.objects.filter(pk=study.pk).update(n_declined=F("n_declined") + 1)
    response = redirect("rate-declined", study.slug)
    forget(response, study)
    return response


def _taken_in(request: HttpRequest, study: Study, rater: str, form: ConsentForm) -> HttpResponse:
    try:
        assign(study, rater, form)
    except Full:
        return say(request, "full", study)
    return redirect("rate-task", study.slug)


@require_safe
@study_page
def declined(request: HttpRequest, study: Study) -> HttpResponse:
    return say(request, "declined", study)


@either
@study_page
def stop(request: HttpRequest, study: Study) -> HttpResponse:
    """Help, and the way back; a post deletes what was answered."""
    mine = participation_of(request, study)
    if mine is not None and request.method == "POST":
        return _withdrawn(request, study, mine)
    if mine is not None:
        answering.note_activity(mine)
    at_it = mine is not None and not is_over(mine)
    return render(request, "study/rate/stop.html", {"study": study, "at_it": at_it})


@require_safe
@study_page
def over(request: HttpRequest, study: Study) -> HttpResponse:
    """Why a participation that was not sent is over."""
    mine = participation_of(request, study)
    if mine is None or not is_over(mine) or mine.state == ParticipationState.DONE:
        return redirect(address_of(request, study, mine))
    if mine.state == ParticipationState.WITHDRAWN:
        return say(request, "withdrawn", study, code=mine.completion_code)
    return say(request, "expired" if mine.state == ParticipationState.EXPIRED else "closed", study)


@require_safe
@study_page
def before(request: HttpRequest, study: Study) -> HttpResponse:
    """The polite stop for whoever comes a second time."""
    mine = participation_of(request, study)
    if mine is None or mine.state != ParticipationState.DONE:
        return redirect(address_of(request, study, mine))
    return render(request, "study/rate/before.html", {"study": study})


@require_safe
@study_page
def done(request: HttpRequest, study: Study) -> HttpResponse:
    """The completion code and the debriefing: the only page that names the source of the replies."""
    mine = participation_of(request, study)
    if mine is None or mine.state != ParticipationState.DONE:
        return redirect(address_of(request, study, mine))
    responder = mine.group.responder
    context = {
        "study": study, "code": mine.completion_code, "responder": responder,
        "by_people": responder.kind == ResponderKind.HUMAN, "may_withdraw": answering.may_withdraw(mine),
    }  # fmt: skip
    return render(request, "study/rate/done.html", context)


@either
@study_page
def withdraw(request: HttpRequest, study: Study) -> HttpResponse:
    """Asks once, then deletes the ratings."""
    mine = participation_of(request, study)
    if mine is None or not answering.may_withdraw(mine):
        if mine is not None and mine.state == ParticipationState.DONE:
            return _too_late(request, study, mine)
        return redirect(address_of(request, study, mine))
    if request.method == "POST":
        return _withdrawn(request, study, mine)
    return render(request, "study/rate/withdraw.html", {"study": study})


def _withdrawn(request: HttpRequest, study: Study, mine: Participation) -> HttpResponse:
    if answering.withdraw(mine) or mine.state == ParticipationState.WITHDRAWN:
        return redirect("rate-over", study.slug)
    return _too_late(request, study, mine)


def _too_late(request: HttpRequest, study: Study, mine: Participation) -> HttpResponse:
    return say(request, "too-late", study, contact=mine.consent_form.contact if mine.consent_form else "")


def missing(request: HttpRequest, rest: str) -> HttpResponse:
    """Any other address under the rater's pages: without the board's own page for it, which has its name.

    Since it is found, Django does not add the slash that a typed address may lack.
    """
    if not request.path.endswith("/") and request.method in ("GET", "HEAD"):
        return redirect(request.get_full_path(force_append_slash=True))
    return say(request, "missing")


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The board's page for a refused form, and one without the board's name for raters."""
    return say(request, "cookies") if request.path.startswith("/rate/") else csrf_failure(request, reason)


urlpatterns = [
    path("rate/<slug:slug>/", entry, name="rate"),
    path("rate/<slug:slug>/consent/", consent, name="rate-consent"),
    path("rate/<slug:slug>/declined/", declined, name="rate-declined"),
    path("rate/<slug:slug>/go-on/", go_on, name="rate-go-on"),
    path("rate/<slug:slug>/stop/", stop, name="rate-stop"),
    path("rate/<slug:slug>/over/", over, name="rate-over"),
    path("rate/<slug:slug>/before/", before, name="rate-before"),
    path("rate/<slug:slug>/done/", done, name="rate-done"),
    path("rate/<slug:slug>/withdraw/", withdraw, name="rate-withdraw"),
]
ANY_OTHER = [path("rate/", missing, {"rest": ""}), path("rate/<path:rest>", missing)]
