"""The operators' pages in Chromium: a study is opened, watched and closed; accessible, and fit for a phone."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.db.models import Value
from django.db.models.functions import Concat
from playwright.sync_api import Page, expect

from leaderboard.study.models import Group, Responder, Study
from leaderboard.study.states import GroupState, ParticipationState
from tests.browser.conftest import Site
from tests.leaderboard.staff import root
from tests.leaderboard.study.making import make_participation, make_study, open_groups, rate_all

pytestmark = [pytest.mark.browser, pytest.mark.database]


@pytest.fixture
def study(site: Site) -> Study:
    """Ready but for its ethics reference, with a text that is held."""
    study = make_study(state="draft", ethics_reference="")
    open_groups(study)
    Group.objects.update(state=GroupState.DRAFT, opened_at=None)
    reply = study.responders.all()[0].responses.all()[0]
    reply.held_for = "a web address"
    reply.save()
    return study


def open_as_staff(site: Site, path: str, **context: object) -> Page:
    session = {"name": settings.SESSION_COOKIE_NAME, "value": root().cookies[settings.SESSION_COOKIE_NAME].value}
    state = {"cookies": [{**session, "domain": site.url.split("//")[1].split(":")[0], "path": "/"}], "origins": []}
    state["cookies"][0] |= {"expires": -1, "httpOnly": True, "secure": False, "sameSite": "Lax"}
    return site.open(path, storage_state=state, **context)  # type: ignore[arg-type]


def unfolded_and_accessible(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    found = Axe().run(page).response["violations"]
    grave = [each for each in found if each["impact"] in {"serious", "critical"}]
    assert [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in grave] == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 390)])
@pytest.mark.parametrize("end", ["new/", "{slug}/setup/", "{slug}/progress/", "{slug}/import/"])
def test_a_page_is_accessible_and_fits(site: Site, study: Study, end: str, scheme: str, width: int) -> None:
    # As wide as the demonstration's own rows are.
    Responder.objects.update(key=Concat("key", Value("-democareful")), frozen_sha256="b5e8c1e1" * 8)
    for group in Group.objects.all():
        make_participation(group, state=ParticipationState.DONE)
        make_participation(group, batch=2)
    if "progress" in end:
        Group.objects.update(state=GroupState.OPEN, opened_at="2026-03-01T12:00Z")
    page = open_as_staff(site, f"/studies/{end.format(slug=study.slug)}", width=width, color_scheme=scheme)
    expect(page.locator("h1")).to_have_count(1)
    unfolded_and_accessible(page)
    assert site.faults == []


def test_from_the_checklist_to_a_closed_group(site: Site, study: Study) -> None:
    page = open_as_staff(site, f"/studies/{study.slug}/setup/")
    button = page.get_by_role("button", name="Open wave 1")
    expect(button).to_be_disabled()
    expect(page.locator("#why-not")).to_have_text("Decide on 1 held text, then fill in the ethics reference.")
    page.get_by_role("button", name="Raters may read it").click()
    expect(page.locator("#why-not")).to_have_text("Fill in the ethics reference.")
    page.get_by_text("Ethics, help and baseline").click()
    page.get_by_label("Ethics reference or statement of exemption").fill("2026-114, Example University")
    page.locator("#people").get_by_role("button", name="Save").click()
    expect(button).to_be_enabled()
    button.click()
    expect(page.locator("h1")).to_have_text("0 of 4 raters have finished")
    group = study.groups.all()[0]
    rate_all(make_participation(group, state=ParticipationState.DONE))
    page.reload()
    expect(page.locator("h1")).to_have_text("1 of 4 raters has finished")
    expect(page.get_by_text("hidden until closed")).to_have_count(2)
    panel = page.locator(".panel").first
    panel.get_by_role("button").click()
    expect(page.get_by_text("Tick the box first: closing cannot be undone.")).to_be_visible()
    panel.get_by_role("checkbox").check()
    panel.get_by_role("button").click()
    expect(page.get_by_text("hidden until closed")).to_have_count(1)
    group.refresh_from_db()
    assert group.state == GroupState.CLOSED
    assert site.faults == []
