"""A form that was open while somebody else acted: only what its reader changed is written."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from evaluation.models import LanguageModel, PublishedName, ReferenceScore, Run, Status
from leaderboard.models import Note, Schedule, Standing, Submission
from leaderboard.submissions.moderating import set_public, withdraw
from tests.chaos.browsing import Fields
from tests.factories import make_bank, make_endpoint, make_model, make_run
from tests.leaderboard.pages import publish
from tests.leaderboard.staff import root

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def opened(client: Client, path: str) -> dict[str, object]:
    """What a browser sends of the page's form as it stands."""
    fields = Fields()
    fields.feed(client.get(path).content.decode())
    return fields.values


def saved(client: Client, path: str, form: dict[str, object]) -> None:
    response = client.post(path, form)
    assert response.status_code == 302, response.content.decode()


def test_raising_a_priority_does_not_take_a_run_off_the_board_that_was_published_meanwhile() -> None:
    run, client = make_run(), root()
    path = f"/admin/evaluation/run/{run.pk}/change/"
    form = opened(client, path)
    Run.objects.filter(pk=run.pk).update(status=Status.FINISHED, score=50.0, n_scored=5)
    set_public([Run.objects.get(pk=run.pk)], public=True)
    saved(client, path, {**form, "priority": "5"})
    run.refresh_from_db()
    assert (run.published, run.priority) == (True, 5)
    assert Standing.objects.filter(run=run).exists()


def test_a_box_that_is_unticked_takes_the_run_off_the_board_and_leaves_a_new_priority() -> None:
    run, client = make_run(status=Status.FINISHED, score=50.0, published=True), root()
    path = f"/admin/evaluation/run/{run.pk}/change/"
    form = opened(client, path)
    Run.objects.filter(pk=run.pk).update(priority=7)
    saved(client, path, {name: value for name, value in form.items() if name != "published"})
    run.refresh_from_db()
    assert (run.published, run.priority) == (False, 7)


def test_a_new_display_name_writes_back_no_old_fact_and_sets_none_of_them_by_hand() -> None:
    model, client = make_model("maker/model", organisation="Maker", params="7B", open_weights=True), root()
    path = f"/admin/evaluation/languagemodel/{model.pk}/change/"
    form = opened(client, path)
    LanguageModel.objects.filter(pk=model.pk).update(
        params="8B", licence="mit", slug="moved", open_weights=False, released_on="2024-02-01"
    )
    saved(client, path, {**form, "display_name": "The Model"})
    model.refresh_from_db()
    facts = (model.display_name, model.params, model.licence, model.slug, model.open_weights, str(model.released_on))
    assert facts == ("The Model", "8B", "mit", "moved", False, "2024-02-01")
    assert model.facts_by_hand == ["display_name"]
    assert not model.former_names.exists()


def test_a_form_that_nothing_was_changed_in_marks_no_fact_as_changed() -> None:
    model, client = make_model("maker/model", organisation="Maker"), root()
    path = f"/admin/evaluation/languagemodel/{model.pk}/change/"
    saved(client, path, opened(client, path))
    before = model.changed_at
    model.refresh_from_db()
    assert (model.changed_at, model.facts_by_hand) == (before, [])


def test_a_corrected_setting_leaves_the_value_and_the_preference_that_others_set() -> None:
    figure, client = publish(make_model(), "mmlu", 60.0, source="the paper, table 2"), root()
    path = f"/admin/evaluation/referencescore/{figure.pk}/change/"
    form = opened(client, path)
    ReferenceScore.objects.filter(pk=figure.pk).update(value=61.5, preferred=False)
    saved(client, path, {**form, "setting": "5-shot"})
    figure.refresh_from_db()
    assert (figure.setting, figure.value, figure.preferred, figure.by_hand) == ("5-shot", 61.5, False, True)


def test_a_note_leaves_a_submission_withdrawn_and_the_note_of_another_moderator() -> None:
    endpoint, client = make_endpoint(), root()
    submission = Submission.objects.create(model=endpoint.model, endpoint=endpoint, owner="team@models.example")
    path = f"/admin/leaderboard/submission/{submission.pk}/change/"
    form = opened(client, path)
    withdraw(submission)
    Submission.objects.filter(pk=submission.pk).update(note="asked the maker")
    saved(client, path, {**form, "flagged": "on"})
    submission.refresh_from_db()
    assert (submission.state, submission.flagged, submission.note) == ("withdrawn", True, "asked the maker")


def test_a_schedule_keeps_the_time_and_the_stop_that_the_clock_set_meanwhile() -> None:
    now, client = timezone.now(), root()
    schedule = Schedule.objects.create(endpoint=make_endpoint(), bank=make_bank(), next_at=now, every_days=30)
    path = f"/admin/leaderboard/schedule/{schedule.pk}/change/"
    form = opened(client, path)
    later = now + timedelta(days=30)
    Schedule.objects.filter(pk=schedule.pk).update(next_at=later, enabled=False, trouble="The key was erased.")
    saved(client, path, {**form, "every_days": "7"})
    schedule.refresh_from_db()
    assert (schedule.every_days, schedule.next_at, schedule.enabled) == (7, later, False)
    assert schedule.trouble == "The key was erased."


def test_a_note_that_was_seen_meanwhile_stays_seen() -> None:
    note, client = Note.objects.create(run=make_run(), text="It departs."), root()
    path = f"/admin/leaderboard/note/{note.pk}/change/"
    form = opened(client, path)
    Note.objects.update(seen=True)
    saved(client, path, form)
    note.refresh_from_db()
    assert note.seen


def test_a_refused_form_that_is_sent_again_still_tells_what_was_changed() -> None:
    model, client = make_model("maker/model", organisation="Maker"), root()
    path = f"/admin/evaluation/languagemodel/{model.pk}/change/"
    refused = client.post(path, {**opened(client, path), "licence": "mit", "slug": "no slug at all"})
    assert refused.status_code == 200
    LanguageModel.objects.filter(pk=model.pk).update(params="8B")
    fields = Fields()
    fields.feed(refused.content.decode())
    saved(client, path, {**fields.values, "slug": model.slug})
    model.refresh_from_db()
    assert (model.licence, model.params, model.facts_by_hand) == ("mit", "8B", ["licence"])


def test_a_corrected_match_leaves_the_model_that_a_colleague_gave_to_the_name_meanwhile() -> None:
    wrong, right, client = make_model("maker/wrong"), make_model("maker/right"), root()
    figure = publish(wrong, "seceu-table-1", 117.0, matched_name="GPT-4")
    name = PublishedName.objects.create(table="seceu-table-1", name="GPT-4", model=wrong)
    path = f"/admin/evaluation/publishedname/{name.pk}/change/"
    form = opened(client, path)
    saved(client, path, {**opened(client, path), "model": str(right.pk)})
    saved(client, path, {**form, "match": "alias: by its authors"})
    name.refresh_from_db()
    figure.refresh_from_db()
    assert (name.model, figure.model) == (right, right)
    assert {name.match, figure.match} == {"alias: by its authors"}
