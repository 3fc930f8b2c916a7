"""The rater's work: tutorial, questions, one reply a screen, and the look at all answers before sending."""

import math
from datetime import timedelta

from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from leaderboard.study import answering
from leaderboard.study.models import Background, Participation
from leaderboard.study.questionnaire import ANSWERS
from leaderboard.study.rater_pages import has_questions, next_address, rater_page
from leaderboard.study.screens import CHOICES, Screen, first_open, screens_of
from leaderboard.study.steps import steps_of

TUTORIAL_SECONDS = 15
AGE_BANDS = ("18 to 24", "25 to 34", "35 to 44", "45 to 54", "55 to 64", "65 or more")
GENDERS = ("woman", "man", "another")
either = require_http_methods(["GET", "HEAD", "POST"])


@either
@rater_page
def task(request: HttpRequest, mine: Participation) -> HttpResponse:
    """What to look for. The server keeps the first 15 seconds, with or without a script."""
    now = timezone.now()
    if mine.tutorial_at is None or mine.tutorial_at > now:  # a time that lies ahead: the clock was put back since
        before = Participation.objects.filter(pk=mine.pk, tutorial_at=mine.tutorial_at)
        before.update(tutorial_at=now, active_at=now)
        mine.tutorial_at = now
    left = mine.tutorial_at + timedelta(seconds=TUTORIAL_SECONDS) - now
    wait = 0 if mine.started_at else max(0, math.ceil(left.total_seconds()))
    if request.method == "POST" and not wait:
        answering.begin(mine)
        mine.started_at = now
        return redirect(next_address(mine))
    context = {
        "study": mine.study, "wait": wait, "early": request.method == "POST", "again": bool(mine.started_at),
        "n": mine.study.items_per_rater + 1,
    }  # fmt: skip
    return render(request, "study/rate/task.html", context)


@either
@rater_page
def questions(request: HttpRequest, mine: Participation) -> HttpResponse:
    """The optional questionnaire, and age band and gender where the study asks; these may be left out."""
    if mine.started_at is None or not has_questions(mine.study):
        return redirect(next_address(mine))
    answers = [request.POST.get(f"q{at}", "") for at in range(1, len(mine.study.questionnaire) + 1)]
    whole = all(answer in {str(level) for level in range(len(ANSWERS))} for answer in answers)
    if request.method == "POST" and whole:
        answering.save_questions(mine, [int(answer) for answer in answers], _background(request, mine))
        return redirect("rate-go-on", mine.study.slug)
    if request.method == "POST":
        age, gender = _background(request, mine) or ("", "")
    else:
        answers = [str(answer) for answer in mine.questionnaire or []] or answers
        stored = Background.objects.filter(participation=mine)
        age, gender = stored.values_list("age_band", "gender").first() or ("", "")
    context = {
        "study": mine.study, "questions": list(zip(mine.study.questionnaire, answers, strict=True)),
        "levels": list(enumerate(ANSWERS)), "unanswered": request.method == "POST",
        "age_bands": AGE_BANDS, "genders": GENDERS, "age": age, "gender": gender,
    }  # fmt: skip
    return render(request, "study/rate/questions.html", context, status=422 if request.method == "POST" else 200)


def _background(request: HttpRequest, mine: Participation) -> tuple[str, str] | None:
    """Age band and gender; "" for what was left out. None where the study does not ask."""
    if not mine.study.asks_background:
        return None
    age, gender = request.POST.get("age", ""), request.POST.get("gender", "")
    return age if age in AGE_BANDS else "", gender if gender in GENDERS else ""


@either
@rater_page
def item(request: HttpRequest, mine: Participation, number: int) -> HttpResponse:
    """One reply. An answer is stored at once: by the script when it is chosen, else by the button."""
    screens = screens_of(mine)
    open_screen = first_open(screens)
    furthest = open_screen.number if open_screen else len(screens)
    may_rate = mine.started_at and not (has_questions(mine.study) and mine.questionnaire is None)
    if not may_rate or not 1 <= number <= furthest:
        return redirect(next_address(mine))
    screen = screens[number - 1]
    if request.method == "POST":
        return _answered(request, mine, screen, screens)
    answering.note_activity(mine)
    return _item_page(request, mine, screen, screens)


def _item_page(
    request: HttpRequest, mine: Participation, screen: Screen, screens: list[Screen], *, unanswered: bool = False
) -> HttpResponse:
    from_review = request.GET.get("from") == "review" or request.POST.get("from") == "review"
    context = {
        "study": mine.study, "screen": screen, "n": len(screens), "steps": steps_of(screen.number, len(screens)),
        "choices": list(enumerate(CHOICES, 1)), "shown": _stamp(mine, screen.number),
        "from_review": from_review, "unanswered": unanswered, "back": _back(mine.study.slug, screen, from_review),
    }  # fmt: skip
    return render(request, "study/rate/item.html", context, status=422 if unanswered else 200)


def _back(slug: str, screen: Screen, from_review: bool) -> str:
    """The page before this one."""
    if from_review:
        return reverse("rate-review", args=[slug])
    return (
        reverse("rate-item", args=[slug, screen.number - 1]) if screen.number > 1 else reverse("rate-task", args=[slug])
    )


def _answered(request: HttpRequest, mine: Participation, screen: Screen, screens: list[Screen]) -> HttpResponse:
    """The next page; a script that saves in the background gets an empty answer."""
    quiet, value = "quiet" in request.POST, request.POST.get("v", "")
    if value not in {str(level.value) for level in CHOICES}:
        return HttpResponse(status=422) if quiet else _item_page(request, mine, screen, screens, unanswered=True)
    shown = request.POST.get("shown", "")
    seconds = _seconds(shown, mine, screen.number)
    if shown and seconds is None:  # of another rater in this browser, who read another reply on that page
        return HttpResponse(status=409) if quiet else redirect("rate-item", mine.study.slug, screen.number)
    try:
        answering.save_answer(mine, screen, int(value), seconds)
    except answering.Over:
        if quiet:
            return HttpResponse(status=409)
        raise
    if quiet:
        return HttpResponse(status=204)
    if request.POST.get("from") == "review" or screen.number == len(screens):
        return redirect("rate-review", mine.study.slug)
    return redirect("rate-item", mine.study.slug, screen.number + 1)


def _signer(mine: Participation) -> signing.Signer:
    return signing.Signer(salt=f"study-screen-{mine.pk}")


def _stamp(mine: Participation, number: int) -> str:
    """When this screen was shown, signed for this rater and this screen."""
    return _signer(mine).sign(f"{number}/{timezone.now().timestamp():.1f}")


def _seconds(stamp: str, mine: Participation, number: int) -> float | None:
    """How long the screen has been open; None without a stamp of ours."""
    try:
        screen, _, shown = _signer(mine).unsign(stamp).partition("/")
    except signing.BadSignature:
        return None
    return max(0.0, timezone.now().timestamp() - float(shown)) if screen == str(number) else None


@either
@rater_page
def review(request: HttpRequest, mine: Participation) -> HttpResponse:
    """All answers at a glance; a post sends them."""
    screens = screens_of(mine)
    if first_open(screens) or mine.started_at is None:
        return redirect(next_address(mine))
    if request.method == "POST":
        return _sent(mine)
    answering.note_activity(mine)
    return render(request, "study/rate/review.html", {"study": mine.study, "screens": screens, "n": len(screens)})


def _sent(mine: Participation) -> HttpResponse:
    try:
        answering.send(mine)
    except answering.Unanswered as left:
        return redirect("rate-item", mine.study.slug, left.number)
    return redirect("rate-done", mine.study.slug)


urlpatterns = [
    path("rate/<slug:slug>/task/", task, name="rate-task"),
    path("rate/<slug:slug>/questions/", questions, name="rate-questions"),
    path("rate/<slug:slug>/<int:number>/", item, name="rate-item"),
    path("rate/<slug:slug>/review/", review, name="rate-review"),
]
