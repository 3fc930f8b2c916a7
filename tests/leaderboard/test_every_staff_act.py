"""Each act of staff: who may, with the CSRF token alone, by POST alone, and twice is once. The table is complete."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client, RequestFactory
from django.urls import resolve

from leaderboard.administration.run_acts import ACTS as BUTTONS
from leaderboard.pages.administration.views import urlpatterns
from tests.leaderboard.sending import no_turns_taken
from tests.leaderboard.staff import looker, nobody_of_note, root
from tests.leaderboard.staff_acts import ACTS, ONLY_LOOKED_AT, board, list_of

pytestmark = [pytest.mark.django_db, pytest.mark.database]
# What an act may leave besides its change: signs of time, the upload of a preview, ids of rows that are made anew.
BESIDES = {"changed_at", "computed_at", "last_login", "uploaded_at"}
NOT_COMPARED = {
    "evaluation.Pulse",
    "leaderboard.FieldFigures",
    "leaderboard.StatisticsRow",
    "leaderboard.StatisticsSection",
    "leaderboard.UploadedResults",
}
READ_ONLY = (
    "axes.AccessLog",
    "evaluation.Item",
    "evaluation.ItemBank",
    "evaluation.ItemResult",
    "leaderboard.Standing",
)


@pytest.fixture(autouse=True)
def _turns() -> Iterator[None]:
    no_turns_taken()
    yield
    no_turns_taken()


def superuser_request() -> Any:
    request = RequestFactory().get("/")
    request.user = User(is_staff=True, is_superuser=True)
    return request


def kinds(site_admin: Any) -> set[str]:
    request = superuser_request()
    allowed = {name: getattr(site_admin, f"has_{name}_permission") for name in ("add", "change", "delete")}
    return {name for name, asks in allowed.items() if asks(request)}


def registered() -> set[str]:
    """Every act that a superuser is offered, by the names of the table."""
    found = set()
    for model, site_admin in admin.site._registry.items():
        label = model._meta.label
        found |= {f"action {label} {name}" for name in site_admin.get_actions(superuser_request())}
        found |= {f"form {label} {kind}" for kind in kinds(site_admin)}
    addresses = {f"address {pattern.name}" for pattern in urlpatterns} - {"address admin-act"}
    return found | addresses | {f"address admin-act {name}" for name in BUTTONS}


def test_every_registered_action_form_and_address_has_its_row_and_no_row_outlives_it() -> None:
    assert registered() == set(ACTS) | ONLY_LOOKED_AT


def test_the_lists_that_nobody_can_change_are_these() -> None:
    assert {model._meta.label for model, each in admin.site._registry.items() if not kinds(each)} == set(READ_ONLY)


def state() -> dict[str, list[str]]:
    """All rows but history and what is computed beside."""
    ours = [model for app in ("evaluation", "leaderboard", "auth") for model in apps.get_app_config(app).get_models()]
    tables = [model for model in [*ours, apps.get_model("axes.AccessAttempt")] if model._meta.label not in NOT_COMPARED]
    return {model._meta.label: rows_of(model) for model in tables}


def rows_of(model: Any) -> list[str]:
    besides = {*BESIDES, "id"} if model._meta.label == "leaderboard.Standing" else BESIDES
    names = [field.attname for field in model._meta.concrete_fields if field.attname not in besides]
    return sorted(repr(row) for row in model._base_manager.values_list(*names))


@pytest.mark.parametrize("name", sorted(ACTS))
def test_only_who_may_does_it_with_the_token_by_post_and_twice_is_once(name: str) -> None:
    act, made = ACTS[name], board()
    refused = [Client(), looker(), nobody_of_note()]
    # A list whose action is not among those offered answers with the list again, so the rows tell, not the status.
    strict, able = root(enforce_csrf_checks=True), root()
    before = state()
    path = act.path(made)
    for client in refused:
        client.post(path, act.form(made))
        assert state() == before
    assert Client().post(path, act.form(made))["Location"].startswith("/admin/login/")
    assert strict.post(path, act.form(made)).status_code == 403
    able.get(path, {key: value for key, value in act.form(made).items() if key != "files"})
    assert state() == before, "a GET changes nothing"
    assert not LogEntry.objects.exists(), "what is refused is no act"
    assert able.post(path, act.form(made), follow=True).status_code == 200
    once = state()
    assert (once != before) is act.changes
    assert able.post(path, act.form(made), follow=True).status_code == 200
    assert state() == once


@pytest.mark.parametrize("label", READ_ONLY)
def test_what_is_loaded_measured_or_computed_can_only_be_looked_at(label: str) -> None:
    made = board()
    client, model = root(), apps.get_model(label)
    client.get("/admin/")
    row = model._base_manager.order_by("pk").first() or made.bank
    before = state()
    for path in ("add/", f"{row.pk}/change/", f"{row.pk}/delete/"):
        assert client.post(f"{list_of(label)}{path}", {"title": "Mine", "post": "yes"}).status_code == 403
    client.post(list_of(label), {"action": "delete_selected", "_selected_action": [str(row.pk)], "post": "yes"})
    assert state() == before


@pytest.mark.parametrize("path", ["/admin/queue/", "/admin/audit/"])
def test_pages_that_only_show_take_no_post_and_no_stranger(path: str) -> None:
    assert Client().get(path)["Location"].startswith("/admin/login/")
    assert nobody_of_note().get(path).status_code == 403
    assert root().post(path).status_code == 405


def test_each_button_on_a_page_leads_to_an_act_of_the_table() -> None:
    made = board()
    client = root()
    runs = (made.hidden, made.public, made.queued, made.waiting, made.failed)
    pages = ["/admin/queue/", *(f"/runs/{run.pk}/" for run in runs), f"/models/{made.public.model.slug}/"]
    led = set()
    for page in pages:
        html = client.get(page).content.decode()
        led |= set(re.findall(r'(?:form)?action="(/[^"?]+)"', html))
    names = {match_of(path) for path in led if path.startswith("/admin/") and path != "/admin/logout/"}
    assert {name for name in names if name.startswith("address")} == {f"address admin-act {name}" for name in BUTTONS}
    assert names - set(ACTS) == {"action evaluation.Run"}, "the list, whose action the form names"


def match_of(path: str) -> str:
    found = resolve(path)
    if found.url_name == "evaluation_run_changelist":
        return "action evaluation.Run"
    return f"address {found.url_name} {found.kwargs.get('name', '')}".strip()
