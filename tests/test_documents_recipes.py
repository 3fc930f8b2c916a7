"""The recipes of docs/new-benchmark.md, run as they are written: a column, a page, an action of staff."""

import re
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.test import Client, override_settings
from django.urls import clear_url_caches, path
from django.views.decorators.http import conditional_page, require_safe

import leaderboard.urls
from evaluation.models import Status
from leaderboard.administration import run_acts
from leaderboard.pages.rankings import columns
from leaderboard.standings import refresh_standings
from leaderboard.submissions.listing import listed_models
from tests.factories import make_bank, make_run
from tests.leaderboard.pages import finished, page
from tests.processes import ROOT

pytestmark = [pytest.mark.django_db, pytest.mark.database]
DOCUMENT = ROOT / "docs/new-benchmark.md"
LONGEST = 15
TITLES = ("Adding a column", "Adding a page", "Adding an admin action")


def blocks(title: str) -> list[str]:
    """The blocks of code below a heading of the document."""
    sections = re.split(r"^# (?=Adding)", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE)
    (own,) = (part for part in sections if part.startswith(f"{title}\n"))
    return re.findall(r"^```\w+\n(.*?)^```$", own, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("title", TITLES)
def test_a_recipe_is_short(title: str) -> None:
    assert blocks(title)
    assert sum(len(block.splitlines()) for block in blocks(title)) <= LONGEST


def test_the_walk_is_at_most_two_pages() -> None:
    walk = DOCUMENT.read_text(encoding="utf-8").partition("# Adding a column")[0]
    assert len(walk.split()) < 1100


def run_in(module: ModuleType, source: str) -> dict[str, Any]:
    """The names of a module after the lines were added to it; the module itself stays as it is."""
    names = dict(vars(module))
    exec(compile(source, str(DOCUMENT), "exec"), names)  # noqa: S102 - our own document
    return names


def forget_columns() -> None:
    """Those of a ranking, and those of all rankings that were made of them."""
    columns._columns.cache_clear()
    columns._every_column.cache_clear()


def test_a_column_is_added_as_the_document_says(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    (source,) = blocks("Adding a column")
    monkeypatch.setattr(columns, "BEHIND", run_in(columns, source)["BEHIND"])
    forget_columns()
    finished(make_bank(3, slug="scenes"), 70.0, name="maker/amber")
    refresh_standings()
    try:
        html = page(client, "/rankings/scenes/")
        assert "Runs used" in html
        assert "How many runs stand behind the score." in html
        assert "runs_behind" in client.get("/rankings/scenes.csv").content.decode().splitlines()[0]
    finally:
        forget_columns()


def test_a_page_is_added_as_the_document_says(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    view, template = blocks("Adding a page")
    (tmp_path / "pages/makers").mkdir(parents=True)
    (tmp_path / "pages/makers/makers.html").write_text(template, encoding="utf-8")
    names: dict[str, Any] = {
        "__name__": "leaderboard.pages.makers.views",
        "HttpRequest": HttpRequest, "HttpResponse": HttpResponse, "conditional_page": conditional_page,
        "listed_models": listed_models, "path": path, "render": render, "require_safe": require_safe,
    }  # fmt: skip
    exec(compile(view, str(DOCUMENT), "exec"), names)  # noqa: S102 - our own document
    monkeypatch.setattr(
        leaderboard.urls, "urlpatterns", [*names["urlpatterns"], *cast("list[Any]", leaderboard.urls.urlpatterns)]
    )
    finished(make_bank(3), 70.0, facts={"organisation": "Forest & Co"})
    folders: Any = settings.TEMPLATES[0]["DIRS"]
    engine = {**settings.TEMPLATES[0], "DIRS": [tmp_path, *folders]}
    clear_url_caches()
    try:
        with override_settings(TEMPLATES=[engine]):
            assert "<h1>Makers</h1><ul><li><bdi>Forest &amp; Co</bdi></li></ul>" in page(client, "/makers/")
    finally:
        monkeypatch.undo()
        clear_url_caches()


def test_an_action_is_added_as_the_document_says(monkeypatch: pytest.MonkeyPatch) -> None:
    (source,) = blocks("Adding an admin action")
    monkeypatch.setattr(run_acts, "ACTS", run_in(run_acts, source)["ACTS"])
    run, user = make_run(status=Status.QUEUED), User.objects.create_user("mod")
    assert run_acts.perform("start-earlier", run, user) == f"Run {run.pk} starts before others."
    run.refresh_from_db()
    assert run.priority == 1
    assert "left as it is" in run_acts.perform("start-earlier", run, user)
