"""The model page in Chromium: no error, no violation of the policy, axe in both themes, narrow, without JavaScript."""

import json
import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.core.cache import cache
from playwright.sync_api import Page, expect

from evaluation.models import ItemState, LanguageModel, Run
from leaderboard.standings import refresh_standings
from tests.browser.conftest import Site
from tests.factories import make_bank, make_model, make_result, scene_reply
from tests.leaderboard.pages import finished, publish

pytestmark = [pytest.mark.browser, pytest.mark.database]

HOSTILE = {
    "markup": '<a href="https://x.example">Best</a><script>alert(1)</script>',
    "formula": "=1+1",
    "override": "safe\u202eevil",
    "long": "W" * 80,
}
SLUGS = (*HOSTILE, "paper", "bare")


@pytest.fixture
def models(site: Site) -> list[LanguageModel]:
    """Four models of hostile names with runs and replies, one with a published figure, one with nothing."""
    cache.clear()
    bank = make_bank(12, slug="scenes", title="Own scenes")
    for at, (slug, name) in enumerate(HOSTILE.items()):
        model = make_model(f"maker/{slug}", slug=slug, display_name=name, organisation=name, licence=name)
        for score in (60.0 - at, 62.0 - at, 64.0):
            limit = 3 if score == 64.0 else None
            answer(finished(bank, score, model=model, standard_error=2.0, limit=limit, score_history=HISTORY), at)
        for benchmark in ("mmlu", "arena_elo", "eq-bench-v1"):
            publish(model, benchmark, 70.0, setting=name, source=f"https://x.example/{'w' * 90}")
    publish(make_model("paper", slug="paper"), "scenes", 90.0)
    make_model("bare", slug="bare")
    refresh_standings()
    return list(LanguageModel.objects.all())


HISTORY = [{"score": 58.5, "strict_score": 58.0, "scorer_version": "1", "replaced_at": "2026-03-04T10:00:00+00:00"}]


def answer(run: Run, at: int) -> None:
    for item in run.bank.items.order_by("number")[:10]:
        given = [min(10.0, value + at) for value in item.reference]
        make_result(run, item.item_id, answer=given, score=10.0 - at - item.number / 3, reply=scene_reply(item.number))
    nothing = {"state": ItemState.UNREAD, "reading": "none", "answer": None, "score": None}
    make_result(run, "11", reason="no scores found", reply="<script>alert(1)</script>\u202e" + "W" * 300, **nothing)


def unfold(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")


def serious(page: Page) -> list[str]:
    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [json.dumps(each, indent=1) for each in found if each["impact"] in {"serious", "critical"}]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_raise_no_error_break_no_policy_and_are_accessible(
    site: Site, models: list[LanguageModel], scheme: str
) -> None:
    for slug in SLUGS:
        page = site.open(f"/models/{slug}/", color_scheme=scheme)
        page.wait_for_load_state("networkidle")
        unfold(page)
        assert page.locator("h1").is_visible()
        assert page.locator('a[href="https://x.example"]').count() == 0
        assert page.locator("[style]").count() == 0
        assert (slug, site.faults) == (slug, [])
        assert (slug, serious(page)) == (slug, [])


def test_a_narrow_page_never_scrolls_sideways(site: Site, models: list[LanguageModel]) -> None:
    for slug in SLUGS:
        for width in (390, 320):
            page = site.open(f"/models/{slug}/", width=width)
            unfold(page)
            assert (slug, page.evaluate("document.documentElement.scrollWidth")) <= (slug, width)


def test_the_words_about_the_scales_say_which_way_they_lie(site: Site, models: list[LanguageModel]) -> None:
    for width, best in ((1280, "at the top, the last at the bottom"), (390, "at the right, the last at the left")):
        page = site.open("/models/markup/", width=width)
        assert f"the best model is {best}. The bar" in page.locator("#profile header").inner_text()


def test_the_whole_page_is_there_without_javascript(site: Site, models: list[LanguageModel]) -> None:
    page = site.open("/models/override/", java_script_enabled=False)
    headings = page.locator("h2").all_inner_texts()
    assert headings == [
        "Ranks highest on EQ-Bench v1, lowest on Own scenes", "Where it stands", "Runs", "Items", "Emotion bias",
        "Emotion families",
        "Transcripts", "Scores elsewhere", "Cite and embed",
    ]  # fmt: skip
    assert page.locator("[data-copy]:visible").count() == 0
    assert "safe[U+202E]evil" in page.locator("#copy-bibtex").input_value()
    page.locator("select[name=run]").select_option(index=1)
    page.click("#transcripts button")
    expect(page).to_have_url(re.compile(r"\?run="))
    page.click("#transcripts >> text=Next")
    expect(page.locator("#transcripts")).to_contain_text("Page 2 of 2")
    expect(page).to_have_url(re.compile("run="))


def test_the_badge_is_drawn_on_the_page(site: Site, models: list[LanguageModel]) -> None:
    page = site.open("/models/markup/")
    badge = page.locator(".badge-image")
    badge.scroll_into_view_if_needed()
    page.wait_for_function("each => each.complete && each.naturalWidth > 100", arg=badge.element_handle())
    assert site.faults == []


def test_a_text_is_copied_by_its_button(site: Site, models: list[LanguageModel]) -> None:
    page = site.open("/models/formula/", permissions=["clipboard-read", "clipboard-write"])
    page.focus("#copy-bibtex + button")
    page.keyboard.press("Enter")
    page.locator("#copy-bibtex ~ [role=status]", has_text="Copied.").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("@misc{eqleaderboard-formula-scenes,")
    assert copied == page.locator("#copy-bibtex").input_value()


def test_the_page_is_walked_by_keyboard_from_its_skip_link(site: Site, models: list[LanguageModel]) -> None:
    page = site.open("/models/formula/")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    seen = []
    for _ in range(20):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.textContent.trim()"))
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    assert seen[:3] == ["Rankings", "Own scenes", "Cite"]
    assert "manifest" in seen


def test_each_value_of_the_profile_has_a_label_where_the_heads_are_hidden(
    site: Site, models: list[LanguageModel]
) -> None:
    page = site.open("/models/markup/", width=390)
    expect(page.locator(".profile thead")).to_be_hidden()
    cells = page.locator(".profile tbody tr").first.locator("td")
    label = "cell => getComputedStyle(cell, '::before').content"
    heads = page.locator(".profile thead th").all_text_contents()[1:]
    assert [each.get_attribute("data-label") for each in cells.all()] == [" ".join(head.split()) for head in heads]
    assert all("data-label" in each.evaluate(label) or ":" in each.evaluate(label) for each in cells.all())
    with_pages = page.locator("#transcripts .pager a")
    expect(with_pages).to_have_attribute("href", "?page=2#transcripts")
