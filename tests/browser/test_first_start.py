"""What a stranger sees after the first start: the board as processes, its demo runs through the real queue."""

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from leaderboard.starting.first_start import PERSONAS
from tests.browser.conftest import Site
from tests.leaderboard.serving import board, text_in_time
from tests.processes import free_port, wait_for

pytestmark = [pytest.mark.processes]

BOARD = "/rankings/eq-open-v2/?demo=1"
LOOKS = [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)]
# How far the page can be moved to the side.
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A board after its first start, all demo runs at their end."""
    port, folder = free_port(), tmp_path_factory.mktemp("board")
    with board(folder, port):
        wait_for(
            lambda: text_in_time(port, BOARD).count("/models/demo") >= len(PERSONAS), seconds=900, what="demo rows"
        )
        yield port


@pytest.fixture
def fresh(port: int, chromium: Browser) -> Iterator[Site]:
    yield Site(f"http://127.0.0.1:{port}", chromium, [])
    for context in chromium.contexts:
        context.close()


def grave(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [entry["id"] for entry in found if entry["impact"] in {"serious", "critical"}]


def first_link(page: Page, start: str) -> str:
    return page.locator(f"main a[href^='{start}']").first.get_attribute("href") or ""


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_the_board_a_demo_run_and_an_item_look_right(fresh: Site, scheme: str, width: int) -> None:
    page = fresh.open(BOARD, width=width, color_scheme=scheme)
    expect(page.locator("main")).to_contain_text("demo")
    expect(page.locator("main")).to_contain_text("Always answers 4")
    model = first_link(page, "/models/demo")
    page.goto(fresh.url + model)
    for path in (BOARD, model, first_link(page, "/runs/"), "/items/eq-open-v2/", "/items/eq-open-v2/1/"):
        page.goto(fresh.url + path)
        assert page.locator("h1").inner_text(), path
        assert page.evaluate(SIDEWAYS) <= 0, path
        assert grave(page) == [], path
    assert fresh.faults == []
