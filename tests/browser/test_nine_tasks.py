"""The nine tasks of a visitor, each from the front page to the right answer in at most four clicks.

A click is each press of a link, a button, a box or a summary; typing is none. The board holds the published scores, and
three models that answered EQ Open.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db.models import Avg
from django.test import override_settings
from playwright.sync_api import Locator, Page, expect

from evaluation import evaluate
from evaluation.demo.server import make_app
from evaluation.management.commands.demo_endpoint import chosen_references
from evaluation.models import ItemResult, ReferenceScore, Run
from evaluation.runs.rescoring import rescore_run
from leaderboard.models import Submission
from leaderboard.standings import refresh_standings
from tests.browser.conftest import Site
from tests.fakes import serve
from tests.leaderboard.sending import no_turns_taken

pytestmark = [pytest.mark.browser, pytest.mark.database]
MOST_CLICKS = 4
BANK = "eq-open-v2"
MODELS = {"careful": "maker/careful-70B", "noisy": "maker/noisy-13B", "hasty": "maker/hasty-7B"}


@dataclass
class Visitor:
    """Somebody on the front page, whose clicks are counted."""

    page: Page
    clicks: list[str] = field(default_factory=list)

    def press(self, target: Locator) -> None:
        self.clicks.append(str(target))
        assert len(self.clicks) <= MOST_CLICKS, self.clicks
        target.click()

    def link(self, name: str | re.Pattern[str], *, within: str = "body") -> None:
        self.press(self.page.locator(within).get_by_role("link", name=name).first)


@pytest.fixture
def published(site: Site) -> Iterator[None]:
    cache.clear()
    no_turns_taken()
    call_command("load_published", verbosity=0)
    refresh_standings()
    yield
    no_turns_taken()


@pytest.fixture
def answered(published: None) -> None:
    call_command("load_bank", BANK, verbosity=0)
    with serve(make_app(references=chosen_references(None, BANK))) as address:
        for persona, name in MODELS.items():
            evaluate(address, name, bank=BANK, api_model=persona)
    refresh_standings()


def arrive(site: Site) -> Visitor:
    return Visitor(site.open("/"))


def test_the_best_open_model_below_ten_billion(site: Site, published: None) -> None:
    visitor = arrive(site)
    figures = ReferenceScore.objects.filter(benchmark="eq-bench-v2", preferred=True)
    best = figures.filter(model__params_billion__lte=10, model__open_weights=True).order_by("-value")[0]
    name = str(best.model)
    expect(visitor.page.locator(".bests")).to_contain_text(f"{name} {best.value:.2f}")
    visitor.link("≤ 10 B")
    visitor.press(visitor.page.locator("#filters summary", has_text="Filters"))
    visitor.page.locator("select[name=weights]").select_option("open")
    expect(visitor.page.locator("#board")).to_contain_text("rows match")
    expect(visitor.page.locator("#board th.model a bdi").first).to_have_text(name)
    expect(visitor.page).to_have_url(re.compile(r"\?weights=open&size=-10$"))
    # The choice may come before the rows of the size are here: their request is then given up, and the size is kept.
    assert [fault for fault in site.faults if not fault.startswith("htmx:")] == []


def test_why_one_model_beats_another_and_whether_it_is_significant(site: Site, answered: None) -> None:
    visitor = arrive(site)
    page = visitor.page
    visitor.link("EQ Open v2", within=".tabs")
    visitor.press(page.get_by_label("Mark careful-70B for comparison"))
    visitor.press(page.get_by_label("Mark hasty-7B for comparison"))
    visitor.press(page.get_by_role("button", name="Compare marked"))
    expect(page.locator("h1")).to_have_text("careful-70B is ahead of hasty-7B")
    scores = [Run.objects.get(model__name=MODELS[each]).score for each in ("careful", "hasty")]
    assert scores[0] is not None
    assert scores[1] is not None
    page.wait_for_load_state()
    words = page.locator(".versus").inner_text()
    assert f"By {scores[0] - scores[1]:.2f} points over 60 shared items" in words
    assert re.search(r"The 95 % interval [\d.]+ to [\d.]+ excludes zero; p ", words)
    expect(page.locator("main")).to_contain_text("Where they differ most")
    assert site.faults == []


def test_three_replies_to_the_hardest_item(site: Site, answered: None) -> None:
    visitor = arrive(site)
    page = visitor.page
    means = ItemResult.objects.values("item__number").annotate(mean=Avg("score")).order_by("mean")
    hardest = means[0]["item__number"]
    visitor.link("Items", within=".site-nav")
    visitor.link(re.compile("^Mean"), within=".bank-items")
    expect(page.locator(".bank-items [aria-sort]")).to_have_text("Mean")
    visitor.press(page.locator(".bank-items tbody th a").first)
    visitor.link("Replies of all 3 models")
    expect(page.locator("h1")).to_have_text(f"3 replies to item {hardest}")
    replies = page.locator(".reply-list pre:visible")
    expect(replies).to_have_count(3)
    page.wait_for_load_state()
    stored = ItemResult.objects.filter(item__number=hardest).values_list("reply__text", flat=True)
    shown = "".join(replies.all_inner_texts())
    assert all(text.strip().splitlines()[-1].strip() in shown for text in stored if text)
    assert site.faults == []


def test_the_ranking_as_a_file_and_its_citation(site: Site, published: None) -> None:
    visitor = arrive(site)
    page = visitor.page
    visitor.press(page.locator("summary", has_text="Download"))
    with page.expect_download() as download:
        visitor.link("CSV", within=".toolbar")
    lines = download.value.path().read_text().splitlines()
    assert len(lines) == 173, "a head and 172 models"
    visitor.link("Cite", within=".toolbar")
    visitor.press(page.locator("#cite summary"))
    entry = page.locator("#cite textarea").first.input_value()
    assert entry.startswith("@misc{")
    assert "/rankings/eq-bench-v2/?at=" in entry
    assert site.faults == []


@override_settings(SUBMISSIONS_AUTO_APPROVE=True)
def test_submitting_first_with_a_wrong_address_and_then_with_the_right_one(site: Site, published: None) -> None:
    call_command("load_bank", BANK, verbosity=0)
    visitor = arrive(site)
    page = visitor.page
    visitor.link(re.compile("^Submit"), within="header")
    fields = {"Name": "maker/new-1B", "Model name in the API": "noisy", "Organisation": "Maker"}
    with serve(make_app(persona="noisy")) as address:
        for label, text in {**fields, "Base address": "http://127.0.0.1:9/v1"}.items():
            page.get_by_label(label, exact=True).fill(text)
        visitor.press(page.get_by_role("button", name="Start the dry run"))
        expect(page.locator("#dry")).to_contain_text("could not be reached")
        page.get_by_label("Base address", exact=True).fill(address)
        visitor.press(page.get_by_role("button", name="Run it again"))
        expect(page.locator("#dry")).to_contain_text("All three replies were read")
        page.get_by_label("Publish it", exact=False).focus()
        page.keyboard.press("Space")
        visitor.press(page.get_by_role("button", name="Submit the run"))
        expect(page).to_have_url(re.compile(r"/submissions/[^/]+/$"))
    assert Submission.objects.get().model.name == "maker/new-1B"
    assert site.faults == []


def test_how_a_score_is_made(site: Site, published: None) -> None:
    visitor = arrive(site)
    visitor.link("How a score is made")
    expect(visitor.page.locator("main section").first).to_contain_text("distance")
    expect(visitor.page.locator("main section").first).to_be_in_viewport()
    assert site.faults == []


def test_which_models_do_not_follow_mmlu(site: Site, published: None) -> None:
    visitor = arrive(site)
    visitor.link("Statistics", within=".site-nav")
    visitor.link("Other measures", within="main")
    outliers = visitor.page.locator("section", has=visitor.page.get_by_role("heading", name="the trend with MMLU (v2)"))
    visitor.press(outliers.locator("summary", has_text="Data table"))
    expect(outliers.get_by_role("row", name=lowest_beside_mmlu())).to_be_visible()
    assert site.faults == []


def lowest_beside_mmlu() -> str:
    """The model whose score is furthest below what its MMLU predicts, by least squares."""
    scores = dict(ReferenceScore.objects.filter(benchmark="eq-bench-v2", preferred=True).values_list("model", "value"))
    figures = ReferenceScore.objects.filter(benchmark="mmlu", preferred=True, model__in=scores).select_related("model")
    rows = list(figures)
    x, y = np.array([row.value for row in rows]), np.array([scores[row.model_id] for row in rows])
    slope, start = np.polyfit(x, y, 1)
    return str(rows[int(np.argmin(y - slope * x - start))].model)


def test_how_a_score_was_corrected(site: Site, answered: None) -> None:
    run = Run.objects.get(model__name=MODELS["hasty"])
    Run.objects.filter(pk=run.pk).update(score=12.34)
    assert rescore_run(run.pk).changed
    refresh_standings()
    visitor = arrive(site)
    visitor.link("EQ Open v2", within=".tabs")
    visitor.link("hasty-7B", within="#board")
    expect(visitor.page.locator("main")).to_contain_text(
        re.compile(rf"scored\s+12\.34[\s\S]*It now scores\s+{run.score:.2f}")
    )
    visitor.link("Corrections", within="footer")
    expect(visitor.page.locator("#corrections")).to_contain_text("12.34")
    assert site.faults == []


def test_what_is_new(site: Site, answered: None) -> None:
    visitor = arrive(site)
    visitor.link(re.compile("added in 30 days"))
    expect(visitor.page.locator("h1")).to_have_text("What is new")
    expect(visitor.page.locator("main")).to_contain_text("172 published scores on EQ-Bench v2")
    expect(visitor.page.locator("main")).to_contain_text("careful-70B")
    assert site.faults == []
