"""The comparison and the item pages in Chromium: policy, both themes, narrow, keyboard, without JavaScript."""

import itertools
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.core.cache import cache
from playwright.sync_api import expect

from evaluation.models import ItemBank
from leaderboard.standings import refresh_standings
from tests.browser.conftest import Site
from tests.factories import make_bank, make_model, make_result
from tests.leaderboard.fields import answered

pytestmark = [pytest.mark.browser, pytest.mark.database]

NAMES = {
    "markup": '<a href="https://x.example">Best</a><script>alert(1)</script>',
    "long": "W" * 80,
    "override": "safe\u202eevil",
    "plain": "plain",
    "fifth": "fifth",
}
ALL = "ranking=scenes&m=markup&m=long&m=override&m=plain"
PATHS = (
    "/compare/",
    f"/compare/?{ALL}",
    "/compare/?ranking=closed&m=markup&m=long&q=plain",
    "/compare/?m=nobody&m=plain",
    "/items/",
    "/items/scenes/?sort=-discrimination",
    "/items/scenes/3/",
    "/items/scenes/3/replies/",
    "/items/closed/3/",
)


@pytest.fixture
def bank(site: Site) -> ItemBank:
    """Five models of strange names on an open and on a closed bank of twelve scenes; the last item runs backwards."""
    cache.clear()
    bank, closed = make_bank(12, slug="scenes", title="Own scenes"), make_bank(12, slug="closed", access="withheld")
    for at, (slug, name) in enumerate(NAMES.items()):
        model = make_model(f"maker/{slug}", slug=slug, display_name=name, organisation="maker")
        scores = [8.0 - 1.8 * at + number % 3 for number in range(11)] + [2.0 * at]
        answered(closed, slug, scores, model=model)
        run = answered(bank, slug, [], model=model, score=90.0 - 15 * at)
        for number, score in enumerate(scores, 1):
            make_result(run, str(number), score=score, answer=[at, 2 * at, 30, 10], reply=f"{name}\n" + "x" * 300)
    refresh_standings()
    return bank


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PATHS)
def test_a_page_breaks_no_policy_and_axe_finds_nothing_grave(
    site: Site, bank: ItemBank, path: str, scheme: str
) -> None:
    page = site.open(path, color_scheme=scheme)
    page.wait_for_load_state("networkidle")
    for summary in page.locator("main summary:visible").all():
        if summary.evaluate("each => !each.parentElement.open"):
            summary.click()
    assert page.locator("h1").is_visible()
    assert page.locator('a[href="https://x.example"]').count() == 0
    # The evaluated checker is the test's own and needs no exception in the policy.
    violations = Axe().run(page).response["violations"]
    grave = [each for each in violations if each["impact"] in {"serious", "critical"}]
    assert [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in grave] == []
    assert site.faults == []


@pytest.mark.parametrize("path", PATHS)
def test_a_page_never_scrolls_sideways(site: Site, bank: ItemBank, path: str) -> None:
    page = site.open(path, width=1440)
    for summary in page.locator("main summary:visible").all():
        if summary.evaluate("each => !each.parentElement.open"):
            summary.click()
    for width in (1440, 1024, 390, 320):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.fixture
def families(site: Site) -> ItemBank:
    """Four models of strange names on a bank that is large enough for families of emotion words."""
    cache.clear()
    bank = make_bank(40, slug="scenes", title="Own scenes")
    for at, (slug, name) in enumerate(list(NAMES.items())[:4]):
        model = make_model(f"maker/{slug}", slug=slug, display_name=name, organisation="maker")
        run = answered(bank, slug, [], model=model, score=90.0 - 15 * at)
        for number in range(1, 41):
            answer = [at, 2 * at, number % 5, 10 - at]
            make_result(run, str(number), score=9.0 - at - number / 40, answer=answer, reply="so\n" * 90)
    refresh_standings()
    return bank


def test_families_and_pairs_of_four_models_of_long_names_fit_a_phone(site: Site, families: ItemBank) -> None:
    page = site.open(f"/compare/?{ALL}", width=390, java_script_enabled=False)
    assert page.locator(".matrix tbody tr").count() == 4
    assert page.locator(".heat").count() == 2
    for summary in page.locator("main summary:visible").all():
        summary.click()
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.locator("html").evaluate("each => each.scrollWidth") <= width
        for table in page.locator(".matrix, .heat").all():
            box = table.bounding_box()
            assert box is not None
            assert box["x"] + box["width"] <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_shade_of_a_family_leaves_its_figures_readable(site: Site, families: ItemBank, scheme: str) -> None:
    page = site.open(f"/compare/?{ALL}", color_scheme=scheme)
    assert page.locator(".heat .s3 small").count() > 0
    found = Axe().run(page, context=".heats", options={"runOnly": ["color-contrast"]}).response["violations"]
    assert [node["html"] for each in found for node in each["nodes"]] == []


@pytest.mark.parametrize("path", ["/items/scenes/3/", "/items/scenes/3/replies/"])
def test_no_level_of_headings_is_left_out_beside_a_dialogue(site: Site, families: ItemBank, path: str) -> None:
    levels = [
        int(name[1]) for name in site.open(path).locator("h1, h2, h3").evaluate_all("all => all.map(h => h.tagName)")
    ]
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


@pytest.mark.parametrize("path", ["/items/scenes/3/replies/", "/compare/?m=plain&m=markup", "/items/scenes/3/"])
def test_the_dialogue_stays_in_view_or_is_folded_above_on_a_phone(site: Site, families: ItemBank, path: str) -> None:
    page = site.open(path, width=1280, java_script_enabled=False)
    text, fold = page.locator(".beside-text").first, page.locator(".beside-fold").first
    assert not fold.is_visible()
    beside = page.locator(".beside").first
    for summary in beside.locator("summary:visible").all():
        summary.click()
    beside.evaluate("each => scrollTo(0, each.getBoundingClientRect().top + scrollY + 200)")
    box = text.bounding_box()
    assert box is not None
    assert 0 <= box["y"] <= 40, "it stays at the top of the window"
    page.set_viewport_size({"width": 390, "height": 844})
    assert not text.is_visible()
    assert fold.is_visible()
    assert not fold.locator("pre").is_visible()


def test_models_are_searched_marked_and_compared_without_javascript(site: Site, bank: ItemBank) -> None:
    page = site.open("/compare/", java_script_enabled=False)
    page.fill("input[name=q]", "plain")
    page.click("text=Search")
    expect(page).to_have_url(re.compile("q=plain"))
    page.check("#choose-plain")
    page.click("text=Compare the marked models")
    expect(page.locator("h1")).to_have_text("Choose a second model")
    page.check("#choose-fifth")
    page.click("text=Compare the marked models")
    expect(page.locator("h1")).to_have_text("plain is ahead of fifth")
    expect(page.locator(".scatter use")).to_have_count(12)
    page.click('a[aria-label="Leave out plain"]')
    expect(page.locator(".pick .who")).to_have_text(["fifth"])


def test_the_two_leaders_are_compared_by_keyboard_alone(site: Site, bank: ItemBank) -> None:
    page = site.open("/compare/")
    for _ in range(30):
        page.keyboard.press("Tab")
        if "Compare the two best models" in page.evaluate("document.activeElement.innerText"):
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare/?m=markup&m=long**")
    expect(page.locator(".versus h3")).to_have_count(1)


def test_marks_of_a_drawing_have_a_shape_and_a_colour_each(site: Site, bank: ItemBank) -> None:
    page = site.open(f"/compare/?{ALL}")
    boxes = page.locator(".pick .who use").all()
    assert [box.get_attribute("href") for box in boxes] == ["#mark-a", "#mark-b", "#mark-c", "#mark-d"]
    fills = {
        box.evaluate("each => getComputedStyle(document.querySelector(each.getAttribute('href'))).fill")
        for box in boxes
    }
    assert len(fills) == 4
    assert all(box.evaluate("each => each.getBoundingClientRect().width") > 5 for box in boxes)


def test_an_item_is_reached_from_the_list_and_leads_to_the_next(site: Site, bank: ItemBank) -> None:
    page = site.open("/items/scenes/", java_script_enabled=False)
    page.click("thead >> text=Discrimination")
    expect(page.locator("thead [aria-sort]")).to_have_text(re.compile("^\\s*Discrimination"))
    page.click(".bank-items tbody tr:first-child th a")
    expect(page.locator("h1")).to_have_text("Item 12 disagrees with the other items")
    page.click("a[rel=prev]")
    expect(page).to_have_url(f"{site.url}/items/scenes/11/")
    expect(page.locator(".answers")).to_have_count(4)


@pytest.mark.parametrize("width", [390, 640, 1280])
def test_the_words_of_the_score_axis_stand_apart_and_are_not_cut_off(site: Site, bank: ItemBank, width: int) -> None:
    page = site.open(f"/compare/?{ALL}", width=width)
    box = page.locator(".standings tfoot svg").bounding_box()
    assert box is not None
    ends = [text.bounding_box() for text in page.locator(".standings tfoot text:visible").all()]
    drawn = [(each["x"], each["x"] + each["width"]) for each in ends if each]
    assert len(drawn) >= 2
    assert drawn[0][0] >= box["x"] - 1
    assert drawn[-1][1] <= box["x"] + box["width"] + 1
    assert all(right + 3 <= left for (_, right), (left, _) in itertools.pairwise(drawn))
