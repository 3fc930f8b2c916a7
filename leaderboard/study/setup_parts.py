"""What the forms of the set-up page do. Each returns a sentence for the operator, or raises Refused."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.forms import Form, ModelForm
from django.http import QueryDict

from evaluation.importers.study_lines import StudyFileError
from leaderboard.study.building import NewResponder, Refused, add_responder, lock_study, responder_of_file
from leaderboard.study.checklist import next_wave
from leaderboard.study.models import ConsentForm, Study
from leaderboard.study.operator_forms import (
    ConsentVersionForm,
    EntryForm,
    GroupForm,
    PeopleForm,
    PlanForm,
    RepliesForm,
    RunForm,
)
from leaderboard.study.responders_of_runs import responder_of_run
from leaderboard.study.states import StudyState
from leaderboard.study.waves_of_raters import add_group

AnyForm = Form | ModelForm  # type: ignore[type-arg]
Data = QueryDict | None


@dataclass(frozen=True, slots=True)
class Part:
    """A form of the set-up page: how it is made, and what it does once it is valid."""

    title: str
    form: Callable[..., AnyForm]
    act: Callable[[Study, Any], str]
    button: str = "Save"


def _people_form(study: Study, data: Data = None, files: Any = None) -> AnyForm:
    return PeopleForm(data, files, instance=study, prefix="people")


@transaction.atomic
def _save_people(study: Study, form: PeopleForm) -> str:
    """`study` was read before the form was checked, and may have been opened since."""
    kept = [form.cleaned_data[name] for name in ("ethics_reference", "help_text", "help_link")]
    if lock_study(study).state != StudyState.DRAFT and not all(kept):
        raise Refused("The study has been open, so it keeps an ethics reference and a help address.")
    _save_fields(form)
    return "Saved."


def _save_fields(form: PeopleForm | EntryForm) -> None:
    """Without the other columns: raters and operators may change counters and the state at the same time."""
    form.instance.save(update_fields=list(form.cleaned_data))


def _consent_form(study: Study, data: Data = None, files: Any = None) -> AnyForm:
    last = study.consent_forms.order_by("-version").first()
    fields = ConsentVersionForm.Meta.fields
    initial = {name: getattr(last, name) for name in fields} if last else {}
    return ConsentVersionForm(data, files, initial=initial, prefix="consent")


@transaction.atomic
def _save_consent(study: Study, form: ConsentVersionForm) -> str:
    """A changed text is the next version; the same one again changes nothing."""
    lock_study(study)
    last = study.consent_forms.order_by("-version").first()
    if last and all(getattr(last, name) == value for name, value in form.cleaned_data.items()):
        return f"This is version {last.version} already."
    version = last.version + 1 if last else 1
    ConsentForm.objects.create(study=study, version=version, **form.cleaned_data)
    return f"Saved as version {version} of the consent text."


def _entry_form(study: Study, data: Data = None, files: Any = None) -> AnyForm:
    return EntryForm(data, files, instance=study, prefix="entry")


def _save_entry(study: Study, form: EntryForm) -> str:
    _save_fields(form)
    return "Saved."


def _plan_form(study: Study, data: Data = None, files: Any = None) -> AnyForm:
    initial = {
        "exclusion_rule": study.exclusion_rule,
        "asks_background": study.asks_background,
        "questionnaire": "\n".join(study.questionnaire),
    }
    return PlanForm(data, files, initial=initial, prefix="plan")


@transaction.atomic
def _save_plan(study: Study, form: PlanForm) -> str:
    if lock_study(study).opened_at is not None:
        raise Refused("A group has been open, so the plan is fixed.")
    for name, value in form.cleaned_data.items():
        setattr(study, name, value)
    study.save(update_fields=list(form.cleaned_data))
    return "Saved."


def _replies_form(study: Study, data: Data = None, files: Any = None) -> AnyForm:
    return RepliesForm(data, files, prefix="replies")


def _add_replies(study: Study, form: RepliesForm) -> str:
    wanted, file = form.cleaned_data, form.cleaned_data["file"]
    new = NewResponder(wanted["label"], wanted["kind"], wanted["version"], wanted["is_baseline"])
    if not file:
        add_responder(study, new, {})
        return f"{new.label} is registered without replies. Import its ratings or counts."
    try:
        responder_of_file(study, new, file.name, file.read())
    except StudyFileError as error:
        raise Refused(str(error)) from error
    return f"{new.label} is registered, and its replies are frozen."


def _run_form(study: Study, data: Data = None, files: Any = None) -> AnyForm:
    return RunForm(study, data, files, prefix="run")


def _add_run(study: Study, form: RunForm) -> str:
    wanted = form.cleaned_data
    responder = responder_of_run(study, wanted["run"], wanted["label"], is_baseline=wanted["is_baseline"])
    return f"{responder.label} is registered, and its replies are frozen."


def _group_form(study: Study, data: Data = None, files: Any = None) -> AnyForm:
    return GroupForm(study, next_wave(study), data, files, prefix="group")


def _add_group(study: Study, form: GroupForm) -> str:
    wave = next_wave(study)
    group = add_group(study, form.cleaned_data["responder"], wave, form.cleaned_data["target"])
    return f"{group.responder.label} has a group in wave {wave}."


PARTS: Mapping[str, Part] = {
    "replies": Part("Add a responder with a file of replies", _replies_form, _add_replies, "Add"),
    "run": Part("Add a responder from a run", _run_form, _add_run, "Add"),
    "people": Part("Ethics, help and baseline", _people_form, _save_people),
    "consent": Part("Consent text and pay", _consent_form, _save_consent, "Save as the next version"),
    "entry": Part("How raters come in and leave", _entry_form, _save_entry),
    "group": Part("Add a group", _group_form, _add_group, "Add"),
    "plan": Part("Exclusion rule and questionnaire", _plan_form, _save_plan),
}
