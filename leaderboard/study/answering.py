"""What a rater does: answer, send, stop, withdraw. Each is one transaction on the row of the participation."""

from collections.abc import Sequence
from contextlib import suppress

from django.db import OperationalError, transaction
from django.utils import timezone

from leaderboard.study.flags import flags_of
from leaderboard.study.identity import new_code
from leaderboard.study.models import Background, Participation, Rating, Study
from leaderboard.study.screens import Screen, first_open, screens_of
from leaderboard.study.states import GroupState, Level, ParticipationState

LONGEST_SECONDS = 3600.0
ACTIVITY_SECONDS = 30  # reading a page counts as activity, but is not written more often than this


class Over(Exception):
    """The participation has ended or its group is closed: nothing was stored."""


class Unanswered(Exception):
    """A screen has no answer yet, so nothing was sent. `number` is the first of them."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def locked(participation: Participation) -> Participation:
    """The row as it is now, locked until the transaction ends. Call it within one.

    Raises:
        Over: it is no longer reserved, or its group is closed.
    """
    found = (
        Participation.objects.select_for_update(of=("self",)).select_related("group", "study").get(pk=participation.pk)
    )
    if found.state != ParticipationState.RESERVED or found.group.state == GroupState.CLOSED:
        raise Over
    return found


def note_activity(participation: Participation) -> None:
    """A rater who reads is not expired. Writes at most once in half a minute; nobody is kept from reading by a lock of
    another's, and the next page notes it."""
    now = timezone.now()
    active = participation.active_at
    if active is None or (now - active).total_seconds() > ACTIVITY_SECONDS:
        reserved = Participation.objects.filter(pk=participation.pk, state=ParticipationState.RESERVED)
        with suppress(OperationalError):
            reserved.update(active_at=now)


@transaction.atomic
def save_answer(participation: Participation, screen: Screen, value: int, seconds: float | None) -> None:
    """Stores the answer to one screen; a later one replaces it. `seconds`: how long the screen has been open.

    The longest time counts, so that a look back from the review does not pass for haste.

    Raises:
        Over: see there.
        ValueError: no level of the scale.
    """
    level, mine, now = Level(value), locked(participation), timezone.now()
    mine.active_at = now
    if screen.response_id is None:
        mine.attention_value = level
        mine.attention_seconds = _longer(mine.attention_seconds, seconds)
    else:
        rating, is_new = Rating.objects.get_or_create(
            participation=mine, response_id=screen.response_id,
            defaults={"value": level, "seconds": _longer(None, seconds), "rated_at": now},
        )  # fmt: skip
        if not is_new:
            rating.value, rating.seconds, rating.rated_at = level, _longer(rating.seconds, seconds), now
            rating.save()
    mine.save(update_fields=["active_at", "attention_value", "attention_seconds"])


def _longer(before: float | None, seconds: float | None) -> float | None:
    known = [each for each in (before, seconds) if each is not None]
    return min(max(known), LONGEST_SECONDS) if known else None


@transaction.atomic
def begin(participation: Participation) -> None:
    """The tutorial is over. Raises: Over."""
    mine = locked(participation)
    mine.active_at = timezone.now()
    mine.started_at = mine.started_at or mine.active_at
    mine.save(update_fields=["active_at", "started_at"])


@transaction.atomic
def save_questions(participation: Participation, answers: Sequence[int], background: tuple[str, str] | None) -> None:
    """Stores the questionnaire's answers, and age band and gender apart from them. Raises: Over.

    Whoever takes age and gender back leaves nothing of them.
    """
    mine = locked(participation)
    mine.active_at, mine.questionnaire = timezone.now(), list(answers)
    mine.save(update_fields=["active_at", "questionnaire"])
    if background is not None and any(background):
        fields = {"age_band": background[0], "gender": background[1]}
        Background.objects.update_or_create(participation=mine, defaults=fields)
    else:
        Background.objects.filter(participation=mine).delete()


@transaction.atomic
def send(participation: Participation) -> Participation:
    """Ends the participation: its ratings count from now on. It can be sent once.

    Raises:
        Over, Unanswered.
    """
    mine = locked(participation)
    if screen := first_open(screens_of(mine)):
        raise Unanswered(screen.number)
    ratings = list(mine.ratings.order_by("id").values_list("value", "seconds"))
    mine.flags = flags_of(
        values=[value for value, _ in ratings],
        seconds=[seconds for _, seconds in ratings],
        attention=(mine.attention_wants, mine.attention_value),
        answers=mine.questionnaire,
    )
    mine.state, mine.ended_at = ParticipationState.DONE, timezone.now()
    mine.active_at, mine.completion_code = mine.ended_at, mine.study.completion_code or new_code()
    mine.save()
    return mine


def may_withdraw(participation: Participation) -> bool:
    """Until the group is closed: then its results are computed."""
    ends = (ParticipationState.RESERVED, ParticipationState.DONE, ParticipationState.EXPIRED)
    return participation.state in ends and participation.group.state != GroupState.CLOSED


@transaction.atomic
def withdraw(participation: Participation) -> bool:
    """Deletes whatever the rater answered; False where it is too late or nothing is left.

    The row keeps the hash, so that nobody takes part twice, and the completion code, so that they are paid. Its batch
    is free for another rater.

    Whoever closes the group at the same moment comes before, or after: by the lock of the study's row.
    """
    Study.objects.select_for_update(no_key=True).get(pk=participation.study_id)
    found = Participation.objects.select_for_update(of=("self",)).select_related("group").get(pk=participation.pk)
    if not may_withdraw(found):
        return False
    found.ratings.all().delete()
    Background.objects.filter(participation=found).delete()
    found.state, found.ended_at, found.flags = ParticipationState.WITHDRAWN, timezone.now(), []
    found.questionnaire = found.attention_value = found.attention_seconds = None
    found.save()
    return True
