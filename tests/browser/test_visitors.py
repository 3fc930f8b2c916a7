"""You against the board and the pages beside it in a real browser: sliders, keys, a phone, and no script."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from leaderboard.models import HumanSet
from leaderboard.standings import refresh_standings
from leaderboard.submissions.people import BANKS
from tests.browser.conftest import Site
from tests.factories import make_bank
from tests.leaderboard.pages import finished
from tests.leaderboard.sending import no_turns_taken

pytestmark = [pytest.mark.browser, pytest.mark.database]


@pytest.fixture(autouse=True)
def _board(site: Site) -> None:
    no_turns_taken()
    bank = make_bank(12, slug=BANKS[0], title="EQ Open")
    for at in range(3):
        finished(bank, 60.0 + at, name=f"maker/model {at}", standard_error=2.0)
    refresh_standings()


def test_a_slider_has_no_value_until_it_is_moved(site: Site) -> None:
    page = site.open("/you/")
    page.get_by_role("button", name="Start").click()
    sliders, fields = page.locator("input[type=range]"), page.locator(".rating")
    expect(sliders).to_have_count(4)
    for at in range(4):
        expect(fields.nth(at)).to_have_value("")
        expect(sliders.nth(at)).to_have_attribute("aria-valuetext", "not rated yet")
    sliders.nth(0).focus()
    page.keyboard.press("ArrowRight")
    expect(fields.nth(0)).to_have_value("6")
    page.keyboard.press("0")
    expect(fields.nth(0)).to_have_value("0")
    sliders.nth(1).click()  # in its middle, where the knob lies
    expect(fields.nth(1)).to_have_value("5")
    expect(page.locator("#missing")).to_have_text("2 feelings have no rating yet.")
    page.locator("form#rating button").click()
    assert page.url.endswith("/you/1/"), "the browser asks for the two that are missing"
    assert Axe().run(page).violations_count == 0
    assert site.faults == []


def test_ten_dialogues_lead_to_a_result_on_a_phone_without_a_script(site: Site) -> None:
    page = site.open("/you/", width=390, java_script_enabled=False)
    page.get_by_role("button", name="Start").click()
    expect(page.locator("input[type=range]")).to_have_count(0)
    for number in range(10):
        expect(page).to_have_url(f"{site.url}/you/{number + 1}/")
        for at in range(4):
            page.fill(f"#r{at}", str((number + at) % 11))
        page.locator("form#rating button").click()
    expect(page).to_have_url(f"{site.url}/you/result/")
    expect(page.locator("details.answered")).to_have_count(10)
    page.locator("input[name=agree]").check()
    page.get_by_role("button", name="Add my answers").click()
    expect(page.locator("#join [role=status]")).to_contain_text("Your answers were added")
    assert HumanSet.objects.count() == 1


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("path", ["/you/", "/new/", "/suggest/", f"/rankings/{BANKS[0]}/?at=2026-11-28"])
def test_no_page_scrolls_sideways_or_breaks_a_rule(site: Site, path: str, width: int) -> None:
    page = site.open(path, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert Axe().run(page).violations_count == 0
    assert site.faults == []
