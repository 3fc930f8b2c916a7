"""The screens of one participation: its items in their own order, with the attention item among them."""

import random
from dataclasses import dataclass

from leaderboard.study.models import Participation, Rating, Response
from leaderboard.study.states import Level

# On screen Good comes first; the keys are 1, 2, 3.
CHOICES = (Level.GOOD, Level.OKAY, Level.BAD)
# Our own text. It looks like any other screen, so only who reads the reply passes.
ATTENTION_EMOTION = "surprised"
ATTENTION_SITUATION = "My friends organised a party although I told no one my birthday."
ATTENTION_UTTERANCE = "I opened the door to get the post and there were twelve people with balloons."
ATTENTION_REPLY = (
    "This screen only checks that the texts are read. Please choose {} here, whatever you think of this reply."
)


@dataclass(frozen=True, slots=True)
class Screen:
    """One reply to rate. `response_id` is None for the attention item; `value` is None until it is answered."""

    number: int
    response_id: int | None
    emotion: str
    situation: str
    utterance: str
    reply: str
    value: int | None

    @property
    def answer(self) -> str:
        return Level(self.value).label if self.value else ""


def screens_of(participation: Participation) -> list[Screen]:
    """All screens in the order in which this rater sees them."""
    values = dict(Rating.objects.filter(participation=participation).values_list("response_id", "value"))
    responses = list(
        Response.objects.filter(responder=participation.group.responder_id, item__batch=participation.batch or 0)
        .select_related("item__prompt")
        .order_by("item__position")
    )
    random.Random(participation.seed).shuffle(responses)
    shown: list[Response | None] = [*responses]
    shown.insert((participation.attention_at or 1) - 1, None)
    return [
        _reply_screen(number, response, values.get(response.pk))
        if response
        else _attention_screen(number, participation)
        for number, response in enumerate(shown, 1)
    ]


def first_open(screens: list[Screen]) -> Screen | None:
    """The first screen without an answer; None where all are answered."""
    return next((screen for screen in screens if screen.value is None), None)


def _reply_screen(number: int, response: Response, value: int | None) -> Screen:
    prompt = response.item.prompt
    return Screen(number, response.pk, prompt.emotion, prompt.situation, prompt.utterance, response.text, value)


def _attention_screen(number: int, participation: Participation) -> Screen:
    reply = ATTENTION_REPLY.format(Level(participation.attention_wants or Level.OKAY).label)
    return Screen(
        number, None, ATTENTION_EMOTION, ATTENTION_SITUATION, ATTENTION_UTTERANCE, reply, participation.attention_value
    )
