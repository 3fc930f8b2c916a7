"""The admin: every list and form opens, measured fields cannot be changed, keys are never shown."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client

from evaluation.models import Run, Status
from leaderboard.models import Note, Schedule, Submission
from leaderboard.standings import refresh_standings
from tests.factories import make_endpoint, make_result, make_run
from tests.leaderboard.pages import publish

pytestmark = [pytest.mark.django_db, pytest.mark.database]
OURS = [model for model in admin.site._registry if model._meta.app_label in {"evaluation", "leaderboard"}]


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.mark.parametrize("model", OURS, ids=lambda model: model.__name__)
def test_each_list_and_each_form_opens_and_shows_no_key(staff: Client, model: type) -> None:
    run = make_run(status=Status.FINISHED, endpoint=make_endpoint(sealed_key="sealed-canary"))
    make_result(run, "1")
    publish(run.model, "mmlu", 60.0)
    Submission.objects.create(model=run.model, endpoint=make_endpoint(), owner="team@models.example")
    Schedule.objects.create(endpoint=make_endpoint(), bank=run.bank)
    Note.objects.create(run=run, text="Departs from the earlier ones.")
    refresh_standings()
    base = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"  # type: ignore[attr-defined]
    row = model.objects.latest("pk")  # type: ignore[attr-defined]
    for path in (base, f"{base}?q=x", f"{base}{row.pk}/change/"):
        response = staff.get(path)
        assert response.status_code == 200
        assert b"sealed-canary" not in response.content


def test_a_run_can_be_published_by_hand_and_nothing_else_of_it_changed(staff: Client) -> None:
    run = make_run(status=Status.FINISHED, score=50.0, published=False)
    response = staff.post(
        f"/admin/evaluation/run/{run.pk}/change/",
        {"published": "on", "priority": "0", "score": "99", "status": "failed"},
    )
    assert response.status_code == 302
    run = Run.objects.get(pk=run.pk)
    assert (run.published, run.score, run.status) == (True, 50.0, "finished")


@pytest.mark.parametrize("path", ["evaluation/run/add/", "evaluation/itemresult/add/", "leaderboard/standing/add/"])
def test_what_is_measured_or_computed_cannot_be_made_by_hand(staff: Client, path: str) -> None:
    assert staff.get(f"/admin/{path}").status_code == 403
