"""A whole participation in Chromium: with the mouse, with keys alone, on a phone, reloaded, and without a script."""

import re
from datetime import timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.core.cache import caches
from django.db.models import F
from playwright.sync_api import Page, expect

from leaderboard.study.identity import rater_hash
from leaderboard.study.models import Participation, Study
from leaderboard.study.states import Level, ParticipationState
from tests.browser.conftest import Site
from tests.leaderboard.study.making import make_participation, make_study, open_groups

pytestmark = [pytest.mark.browser, pytest.mark.database]
N = 11


@pytest.fixture
def study(site: Site) -> Study:
    caches["limits"].clear()
    study = make_study(questionnaire=["I like being among people.", "I notice how others feel."], asks_background=True)
    open_groups(study)
    return study


def open_study(site: Site, study: Study, **context: object) -> Page:
    return site.open(f"/rate/{study.slug}/?{study.id_parameter}=browser-rater", **context)  # type: ignore[arg-type]


def time_passes() -> None:
    """The tutorial's fifteen seconds, which the server counts."""
    assert Participation.objects.update(tutorial_at=F("tutorial_at") - timedelta(seconds=16)) == 1


def mine() -> Participation:
    return Participation.objects.get()


def expect_whole(site: Site) -> None:
    assert mine().state == ParticipationState.DONE
    assert mine().ratings.count() == 10
    assert mine().questionnaire == [3, 1]
    assert site.faults == []


def accessible(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    assert [(entry["id"], [node["html"] for node in entry["nodes"]]) for entry in found] == []


def no_sideways_scroll(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def through_consent(page: Page) -> None:
    expect(page).to_have_url(re.compile("/consent/$"))
    expect(page.get_by_role("checkbox")).not_to_be_checked()
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Agree and continue").click()
    expect(page.locator("h1")).to_have_text("What is an empathetic reply?")


def questions(page: Page) -> None:
    expect(page.locator("h1")).to_have_text("Some questions about you")
    page.get_by_role("group", name="1. I like").get_by_label("Often").check()
    page.get_by_role("group", name="2. I notice").get_by_label("Rarely").check()
    page.get_by_role("button", name="Next").click()


def expect_reply(page: Page, number: int) -> None:
    """The page of that reply, with its script: its words are there before it, and a key or a choice would be lost."""
    expect(page.locator(".steps")).to_contain_text(f"{number} of {N}")
    page.wait_for_load_state()


def level_of(number: int) -> str:
    return Level(1 + number % 3).label


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_with_the_mouse_and_each_page_reloaded_and_clean(site: Site, study: Study, width: int, scheme: str) -> None:
    page = open_study(site, study, width=width, color_scheme=scheme)
    assert "browser-rater" not in page.url

    def look() -> None:
        page.reload()
        accessible(page)
        no_sideways_scroll(page)

    look()
    through_consent(page)
    look()
    time_passes()
    page.reload()
    page.get_by_role("button", name="Start").click()
    # A page that is reloaded on its way to the next one is an error of the browser.
    expect(page.locator("h1")).to_have_text("Some questions about you")
    look()
    questions(page)
    for number in range(1, N + 1):
        expect_reply(page, number)
        expect(page.locator("input[name=v]:checked")).to_have_count(0)
        page.locator(".levels label", has_text=level_of(number)).click()
        expect(page.get_by_role("status")).to_have_text("Saved")
        look()
        expect(page.locator("input[name=v]:checked")).to_have_count(1)
        page.get_by_role("button", name="Next").click()
    expect(page.locator("h1")).to_have_text(f"All {N} answered")
    look()
    page.get_by_role("link", name="Change reply 3").click()
    page.get_by_label("Good").check()
    page.get_by_role("button", name="Next").click()
    expect(page.locator(".review li").nth(2)).to_contain_text("Good")
    page.get_by_role("button", name="Send my answers").click()
    expect(page.locator("h1")).to_contain_text("Thank you")
    look()
    expect(page.locator("#code")).to_have_text(mine().completion_code)
    expect_whole(site)
    page.get_by_role("link", name="Withdraw my ratings").click()
    expect(page.locator("h1")).to_have_text("Delete your ratings?")
    look()
    page.get_by_role("button", name="Delete my ratings").click()
    expect(page.locator("h1")).to_have_text("Your ratings are deleted")
    look()
    assert mine().ratings.count() == 0


def test_a_long_word_in_a_question_does_not_widen_the_page(site: Site, study: Study) -> None:
    Study.objects.update(questionnaire=["Donaudampfschifffahrtsgesellschaft" * 3])
    page = open_study(site, study, width=320)
    through_consent(page)
    time_passes()
    page.reload()
    page.get_by_role("button", name="Start").click()
    expect(page.locator("h1")).to_have_text("Some questions about you")
    no_sideways_scroll(page)


def test_with_the_keyboard_alone(site: Site, study: Study) -> None:
    page = open_study(site, study)
    press = page.keyboard.press
    expect(page.get_by_role("checkbox")).to_be_visible()
    tab_to(page, "input[name=agree]")
    press("Space")
    tab_to(page, ".primary")
    press("Enter")
    expect(page.locator("h1")).to_have_text("What is an empathetic reply?")
    time_passes()
    page.reload()
    tab_to(page, "#next")
    press("Enter")
    expect(page.locator("h1")).to_have_text("Some questions about you")
    for name, steps in (("q1", 3), ("q2", 1)):
        tab_to(page, f"input[name={name}]")
        press("Space")
        for _ in range(steps):
            press("ArrowRight")
    press("Enter")
    for number in range(1, N + 1):
        expect_reply(page, number)
        press("3" if number == 1 else "2")
        press("1")
        expect(page.get_by_role("status")).to_have_text("Saved")
        expect(page.get_by_label("Good")).to_be_focused()
        press("Enter")
    expect(page.locator("h1")).to_have_text(f"All {N} answered")
    tab_to(page, ".primary")
    press("Enter")
    expect(page.locator("h1")).to_contain_text("Thank you")
    assert set(mine().ratings.values_list("value", flat=True)) == {Level.GOOD}
    expect_whole(site)


def tab_to(page: Page, selector: str) -> None:
    """Presses Tab until what the selector finds has the focus, once the page is whole."""
    page.wait_for_load_state()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            return
    pytest.fail(f"{selector} cannot be reached with Tab")


def test_without_a_script(site: Site, study: Study) -> None:
    page = open_study(site, study, width=390, java_script_enabled=False)
    through_consent(page)
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("alert")).to_contain_text("Please read on for a moment")
    time_passes()
    page.get_by_role("button", name="Start").click()
    questions(page)
    for number in range(1, N + 1):
        expect_reply(page, number)
        page.get_by_label(level_of(number)).check()
        page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Send my answers").click()
    expect(page.locator("#code")).to_have_text(mine().completion_code)
    expect_whole(site)


def test_the_script_counts_down_and_says_when_an_answer_is_not_saved(site: Site, study: Study) -> None:
    page = open_study(site, study)
    through_consent(page)
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "true")
    expect(page.locator("[data-wait]")).to_contain_text(re.compile(r"You can go on in \d+ seconds"))
    page.locator("#next").click(force=True)
    expect(page).to_have_url(re.compile("/task/$"))
    time_passes()
    page.reload()
    page.locator("#next").click()
    questions(page)
    expect_reply(page, 1)
    page.context.set_offline(True)
    page.get_by_label("Okay").check()
    expect(page.get_by_role("status")).to_have_text("Not saved yet. Next tries again.")
    page.context.set_offline(False)
    page.get_by_role("button", name="Next").click()
    expect(page.locator(".steps")).to_contain_text(f"2 of {N}")
    page.get_by_role("link", name="Back").click()
    expect(page.get_by_label("Okay")).to_be_checked()
    assert all("ERR_INTERNET_DISCONNECTED" in fault for fault in site.faults)


def test_without_a_clipboard_no_button_offers_to_copy(site: Site, study: Study) -> None:
    """As on a board of a network without TLS: the button would do nothing, and leave an error in the console."""
    group = study.groups.all()[0]
    rater = rater_hash(study, "browser-rater")
    make_participation(group, state=ParticipationState.DONE, rater_hash=rater, completion_code="ABCD-EFGH")
    page = open_study(site, study)
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.get_by_role("link", name="Show my completion code").click()
    expect(page.locator("#code")).to_have_text("ABCD-EFGH")
    page.wait_for_load_state()
    assert page.evaluate("navigator.clipboard") is None
    expect(page.get_by_role("button", name="Copy")).to_have_count(0)
    assert site.faults == []
