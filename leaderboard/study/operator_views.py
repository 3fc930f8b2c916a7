"""The operators' pages of a study: list and making, set-up, progress, import. Rights: docs/administration.md."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from evaluation.importers.study_lines import StudyFileError
from evaluation.models import ItemBank
from leaderboard.calling import call
from leaderboard.study.building import (
    Refused,
    Terms,
    new_study,
    prompt_set_of_bank,
    prompt_set_of_file,
    remove_responder,
)
from leaderboard.study.checklist import checklist, held_texts, next_wave
from leaderboard.study.exporting import export
from leaderboard.study.identity import new_invitations
from leaderboard.study.importing import import_file
from leaderboard.study.models import Group, Prompt, PromptSet, Responder, Response, Study
from leaderboard.study.operator_forms import ImportForm, InvitationsForm, PromptsForm, StudyForm
from leaderboard.study.progress import progress_of
from leaderboard.study.result_models import StudyResult
from leaderboard.study.results import has_baseline
from leaderboard.study.rights import BUILD, CREATE, EXPORT, IMPORT, OPEN, SEE, for_operators, log
from leaderboard.study.setup_parts import PARTS, AnyForm
from leaderboard.study.states import EntryMode
from leaderboard.study.waves_of_raters import REFRESH, close_group, open_wave, pause_wave, remove_group


def _study(slug: str) -> Study:
    return get_object_or_404(Study.objects.select_related("prompt_set"), slug=slug)


def new(request: HttpRequest) -> HttpResponse:
    """Two forms: a study over a stored set of prompts, and a file of prompts to store."""
    is_prompts = "file" in request.FILES or "licence" in request.POST
    prompts = PromptsForm(request.POST, request.FILES) if request.method == "POST" and is_prompts else PromptsForm()
    study = StudyForm(request.POST) if request.method == "POST" and not is_prompts else StudyForm()
    if prompts.is_bound and prompts.is_valid() and _store_prompts(request, prompts):
        return redirect("study-new")
    if study.is_bound and study.is_valid() and (made := _make_study(request, study)):
        return redirect("study-setup", made.slug)
    return render(request, "study/new.html", {"form": study, "prompts": prompts})


def _store_prompts(request: HttpRequest, form: PromptsForm) -> bool:
    wanted = form.cleaned_data
    terms = Terms(wanted["licence"], wanted["shows_texts"])
    try:
        made = prompt_set_of_file(wanted["title"], wanted["file"].name, wanted["file"].read(), terms)
    except StudyFileError as error:
        form.add_error("file", str(error))
        return False
    log(request, [made], "Stored prompts, and confirmed the terms of their texts.")
    messages.success(request, f"{made.title} is stored with {made.prompts.count()} prompts. Build a study from it.")
    return True


def _make_study(request: HttpRequest, form: StudyForm) -> Study | None:
    wanted = form.cleaned_data
    kind, _, pk = wanted["prompts"].partition("-")
    try:
        prompts = PromptSet.objects.get(pk=pk) if kind == "set" else prompt_set_of_bank(ItemBank.objects.get(pk=pk))
    except Refused as refusal:
        form.add_error("prompts", str(refusal))
        return None
    try:
        made = new_study(
            wanted["title"],
            prompts,
            items_per_rater=wanted["items_per_rater"],
            ratings_per_reply=wanted["ratings_per_reply"],
        )
    except Refused as refusal:
        form.add_error("items_per_rater", str(refusal))
        return None
    log(request, [made], "Built the study.")
    return made


@require_safe
def setup(request: HttpRequest, slug: str) -> HttpResponse:
    return _setup_page(request, _study(slug))


def _setup_page(request: HttpRequest, study: Study, part: str = "", form: AnyForm | None = None) -> HttpResponse:
    """`form` is what was sent for `part`, with its errors."""
    wave = next_wave(study)
    responders = list(study.responders.order_by("pk"))
    groups = list(study.groups.filter(wave=wave, opened_at=None).select_related("responder"))
    context = {
        "study": study,
        "slug": study.slug,
        "tab": "setup",
        "wave": wave,
        "list": checklist(study, wave),
        "responders": responders,
        "groups": groups,
        "held": held_texts(study, [group.responder for group in groups]),
        "parts": [
            (name, each, form if name == part else each.form(study), name == part) for name, each in PARTS.items()
        ],
        "invitations": InvitationsForm() if study.entry_mode == EntryMode.INVITED else None,
        "may_build": request.user.has_perm(BUILD),
        "may_open": request.user.has_perm(OPEN),
        **_nav(request, study),
    }
    return render(request, "study/setup.html", context)


def _nav(request: HttpRequest, study: Study) -> dict[str, object]:
    return {
        "operator": True,
        "has_results": StudyResult.objects.filter(study=study).exists(),
        "may_import": request.user.has_perm(IMPORT),
        "rater_link": _rater_link(request, study),
        "by_platform": study.entry_mode == EntryMode.PLATFORM,
    }


def _rater_link(request: HttpRequest, study: Study) -> str:
    """What a platform is given: it puts its id into the place that Prolific names {{%PROLIFIC_PID%}}."""
    address = request.build_absolute_uri(reverse("rate", args=[study.slug]))
    if study.entry_mode == EntryMode.INVITED:
        return address
    return f"{address}?{study.id_parameter}={{{{%{study.id_parameter}%}}}}"


@require_POST
def setup_part(request: HttpRequest, slug: str, part: str) -> HttpResponse:
    """One form of the set-up page; what is wrong with it is said beside its fields."""
    study, found = _study(slug), PARTS.get(part)
    if found is None:
        raise Http404("no such part")
    form = found.form(study, request.POST, request.FILES)
    if not form.is_valid():
        return _setup_page(request, _study(slug), part, form)
    try:
        sentence = found.act(study, form)
    except Refused as refusal:
        form.add_error(None, str(refusal))
        return _setup_page(request, _study(slug), part, form)
    return _done(request, study, f"{found.title}: {sentence}", part)


def _done(request: HttpRequest, study: Study, sentence: str, anchor: str = "") -> HttpResponse:
    log(request, [study], sentence)
    messages.success(request, sentence)
    return redirect(f"{reverse('study-setup', args=[study.slug])}{f'#{anchor}' if anchor else ''}")


@require_POST
def remove(request: HttpRequest, slug: str, kind: str, pk: int) -> HttpResponse:
    """Takes out a responder that nobody has rated, or a group that was never open."""
    study = _study(slug)
    try:
        if kind == "responder":
            responder = get_object_or_404(Responder, study=study, pk=pk)
            remove_responder(responder)
            return _done(request, study, f"{responder.label} was taken out.")
        group = get_object_or_404(Group, study=study, pk=pk)
        remove_group(group)
    except Refused as refusal:
        messages.warning(request, str(refusal))
        return redirect("study-setup", slug)
    return _done(request, study, f"The group of {group.responder.label} was taken out.")


@require_POST
def clear_text(request: HttpRequest, slug: str, kind: str, pk: int) -> HttpResponse:
    """Lets a held text through, after a person has read it."""
    study = _study(slug)
    text: Prompt | Response
    if kind == "prompt":
        text = get_object_or_404(Prompt, prompt_set=study.prompt_set_id, pk=pk)
    else:
        text = get_object_or_404(Response, responder__study=study, pk=pk)
    if text.cleared_at is None:
        text.cleared_at = timezone.now()
        text.save(update_fields=["cleared_at"])
        log(request, [study], f"Let the held {kind} {pk} through.")
    return redirect(f"{reverse('study-setup', args=[slug])}#texts")


@require_POST
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    """Makes invitation codes and shows them, once."""
    study, form = _study(slug), InvitationsForm(request.POST)
    if study.entry_mode != EntryMode.INVITED or not form.is_valid():
        messages.warning(request, "No codes were made. Choose a number, in a study that goes by invitation.")
        return redirect("study-setup", slug)
    codes = new_invitations(study, form.cleaned_data["number"])
    log(request, [study], f"Made {len(codes)} invitation codes.")
    context = {"study": study, "slug": slug, "codes": codes, "tab": "setup", **_nav(request, study)}
    return render(request, "study/codes.html", context)


@require_POST
def open_groups(request: HttpRequest, slug: str) -> HttpResponse:
    return _wave_act(request, slug, open_wave, "is open", "Opened")


@require_POST
def pause_groups(request: HttpRequest, slug: str) -> HttpResponse:
    return _wave_act(request, slug, pause_wave, "is paused: nobody new comes in", "Paused")


def _wave_act(request: HttpRequest, slug: str, act, sentence: str, logged: str) -> HttpResponse:  # type: ignore[no-untyped-def]
    study = _study(slug)
    text = request.POST.get("wave", "")
    wave = int(text) if text.isascii() and text.isdigit() and len(text) <= 4 else 0
    try:
        n = act(study, wave)
    except Refused as refusal:
        messages.warning(request, str(refusal))
        return redirect("study-setup", slug)
    if n:
        log(request, [study], f"{logged} wave {wave} with {n} groups.")
        messages.success(request, f"Wave {wave} {sentence}.")
    else:
        messages.warning(request, f"Nothing changed: no group of wave {wave} waits for this.")
    return redirect("study-progress", slug)


@require_safe
def progress(request: HttpRequest, slug: str) -> HttpResponse:
    study = _study(slug)
    context = {
        "study": study,
        "slug": slug,
        "tab": "progress",
        "page": progress_of(study),
        "may_open": request.user.has_perm(OPEN),
        "may_export": request.user.has_perm(EXPORT),
        **_nav(request, study),
    }
    return render(request, "study/progress.html", context)


@require_POST
def close(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Closes a group for good, with a tick."""
    study = _study(slug)
    group = get_object_or_404(Group.objects.select_related("study", "responder"), study=study, pk=pk)
    try:
        if "sure" not in request.POST:
            raise Refused("Tick the box first: closing cannot be undone.")
        done = close_group(group)
    except Refused as refusal:
        messages.warning(request, str(refusal))
        return redirect("study-progress", slug)
    if done:
        log(request, [study], f"Closed the group of {group.responder.label}, wave {group.wave}.")
        messages.success(request, f"{group.responder.label} is closed. {_when_there(study)}")
    return redirect("study-progress", slug)


def _when_there(study: Study) -> str:
    if has_baseline(study):
        return "Results are there within a minute."
    return "Results come once people’s replies have ratings of a closed group, or counts, too."


@require_safe
def export_groups(request: HttpRequest, slug: str) -> HttpResponse:
    """Ratings of closed groups as a zip file, with random codes of raters that no other export has."""
    study = _study(slug)
    response = HttpResponse(export(study, closed_only=True), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{slug}-ratings.zip"'
    log(request, [study], "Exported the ratings of closed groups, with fresh codes.")
    return response


def import_page(request: HttpRequest, slug: str) -> HttpResponse:
    """A file of ratings or counts: a dry run first. The file is not kept in between, since it holds codes of raters."""
    study = _study(slug)
    form = ImportForm(request.POST, request.FILES) if request.method == "POST" else ImportForm()
    report, is_dry = None, "import" not in request.POST
    if form.is_bound and form.is_valid():
        file, wanted = form.cleaned_data["file"], form.cleaned_data
        try:
            report = import_file(
                study, file.name, file.read(), coding=wanted["coding"], wave=wanted["wave"], dry_run=is_dry
            )
        except StudyFileError as error:
            for line in str(error).splitlines():
                form.add_error("file", line)
        else:
            if not is_dry and not report.was_before:
                log(request, [study], f"Imported {report.rows} {report.kind}.")
                call(REFRESH, study.pk)
    context = {"study": study, "slug": slug, "tab": "import", "form": form, "report": report, "is_dry": is_dry}
    when = {"when_there": _when_there(study)}
    return render(request, "study/import.html", {**context, **when, **_nav(request, study)})


urlpatterns = [
    path("studies/new/", for_operators(new, CREATE), name="study-new"),
    path("studies/<slug:slug>/setup/", for_operators(setup, SEE), name="study-setup"),
    path("studies/<slug:slug>/setup/<slug:part>/", for_operators(setup_part, BUILD), name="study-setup-part"),
    path("studies/<slug:slug>/remove/<slug:kind>/<int:pk>/", for_operators(remove, BUILD), name="study-remove"),
    path("studies/<slug:slug>/clear/<slug:kind>/<int:pk>/", for_operators(clear_text, BUILD), name="study-clear"),
    path("studies/<slug:slug>/invite/", for_operators(invite, BUILD), name="study-invite"),
    path("studies/<slug:slug>/open/", for_operators(open_groups, OPEN), name="study-open"),
    path("studies/<slug:slug>/pause/", for_operators(pause_groups, OPEN), name="study-pause"),
    path("studies/<slug:slug>/progress/", for_operators(progress, SEE), name="study-progress"),
    path("studies/<slug:slug>/close/<int:pk>/", for_operators(close, OPEN), name="study-close"),
    path("studies/<slug:slug>/export/", for_operators(export_groups, EXPORT), name="study-export"),
    path("studies/<slug:slug>/import/", for_operators(import_page, IMPORT), name="study-import"),
]
