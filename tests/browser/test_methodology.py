"""Methodology, API page and the run's files in Chromium: no violation, no sideways scroll, no serious axe finding."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import expect

from evaluation.models import Run
from leaderboard.standings import refresh_standings
from tests.browser.conftest import Site
from tests.factories import make_bank, make_model, make_result, scene_reply
from tests.leaderboard.pages import finished

pytestmark = [pytest.mark.browser, pytest.mark.database]

HOSTILE = '<a href="https://x.example">Best</a><script>alert(1)</script>'
PATHS = ("/methodology/", "/api/", "/runs/{run}/")


@pytest.fixture
def run(site: Site) -> Run:
    """A corrected run with a parent, replies and a hostile name, on a loaded bank."""
    bank, model = make_bank(5, slug="scenes", citation="Own", licence="Own"), make_model("m", display_name=HOSTILE)
    history = [
        {"score": 51.0, "strict_score": None, "scorer_version": "old/1", "replaced_at": "2026-01-02T03:04:05+00:00"}
    ]
    parent = finished(bank, 60.0, model=model, finished_at=timezone.now(), settings={"max_tokens": 60})
    run = finished(
        bank, 61.0, model=model, parent=parent, finished_at=timezone.now(), score_history=history,
        settings={"max_tokens": 80}, wall_seconds=30.0, requests=9, fault_counts={"endpoint": 2},
    )  # fmt: skip
    for number in range(1, 6):
        make_result(parent, str(number), score=float(number))
        make_result(run, str(number), score=number + 0.5, reply=scene_reply(number), latency_ms=900)
    refresh_standings()
    return run


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PATHS)
def test_a_page_breaks_no_policy_and_axe_finds_nothing_serious(site: Site, run: Run, path: str, scheme: str) -> None:
    page = site.open(path.format(run=run.pk), color_scheme=scheme)
    page.wait_for_load_state("networkidle")
    for summary in page.locator("summary").all():
        summary.click()
    found = Axe().run(page).response["violations"]
    assert [entry["id"] for entry in found if entry["impact"] in {"serious", "critical"}] == []
    assert page.locator('a[href="https://x.example"]').count() == 0
    assert site.faults == []


@pytest.mark.parametrize("width", [390, 320])
@pytest.mark.parametrize("path", PATHS)
def test_a_narrow_page_never_scrolls_sideways(site: Site, run: Run, path: str, width: int) -> None:
    page = site.open(path.format(run=run.pk), width=width)
    for summary in page.locator("summary").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_contents_lead_to_their_sections_by_keyboard_and_without_javascript(site: Site, run: Run) -> None:
    page = site.open("/methodology/", java_script_enabled=False)
    page.locator(".contents a", has_text="Corrected results").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{site.url}/methodology/#corrections")
    expect(page.locator("#corrections")).to_be_in_viewport()
    expect(page.locator("#corrections td", has_text="51.00 → 61.00")).to_be_visible()


def test_a_file_of_the_run_is_downloaded_and_never_shown(site: Site, run: Run) -> None:
    page = site.open(f"/runs/{run.pk}/", java_script_enabled=False)
    with page.expect_download() as download:
        page.locator("#downloads a", has_text="Parquet").click()
    assert download.value.suggested_filename == f"run-{run.pk}-items.parquet"
    page.goto(f"{site.url}/runs/{run.pk}/items/")
    page.locator("summary").first.click()
    with page.expect_download() as download:
        page.locator("a", has_text="Raw reply").first.click()
    assert download.value.suggested_filename == f"run-{run.pk}-item-1-repeat-1.txt"


def test_the_card_draws_without_breaking_the_policy(site: Site, run: Run) -> None:
    page = site.open("/card.svg")
    assert page.locator("text").count() == 4
    assert site.faults == []
