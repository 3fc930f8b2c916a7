"""The admin: every list and form opens, measured fields cannot be changed, keys are never shown."""

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from evaluation.models import Endpoint, PublishedName, Run, Status
from evaluation.runs.judging import register_judge
from leaderboard.models import HumanSet, Note, Report, Schedule, Submission
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_endpoint, make_model, make_result, make_run
from tests.leaderboard.pages import publish

pytestmark = [pytest.mark.django_db, pytest.mark.database]
admin.autodiscover()  # else the addresses do it, once the first is asked for
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
    register_judge(name="A judge", maker="maker", base_url="https://judge.example/v1", api_model="judge")
    Report.objects.create(kind="mistake", run=run, model=run.model, text="Look.")
    PublishedName.objects.create(table="eqbench3", name="model-1", model=run.model)
    HumanSet.objects.create(bank=run.bank, answers=[["1", [1, 2, 3, 4]]], consent_version=1, day=date(2026, 1, 2))
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


def change(staff: Client, endpoint: Endpoint, **fields: Any) -> str:
    """The page after the form of the endpoint was saved with these fields changed."""
    shown = {"model": endpoint.model_id, "api_model": endpoint.api_model, "extra_body": "{}", "max_concurrency": 8}
    path = f"/admin/evaluation/endpoint/{endpoint.pk}/change/"
    response = staff.post(path, {**shown, **fields}, follow=True)
    endpoint.refresh_from_db()
    return response.content.decode()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[1]", "must be one JSON object"),
        ('{"n": 5}', "must not set n"),
        ('{"a": NaN}', "cannot be read as JSON"),
        ('{"a": [[[[1]]]]}', "nested deeper than 4"),
    ],
)
def test_extra_fields_of_an_endpoint_are_checked_as_in_the_submission_form(
    staff: Client, text: str, sentence: str
) -> None:
    endpoint = make_endpoint()
    assert sentence in change(staff, endpoint, extra_body=text)
    assert endpoint.extra_body == {}


@pytest.mark.parametrize(("text", "stored"), [('{"top_p": 0.5}', {"top_p": 0.5}), ("", {})])
def test_extra_fields_in_order_are_saved(staff: Client, text: str, stored: dict[str, float]) -> None:
    endpoint = make_endpoint(extra_body={"a": 1})
    change(staff, endpoint, extra_body=text)
    assert endpoint.extra_body == stored


def test_what_an_open_run_sends_is_not_edited_until_it_has_ended(staff: Client) -> None:
    endpoint = make_endpoint(api_model="one")
    run = make_run(endpoint=endpoint)
    change(staff, endpoint, api_model="two", extra_body='{"top_p": 0.5}', max_concurrency=3)
    assert (endpoint.api_model, endpoint.extra_body, endpoint.max_concurrency) == ("one", {}, 3)
    Run.objects.filter(pk=run.pk).update(status=Status.CANCELLED)
    change(staff, endpoint, api_model="two", extra_body='{"top_p": 0.5}')
    assert (endpoint.api_model, endpoint.extra_body) == ("two", {"top_p": 0.5})


def test_a_key_that_is_erased_while_the_form_is_being_saved_stays_erased(staff: Client) -> None:
    endpoint = make_endpoint(sealed_key="sealed-canary")

    def erase_first(execute: Any, sql: str, *rest: Any) -> Any:
        """What another process does between the read and the write of this one."""
        if sql.startswith('UPDATE "evaluation_endpoint"') and not erased:
            erased.append(sql)
            Endpoint.objects.update(sealed_key="")
        return execute(sql, *rest)

    erased: list[str] = []
    with connection.execute_wrapper(erase_first):
        change(staff, endpoint, max_concurrency=3)
    assert erased
    assert (endpoint.sealed_key, endpoint.max_concurrency) == ("", 3)


@pytest.mark.parametrize("path", ["evaluation/run/add/", "evaluation/itemresult/add/", "leaderboard/standing/add/"])
def test_what_is_measured_or_computed_cannot_be_made_by_hand(staff: Client, path: str) -> None:
    assert staff.get(f"/admin/{path}").status_code == 403


KEYS = ("eq-bench-v2", "eq-open-v1", "model-slug-of-ours")


@pytest.mark.parametrize("model", OURS, ids=lambda model: model.__name__)
def test_no_list_shows_a_key_where_there_is_a_name(staff: Client, model: type) -> None:
    bank = make_bank(5, slug="eq-open-v1", title="EQ Open")
    entry = make_model("maker/Named", slug="model-slug-of-ours")
    endpoint = make_endpoint(model=entry)
    run = make_run(bank=bank, status=Status.FINISHED, endpoint=endpoint, score=61.123456)
    make_result(run, "1")
    Submission.objects.create(model=entry, endpoint=make_endpoint(model=entry), owner="203.0.113.0/24")
    Schedule.objects.create(endpoint=endpoint, bank=bank)
    refresh_standings()
    html = staff.get(f"/admin/{model._meta.app_label}/{model._meta.model_name}/").content.decode()  # type: ignore[attr-defined]
    shown = re.sub(r"<[^>]*>", " ", html.partition('<div id="content-main">')[2])
    assert not [key for key in KEYS if key in shown]
    assert "61.123456" not in shown


def test_rows_name_what_they_are_about() -> None:
    run = make_run(bank=make_bank(5, title="EQ Open"), endpoint=make_endpoint(model=make_model("maker/Named")))
    assert run.endpoint is not None
    assert str(run) == f"Run {run.pk}: Named on EQ Open"
    assert str(Schedule(endpoint=run.endpoint, bank=run.bank)) == "Named on EQ Open, every 30 days"
    assert str(Submission(pk=3, model=run.model)) == "Submission 3: Named"


def tokens(path: str) -> dict[str, str]:
    text = (Path(settings.BASE_DIR) / "static/css" / path).read_text(encoding="utf-8")
    block = re.search(r"^(?:html)?:root \{(.*?)^\}", text, re.DOTALL | re.MULTILINE)
    assert block is not None
    return dict(re.findall(r"--([a-z0-9-]+):\s*([^;]+);", block[1]))


def test_the_admin_wears_the_tokens_of_the_site() -> None:
    site, worn = tokens("site.css"), tokens("admin.css")
    assert {name: worn[name] for name in site if name in worn} == {name: site[name] for name in site if name in worn}
    assert {"paper", "ink", "accent", "line", "sans", "serif", "t-m", "s-4", "radius"} <= set(worn) & set(site)
    colours = {name: value for name, value in worn.items() if name not in site}
    assert not [name for name, value in colours.items() if re.search("#|rgb|hsl", value)]
