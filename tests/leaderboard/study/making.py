"""Studies for tests: prompts and replies of our own, and groups that are open."""

import hashlib
import itertools
from datetime import UTC, datetime
from typing import Any

from leaderboard.study.models import (
    ConsentForm,
    Group,
    Participation,
    Prompt,
    PromptSet,
    Rating,
    Responder,
    Response,
    Study,
    StudyItem,
)
from leaderboard.study.states import GroupState, ResponderKind, StudyState

_serial = itertools.count(10_001)  # as in tests/factories.py
WHEN = datetime(2026, 3, 1, 12, tzinfo=UTC)
EMOTIONS = (("proud", "positive"), ("afraid", "negative"), ("joyful", "positive"), ("lonely", "negative"))


def make_prompts(n: int = 20) -> PromptSet:
    serial = next(_serial)
    prompts = PromptSet.objects.create(
        slug=f"prompts-{serial}", title="Prompts", sha256=hashlib.sha256(f"prompts {serial}".encode()).hexdigest()
    )
    Prompt.objects.bulk_create(
        Prompt(
            prompt_set=prompts,
            number=number,
            item_id=f"item-{number}",
            emotion=EMOTIONS[number % len(EMOTIONS)][0],
            valence=EMOTIONS[number % len(EMOTIONS)][1],
            situation=f"Something happened on day {number}.",
            utterance=f"So on day {number} I stood there and did not know what to say.",
        )
        for number in range(1, n + 1)
    )
    return prompts


def make_study(
    *, batches: int = 2, items: int = 10, responders: tuple[str, ...] = ("human", "gpt-4"), **fields: Any
) -> Study:
    """A study with its consent form, items in batches and all replies; no group yet. Open unless `state` is given."""
    prompts = make_prompts(batches * items)
    serial = next(_serial)
    study = Study.objects.create(
        **{
            "slug": f"study-{serial}", "title": "Short replies", "prompt_set": prompts, "items_per_rater": items,
            "ethics_reference": "Approval 2026-114", "help_text": "Someone to talk to: 0800 000 000",
            "help_link": "tel:0800000000", "state": StudyState.OPEN, **fields,
        }
    )  # fmt: skip
    ConsentForm.objects.create(
        study=study, version=1, purpose="We study how people judge the empathy of short written replies.",
        pay="You are paid £1.80.", organisation="Department of Psychology, Example University",
        contact="study@example.org",
    )  # fmt: skip
    StudyItem.objects.bulk_create(
        StudyItem(study=study, prompt=prompt, batch=at // items + 1, position=at % items + 1)
        for at, prompt in enumerate(prompts.prompts.all())
    )
    for key in responders:
        make_responder(study, key)
    return study


def make_responder(study: Study, key: str) -> Responder:
    human = key == "human"
    responder = Responder.objects.create(
        study=study, key=key, label=key.upper(), is_baseline=human,
        kind=ResponderKind.HUMAN if human else ResponderKind.MODEL,
    )  # fmt: skip
    texts = {item: f"Reply {responder.pk}-{item.pk}: I am with you in this." for item in study.items.all()}
    Response.objects.bulk_create(
        Response(responder=responder, item=item, text=text, n_words=7, sha256=hashlib.sha256(text.encode()).hexdigest())
        for item, text in texts.items()
    )
    Responder.objects.filter(pk=responder.pk).update(frozen_sha256=hashlib.sha256(key.encode()).hexdigest())
    return responder


def open_groups(study: Study, *, target: int = 2, wave: int = 1) -> list[Group]:
    """A group for each responder, open for raters."""
    return [
        Group.objects.create(
            study=study, responder=responder, wave=wave, target=target, state=GroupState.OPEN, opened_at=WHEN
        )
        for responder in study.responders.all()
    ]


def make_participation(group: Group, *, batch: int = 1, **fields: Any) -> Participation:
    """A live participation with consent, still reserved."""
    return Participation.objects.create(
        **{
            "study": group.study, "group": group, "batch": batch, "rater_hash": f"{next(_serial):064x}",
            "consent_form": group.study.consent_forms.last(), "consent_at": WHEN, "active_at": WHEN, **fields,
        }
    )  # fmt: skip


def rate_all(participation: Participation, value: int = 3) -> None:
    """One rating for each reply of its batch."""
    responses = Response.objects.filter(
        responder=participation.group.responder, item__batch=participation.batch or 0, item__study=participation.study
    )
    Rating.objects.bulk_create(
        Rating(participation=participation, response=response, value=value, seconds=5, rated_at=WHEN)
        for response in responses
    )
