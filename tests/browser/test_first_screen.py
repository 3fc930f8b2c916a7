"""The first screen of a new board: how many models it shows, and what gives way to them on a phone."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import Page, expect

from leaderboard.standings import refresh_standings
from tests.browser.conftest import Site
from tests.factories import make_bank, make_endpoint, make_model, make_run
from tests.leaderboard.pages import finished

pytestmark = [pytest.mark.browser, pytest.mark.database]
each_screen = pytest.mark.parametrize(("width", "height", "fewest"), [(1280, 900, 12), (390, 844, 3)])
PICTURE = ".knobs-figure .knobs"
WHOLE_ROWS = """() => {
  const bar = document.querySelector(".foot-bar");
  const end = Math.min(window.innerHeight, bar ? bar.getBoundingClientRect().top : Infinity);
  return [...document.querySelectorAll("#board tbody tr")].filter(
    row => row.querySelector("th.model") && row.getBoundingClientRect().bottom <= end).length; }"""


@pytest.fixture(autouse=True)
def _board(site: Site) -> None:
    """The published scores, as a first start loads them."""
    cache.clear()
    call_command("load_published", verbosity=0)
    refresh_standings()


def opened(site: Site, width: int, height: int, path: str = "/") -> Page:
    page = site.open(path, width=width)
    page.set_viewport_size({"width": width, "height": height})
    expect(page.locator(".bests")).to_contain_text("New:")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    return page


def test_a_desktop_shows_twelve_models_and_the_picture(site: Site) -> None:
    page = opened(site, 1280, 900)
    assert page.evaluate(WHOLE_ROWS) >= 12
    expect(page.locator(PICTURE)).to_be_visible()
    assert site.faults == []


def test_nine_tabs_take_no_row_from_the_table(site: Site) -> None:
    page = opened(site, 1280, 900)
    tabs = page.locator(".tabs a")
    judged = "Empathetic replies, 64 prompts, judged by LLMs"
    titles = ["EQ Open v2", "EmotionBench, full", "EmotionBench, quick", judged]
    page.evaluate(
        """titles => { const tabs = document.querySelector(".tabs"); for (const title of titles) {
          const tab = document.createElement("a"); tab.textContent = title; tabs.append(tab, "\\n"); } }""",
        titles,
    )
    assert tabs.count() >= 9
    first, last = tabs.first.bounding_box(), tabs.last.bounding_box()
    assert first is not None
    assert last is not None
    assert first["y"] == last["y"]
    assert page.evaluate(WHOLE_ROWS) >= 12


def test_further_bests_and_news_take_no_row_from_the_table(site: Site) -> None:
    """As on a board with imported runs, of which some were corrected lately."""
    page = opened(site, 1280, 900)
    page.evaluate(
        """() => { const bests = document.querySelector(".bests"), best = document.createElement("span");
          best.textContent = "Best with stored answers: gpt-4-0314 85.73"; bests.prepend(best);
          bests.append("62 scores corrected in 30 days"); }"""
    )
    assert page.evaluate(WHOLE_ROWS) >= 12


@each_screen
def test_the_bar_for_marked_models_lies_on_no_row_before_one_is_marked(
    site: Site, width: int, height: int, fewest: int
) -> None:
    bank = make_bank(5, slug="eq-bench-v2", title="EQ-Bench v2")
    for at in range(3):
        finished(bank, 90.0 + at, model=make_model(f"maker/run-{at}"), standard_error=1.0)
    refresh_standings()
    cache.clear()
    page = opened(site, width, height)
    bar = page.locator(".foot-bar")
    expect(bar).not_to_be_in_viewport()
    assert page.evaluate(WHOLE_ROWS) >= fewest
    page.locator('[form="compare"]').first.check()
    expect(bar).to_be_in_viewport(ratio=1)
    expect(bar).to_contain_text("1 marked")
    page.reload()
    expect(bar).to_be_in_viewport(ratio=1)


def test_a_phone_shows_three_models_the_open_tab_and_the_picture_folded(site: Site) -> None:
    page = opened(site, 390, 844)
    assert page.evaluate(WHOLE_ROWS) >= 3
    expect(page.locator(PICTURE)).to_be_hidden()
    page.get_by_text("All scores as a picture").click()
    expect(page.locator(PICTURE)).to_be_visible()
    page.get_by_role("link", name="SECEU (published)").click()
    tab = page.locator(".tabs a[aria-current]")
    expect(tab).to_contain_text("SECEU")
    page.wait_for_load_state()  # its words are there before all sheets
    box = tab.bounding_box()
    assert box is not None
    assert 0 <= box["x"] < box["x"] + box["width"] <= 390
    assert site.faults == []


@each_screen
@pytest.mark.parametrize("key", ["seceu-table-1", "emotionbench-2026"])
def test_tables_of_others_show_as_many_models(site: Site, key: str, width: int, height: int, fewest: int) -> None:
    page = opened(site, width, height, f"/rankings/{key}/")
    assert page.evaluate(WHOLE_ROWS) >= fewest
    clipped = """() => [...document.querySelectorAll("#board tbody th.model")].filter(each =>
      each.scrollHeight > each.getBoundingClientRect().height + 1).map(each => each.textContent)"""
    assert width < 900 or page.evaluate(clipped) == [], "a phone's rows are as tall as their names"
    assert site.faults == []


def test_the_warning_before_a_table_is_read_out_with_its_title(site: Site) -> None:
    for width in (1280, 390):
        page = opened(site, width, 844, "/rankings/seceu-table-1/")
        expect(page.locator(".read-this")).to_contain_text("Read a high score with care")
        expect(page.locator(".read-this p")).to_be_in_viewport()


@each_screen
def test_the_upright_heads_of_traits_leave_room_for_as_many_models(
    site: Site, width: int, height: int, fewest: int
) -> None:
    page = opened(site, width, height, "/rankings/eq-bench-3/")
    assert page.evaluate(WHOLE_ROWS) >= fewest
    sticks_out = """() => [...document.querySelectorAll("thead th.trait a")].filter(a =>
      a.getBoundingClientRect().top < a.closest("th").getBoundingClientRect().top).map(a => a.textContent)"""
    assert page.evaluate(sticks_out) == []
    assert site.faults == []


def test_the_line_of_a_stalled_queue_keeps_clear_of_the_header(site: Site) -> None:
    make_run(endpoint=make_endpoint(), queued_at=timezone.now() - timedelta(minutes=3))
    cache.clear()
    page = site.open("/methodology/")
    header, notice = page.locator(".site-head").bounding_box(), page.locator(".notice.stalled").bounding_box()
    assert header is not None
    assert notice is not None
    assert notice["y"] - (header["y"] + header["height"]) >= 12


@pytest.mark.parametrize("width", [1024, 1280, 1440, 1920])
def test_all_columns_leave_the_names_their_room(site: Site, width: int) -> None:
    page = opened(site, width, 900)
    names = page.locator('input[name="c"]').evaluate_all("all => all.map(each => each.value)")
    page.goto(f"{site.url}/?{'&'.join(f'c={name}' for name in names)}")
    assert page.locator("#board thead th").count() > 15
    assert min(page.locator("#board tbody th.model").evaluate_all("all => all.map(each => each.clientWidth)")) >= 190
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert site.faults == []


def test_a_pinned_row_leaves_the_view_where_it_was(site: Site) -> None:
    page = opened(site, 1280, 900)
    row = page.locator("#board tbody tr").nth(20)
    row.scroll_into_view_if_needed()
    row.hover()
    before = page.evaluate("scrollY")
    row.locator(".pin").click()
    expect(page.locator("#board .pinned-rows")).to_be_attached()
    assert abs(page.evaluate("scrollY") - before) < 100
