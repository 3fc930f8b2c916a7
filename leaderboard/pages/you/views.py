"""You against the board: a visitor answers ten dialogues and sees where the score would rank.

All that the visitor does stays in the session until they agree to give their answers. No page shows a reference before
the last dialogue is answered, and no answer can be changed after that.
"""

from dataclasses import asdict
from typing import Any

from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluation.models import ItemBank
from leaderboard.pages.cards.links import link_to
from leaderboard.pages.cards.words import result_card
from leaderboard.pages.rankings.people import people_of
from leaderboard.pages.shared.refusing import too_many
from leaderboard.pages.you.page import Outcome, items_of, question_of, result_of, shared_outcome
from leaderboard.submissions.limits import network_of, take_turn
from leaderboard.submissions.people import (
    CONSENT_VERSION,
    FASTEST,
    HIGHEST,
    SESSION_KEY,
    SET_SIZE,
    Play,
    new_play,
    offered_bank,
    play_of,
    store_set,
)

SALT = "leaderboard.you"
STARTS_PER_ADDRESS = 60
OFTEN_STARTED = "There were many starts from your network. Try again in ten minutes."
SETS_PER_ADDRESS = 1
OFTEN_JOINED = (
    "Somebody from your network added answers within the last ten minutes. Your answers are still here: try again in "
    "ten minutes."
)
NOT_AGREED = "Tick the box first, if you agree. Without it nothing is stored."


def bank_or_404() -> ItemBank:
    bank = offered_bank()
    if bank is None:
        raise Http404("the bank that visitors answer is not loaded")
    return bank


@never_cache
@require_safe
def intro(request: HttpRequest) -> HttpResponse:
    """What this is; the dialogue of the picture is never one of the bank's."""
    bank = offered_bank()
    play = play_of(request.session) if bank else None
    context = {"bank": bank, "play": play, "size": SET_SIZE, "people": people_of(bank) if bank else None}
    return render(request, "pages/you/intro.html", context)


@require_POST
def start(request: HttpRequest) -> HttpResponse:
    bank = bank_or_404()
    if not take_turn("you-start", network_of(request), STARTS_PER_ADDRESS):
        return too_many(request, OFTEN_STARTED)
    keep(request, new_play(bank, play_of(request.session)))
    return redirect("you-dialogue", number=1)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def dialogue(request: HttpRequest, number: int) -> HttpResponse:
    """One dialogue with its four ratings; those of a complete play are over."""
    bank, play = bank_or_404(), play_of(request.session)
    if play is None:
        return redirect("you")
    if play.is_complete:
        return redirect("you-result")
    if not 1 <= number <= play.next_number:
        return redirect("you-dialogue", number=play.next_number)
    item_id = play.items[number - 1]
    question = question_of(bank, item_id)
    wrong: tuple[int, ...] = ()
    given = [str(value) for value in play.answers.get(item_id, [""] * len(question.labels))]
    if request.method == "POST":
        given = [request.POST.get(f"r{at}", "").strip()[:4] for at in range(len(question.labels))]
        ratings = [rating_of(text) for text in given]
        wrong = tuple(at for at, rating in enumerate(ratings) if rating is None)
        if not wrong:
            play.answer(item_id, [rating for rating in ratings if rating is not None])
            keep(request, play)
            return redirect("you-result") if play.is_complete else redirect("you-dialogue", number=play.next_number)
    elif item_id not in play.shown_at:
        play.show(item_id)
        keep(request, play)
    context = {
        "bank": bank,
        "question": question,
        "number": number,
        "size": len(play.items),
        "steps": [at < number for at in range(1, len(play.items) + 1)],
        "rows": [(at, label, given[at], at in wrong) for at, label in enumerate(question.labels)],
        "wrong": [(at, question.labels[at]) for at in wrong],
    }
    return render(request, "pages/you/dialogue.html", context, status=422 if wrong else 200)


def rating_of(text: str) -> int | None:
    """A whole number from 0 to 10, or None."""
    known = text.isascii() and text.isdigit() and int(text) <= HIGHEST
    return int(text) if known else None


@never_cache
@require_safe
def result(request: HttpRequest) -> HttpResponse:
    bank, play = bank_or_404(), play_of(request.session)
    if play is None:
        return redirect("you")
    if not play.is_complete:
        return redirect("you-dialogue", number=play.next_number)
    return result_page(request, bank, play)


def result_page(
    request: HttpRequest, bank: ItemBank, play: Play, *, trouble: str = "", status: int = 200
) -> HttpResponse:
    outcome, answered = result_of(bank, play.items, play.answers)
    token = token_of(play, [line.points for line in answered])
    context = {
        "bank": bank,
        "play": play,
        "outcome": outcome,
        "answered": answered,
        "people": people_of(bank),
        "consent_version": CONSENT_VERSION,
        "fastest": round(FASTEST),
        "shared": request.build_absolute_uri(reverse("you-shared", args=[token])),
        "picture": link_to(result_card(outcome), "you-card", token),
        "trouble": trouble,
    }
    return render(request, "pages/you/result.html", context, status=status)


@never_cache
@require_POST
def join(request: HttpRequest) -> HttpResponse:
    """Stores a complete play with the visitor's consent: one of a session, and one of a network in ten minutes."""
    bank, play = bank_or_404(), play_of(request.session)
    if play is None or not play.is_complete:
        return redirect("you")
    if play.joined:
        return redirect(f"{reverse('you-result')}#join")
    if request.POST.get("agree") != str(CONSENT_VERSION):
        return result_page(request, bank, play, trouble=NOT_AGREED, status=422)
    if not take_turn("human-set", network_of(request), SETS_PER_ADDRESS):
        return result_page(request, bank, play, trouble=OFTEN_JOINED, status=429)
    play.joined = store_set(bank, play).excluded or "counts"
    keep(request, play)
    return redirect(f"{reverse('you-result')}#join")


@require_safe
def consent(request: HttpRequest) -> HttpResponse:
    """The text that a visitor agrees to, in its present version."""
    return render(request, "pages/you/consent.html", {"version": CONSENT_VERSION, "bank": offered_bank()})


@never_cache
@require_safe
def shared(request: HttpRequest, token: str) -> HttpResponse:
    """A result that somebody shared: the score and its rank, and nothing about who it was."""
    bank, outcome = outcome_of(token)
    link = link_to(result_card(outcome), "you-card", token)
    return render(request, "pages/you/shared.html", {"bank": bank, "outcome": outcome, "card_link": link})


def token_of(play: Play, points: list[float]) -> str:
    """The result as a signed text: items and the points of each in hundredths. Nothing is stored for it."""
    pairs = [[item, round(100 * own)] for item, own in zip(play.items, points, strict=True)]
    return signing.dumps(pairs, salt=SALT, compress=True)


def outcome_of(token: str) -> tuple[ItemBank, Outcome]:
    """Raises: Http404, for a token that this board has not signed or whose items are gone."""
    try:
        pairs: list[Any] = signing.loads(token, salt=SALT)
    except signing.BadSignature:
        raise Http404("no such result") from None
    bank = bank_or_404()
    items = [item for item, _ in pairs]
    if len(items_of(bank, items)) != len(items):
        raise Http404("the dialogues of this result are gone")
    return bank, shared_outcome(bank, items, [points / 100 for _, points in pairs])


def keep(request: HttpRequest, play: Play) -> None:
    request.session[SESSION_KEY] = asdict(play)


urlpatterns = [
    path("you/", intro, name="you"),
    path("you/start/", start, name="you-start"),
    path("you/<int:number>/", dialogue, name="you-dialogue"),
    path("you/result/", result, name="you-result"),
    path("you/join/", join, name="you-join"),
    path("you/consent/", consent, name="you-consent"),
    path("you/shared/<str:token>/", shared, name="you-shared"),
]
