"""Every public page on one board of hostile names: policy, accessibility, completeness without JavaScript, keyboard."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.core.cache import cache
from django.test import override_settings
from django.utils import timezone
from playwright.sync_api import Page, expect

from evaluation.models import Run
from leaderboard.standings import refresh_standings
from tests.browser.conftest import Site
from tests.browser.test_pages_in_a_browser import HOSTILE
from tests.browser.test_rankings_in_a_browser import type_at_once
from tests.factories import make_bank, make_result, scene_reply
from tests.leaderboard.pages import finished, publish
from tests.leaderboard.studies import published_study

pytestmark = [pytest.mark.browser, pytest.mark.database]

PATHS = (
    "/",
    "/rankings/scenes/?c=strict&c=cv&c=date",
    "/rankings/scenes/?sort=-mmlu",
    "/charts/scenes/",
    "/statistics/",
    "/models/markup/",
    "/models/override/",
    "/runs/{run}/",
    "/runs/{run}/items/",
    "/compare/",
    "/compare/?m=markup&m=formula&m=override",
    "/items/",
    "/items/scenes/",
    "/items/scenes/2/",
    "/items/scenes/2/replies/",
    "/studies/",
    "/studies/welivita-pu-2024/",
    "/studies/welivita-pu-2024/?scope=positive&model=gemini-1.0-pro",
    "/judges/",
    "/methodology/",
    "/about/",
    "/api/",
    "/submit/",
)
ERRORS = {"/nowhere/": 404, "/forbidden/": 403, "/broken/": 500}
LINES_OF_MENU = """new Set([...document.querySelectorAll(".site-nav a")].map(each => each.getBoundingClientRect())
  .filter(box => box.width).map(box => Math.round(box.top))).size"""
# The browser's own word on a status, and that a page may be asked for with a policy of its referrer.
ITS_STATUS = "the server responded with a status of"


@pytest.fixture
def run(site: Site, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Four models of hostile names with answers to six scenes each, and the published study; the newest run of one."""
    cache.clear()
    published_study(monkeypatch)
    bank = make_bank(6, slug="scenes", title="Own scenes")
    runs = []
    for at, (slug, name) in enumerate(HOSTILE.items()):
        facts = {"slug": slug, "display_name": name, "organisation": f"maker {name}"[:80], "open_weights": at % 2 == 0}
        run = finished(
            bank, 60.0 - at, name=f"maker/{slug}", facts=facts, standard_error=2.0, finished_at=timezone.now(),
            n_items=6, n_scored=6,
        )  # fmt: skip
        for number in range(1, 7):
            score, reply = 9.0 - at - number / 4, f"{scene_reply(number)}\n{name}"
            make_result(run, str(number), score=score, reply=reply, answer=[at, 2.0, 7.0, 10.0 - number])
        publish(run.model, "mmlu", 60.0 + at)
        runs.append(run)
    refresh_standings()
    return runs[0]


def unfold(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")


def grave(page: Page) -> list[tuple[str, list[str]]]:
    violations = Axe().run(page).response["violations"]
    return [
        (each["id"], [node["html"] for node in each["nodes"]][:3])
        for each in violations
        if each["impact"] in {"serious", "critical"}
    ]


def nothing_hostile(page: Page) -> None:
    assert page.locator('a[href*="x.example"]').count() == 0
    assert page.locator("main b, main td, main th").locator("script, img").count() == 0
    # Plotly sets styles through the object model, which the policy allows: of what it draws, and of where it measures.
    assert page.locator("[style]:not(.charts *, #js-plotly-tester, #js-plotly-tester *)").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PATHS)
def test_a_page_breaks_no_policy_and_no_serious_rule_of_accessibility(
    site: Site, run: Run, path: str, scheme: str
) -> None:
    page = site.open(path.format(run=run.pk), color_scheme=scheme)
    page.wait_for_load_state("networkidle")
    unfold(page)
    assert page.locator("h1").count() == 1
    assert page.evaluate(LINES_OF_MENU) == 1
    nothing_hostile(page)
    assert grave(page) == []
    assert site.faults == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ERRORS)
def test_a_page_of_an_error_keeps_the_policy_and_shows_a_way_on(site: Site, path: str, scheme: str) -> None:
    with override_settings(ROOT_URLCONF="tests.browser.failing_urls"):
        page = site.open(path, color_scheme=scheme)
        page.wait_for_load_state("networkidle")
        status = page.evaluate("performance.getEntriesByType('navigation')[0].responseStatus")
    assert status == ERRORS[path]
    assert page.locator("main h1").is_visible()
    assert page.locator('main a[href="/"]').count() >= 1
    assert grave(page) == []
    assert [fault for fault in site.faults if ITS_STATUS not in fault] == []


@pytest.mark.parametrize("path", PATHS)
def test_without_javascript_a_page_holds_the_same_tables_and_no_dead_button(site: Site, run: Run, path: str) -> None:
    address = path.format(run=run.pk)
    with_script, without = site.open(address), site.open(address, java_script_enabled=False)
    with_script.wait_for_load_state("networkidle")
    counts = [
        [page.locator(each).count() for each in ("main table", "main tbody tr")] for page in (with_script, without)
    ]
    assert counts[0] == counts[1]
    for button in without.locator("button:visible").all():
        assert button.evaluate("button => button.type === 'submit' && button.form !== null")
    for box in without.locator(".waiting").all():
        assert "The picture needs JavaScript" in box.evaluate("box => box.innerText")
    assert without.locator("main h1").inner_text() == with_script.locator("main h1").inner_text()


def focus(page: Page, label: str, most: int = 80) -> None:
    """Tab until the focus is on what bears that name, as a screen reader would tell it."""
    told = "(each => (each.getAttribute('aria-label') || each.textContent || each.id).trim())(document.activeElement)"
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate(told).startswith(label) or page.evaluate("document.activeElement.id") == label:
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
            return
    raise AssertionError(f"no stop of the keyboard is called {label}")


def test_a_search_a_sort_and_a_comparison_are_walked_by_keyboard_alone(site: Site, run: Run) -> None:
    page = site.open("/")
    names = page.locator("#board th.model a bdi")
    focus(page, "q")
    type_at_once(page, "maker")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("q=maker"))
    expect(names).to_have_count(4)
    focus(page, "sort-mmlu")
    page.keyboard.press("Enter")
    expect(page.locator("#board th[aria-sort]")).to_contain_text("MMLU")
    expect(page).to_have_url(re.compile("q=maker.*sort=-?mmlu"))
    for name in (f"Mark {HOSTILE['long']} for comparison", "Mark =1+1 for comparison"):  # in the order of the rows
        focus(page, name)
        page.keyboard.press("Space")
    focus(page, "Compare marked")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/compare/\?"))
    expect(page.locator(".versus h3")).to_have_count(1)
    expect(page.locator("h1")).to_contain_text("=1+1")
    assert site.faults == []
