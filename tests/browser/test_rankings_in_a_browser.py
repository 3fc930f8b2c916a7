"""The rankings in Chromium: by keyboard, by htmx without a reload, without JavaScript, and with the axe rules."""

import re
from datetime import UTC, datetime

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, Route, expect

from evaluation.models import ItemBank, LanguageModel, Origin
from leaderboard.models import Standing
from leaderboard.pages.rankings import selection
from leaderboard.standings import refresh_standings
from leaderboard.standings.ahead import ahead_among
from tests.browser.conftest import Site
from tests.factories import make_bank, make_model
from tests.leaderboard.pages import finished, publish
from tests.leaderboard.scored_runs import scored

pytestmark = [pytest.mark.browser, pytest.mark.database]

NAMES = ("Amber", "Birch", "Cedar", "Dune", "Elm", '<a href="https://x.example">Best</a>', "=1+1", "safe\u202eevil")
RESPONSIVE = ("/", "/?c=origin&c=strict&c=items&c=cv&c=mmlu&c=arena_elo&c=magi_hard&c=date", "/?q=nothing-like-it")


@pytest.fixture
def bank(site: Site) -> ItemBank:
    """Eight tested models of two makers, a baseline and a published score."""
    bank = make_bank(slug="scenes", title="Own scenes")
    for at, name in enumerate(NAMES):
        facts = {"display_name": name, "organisation": f"Maker {at % 2}", "open_weights": at % 2 == 0}
        scores = [9.0 - at, 8.0 - at / 2, 9.5 - at, 8.5 - at / 3, 9.2 - at]
        ended = datetime(2024, 1, 1 + at, tzinfo=UTC)
        run = scored(bank, scores, name=f"m{at}", facts=facts, standard_error=2.0, finished_at=ended)
        publish(run.model, "mmlu", 50.0 + at)
    finished(bank, 30.0, name="constant", origin=Origin.BASELINE)
    publish(make_model("paper"), "scenes", 20.0)
    refresh_standings()
    return bank


def names(page: Page) -> Locator:
    return page.locator("#board th.model a bdi")


def shown(page: Page) -> list[str]:
    return names(page).all_inner_texts()


def type_at_once(page: Page, text: str) -> None:
    """Key by key, without the pause that starts a search: a busy machine makes one, and the next key then calls that
    search off, which htmx tells the console."""
    page.clock.install(time=0)
    page.clock.pause_at(3_600_000)
    page.locator("#q").press_sequentially(text)
    page.clock.resume()


def slug(at: int) -> str:
    return Standing.objects.get(model__name=f"m{at}").model.slug


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_serious(site: Site, bank: ItemBank, scheme: str, width: int) -> None:
    page = site.open(f"/?pin={slug(2)}&m={slug(1)}", width=width, color_scheme=scheme)
    results = Axe().run(page)
    grave = [each for each in results.response["violations"] if each["impact"] in {"serious", "critical"}]
    assert [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in grave] == []
    assert site.faults == []


@pytest.mark.parametrize("width", [1440, 1240, 1024, 900, 390, 320])
@pytest.mark.parametrize("path", RESPONSIVE)
def test_the_table_never_makes_the_page_scroll_sideways(site: Site, bank: ItemBank, path: str, width: int) -> None:
    page = site.open(path, width=width)
    for summary in page.locator("#filters summary:visible").all():
        summary.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.keyboard.press("Escape")
        expect(page.locator("#filters details[open]")).to_have_count(0)


def test_a_search_renews_the_table_the_count_and_the_address_without_a_reload(site: Site, bank: ItemBank) -> None:
    page = site.open("/?sort=-mmlu")
    page.evaluate("window.kept = true")
    type_at_once(page, "ced")
    page.locator("#board", has_text="1 of 10 rows match").wait_for()
    expect(names(page)).to_have_text(["Cedar"])
    expect(page).to_have_url(re.compile(r"/\?q=ced&sort=-mmlu$"))
    expect(page.locator("#board-status")).to_have_text("1 of 10 rows match")
    assert page.evaluate("document.activeElement.id") == "q"
    page.click("#filters summary:has-text('Filters')")
    page.select_option("select[name=weights]", "closed")
    page.locator("#board", has_text="No model matches").wait_for()
    page.keyboard.press("Escape")
    assert page.evaluate("window.kept") is True
    page.click("text=Clear the filters")
    page.locator("#board", has_text="9 ranked").wait_for()
    expect(page.locator("#q")).to_have_value("")
    assert site.faults == []


def test_a_header_sorts_by_keyboard_keeps_the_focus_and_the_filter(site: Site, bank: ItemBank) -> None:
    page = site.open("/?weights=open")
    page.evaluate("window.kept = true")
    page.focus("#sort-mmlu")
    page.keyboard.press("Enter")
    page.locator("#board th[aria-sort=descending]", has_text="MMLU").wait_for()
    expect(names(page).first).to_have_text("=1+1")
    expect(page).to_have_url(re.compile(r"/\?weights=open&sort=-mmlu$"))
    expect(page.locator("#sort-mmlu")).to_be_focused()
    page.keyboard.press("Enter")
    page.locator("#board th[aria-sort=ascending]", has_text="MMLU").wait_for()
    page.go_back()
    page.locator("#board th[aria-sort=descending]", has_text="MMLU").wait_for()
    assert site.faults == []


def with_class(page: Page, name: str) -> Locator:
    return page.locator(f"#board tr.{name} th.model a bdi")


def tied_with(name: str) -> list[str]:
    """The models tied with this one by the stored table, best first, itself among them."""
    rows = list(Standing.objects.filter(ranking="scenes", rank__isnull=False).order_by("rank", "model__name"))
    names, keys = [str(row.model) for row in rows], [row.model_id for row in rows]
    ahead = ahead_among("scenes", keys)
    assert ahead is not None
    own = names.index(name)
    return [other for at, other in enumerate(names) if not (ahead[own, at] or ahead[at, own])]


@pytest.fixture
def crowd(site: Site) -> None:
    """Six models on eight items; each is tied with its neighbours, and the first ahead of the last."""
    bank = make_bank(8, slug="scenes", title="Own scenes")
    for at, name in enumerate(("Ash", "Bay", "Cane", "Dill", "Elder", "Fern")):
        scores = [8.0 - 0.8 * at + (1.5 if (item + at) % 3 == 0 else -0.5) for item in range(8)]
        run = scored(bank, scores, name=f"m{at}", facts={"display_name": name}, standard_error=2.0)
        publish(run.model, "mmlu", 50.0 + at)
    refresh_standings()


def test_the_band_follows_the_row_whose_possible_ranks_are_pressed_and_goes_back(site: Site, crowd: None) -> None:
    page = site.open("/")
    leader, pressed = tied_with("Ash"), tied_with("Dill")
    assert leader != pressed, "else nothing would move"
    expect(with_class(page, "tied")).to_have_text(leader)
    button = page.get_by_role("button", name="shade the models tied with Dill")
    button.focus()
    page.keyboard.press("Enter")
    expect(with_class(page, "tied")).to_have_text(pressed)
    expect(with_class(page, "pivot")).to_have_text(["Dill"])
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#tied-said")).to_contain_text(f"Shaded: Dill and the {len(pressed) - 1} models tied with it.")
    page.get_by_role("button", name="Back to the leader").click()
    expect(with_class(page, "tied")).to_have_text(leader)
    expect(page.locator("#tied-said")).to_have_text(
        "Shaded: tied with the leader in a pairwise test; the headline counts more ties, as it corrects for multiple "
        "testing."
    )
    expect(button).to_be_focused()
    assert site.faults == []


def test_a_row_marks_its_ties_when_it_is_pointed_at_and_when_it_has_the_focus(site: Site, crowd: None) -> None:
    page = site.open("/")
    marked = [name for name in tied_with("Dill") if name != "Dill"]
    assert marked
    page.locator("tr[data-ties]", has_text="Dill").hover()
    expect(with_class(page, "tie")).to_have_text(marked)
    page.locator("h1").hover()
    expect(with_class(page, "tie")).to_have_count(0)
    page.get_by_role("link", name="Dill", exact=True).focus()
    expect(with_class(page, "tie")).to_have_text(marked)
    page.locator("#q").focus()
    expect(with_class(page, "tie")).to_have_count(0)


def test_a_renewed_table_can_be_pressed_as_well(site: Site, crowd: None) -> None:
    page = site.open("/")
    page.focus("#sort-mmlu")
    page.keyboard.press("Enter")
    page.locator("#board th[aria-sort=descending]", has_text="MMLU").wait_for()
    page.get_by_role("button", name="shade the models tied with Dill").click()
    expect(page.locator("#tied-said")).to_contain_text("Shaded: Dill and")
    assert sorted(with_class(page, "tied").all_inner_texts()) == sorted(tied_with("Dill"))


def test_without_javascript_the_shaded_rows_are_those_tied_with_the_leader(site: Site, crowd: None) -> None:
    page = site.open("/", java_script_enabled=False)
    expect(with_class(page, "tied")).to_have_text(tied_with("Ash"))
    expect(page.locator("#board .range button")).to_have_count(0)
    expect(page.locator("#tied-said")).to_have_text(
        "Shaded: tied with the leader in a pairwise test; the headline counts more ties, as it corrects for multiple "
        "testing."
    )


def test_marks_survive_a_sort_and_a_search_and_go_to_the_comparison(site: Site, bank: ItemBank) -> None:
    page = site.open("/")
    page.get_by_label("Mark Amber for comparison").focus()
    page.keyboard.press("Space")
    page.get_by_label("Mark Cedar for comparison").check()
    expect(page.locator("#marked")).to_have_text("2 marked.")
    page.click("#sort-model")
    page.locator("#board th[aria-sort=ascending]", has_text="Model").wait_for()
    expect(page.get_by_label("Mark Cedar for comparison")).to_be_checked()
    page.fill("#q", "birch")
    page.locator("#board", has_text="1 of 10 rows match").wait_for()
    page.get_by_label("Mark Birch for comparison").check()
    expect(page.locator("#marked")).to_have_text("3 marked.")
    page.reload()
    expect(page.locator("#marked")).to_have_text("3 marked.")
    page.route("**/compare/**", lambda route: route.fulfill(body="compared"))
    page.click("text=Compare marked")
    page.wait_for_url(re.compile("/compare/"))
    assert sorted(re.findall(r"[?&]m=([^&]*)", page.url)) == sorted(slug(at) for at in (0, 1, 2))


def test_a_pin_lifts_a_row_and_is_kept_by_the_other_controls(site: Site, bank: ItemBank) -> None:
    page = site.open("/")
    page.get_by_label("Pin Elm").focus()
    page.keyboard.press("Enter")
    page.locator("#board .pinned-rows", has_text="Elm").wait_for()
    page.fill("#q", "amber")
    page.locator("#board", has_text="1 of 10 rows match").wait_for()
    expect(names(page)).to_have_text(["Elm", "Amber"])
    expect(page).to_have_url(re.compile(rf"/\?q=amber&pin={slug(4)}$"))
    page.get_by_label("Unpin Elm").first.click()
    page.locator("#board .pinned-rows").wait_for(state="detached")
    assert site.faults == []


def test_columns_sort_and_place_are_kept_on_the_way_to_a_model_and_back(site: Site, bank: ItemBank) -> None:
    page = site.open("/")
    page.click("summary:has-text('Columns')")
    page.get_by_role("checkbox", name="Strict score").check()
    page.locator("#sort-strict").wait_for()
    page.keyboard.press("Escape")
    page.click("#sort-model")
    expect(page).to_have_url(re.compile("sort=model"))
    page.wait_for_load_state()
    address = page.url
    assert "c=strict" in address
    page.set_viewport_size({"width": 1280, "height": 400})
    page.evaluate("window.scrollTo(0, 500)")
    page.wait_for_function("() => scrollY > 300")
    seen = page.evaluate("scrollY")
    page.evaluate("document.querySelector('#board th.model a[href*=\"/models/\"]').click()")
    page.wait_for_url(re.compile("/models/"))
    page.go_back()
    page.locator("#sort-strict").wait_for()
    expect(page).to_have_url(address)
    page.wait_for_function("seen => Math.abs(scrollY - seen) < 5", arg=seen)
    expect(page.locator("input[name=c][value=strict]")).to_be_checked()


def test_all_controls_work_without_javascript(site: Site, bank: ItemBank) -> None:
    page = site.open("/", java_script_enabled=False)
    page.click("#filters summary:has-text('Filters')")
    page.select_option("select[name=org]", "Maker 0")
    page.click("#filters summary:has-text('Filters')")
    page.click("summary:has-text('Columns')")
    page.get_by_role("checkbox", name="Repeats and CV").check()
    page.locator("#filters > button").click()
    expect(names(page)).to_have_text(["Amber", "Cedar", "Elm", "=1+1"])
    page.click("#sort-cv")
    expect(page).to_have_url(re.compile("sort=cv"))
    expect(names(page)).to_have_text(["Amber", "Cedar", "Elm", "=1+1"])
    assert "org=Maker+0" in page.url
    page.get_by_label("Pin Elm").click()
    expect(names(page).first).to_have_text("Elm")
    page.get_by_label("Mark Amber for comparison").check()
    page.get_by_label("Mark Cedar for comparison").check()
    page.route("**/compare/**", lambda route: route.fulfill(body="compared"))
    page.click("text=Compare marked")
    page.wait_for_url(re.compile("/compare/"))
    assert re.findall(r"[?&]m=([^&]*)", page.url) == [slug(0), slug(2)]


@pytest.mark.parametrize(
    ("sort", "before", "after"), [("-mmlu", "MMLU ", ""), ("-size", "", " billion"), ("date", "", "")]
)
def test_a_narrow_table_shows_the_value_that_sorts_it_and_says_what_it_is(
    site: Site, bank: ItemBank, sort: str, before: str, after: str
) -> None:
    LanguageModel.objects.update(params_billion=7.0)
    page = site.open(f"/?sort={sort}&c=none", width=390)
    cell = page.locator("#board td.sorted").first
    expect(cell).to_be_visible()
    for part, words in (("::before", before), ("::after", after)):
        assert cell.evaluate(f"cell => getComputedStyle(cell, '{part}').content") == f'"{words}"'
    expect(page.locator("#board td.score small").first).to_be_hidden()
    expect(page.locator("#board td.num:not(.sorted)")).to_have_count(0 if sort == "-size" else len(NAMES) + 2)


def test_a_shared_address_shows_the_same_rows_in_a_fresh_browser(site: Site, bank: ItemBank) -> None:
    path = "/?weights=open&sort=-mmlu&c=mmlu"
    first = site.open(path)
    second = site.open(path, java_script_enabled=False)
    assert shown(first) == shown(second) == ["=1+1", "Elm", "Cedar", "Amber"]


def test_the_filters_that_were_opened_before_the_rows_of_a_chip_came_stay_open(site: Site, bank: ItemBank) -> None:
    page = site.open("/")
    held: list[Route] = []
    page.route("**/*size=*", lambda route: held.append(route))  # noqa: PLW0108  # Playwright sets an attribute on it
    page.locator(".chips a", has_text="≤ 10").click()
    page.locator("#filters summary", has_text="Filters").click()
    while not held:
        page.wait_for_timeout(50)
    held[0].continue_()
    expect(page.locator(".chips a[aria-current]")).to_contain_text("≤ 10")
    expect(page.locator("#board")).to_contain_text("rows match")
    expect(page.locator("select[name=weights]")).to_be_visible()


def test_the_focus_stays_on_the_pin_and_on_the_chip_that_were_pressed(site: Site, bank: ItemBank) -> None:
    LanguageModel.objects.update(params_billion=7.0)
    page = site.open("/")
    for act, other in (("Pin", "Unpin"), ("Unpin", "Pin")):
        page.get_by_label(f"{act} Elm", exact=True).last.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_label(f"{other} Elm", exact=True).last).to_be_focused()
    page.locator(".chips a", has_text="≤ 10").focus()
    page.keyboard.press("Enter")
    page.locator("#board", has_text="rows match").wait_for()
    expect(page.locator(".chips a", has_text="≤ 10")).to_be_focused()
    assert site.faults == []


def test_a_chip_keeps_what_was_searched_for_and_sorted_by_before_it(site: Site, bank: ItemBank) -> None:
    LanguageModel.objects.update(params_billion=7.0)
    page = site.open("/")
    page.click("#sort-mmlu")
    page.locator("#board th[aria-sort=descending]", has_text="MMLU").wait_for()
    type_at_once(page, "maker 1")
    page.locator("#board", has_text="rows match").wait_for()
    expect(page).to_have_url(re.compile(r"/\?q=maker\+1&sort=-mmlu$"))
    page.locator(".chips a", has_text="≤ 10").click()
    expect(page).to_have_url(re.compile(r"/\?q=maker\+1&.*size=-10"))
    expect(page).to_have_url(re.compile(r"sort=-mmlu"))
    expect(page.locator("#q")).to_have_value("maker 1")
    assert site.faults == []


def test_the_next_page_opens_at_the_top_of_its_table_which_has_the_focus(
    site: Site, bank: ItemBank, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selection, "PAGE_SIZE", 4)
    page = site.open("/")
    page.set_viewport_size({"width": 1280, "height": 300})
    page.locator(".pager a", has_text="Next").focus()
    page.keyboard.press("Enter")
    page.locator(".pager", has_text="Page 2").wait_for()
    page.wait_for_function("Math.abs(document.getElementById('board').getBoundingClientRect().top) < 60")
    expect(page.locator("table.board")).to_be_focused()
    assert site.faults == []
