"""The board in Firefox: charts, search, popovers, sliders and a rater's pages work there too, and no name is cut."""

import json
import shutil
from collections.abc import Iterator
from datetime import date, timedelta

import pytest
from django.core.cache import cache, caches
from django.db.models import F
from pytest_django.live_server_helper import LiveServer

from leaderboard.pages.charts.page import NAMES as CHARTS
from leaderboard.standings import refresh_standings
from leaderboard.study.models import Participation
from leaderboard.submissions.people import BANKS
from tests.browser.firefox import NAMES, Firefox, firefox
from tests.factories import make_bank, make_result
from tests.leaderboard.pages import finished, publish
from tests.leaderboard.sending import no_turns_taken
from tests.leaderboard.study.making import make_study, open_groups

pytestmark = [pytest.mark.browser, pytest.mark.database]
LONG = "an-organisation-with-a-long-name/Some-Mixture-8x22B-Instruct-v0.1-with-a-long-tail-"
# Text that is wider than its box where the box hides it.
CUT = """[...document.querySelectorAll("#board th.model, #board th.model a, #board th.model .by")].filter(
  each => getComputedStyle(each).overflowX !== "visible" && each.scrollWidth > each.clientWidth + 1
).map(each => each.textContent.trim())"""
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
ALL_COLUMNS = "?c=origin&c=strict&c=items&c=cv&c=mmlu&c=arena_elo&c=magi_hard&c=date"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"no Firefox on the PATH (looked for {', '.join(NAMES)})")
    with firefox(program, tmp_path_factory.mktemp("firefox")) as found:
        yield found


@pytest.fixture
def url(
    browser: Firefox, _no_whitenoise: None, transactional_db: None, request: pytest.FixtureRequest
) -> Iterator[str]:
    """The live site with twelve models on a bank whose items anybody may answer."""
    live_server: LiveServer = request.getfixturevalue("live_server")
    cache.clear()
    caches["limits"].clear()
    no_turns_taken()
    bank = make_bank(12, slug=BANKS[0], title="EQ Open")
    for at in range(12):
        name = f"Cedar {at}" if at % 2 else f"{LONG}{at}"
        facts = {"display_name": name, "params_billion": 1.7**at, "released_on": date(2024, 1 + at, 1)}
        run = finished(bank, 30.0 + 5 * at, name=f"maker/model-{at}", facts=facts, standard_error=2.0)
        for measure, start in (("mmlu", 40), ("arena_elo", 1000), ("magi_hard", 20)):
            publish(run.model, measure, start + 4.0 * at + at % 3)
        for number in range(1, 5):
            make_result(run, str(number), score=float((3 * number + at) % 11))
    refresh_standings()
    browser.faults.clear()
    yield live_server.url
    browser.open("about:blank")
    no_turns_taken()


def holds(selector: str, text: str) -> str:
    return f"(document.querySelector({json.dumps(selector)})?.innerText ?? '').includes({json.dumps(text)})"


def test_all_charts_are_drawn(browser: Firefox, url: str) -> None:
    browser.open(f"{url}/charts/{BANKS[0]}/")
    for name in CHARTS:
        box = f"document.querySelector('#chart-{name} [data-figure]')"
        browser.evaluate(f"{box}.scrollIntoView()")
        browser.expect(f"!!{box}.querySelector('.main-svg') && {box}.classList.contains('is-drawn')")
    assert browser.evaluate(SIDEWAYS) <= 0
    assert browser.faults == []


def test_a_search_is_live_and_popovers_open_and_close(browser: Firefox, url: str) -> None:
    browser.open(url)
    browser.evaluate("window.kept = 1")
    browser.click("#q")
    # A single key: after a pause between two, which a busy machine makes, the second search would call off the first.
    browser.evaluate("document.querySelector('#q').value = 'ceda'")
    browser.keys("r")
    browser.expect(holds("#board", "6 of 12 rows match"))
    assert browser.evaluate("window.kept") == 1, "the page was not loaded again"
    browser.expect("location.search === '?q=cedar'")
    for popover in ("#filters details", ".key-of"):
        browser.click(f"{popover} > summary")
        browser.expect(f"document.querySelector('{popover}').open")
        browser.keys("Escape")
        browser.expect(f"!document.querySelector('{popover}').open")
    assert browser.faults == []


@pytest.mark.parametrize("width", [1280, 390])
def test_no_name_is_cut(browser: Firefox, url: str, width: int) -> None:
    for query in ("", ALL_COLUMNS):
        browser.open(f"{url}/{query}", width=width)
        assert browser.evaluate("document.querySelectorAll('#board th.model').length") >= 12
        assert browser.evaluate(CUT) == []
        assert browser.evaluate(SIDEWAYS) <= 0
    picture = "document.querySelector('.knobs').checkVisibility({contentVisibilityAuto: true})"
    assert browser.evaluate(picture) == (width == 1280)
    assert browser.faults == []


def test_the_sliders_of_ones_own_answers_take_the_mouse_and_keys(browser: Firefox, url: str) -> None:
    browser.open(f"{url}/you/")
    browser.click("main form button")
    browser.expect("document.querySelectorAll('input[type=range]').length === 4")
    values = "[...document.querySelectorAll('.rating')].map(each => each.value)"
    assert browser.evaluate(values) == ["", "", "", ""]
    browser.evaluate("document.querySelector('input[type=range]').focus()")
    browser.keys("ArrowRight")
    browser.expect(f"{values}[0] === '6'")
    browser.click("input[type=range]")  # in its middle
    browser.expect(f"{values}[0] === '5'")
    assert browser.faults == []


def test_a_rater_comes_to_the_first_reply_and_the_answer_is_saved(browser: Firefox, url: str) -> None:
    study = make_study()
    open_groups(study)
    browser.open(f"{url}/rate/{study.slug}/?{study.id_parameter}=firefox-rater")
    browser.click("input[name=agree]")
    browser.click("main .primary")
    browser.expect(holds("h1", "What is an empathetic reply?"))
    Participation.objects.update(tutorial_at=F("tutorial_at") - timedelta(seconds=16))
    browser.open(browser.evaluate("location.href"))
    browser.click("#next")
    browser.expect("!!document.querySelector('.levels') && document.readyState === 'complete'")
    browser.click(".levels label")
    browser.expect(holds("[role=status]", "Saved"))
    browser.open(browser.evaluate("location.href"))
    browser.expect("document.querySelectorAll('input[name=v]:checked').length === 1")
    assert browser.faults == []
