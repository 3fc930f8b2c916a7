"""Trials of what staff may do with studies, for the table of docs/administration.md: each says whether it was done."""

from collections.abc import Callable, Mapping

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.study.models import Group, PromptSet, Study
from leaderboard.study.states import GroupState
from tests.leaderboard.study.making import make_prompts, make_study, open_groups
from tests.leaderboard.study.test_operator_pages import PEOPLE


def looked(client: Client) -> bool:
    study = make_study(state="draft")
    paths = [f"/studies/{study.slug}/{end}/" for end in ("setup", "progress")]
    statuses = {client.get(path).status_code for path in paths}
    listed = study.slug in client.get("/studies/").content.decode()
    assert statuses in ({200}, {403})
    return statuses == {200} and listed


def built(client: Client) -> bool:
    prompts = make_prompts(20)
    before = (Study.objects.count(), PromptSet.objects.count())
    form = {"title": "x", "prompts": f"set-{prompts.pk}", "items_per_rater": "10", "ratings_per_reply": "1"}
    client.post("/studies/new/", form)
    file = SimpleUploadedFile("p.csv", b"item_id,emotion,situation,utterance\n1,sad,s,u\n")
    client.post("/studies/new/", {"title": "y", "licence": "own", "terms": "on", "file": file})
    return (Study.objects.count(), PromptSet.objects.count()) == (before[0] + 1, before[1] + 1)


def changed(client: Client) -> bool:
    study = make_study(state="draft")
    client.post(f"/studies/{study.slug}/setup/people/", {**PEOPLE, "people-help_text": "Changed"})
    study.refresh_from_db()
    return study.help_text == "Changed"


def opened_paused_and_closed(client: Client) -> bool:
    study = make_study(state="draft", batches=60)
    groups = open_groups(study, target=60)
    Group.objects.filter(study=study).update(state=GroupState.DRAFT)
    path, states = f"/studies/{study.slug}", []
    for act in ("open", "pause"):
        client.post(f"{path}/{act}/", {"wave": "1"})
        states.append(set(study.groups.values_list("state", flat=True)))
    client.post(f"{path}/close/{groups[0].pk}/", {"sure": "on"})
    states.append({Group.objects.get(pk=groups[0].pk).state})
    return states == [{GroupState.OPEN}, {GroupState.DRAFT}, {GroupState.CLOSED}]


def imported(client: Client) -> bool:
    study = make_study(state="draft")
    file = SimpleUploadedFile("c.csv", b"scope,responder,n,good\nall,human,100,50\n")
    client.post(f"/studies/{study.slug}/import/", {"file": file, "coding": "words", "wave": "1", "import": ""})
    return study.counts.exists()


def exported(client: Client) -> bool:
    study = make_study(state="draft")
    return client.get(f"/studies/{study.slug}/export/").status_code == 200


PROBES: Mapping[str, Callable[[Client], bool]] = {
    "see the set-up and the progress of studies, and studies without results": looked,
    "build a study, store prompts": built,
    "change the set-up of a study": changed,
    "open, pause and close groups of a study": opened_paused_and_closed,
    "import ratings into a study": imported,
    "export ratings of a study": exported,
}
