"""The statistics in Chromium: no fault, no violation of the policy, no serious finding of axe, no sideways scroll."""

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from leaderboard.pages.statistics.kinds import KINDS
from leaderboard.standings import refresh_standings
from leaderboard.statistics.refreshing import refresh_statistics
from tests.browser.conftest import Site
from tests.factories import make_bank, make_model
from tests.leaderboard.pages import publish
from tests.leaderboard.scored_runs import scored

pytestmark = [pytest.mark.browser, pytest.mark.database]
OVERFLOW = "document.documentElement.scrollWidth - window.innerWidth"
SHOWN = ("", *(f"{kind.key}/" for kind in KINDS))


@pytest.fixture
def board(site: Site) -> Site:
    """Six models with two passes on a bank and one on a private bank, one of them of a very long name, and published
    figures beside them."""
    chance = np.random.default_rng(5)
    bank, closed = make_bank(8, title="Own scenes"), make_bank(8, slug="closed", access="private")
    for at in range(6):
        given = np.clip(9 - at + chance.normal(0, 1, 8), 0, 10).round(2).tolist()
        again = np.clip(np.array(given) + chance.normal(0, 0.2, 8), 0, 10).round(2).tolist()
        name = f"maker/{'W' * 60}" if at == 2 else f"maker/model-{at}"
        model = make_model(name)
        scored(bank, given, again, model=model, standard_error=2.0)
        scored(closed, again, model=model, standard_error=3.0)
    for at in range(9):
        model = make_model(f"published/model-{at}")
        for version in ("eq-bench-v2", "eq-bench-v1"):
            publish(model, version, 30.0 + 6 * at + at % 2)
        publish(model, "mmlu", 35.0 + 5 * at + at % 3)
        publish(model, "arena_elo", 1000.0 + 20 * at - at % 3)
        publish(model, "magi_hard", 25.0 + 4 * at + at % 4)
    refresh_standings()
    refresh_statistics()
    return site


@pytest.mark.parametrize(
    ("scheme", "paths"),
    [
        ("light", ("", "repeatability/", "design/?gap=2&items=40&passes=3&chance=90", "files/")),
        ("dark", ("items/", "correlation/", "banks/", "design/", "structure/", "scoring/")),
    ],
)
def test_the_pages_are_sound_for_all_readers(scheme: str, paths: tuple[str, ...], board: Site) -> None:
    for path in paths:
        page = board.open(f"/statistics/{path}", color_scheme=scheme)
        found = Axe().run(page).response["violations"]
        serious = [entry["id"] for entry in found if entry["impact"] in {"serious", "critical"}]
        assert serious == [], (path, [entry["nodes"][0]["html"] for entry in found])
        page.context.close()
    assert board.faults == []


def test_nothing_scrolls_sideways_at_390_px(board: Site) -> None:
    for path in SHOWN:
        page = board.open(f"/statistics/{path}", width=390)
        assert page.evaluate(OVERFLOW) <= 0, path
        page.context.close()
    assert board.faults == []


def test_the_calculator_is_filled_in_and_answers(board: Site) -> None:
    page = board.open("/statistics/design/", java_script_enabled=False)
    page.get_by_label("True difference, points").fill("4")
    page.get_by_label("Passes of each model").fill("5")
    page.get_by_role("button", name="Compute").click()
    expect(page.get_by_role("status")).to_contain_text("A true difference of 4 points is found in 80 % of trials by")
    expect(page.get_by_role("status")).to_contain_text("with 5 passes of each model")
    expect(page.get_by_label("True difference, points")).to_have_value("4")
    assert board.faults == []


def test_a_reader_comes_from_the_overview_to_the_numbers(board: Site) -> None:
    page = board.open("/statistics/")
    page.get_by_role("link", name="Scores and ranks").click()
    expect(page.locator("h1")).to_contain_text("pairs of neighbours are tied")
    page.locator("#ties summary").click()
    expect(page.locator("#ties tbody tr")).to_have_count(6)
    assert board.faults == []


def test_the_ranges_are_switched_to_all_comparisons_at_once_without_javascript(board: Site) -> None:
    page = board.open("/statistics/scores/?ranking=eq-bench-v2", java_script_enabled=False)
    expect(page.locator("#ranges .of-pairs")).to_contain_text("without correction")
    expect(page.locator("#ranges .of-all")).to_be_hidden()
    page.get_by_label("All at once").check()
    expect(page.locator("#ranges .of-pairs")).to_be_hidden()
    expect(page.locator("#ranges .of-all")).to_contain_text(
        "All 36 comparisons of 9 models at once, at a joint level of 5 %"
    )
    assert board.faults == []
