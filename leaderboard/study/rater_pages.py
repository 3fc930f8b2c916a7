"""What all pages of a rater have in common: headers, where a rater belongs next, and short pages that say one thing.

Nothing on them names a responder before the debriefing, nor the board.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from leaderboard.study.answering import Over
from leaderboard.study.identity import remembered
from leaderboard.study.models import Participation, Study
from leaderboard.study.screens import first_open, screens_of
from leaderboard.study.states import GroupState, ParticipationState, StudyState

View = Callable[..., HttpResponse]


@dataclass(frozen=True, slots=True)
class Saying:
    """A page of one heading and one sentence. `after_texts`: its reader may have read texts that upset."""

    title: str
    text: str
    status: int = 200
    after_texts: bool = False


SAYINGS = {
    "missing": Saying("There is no such page", "Please check the link that you were given.", 404),
    "closed": Saying("This study is closed", "It takes no more people. Thank you for your interest."),
    "full": Saying("No place is free right now", "Nobody new can come in at the moment. Please try again in an hour."),
    "declined": Saying("That is all right", "You do not take part, and nothing about you is stored."),
    "expired": Saying(
        "Your time is over",
        "You were away for too long, so your place is free for someone else. Your answers do not count.",
        after_texts=True,
    ),
    "withdrawn": Saying(
        "Your ratings are deleted", "You have withdrawn. Nothing that you answered is left.", after_texts=True
    ),
    "too-late": Saying(
        "It is too late to withdraw",
        "Your group is closed and its results are computed. Please write to those who run the study.",
        after_texts=True,
    ),
    "many": Saying("Too many tries", "Too many tries came from your network. Please wait ten minutes.", 429),
    "cookies": Saying(
        "Please allow cookies", "This page needs one cookie that remembers your place. Allow it and try again.", 403
    ),
}


BUSY_SECONDS = 5


def busy(request: HttpRequest, study: Study) -> HttpResponse:
    """What a rater sees when the database stayed locked for longer than a request waits: SQLite has one writer.

    Nothing of this request is stored, since each page writes in one transaction. What was sent stands in the page, so
    that one press sends it again.
    """
    fields = [
        (name, value) for name, values in request.POST.lists() for value in values if name != "csrfmiddlewaretoken"
    ]
    context = {"study": study, "fields": fields, "sends": request.method == "POST", "path": request.get_full_path()}
    response = guarded(render(request, "study/rate/busy.html", context, status=503))
    response["Retry-After"] = str(BUSY_SECONDS)
    return response


def is_locked(error: OperationalError) -> bool:
    """Whether another connection held SQLite's lock for longer than this one waits; other faults are faults."""
    return getattr(error.__cause__, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def say(
    request: HttpRequest, name: str, study: Study | None = None, *, code: str = "", contact: str = ""
) -> HttpResponse:
    """The short page of that name, with a completion code or an address to write to where there is one."""
    saying = SAYINGS[name]
    context = {"saying": saying, "study": study, "code": code, "contact": contact}
    return guarded(render(request, "study/rate/say.html", context, status=saying.status))


def guarded(response: HttpResponse) -> HttpResponse:
    """Neither stored by a browser or a proxy nor found by a search engine."""
    response["Cache-Control"] = "private, no-store"
    response["X-Robots-Tag"] = "noindex, nofollow"
    return response


def study_page(view: View) -> View:
    """A page of a study that is or was open; any other study is not there."""

    @wraps(view)
    def page(request: HttpRequest, slug: str, **kwargs: Any) -> HttpResponse:
        study = Study.objects.exclude(state=StudyState.DRAFT).filter(slug=slug).first()
        if study is None:
            return say(request, "missing")
        try:
            return guarded(view(request, study, **kwargs))
        except OperationalError as error:
            if not is_locked(error):
                raise
            return busy(request, study)

    return page


def rater_page(view: View) -> View:
    """A page for a rater who is in the middle of it; any other is led to where he or she belongs."""

    @study_page
    @wraps(view)
    def page(request: HttpRequest, study: Study, **kwargs: Any) -> HttpResponse:
        mine = participation_of(request, study)
        if mine is None or is_over(mine):
            return redirect(address_of(request, study, mine))
        try:
            return view(request, mine, **kwargs)
        except Over:  # it expired, or its group was closed, since it was read above
            return redirect(address_of(request, study, participation_of(request, study)))

    return page


def participation_of(request: HttpRequest, study: Study) -> Participation | None:
    """That of the rater whom the browser's cookie names."""
    rater = remembered(request, study)
    found = Participation.objects.select_related("group", "study", "consent_form")
    return found.filter(study=study, rater_hash=rater).first() if rater else None


def is_over(participation: Participation) -> bool:
    return participation.state != ParticipationState.RESERVED or participation.group.state == GroupState.CLOSED


def address_of(request: HttpRequest, study: Study, participation: Participation | None) -> str:
    """Where the rater belongs: the first thing that is still to do."""
    if participation is None:
        return reverse("rate-consent" if remembered(request, study) else "rate", args=[study.slug])
    if participation.state == ParticipationState.DONE:
        return reverse("rate-done", args=[study.slug])
    if is_over(participation):
        return reverse("rate-over", args=[study.slug])
    return next_address(participation)


def next_address(participation: Participation) -> str:
    """The first page that a reserved participation has not done yet."""
    slug = participation.study.slug
    if participation.started_at is None:
        return reverse("rate-task", args=[slug])
    if has_questions(participation.study) and participation.questionnaire is None:
        return reverse("rate-questions", args=[slug])
    screen = first_open(screens_of(participation))
    return reverse("rate-item", args=[slug, screen.number]) if screen else reverse("rate-review", args=[slug])


def has_questions(study: Study) -> bool:
    return bool(study.questionnaire) or study.asks_background
