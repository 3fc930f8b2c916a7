"""What a study needs before a wave of it can open: each thing with its state and what to do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from django.db.models import Count, Q
from django.utils.text import slugify

from evaluation.statistics.study_figures import LEAST_RATERS
from leaderboard.rounding import counted
from leaderboard.study.material import rule_words
from leaderboard.study.models import Group, Prompt, Responder, Response, Study
from leaderboard.study.states import EntryMode, GroupState

State = Literal["done", "look", "missing", "todo"]
"""`todo` is optional; `look` and `missing` keep a study shut."""


@dataclass(frozen=True, slots=True)
class Check:
    """`need` says what is to be done, as a part of a sentence; "" where it is done. `anchor` names its form."""

    key: str
    title: str
    state: State
    status: str
    advice: str = ""
    need: str = ""

    @property
    def is_open(self) -> bool:
        return self.state in ("look", "missing")


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    about: str
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Checklist:
    sections: tuple[Section, ...]

    @property
    def checks(self) -> list[Check]:
        return [check for section in self.sections for check in section.checks]

    @property
    def open_checks(self) -> list[Check]:
        return [check for check in self.checks if check.is_open]

    @property
    def n_done(self) -> int:
        return sum(check.state == "done" for check in self.checks)

    @property
    def n_needed(self) -> int:
        return sum(check.state != "todo" for check in self.checks)

    @property
    def is_ready(self) -> bool:
        return not self.open_checks

    @property
    def why_not(self) -> str:
        """What is missing, in one sentence; "" where nothing is."""
        needs = [check.need for check in self.open_checks]
        if not needs:
            return ""
        text = ", then ".join([*(", ".join(needs[:-1]),), needs[-1]]) if len(needs) > 1 else needs[0]
        return f"{text[0].upper()}{text[1:]}."


def checklist(study: Study, wave: int) -> Checklist:
    """About ten queries. `wave` is the wave that is to open next."""
    responders = list(study.responders.annotate(n_replies=Count("responses", filter=~Q(responses__sha256=""))))
    groups = list(study.groups.filter(wave=wave).select_related("responder"))
    rated = [each for each in responders if any(group.responder_id == each.pk for group in groups)]
    return Checklist(
        (
            Section("Material", "What raters will read. All of it is frozen.", _material(study, responders, rated)),
            Section("People", "What raters agree to and what they get.", _people(study)),
            Section("Plan", "Fixed before the first rating, so that nobody can choose later.", _plan(study, groups)),
        )
    )


def next_wave(study: Study) -> int:
    """The wave that is being prepared: one with a group that has never been open, else the one after the last."""
    draft = study.groups.filter(state=GroupState.DRAFT, opened_at=None).order_by("wave").first()
    if draft:
        return draft.wave
    last = study.groups.order_by("-wave").first()
    return last.wave + 1 if last else 1


def _material(study: Study, responders: Sequence[Responder], rated: Sequence[Responder]) -> tuple[Check, ...]:
    return (
        _prompts(study),
        _responders(study.slug, responders),
        _replies(study, rated or responders),
        _texts(study, rated),
    )


def _prompts(study: Study) -> Check:
    n = study.items.count()
    n_emotions = study.items.values("prompt__emotion").distinct().count()
    batches = n // study.items_per_rater
    terms = study.prompt_set.licence or "not stated"
    where = "" if study.prompt_set.shows_texts else " Raters see the texts; public pages leave them out."
    if not n:
        return Check("prompts", "Prompts frozen", "missing", "no prompts", need="build the study from a set of prompts")
    status = f"{counted(n, 'prompt')}, {counted(n_emotions, 'emotion')}, {study.prompt_set.sha256[:8]}"
    advice = f"{counted(batches, 'batch', 'batches')} of {study.items_per_rater}. Licence: {terms}.{where}"
    return Check("prompts", "Prompts frozen", "done", status, advice)


def _responders(slug: str, responders: Sequence[Responder]) -> Check:
    names = ", ".join(responder.label for responder in responders)
    title, status = "Responders", f"{len(responders)}: {names}" if responders else "none"
    if not any(responder.is_baseline for responder in responders):
        need = "register people’s replies as the baseline"
        return Check("responders", title, "missing", status, "Gains are relative to people’s replies.", need)
    if len(responders) < 2:
        return Check("responders", title, "missing", status, need="register a model to compare with people")
    if named := [each.label for each in responders if _is_named(slug, each)]:
        need = f"build the study again with a title without {' and '.join(named)}"
        return Check(
            "responders", title, "missing", status, "Raters see the title in the address of their pages.", need
        )
    return Check("responders", title, "done", status)


def _is_named(slug: str, responder: Responder) -> bool:
    """Whether the address of the rater's pages says who wrote the replies.

    A label without a Latin letter has only a number or a general word in addresses, which names nobody.
    """
    label = slugify(responder.label)
    if not any(sign.isalpha() for sign in label):
        return False
    return any(f"-{name}-" in f"-{slug}-" for name in (responder.key, label))


def _replies(study: Study, responders: Sequence[Responder]) -> Check:
    title, n_items = "Replies gathered and frozen", study.items.count()
    wanted = n_items * len(responders)
    there = sum(getattr(responder, "n_replies", 0) for responder in responders)
    empty = Response.objects.filter(responder__in=responders, text="").exclude(sha256="").count()
    status = f"{there:,} of {wanted:,}" + (f" · {empty} empty, kept" if empty else "")
    without = [each.label for each in responders if getattr(each, "n_replies", 0) < n_items or not each.frozen_sha256]
    if not responders or without:
        names = ", ".join(without) or "the responders"
        return Check("replies", title, "missing", status, need=f"add the replies of {names}")
    return Check("replies", title, "done", status, "Empty replies and refusals are shown to raters as they came.")


def _texts(study: Study, rated: Sequence[Responder]) -> Check:
    title = "Texts checked for personal data and crisis content"
    n = len(held_texts(study, rated))
    if n:
        need = f"decide on {counted(n, 'held text')}"
        return Check("texts", title, "look", f"{n} held", "Raters see no held text.", need)
    return Check("texts", title, "done", "none held")


def held_texts(study: Study, responders: Sequence[Responder]) -> list[Prompt | Response]:
    """Prompts and replies that the filter holds and nobody has let through."""
    prompts = Prompt.objects.filter(prompt_set_id=study.prompt_set_id, cleared_at=None).exclude(held_for="")
    replies = Response.objects.filter(responder__study=study, cleared_at=None).exclude(held_for="")
    if responders:
        replies = replies.filter(responder__in=responders)
    return [*prompts, *replies.select_related("item__prompt", "responder")]


def _people(study: Study) -> tuple[Check, ...]:
    consent = study.consent_forms.order_by("-version").first()
    ethics = study.ethics_reference
    return (
        Check("ethics", "Ethics reference or statement of exemption", "done", ethics)
        if ethics
        else Check("ethics", "Ethics reference or statement of exemption", "missing", "missing",
                   "Approval is your duty; the board only asks for its reference.", "fill in the ethics reference"),
        Check("consent", "Consent text", "done", f"version {consent.version}, {consent.organisation}")
        if consent
        else Check("consent", "Consent text", "missing", "missing", need="write the consent text"),
        Check("pay", "Pay", "done", f"{consent.pay} · {consent.minutes} min", "Flagged raters are paid too.")
        if consent
        else Check("pay", "Pay", "missing", "missing", "It is a part of the consent text.", "say what raters are paid"),
        Check("help", "Help address", "done", study.help_text, "Shown behind “Stop now” on every screen.")
        if study.help_text and study.help_link
        else Check("help", "Help address", "missing", "missing", "Situations may be upsetting.", "name a help address"),
        _entry(study),
    )  # fmt: skip


def _entry(study: Study) -> Check:
    title = "How raters come in"
    if study.entry_mode == EntryMode.PLATFORM:
        return Check("entry", title, "done", f"by a platform’s link with {study.id_parameter}")
    n = study.invitations.count()
    if not n:
        return Check("entry", title, "missing", "by invitation, no codes yet", need="make invitation codes")
    return Check("entry", title, "done", f"by invitation, {counted(n, 'code')}")


def _plan(study: Study, groups: Sequence[Group]) -> tuple[Check, ...]:
    return _targets(groups), _control(study, groups), _rule(study), _questionnaire(study)


def _targets(groups: Sequence[Group]) -> Check:
    title = "Groups and their targets"
    if not groups:
        return Check("groups", title, "missing", "no group", need="add a group for each responder of this wave")
    status = ", ".join(f"{group.responder.label} {group.target}" for group in groups)
    few = [group for group in groups if group.target < LEAST_RATERS]
    advice = f"With fewer than {LEAST_RATERS} raters a group is marked preliminary and stays off the ranking."
    return Check("groups", title, "done", status, advice if few else "")


def _control(study: Study, groups: Sequence[Group]) -> Check:
    title = "Human control in this wave"
    control = next((group for group in groups if group.responder.is_baseline), None)
    if control is None:
        need = f"add a group of people’s replies with {LEAST_RATERS} raters or more"
        return Check(
            "control", title, "missing", "none", "Raters of today may judge otherwise than earlier ones.", need
        )
    advice = "Mixed in at random."
    if control.target < LEAST_RATERS:
        advice = f"The control is compared only with {LEAST_RATERS} raters or more."
    return Check("control", title, "done", counted(control.target, "rater"), advice)


def _rule(study: Study) -> Check:
    title, advice = "Exclusion rule", "Results are shown with all raters and with the rule. Nobody is dropped silently."
    if not study.exclusion_rule:
        return Check("rule", title, "todo", "none", "Without a rule all raters count.")
    return Check("rule", title, "done", rule_words(study.exclusion_rule), advice)


def _questionnaire(study: Study) -> Check:
    n = len(study.questionnaire)
    if not n:
        return Check("questionnaire", "Questionnaire", "todo", "none", "Optional.")
    return Check("questionnaire", "Questionnaire", "done", counted(n, "question"))
