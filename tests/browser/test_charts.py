"""The charts in Chromium under the strict policy: drawn when in view, themed, saved, and complete without JavaScript.

Plotly's hook for a static sheet is in none of its documents: these tests hold it at each upgrade.
"""

import re
from datetime import date
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from leaderboard.pages.charts.page import NAMES
from leaderboard.plotly_bundle import STATIC_NAME
from leaderboard.standings import refresh_standings
from tests.browser.conftest import PATIENCE_MS, WATCH, Site
from tests.factories import make_bank, make_model, make_result
from tests.leaderboard.pages import finished, publish

pytestmark = [pytest.mark.browser, pytest.mark.database]

HOSTILE = ('<a href="https://x.example">Best</a>', "=1+1", "safe\u202eevil", "W" * 80, "R&D <b>bold</b>", "%{y}")
DRAWN = "box => box.classList.contains('is-drawn') && box.querySelector('.main-svg')"
LAYERS = """[...document.querySelectorAll(".is-drawn")].map(box =>
  [...box.querySelectorAll(".svg-container > .main-svg")].map(svg =>
    getComputedStyle(svg).position + Math.round(svg.getBoundingClientRect().top)))"""


@pytest.fixture
def board(site: Site) -> Site:
    """Twelve models, half of them of hostile names, with all that the charts ask for; one of them is published only."""
    bank = make_bank(slug="scenes", title="Own scenes")
    for at in range(12):
        name = HOSTILE[at // 2] if at % 2 else f"plain {at}"
        facts = {"display_name": name, "params_billion": 1.7**at, "released_on": date(2024, 1 + at, 1)}
        run = finished(bank, 30.0 + 5 * at, name=f"maker/model-{at}", facts=facts, standard_error=2.0)
        for measure, start in (("mmlu", 40), ("arena_elo", 1000), ("magi_hard", 20)):
            publish(run.model, measure, start + 4.0 * at + at % 3)
        for number in range(1, 5):
            make_result(run, str(number), score=float((3 * number + at) % 11))
    publish(make_model("elsewhere", display_name=HOSTILE[0], params_billion=9.0), "scenes", 61.0)
    refresh_standings()
    return site


def draw(page: Page, *names: str) -> None:
    """Scroll to each chart, as a reader does, and wait until it is drawn."""
    for name in names:
        box = page.locator(f"#chart-{name} [data-figure]")
        box.scroll_into_view_if_needed()
        page.wait_for_function(DRAWN, arg=box.element_handle())


def low_window(site: Site, path: str, **context: Any) -> Page:
    """A window so low that no chart is in view at first."""
    page = site.browser.new_context(viewport={"width": 1280, "height": 160}, **context).new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.add_init_script(WATCH)
    page.goto(site.url + path)
    return page


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_charts_are_drawn_and_break_no_policy(board: Site, scheme: str, width: int) -> None:
    page = board.open("/charts/scenes/", width=width, color_scheme=scheme)
    draw(page, *NAMES)
    for summary in page.locator(".data summary").all():
        summary.click()
    assert page.locator(".is-drawn .main-svg").count() >= 2 * len(NAMES)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator('a[href*="x.example"]').count() == 0
    assert page.locator(".is-drawn b").count() == 0
    assert board.faults == []


def test_layers_lie_on_each_other_boxes_keep_their_height_and_names_their_signs(board: Site) -> None:
    page = low_window(board, "/charts/scenes/")
    heights = "[...document.querySelectorAll('[data-figure]')].map(box => box.getBoundingClientRect().height)"
    waiting = page.evaluate(heights)
    draw(page, *NAMES)
    assert page.evaluate(heights) == waiting
    layers = page.evaluate(LAYERS)
    assert len(layers) == len(NAMES)
    assert all(len(places) >= 2 and len(set(places)) == 1 and places[0].startswith("absolute") for places in layers)
    texts = page.locator("#chart-items .ytick text").all_text_contents()
    assert {HOSTILE[0], "R&D <b>bold</b>", "safe[U+202E]evil", "%{y}"} <= set(texts)


def test_plotly_is_asked_for_when_a_chart_comes_into_view_and_once(board: Site) -> None:
    page = low_window(board, "/charts/scenes/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)
    assert [url for url in asked if "plotly" in url or url.endswith(".json")] == []
    draw(page, *NAMES)
    assert len([url for url in asked if url.endswith("plotly.min.js")]) == 1
    assert len([url for url in asked if url.endswith(".json")]) == len(NAMES)


def test_the_colours_follow_the_theme(board: Site) -> None:
    page = board.open("/charts/scenes/", color_scheme="light")
    draw(page, "mmlu")
    line = page.locator("#chart-mmlu .js-line").last
    assert line.evaluate("line => line.style.stroke") == "rgb(124, 36, 89)"
    page.click("button.theme")
    page.wait_for_function("line => line.style.stroke === 'rgb(235, 166, 207)'", arg=line.element_handle())
    assert board.faults == []


def test_the_colours_follow_the_machine(board: Site) -> None:
    page = board.open("/charts/scenes/", color_scheme="light")
    draw(page, "scores")
    page.emulate_media(color_scheme="dark")
    dot = page.locator("#chart-scores .scatterlayer .point").first
    page.wait_for_function("dot => dot.style.stroke === 'rgb(235, 166, 207)'", arg=dot.element_handle())


def test_a_dot_tells_its_model_under_the_pointer(board: Site) -> None:
    page = board.open("/charts/scenes/")
    draw(page, "mmlu")
    dot = page.locator("#chart-mmlu .scatterlayer .point").last
    dot.scroll_into_view_if_needed()
    box = dot.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator("#chart-mmlu .hovertext").wait_for()
    told = page.locator("#chart-mmlu .hovertext").text_content() or ""
    assert "points" in told
    assert "MMLU" in told
    assert board.faults == []


def test_a_chart_is_saved_as_svg_by_the_keyboard(board: Site, tmp_path: Path) -> None:
    page = board.open("/charts/scenes/")
    draw(page, "scores")
    button = page.locator('#chart-scores [data-save="svg"]')
    page.locator('#chart-scores [data-save="png"]').focus()
    page.keyboard.press("Tab")
    assert button.evaluate("button => button === document.activeElement")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert waiting.value.suggested_filename == "scenes-scores.svg"
    waiting.value.save_as(tmp_path / "chart.svg")
    text = " ".join(ET.parse(tmp_path / "chart.svg").getroot().itertext())  # noqa: S314
    assert "score, points" in text
    assert "12 measured, 1 published" in text
    assert "within the interval of %{y}" in text
    assert board.faults == []


@pytest.mark.parametrize("name", ["mmlu", "items"])
def test_a_chart_is_saved_as_a_picture_that_is_not_empty(board: Site, tmp_path: Path, name: str) -> None:
    page = board.open("/charts/scenes/", color_scheme="dark")
    draw(page, name)
    with page.expect_download() as waiting:
        page.click(f'#chart-{name} [data-save="png"]')
    waiting.value.save_as(tmp_path / "chart.png")
    content = (tmp_path / "chart.png").read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width = page.locator(f"#chart-{name} [data-figure]").evaluate("box => box.clientWidth")
    assert int.from_bytes(content[16:20], "big") == 2 * width
    assert len(content) > 10_000
    assert board.faults == []


def test_without_javascript_the_tables_hold_the_numbers_and_no_button_is_dead(board: Site) -> None:
    page = board.open("/charts/scenes/", java_script_enabled=False)
    assert page.locator("[data-save]:visible").count() == 0
    assert page.locator(".chart-box").first.inner_text() == (
        "The picture needs JavaScript. Its numbers are in the table below."
    )
    page.click("#chart-mmlu summary")
    expect(page.locator("#chart-mmlu tbody tr")).to_have_count(12)
    with page.expect_download() as waiting:
        page.click("#chart-mmlu >> text=CSV")
    assert waiting.value.suggested_filename == "scenes-mmlu.csv"


def test_a_figure_that_does_not_come_leaves_a_sentence(board: Site) -> None:
    page = low_window(board, "/charts/scenes/")
    page.route("**/mmlu.json", lambda route: route.fulfill(status=500, body="no"))
    page.locator("#chart-mmlu [data-figure]").scroll_into_view_if_needed()
    page.get_by_text("The picture could not be loaded. Its numbers are in the table below.").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_drawn_charts(board: Site, scheme: str) -> None:
    page = board.open("/charts/scenes/", color_scheme=scheme)
    draw(page, *NAMES)
    for summary in page.locator(".data summary").all():
        summary.click()
    found = Axe().run(page).response["violations"]
    assert [each["id"] for each in found if each["impact"] in {"serious", "critical"}] == []


def test_nothing_moves_for_those_who_want_no_motion(board: Site) -> None:
    page = board.open("/charts/scenes/", reduced_motion="reduce")
    draw(page, "scores")
    assert page.evaluate("document.getAnimations().length") == 0


RULES = "[...document.getElementById('plotly.js-style-global').sheet.cssRules].map(rule => rule.cssText)"


def test_the_static_sheet_holds_the_rules_that_this_plotly_would_write(board: Site) -> None:
    page = low_window(board, "/charts/scenes/", bypass_csp=True)
    ours = page.evaluate(RULES)
    page.evaluate("document.getElementById('plotly.js-style-global').remove()")
    page.add_script_tag(url=f"{board.url}/static/{STATIC_NAME}")
    assert page.evaluate(RULES) == ours
    assert len(ours) > 50


def test_on_the_page_of_a_ranking_charts_stay_out_of_the_first_load_and_outlive_a_renewed_table(board: Site) -> None:
    page = board.open("/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_load_state("networkidle")
    assert [url for url in asked if "plotly.min" in url] == []
    draw(page, "mmlu")
    page.click("#sort-model")
    page.wait_for_url("**sort=model**")
    draw(page, "mmlu", "items")
    assert f"{board.url}/charts/scenes/items.json?sort=model" in asked
    expect(page.locator("#chart-items h3")).to_have_text(re.compile("^Item "))
    page.click("text=Open the charts page")
    expect(page).to_have_url(f"{board.url}/charts/scenes/?sort=model")
    assert board.faults == []
