"""The pages in Chromium: no error and no violation of the policy, in both themes, narrow, and without JavaScript."""

import re

import pytest
from playwright.sync_api import expect

from evaluation.models import FaultKind, ItemBank, ItemState, Origin, Run, Status
from leaderboard.models import Standing
from leaderboard.standings import refresh_standings
from tests.browser.conftest import Site
from tests.factories import make_bank, make_model, make_result, make_run, scene_reply
from tests.leaderboard.pages import finished, publish

pytestmark = [pytest.mark.browser, pytest.mark.database]

HOSTILE = {
    "markup": '<a href="https://x.example">Best</a><script>alert(1)</script><img src=x>',
    "formula": "=1+1",
    "override": "safe\u202eevil",
    "long": "W" * 80,
}
PATHS = ("/", "/?sort=-mmlu&q=maker", "/?q=nothing-like-it", "/runs/{run}/", "/runs/{run}/items/", "/nowhere/")


@pytest.fixture
def run(site: Site) -> Run:
    """A board of hostile names with ranges, a baseline, published rows and a row without score, and an open run."""
    bank = make_bank(slug="scenes", title="Own scenes")
    for number, (name, text) in enumerate(HOSTILE.items()):
        facts = {"display_name": text, "organisation": f"maker {text}"[:80], "open_weights": True}
        finished(bank, 60.0 - number, name=name, facts=facts, standard_error=2.0)
    finished(bank, 30.0, name="constant", origin=Origin.BASELINE)
    publish(make_model("paper"), "scenes", 90.0)
    unread = {"status": Status.FAILED, "failure_kind": FaultKind.PARSE, "parse_share": 0.2, "published": True}
    make_run(bank=bank, model=make_model("mute"), **unread)
    refresh_standings()
    Standing.objects.filter(rank__isnull=False).update(rank_low=1, rank_high=4, tie_group=1)
    return open_run(bank)


def open_run(bank: ItemBank) -> Run:
    model = make_model("open", display_name=HOSTILE["markup"])
    run = make_run(bank=bank, model=model, status=Status.RUNNING, published=True, settings={"max_tokens": 60})
    make_result(run, "1", reply=f"{scene_reply(1)}\n<script>alert(1)</script>\u202e\u200b" + "x" * 300)
    nothing = {"state": ItemState.UNREAD, "reading": "none", "answer": None, "score": None}
    make_result(run, "2", reason="no scores found", reply="W" * 500, **nothing)
    return run


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PATHS)
def test_a_page_raises_no_error_and_breaks_no_policy(site: Site, run: Run, path: str, scheme: str) -> None:
    page = site.open(path.format(run=run.pk), color_scheme=scheme)
    page.wait_for_load_state("networkidle")
    assert page.locator("h1").is_visible()
    assert page.locator('a[href="https://x.example"]').count() == 0
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 17, 23)")
    missing = "the server responded with a status of 404" if path == "/nowhere/" else None
    assert [fault for fault in site.faults if missing is None or missing not in fault] == []


@pytest.mark.parametrize("width", [390, 320])
@pytest.mark.parametrize("path", PATHS)
def test_a_narrow_page_never_scrolls_sideways(site: Site, run: Run, path: str, width: int) -> None:
    page = site.open(path.format(run=run.pk), width=width)
    for summary in page.locator("summary:visible").all():
        summary.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.keyboard.press("Escape")  # an open popover lies over what is below it
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("path", PATHS)
def test_a_page_works_without_javascript(site: Site, run: Run, path: str) -> None:
    page = site.open(path.format(run=run.pk), java_script_enabled=False)
    assert page.locator("h1").is_visible()
    assert page.locator("button.theme").is_hidden()
    if path == "/runs/{run}/":
        make_result(run, "3")
        page.click("text=Refresh")
        expect(page.locator("h1")).to_contain_text("3 of 5 answered")
        assert page.locator(".with-script").is_hidden()


def test_a_header_sorts_and_a_search_filters_without_javascript(site: Site, run: Run) -> None:
    page = site.open("/", java_script_enabled=False)
    page.click("thead >> text=Model")
    expect(page.locator("thead [aria-sort]")).to_contain_text("Model")
    page.fill("input[name=q]", "paper")
    page.click("text=Apply")
    expect(page.locator("tbody th.model")).to_have_text([re.compile("paper")])
    expect(page.locator("thead [aria-sort]")).to_contain_text("Model")


def test_the_theme_is_switched_and_kept(site: Site, run: Run) -> None:
    page = site.open("/", color_scheme="light")
    page.click("button.theme")
    expect(page.locator("body")).to_have_css("background-color", "rgb(20, 17, 23)")
    page.reload()
    expect(page.locator("body")).to_have_css("background-color", "rgb(20, 17, 23)")
    assert site.faults == []


def test_the_first_stop_of_the_keyboard_leads_to_the_content(site: Site, run: Run) -> None:
    page = site.open("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


def test_an_open_run_renews_itself_tells_its_progress_and_stops_at_its_end(site: Site, run: Run) -> None:
    page = site.open(f"/runs/{run.pk}/")
    page.wait_for_load_state("networkidle")
    make_result(run, "3")
    page.locator("#live h1", has_text="3 of 5 answered").wait_for()
    expect(page.locator("#run-status")).to_have_text("3 of 5 answered.")
    Run.objects.filter(pk=run.pk).update(status=Status.FINISHED, score=61.5, n_scored=3)
    page.locator("h1", has_text="61.50 points").wait_for()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(6_000)
    # The browser fetches the icon of a new page by itself, and whenever it likes.
    assert [url for url in asked if not url.endswith("/favicon.svg")] == []
    assert site.faults == []
