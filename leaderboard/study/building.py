"""Building a study: prompts, batches, responders with their replies, and the freezing of it all.

Whoever builds gets a sentence where something cannot be done (`Refused`), and then nothing has changed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.db import transaction
from django.db.models import QuerySet
from django.utils.text import slugify

from evaluation.benchmarks.chance import order
from evaluation.importers.study_texts import PromptLine, ReplyLine, read_prompts, read_replies
from evaluation.models import Access, Item, ItemBank
from evaluation.statistics.emotion_labels import VALENCE
from leaderboard.study.models import Prompt, PromptSet, Responder, Response, Study, StudyItem
from leaderboard.study.states import ResponderKind, StudyState
from leaderboard.study.text_filter import held_for

RESERVED_SLUGS = frozenset({"new", "prompts"})
"""Addresses of the operators' own pages."""
EMPATHY = "empathy-replies"
LONGEST_SLUG = 60


class Refused(ValueError):
    """What cannot be done, in a sentence that says why and what to do."""


def lock_study(study: Study) -> Study:
    """The study as stored now, in a transaction: who builds it or imports into it waits for the one before.

    Otherwise two who send the same at once both find it missing, and the second insert is an IntegrityError.
    """
    return Study.objects.select_for_update(no_key=True).get(pk=study.pk)


@dataclass(frozen=True, slots=True)
class Terms:
    """Under which terms texts may be used. `shows_texts`: also on public pages and in downloads."""

    licence: str
    shows_texts: bool


def prompt_set_of_file(title: str, name: str, content: bytes, terms: Terms) -> PromptSet:
    """The set of a file; the same prompts again give the set that is stored.

    Raises: StudyFileError.
    """
    return _prompt_set(title, read_prompts(name, content), terms, bank=None)


def banks_of_prompts() -> "QuerySet[ItemBank]":
    """Not the private ones: raters are no members of the staff."""
    return ItemBank.objects.filter(benchmark=EMPATHY).exclude(access=Access.PRIVATE)


def prompt_set_of_bank(bank: ItemBank) -> PromptSet:
    """The prompts that models are asked with.

    Raises: Refused where the bank has none, is a private one, or names another emotion than the 32 labels.
    """
    if bank not in banks_of_prompts():
        raise Refused(f"{bank.title} holds no prompts for replies. Choose a bank of empathetic replies.")
    lines = [_prompt_line(item) for item in bank.items.order_by("number")]
    return _prompt_set(bank.title, lines, Terms(bank.licence, bank.shows_texts), bank=bank)


def _prompt_line(item: Item) -> PromptLine:
    """A bank may have any emotions, and say of each which valence it has; a study has the 32 labels with theirs."""
    emotion = str(item.extra["emotion"]).casefold()
    valence = VALENCE.get(emotion)
    if valence is None:
        raise Refused(
            f"The emotion of {item.item_id} is none of the 32 labels that a study has. Store the prompts from a file."
        )
    if item.extra.get("valence") != valence:
        raise Refused(f"{item.item_id}: {emotion} is {valence} in a study. Store the prompts from a file.")
    return PromptLine(item.item_id, emotion, str(item.extra["situation"]), str(item.extra["utterance"]))


@transaction.atomic
def _prompt_set(title: str, lines: Sequence[PromptLine], terms: Terms, bank: ItemBank | None) -> PromptSet:
    version = _hash((line.item, line.emotion, line.situation, line.utterance) for line in lines)
    made, is_new = PromptSet.objects.get_or_create(
        sha256=version,
        defaults={
            "slug": _free_slug(title, set(PromptSet.objects.values_list("slug", flat=True))),
            "title": title,
            "bank": bank,
            "licence": terms.licence,
            "shows_texts": terms.shows_texts,
        },
    )
    if not is_new:
        if bank is not None and made.bank_id is None:  # it came from a file; now runs over the bank can be taken
            made.bank = bank
            made.save(update_fields=["bank"])
        return made
    Prompt.objects.bulk_create(
        Prompt(
            prompt_set=made,
            number=number,
            item_id=line.item,
            emotion=line.emotion,
            valence=VALENCE[line.emotion],
            situation=line.situation,
            utterance=line.utterance,
            held_for=held_for(line.situation, line.utterance),
        )
        for number, line in enumerate(lines, 1)
    )
    return made


def _hash(parts: Iterable[Sequence[str]]) -> str:
    return sha256("\0".join("\0".join(part) for part in parts).encode()).hexdigest()


def _free_slug(title: str, taken: set[str], fallback: str = "study") -> str:
    """The title as an address; with a number behind it where the address is taken.

    Args:
        fallback: For a title without Latin letters and digits.
    """
    base = slugify(title)[: LONGEST_SLUG - 4] or fallback
    names = (base, *(f"{base}-{number}" for number in range(2, 1000)))
    return next(name for name in names if name not in taken | RESERVED_SLUGS)


@transaction.atomic
def new_study(title: str, prompt_set: PromptSet, *, items_per_rater: int = 10, ratings_per_reply: int = 1) -> Study:
    """A draft with its batches. They follow from the set and the number alone, so each group has the same ones.

    Raises: Refused where the prompts do not divide into batches.
    """
    prompts = list(prompt_set.prompts.order_by("number"))
    _check_batches(len(prompts), items_per_rater)
    # Of two who build at once over the same prompts the second finds the address of the first one taken.
    PromptSet.objects.select_for_update(no_key=True).get(pk=prompt_set.pk)
    study = Study.objects.create(
        slug=_free_slug(title, set(Study.objects.values_list("slug", flat=True))),
        title=title,
        prompt_set=prompt_set,
        items_per_rater=items_per_rater,
        ratings_per_reply=ratings_per_reply,
    )
    # A file in the order of its emotions would otherwise give each rater ten prompts of two or three emotions.
    drawn = order(int(prompt_set.sha256[:12], 16), len(prompts))
    StudyItem.objects.bulk_create(
        StudyItem(
            study=study,
            prompt=prompts[at],
            batch=place // items_per_rater + 1,
            position=place % items_per_rater + 1,
        )
        for place, at in enumerate(drawn)
    )
    return study


def _check_batches(n: int, items_per_rater: int) -> None:
    if not n:
        raise Refused("The prompt set is empty. Choose one with prompts.")
    if n % items_per_rater:
        fitting = [str(size) for size in range(4, min(n, 20) + 1) if n % size == 0]
        way_out = f"Choose {' or '.join(fitting)} items per rater." if fitting else "Choose another set of prompts."
        raise Refused(f"{n} prompts cannot be divided into batches of {items_per_rater}. {way_out}")


@dataclass(frozen=True, slots=True)
class NewResponder:
    """What is registered of a responder. `kind` is one of ResponderKind."""

    label: str
    kind: str
    version: str = ""
    is_baseline: bool = False


def responder_of_file(study: Study, new: NewResponder, name: str, content: bytes) -> Responder:
    """A responder with one reply for each prompt. Raises: StudyFileError, Refused."""
    items = list(study.items.select_related("prompt").order_by("batch", "position"))
    replies = read_replies(name, content, [item.prompt.item_id for item in items])
    return add_responder(study, new, dict(zip([item.pk for item in items], replies, strict=True)))


@transaction.atomic
def add_responder(study: Study, new: NewResponder, replies: dict[int, ReplyLine]) -> Responder:
    """Registers a responder with its replies, which are frozen at once: `replies` is keyed by the study's item.

    Without replies it can have imported ratings and counts, but no group.

    Raises: Refused.
    """
    _check_responder(lock_study(study), new)
    responder = Responder.objects.create(
        study=study,
        key=_free_slug(new.label, set(study.responders.values_list("key", flat=True)), fallback="responder"),
        label=new.label,
        kind=new.kind,
        version=new.version,
        is_baseline=new.is_baseline,
        frozen_sha256=_hash((reply.item, reply.text) for reply in replies.values()) if replies else "",
    )
    Response.objects.bulk_create(
        Response(
            responder=responder,
            item_id=item,
            text=reply.text,
            n_tokens=reply.tokens,
            n_words=len(reply.text.split()),
            finish_reason=reply.finish_reason,
            sha256=sha256(reply.text.encode()).hexdigest(),
            held_for=held_for(reply.text),
        )
        for item, reply in replies.items()
    )
    return responder


def _check_responder(study: Study, new: NewResponder) -> None:
    if study.state == StudyState.CLOSED and study.groups.exists() is False:
        raise Refused("This study holds published counts only. Build a study of your own.")
    if study.responders.filter(label__iexact=new.label).exists():
        raise Refused(f"There is a responder {new.label} already. Add the version to the label.")
    if new.is_baseline and study.responders.filter(is_baseline=True).exists():
        raise Refused("The study has a baseline already. Gains are relative to one responder.")
    if new.is_baseline and new.kind != ResponderKind.HUMAN:
        raise Refused("The baseline has to be people's replies. Choose the kind “human”.")


@transaction.atomic
def remove_responder(responder: Responder) -> None:
    """Takes out a responder that nobody has rated. Raises: Refused."""
    lock_study(responder.study)
    if responder.groups.exists() or responder.counts.exists():
        raise Refused(f"{responder.label} has a group or counts already, so it stays.")
    responder.delete()
