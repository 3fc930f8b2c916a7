"""Submitting a model in Chromium: the form, the dry run in place, the status page, with a real worker and without."""

import asyncio
import re
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Literal

import pytest
from aiohttp import web
from aiohttp.typedefs import Handler
from axe_playwright_python.sync_playwright import Axe
from django.test import override_settings
from django.utils import timezone
from playwright.sync_api import Locator, Page, Route, expect

from evaluation.demo.server import make_app
from evaluation.models import Driver, ItemState, KeyEvent, Run, Status
from leaderboard.models import Standing, Submission
from leaderboard.submissions.moderating import approve
from tests.browser.conftest import SETTLED, Site
from tests.factories import make_model, make_result, make_run
from tests.fakes import serve
from tests.leaderboard.pages import publish
from tests.leaderboard.sending import CANARY, no_turns_taken, offered_bank
from tests.processes import redis_server, wait_for, worker

pytestmark = [pytest.mark.browser, pytest.mark.database]
PUBLISH, UNLISTED = "Publish it", "Keep it unlisted for now"
UNREAD = {"state": ItemState.UNREAD, "reading": "none", "answer": None, "score": None}


@pytest.fixture(autouse=True)
def _bank(site: Site) -> Iterator[None]:
    offered_bank()
    no_turns_taken()
    yield
    no_turns_taken()


def fill(page: Page, address: str, **changes: str) -> None:
    usual = {"Name": "maker/demo", "Base address": address, "Model name in the API": "demo", "Organisation": "Maker"}
    for label, text in {**usual, **changes}.items():
        page.get_by_label(label, exact=True).fill(text)


def send(page: Page, answer: str = UNLISTED) -> None:
    """Says what happens with the result, and sends the form."""
    page.get_by_label(answer).check()
    page.get_by_role("button", name="Submit the run").click()


def grave(page: Page) -> list[str]:
    page.wait_for_load_state()  # a page's words are there before its sheets
    found = Axe().run(page).response["violations"]
    return [entry["id"] for entry in found if entry["impact"] in {"serious", "critical"}]


@pytest.mark.processes
@override_settings(SUBMISSIONS_AUTO_APPROVE=True)
def test_from_the_form_through_the_dry_run_to_the_board_with_a_real_worker(site: Site, tmp_path: Path) -> None:
    with (
        serve(make_app(persona="random", latency_ms=20)) as address,
        redis_server(tmp_path / "redis") as broker,
        worker(tmp_path, broker, SUBMISSIONS_AUTO_PUBLISH="true"),
    ):
        page = site.open("/submit/")
        fill(page, address, Key=CANARY)
        page.get_by_role("button", name="Start the dry run").click()
        expect(page.locator("#dry")).to_contain_text("All three replies were read")
        assert Submission.objects.count() == Run.objects.count() == 0
        for answer in (PUBLISH, UNLISTED):
            expect(page.get_by_label(answer)).not_to_be_checked()
        send(page, PUBLISH)
        expect(page).to_have_url(re.compile(r"/submissions/[^/]+/$"))
        assert page.url == f"{site.url}/submissions/{Submission.objects.get().token}/"
        expect(page.locator("#live")).to_contain_text("5 of 5 items scored", timeout=180_000)
        expect(page.locator("#live")).to_contain_text("Key erased")
        assert CANARY not in page.content()
        run = Run.objects.get()
        wait_for(Standing.objects.exists, what="the run on the board")
        page.goto(site.url)
        expect(page.locator("main")).to_contain_text("demo")
    assert run.status == Status.FINISHED
    assert run.endpoint is not None
    assert run.endpoint.sealed_key == ""
    assert set(KeyEvent.objects.values_list("kind", flat=True)) == {"sealed", "used", "erased"}
    assert site.faults == []


@pytest.mark.processes
def test_a_model_that_cannot_answer_still_ends_with_a_run_page_for_its_submitter(site: Site, tmp_path: Path) -> None:
    """Its dry run does not pass, a moderator lets it run all the same, and no score comes of it."""
    with (
        serve(make_app(persona="refusing", latency_ms=20)) as address,
        redis_server(tmp_path / "redis") as broker,
        worker(tmp_path, broker),
    ):
        page = site.open("/submit/")
        fill(page, address)
        send(page)
        expect(page.locator("h1")).to_contain_text("A moderator looks at your submission")
        approve(Submission.objects.select_related("endpoint").get())
        page.reload()
        expect(page.locator("h1")).to_contain_text("No score: 0 of 5 replies could be read", timeout=180_000)
        page.get_by_role("link", name="See the run").click()
        expect(page.locator(".notice").first).to_contain_text("This run is not public.")
        expect(page.locator("main")).to_contain_text("no score, no rank")
        assert grave(page) == []
        page.get_by_role("link", name="All 5 answers").click()
        expect(page.locator("details.item")).to_have_count(5)
        page.get_by_role("link", name="Your submission").click()
        expect(page).to_have_url(re.compile(r"/submissions/[^/]+/$"))
        assert page.url == f"{site.url}/submissions/{Submission.objects.get().token}/"
    assert site.faults == []
    assert Standing.objects.count() == 0
    assert site.open(f"/runs/{Run.objects.get().pk}/").title().startswith("Not found")


def held_back(*released: threading.Event) -> web.Application:
    """A demo endpoint that answers its first request once the first event is set, and all later ones at the second."""
    app = make_app(persona="random")
    asked: list[str] = []

    @web.middleware
    async def wait(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.method == "POST":
            asked.append(request.path)
            release = released[min(len(asked), len(released)) - 1]
            while not release.is_set():
                await asyncio.sleep(0.02)
        return await handler(request)

    app.middlewares.append(wait)
    return app


def test_while_a_dry_run_works_the_page_says_which_item_is_asked_and_for_how_long(site: Site) -> None:
    first, others = threading.Event(), threading.Event()
    with serve(held_back(first, others)) as address:
        page = site.open("/submit/")
        fill(page, address)
        asking, panel = page.locator("#dry-asking"), page.locator("#dry")
        expect(asking).to_be_hidden()
        expect(panel).to_contain_text("Results of the dry run appear here")
        page.get_by_role("button", name="Start the dry run").click()
        expect(asking).to_have_text(re.compile(r"^Asking item 1 of 3 … \d+ s$"))
        assert not page.get_by_text("Results of the dry run appear here").is_visible()
        expect(page.locator("#dry-status")).to_have_text("Asking item 1 of 3.")
        first.set()
        expect(asking).to_have_text(re.compile(r"^Asking items 2 to 3 of 3 … \d+ s$"))
        assert grave(page) == []
        others.set()
        expect(panel).to_contain_text("All three replies were read")
        expect(asking).to_be_hidden()
        expect(page.locator("#dry-status")).to_have_text("Dry run: Passed.")
    assert site.faults == []


@pytest.mark.parametrize("is_answered", [True, False])
def test_a_dry_run_that_the_board_or_the_network_fails_says_so(site: Site, is_answered: bool) -> None:
    page = site.open("/submit/")
    fill(page, "https://models.example/v1")

    def fail(route: Route) -> None:
        if is_answered:
            route.fulfill(status=500, body="Server Error")
        else:
            route.abort()

    page.route("**/submit/dry-run/", fail)
    page.get_by_role("button", name="Start the dry run").click()
    expect(page.locator("#dry")).to_contain_text("The board failed while it tried the endpoint.")
    expect(page.locator("#dry")).to_contain_text("if it happens again, tell the operator")
    expect(page.locator("#dry-status")).to_contain_text("The board failed while it tried the endpoint.")
    expect(page.locator("#dry-asking")).to_be_hidden()
    expect(page.get_by_role("button", name="Start the dry run")).to_be_enabled()


def test_without_javascript_the_dry_run_is_a_second_step(site: Site) -> None:
    with serve(make_app(persona="random")) as address:
        page = site.open("/submit/", java_script_enabled=False)
        fill(page, address, Key=CANARY)
        page.get_by_role("button", name="Start the dry run").click()
        expect(page.locator("#dry")).to_contain_text("All three replies were read")
        expect(page.locator("#dry")).to_contain_text("Type the key again")
        assert page.get_by_label("Key", exact=True).input_value() == ""
        assert CANARY not in page.content()
        page.get_by_label("Key", exact=True).fill(CANARY)
        send(page)
        expect(page.locator("h1")).to_contain_text("Your run is next")


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("unauthorised", "Check that the key is given"),
        ("unknown-model", "Write the name as the endpoint lists it"),
        ("html", "This address isn't a chat API"),
    ],
)
def test_a_failure_of_the_dry_run_leads_to_its_field(site: Site, fault: str, sentence: str) -> None:
    with serve(make_app(persona="random", faults=[fault])) as address:
        page = site.open("/submit/")
        fill(page, address, Key=CANARY)
        page.get_by_role("button", name="Start the dry run").click()
        expect(page.locator("#dry")).to_contain_text(sentence)
    assert page.get_by_label("Key", exact=True).input_value() == CANARY  # nothing else of the form is touched
    page.get_by_role("link", name="Go to the field").click()
    expect(page).to_have_url(re.compile("#id_(key|api_model|base_url)$"))


@override_settings(ENDPOINT_ALLOWED_NETWORKS=[])
def test_a_refused_address_and_a_missing_field_are_named_in_the_panel(site: Site) -> None:
    page = site.open("/submit/")
    fill(page, "http://127.0.0.1:8000", **{"Model name in the API": ""})
    page.get_by_role("button", name="Start the dry run").click()
    expect(page.locator("#dry")).to_contain_text("2 fields need you first")
    expect(page.locator("#dry")).to_contain_text("This address cannot be called")


def test_what_was_wrong_with_a_field_goes_once_it_is_changed(site: Site) -> None:
    page = site.open("/submit/")
    page.get_by_role("button", name="Submit the run").click()
    expect(page.locator("#errors li")).to_have_count(4)
    site.faults.clear()  # the browser calls the refused form an error
    page.get_by_label("Name", exact=True).fill("maker/model")
    expect(page.locator("#id_name_error")).to_have_count(0)
    expect(page.locator(".field.wrong")).to_have_count(3)
    page.get_by_label("Base address").fill("http://127.0.0.1:8000")
    page.get_by_label("Model name in the API").fill("model")
    expect(page.locator("#errors")).to_be_visible()
    page.get_by_label("Keep it unlisted for now").check()
    expect(page.locator("#errors")).to_have_count(0)
    assert page.locator("[aria-invalid]").count() == 0


def test_a_known_model_is_told_while_its_name_is_typed(site: Site) -> None:
    publish(make_model("maker/known"), "scenes", 61.5)
    page = site.open("/submit/")
    page.get_by_label("Name", exact=True).fill("maker/known")
    page.keyboard.press("Tab")
    expect(page.locator("#known")).to_contain_text("On the board already")


def test_the_status_page_renews_itself_while_a_key_is_being_typed(site: Site) -> None:
    page = submitted(site)
    make_result(Run.objects.get(), "1")
    field = page.get_by_label("Enter a key")
    field.fill("half a k")
    expect(page.locator("#live")).to_contain_text("1 of 5 answered")
    assert field.input_value() == "half a k"
    assert site.faults == []


def test_what_a_reader_has_opened_or_stands_on_outlasts_the_renewals(site: Site) -> None:
    page = submitted(site)
    run = Run.objects.get()
    make_result(run, "1", reply="I would rather not.", reason="no scores found", **UNREAD)
    page.reload()
    reply, link = page.locator("details.item"), page.get_by_role("link", name="See the run")
    reply.locator("summary").click()
    link.focus()
    make_result(run, "2")
    expect(page.locator("#live")).to_contain_text("2 of 5 answered")
    expect(reply).to_have_attribute("open", "")
    expect(link).to_be_focused()
    assert site.faults == []


def test_a_reader_stops_the_renewals_and_has_them_again(site: Site) -> None:
    page = submitted(site)
    page.get_by_role("link", name="Pause").click()
    expect(page).to_have_url(re.compile(r"\?still=1$"))
    expect(page.locator("#live[hx-get]")).to_have_count(0)
    assert page.evaluate("typeof htmx") == "undefined"
    make_result(Run.objects.get(), "1")
    page.get_by_role("link", name="Refresh").click()
    expect(page.locator("#live")).to_contain_text("1 of 5 answered")
    expect(page).to_have_url(re.compile(r"\?still=1$"))
    page.get_by_role("link", name="Update every 5 s").click()
    expect(page.locator("#live[hx-get]")).to_have_count(1)
    assert site.faults == []


def test_a_renewal_that_is_long_in_coming_leaves_the_page_as_clear_as_it_was(site: Site) -> None:
    page = submitted(site)
    held: list[Route] = []
    page.route("**/live/", lambda route: held.append(route))  # noqa: PLW0108  # Playwright sets an attribute on it
    while not held:
        page.wait_for_timeout(50)
    expect(page.locator("#live")).to_have_class("htmx-request")
    page.evaluate(SETTLED)
    assert grave(page) == []
    assert site.faults == []


def test_a_renewal_while_the_button_of_the_mouse_is_down_takes_no_click_away(site: Site) -> None:
    page = submitted(site)
    press_through_a_renewal(page, page.get_by_role("link", name="Pause"))
    expect(page).to_have_url(re.compile(r"\?still=1$"))
    assert site.faults == []


def test_what_a_renewal_leaves_out_under_the_mouse_comes_with_the_next(site: Site) -> None:
    page = submitted(site)
    make_result(Run.objects.get(), "1")
    press_through_a_renewal(page, page.locator("#live h1"))
    expect(page.locator("#live")).to_contain_text("1 of 5 answered")
    assert site.faults == []


def press_through_a_renewal(page: Page, target: Locator) -> None:
    """The mouse goes down, the page is about to renew itself, the mouse goes up."""
    target.hover()
    page.mouse.down()
    page.evaluate("document.addEventListener('htmx:afterRequest', () => { window.renewed = true; })")
    page.wait_for_function("() => window.renewed")
    page.mouse.up()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_withdrawal_takes_a_tick_with_javascript_and_without(site: Site, scripts: bool) -> None:
    page = site.open(submitted(site).url.removeprefix(site.url), java_script_enabled=scripts)
    box, button = page.get_by_label("I am sure", exact=False), page.get_by_role("button", name="Withdraw", exact=True)
    expect(button).to_be_hidden()
    page.locator("summary", has_text="Withdraw the submission").click()
    button.click()
    expect(box).to_be_focused()
    assert Submission.objects.get().state == Submission.State.APPROVED
    if scripts:
        assert grave(page) == []
    box.check()
    button.click()
    expect(page.locator("h1")).to_contain_text("You have withdrawn this submission")
    assert Submission.objects.get().state == Submission.State.WITHDRAWN


def test_the_end_of_a_dry_run_is_spoken_and_its_button_says_what_it_does_next(site: Site) -> None:
    with serve(make_app(persona="random")) as address:
        page = site.open("/submit/")
        fill(page, address)
        spoken = page.locator("#dry-status")
        expect(spoken).to_have_text("")
        page.get_by_role("button", name="Start the dry run").click()
        expect(page.get_by_role("button", name="Run it again")).to_be_visible()
        expect(spoken).to_have_text(re.compile(r"^Dry run:\s+Passed"))
        expect(spoken).to_have_attribute("role", "status")
    assert site.faults == []


@pytest.mark.parametrize("is_answered", [True, False])
def test_the_focus_stays_on_the_button_that_started_the_dry_run(site: Site, is_answered: bool) -> None:
    with serve(make_app(persona="random")) as address:
        page = site.open("/submit/")
        fill(page, address)
        if not is_answered:
            page.route("**/submit/dry-run/", lambda route: route.fulfill(status=500, body="Server Error"))
        button = page.locator("button[hx-target='#dry']")
        button.focus()
        page.keyboard.press("Enter")
        expect(page.locator("#dry")).to_contain_text("were read" if is_answered else "The board failed")
        expect(button).to_be_focused()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("n_ahead", [1, 6])
def test_the_words_of_the_pills_overlap_nothing(site: Site, width: int, n_ahead: int) -> None:
    page = submitted(site)
    mine = Run.objects.latest("pk")
    for seconds in (2.0, 10.0, 15.0, 60.0):
        make_run(status=Status.FINISHED, wall_seconds=seconds, driver=Driver.WORKER)
    lease = timezone.now() + timedelta(seconds=30)
    for _ in range(n_ahead):
        make_run(bank=mine.bank, status=Status.RUNNING, lease_until=lease, heartbeat_at=timezone.now())
    page.set_viewport_size({"width": width, "height": 900})
    page.reload()
    plot = page.locator("#live svg.plot").first
    boxes = [each.bounding_box() for each in plot.locator("rect.r-span, text").all()]
    frame = plot.bounding_box()
    assert frame is not None
    found = [box for box in boxes if box is not None]
    for at, one in enumerate(found):
        assert frame["x"] - 1 <= one["x"]
        assert one["x"] + one["width"] <= frame["x"] + frame["width"] + 1
        for other in found[:at]:
            beside = one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
            assert beside or one["y"] + one["height"] <= other["y"] + 1 or other["y"] + other["height"] <= one["y"] + 1


def test_after_a_failure_the_form_comes_back_filled_in(site: Site) -> None:
    page = submitted(site)
    Run.objects.update(status=Status.FAILED, failure_kind="parse", failure_message="Not enough readable items.")
    page.reload()
    page.locator("#live").get_by_role("link", name="Change the settings and send again").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("maker/demo")
    page.get_by_label("Max tokens per reply").fill("2000")
    send(page)
    expect(page.locator("h1")).to_contain_text("A moderator looks at your submission")
    assert Submission.objects.latest("pk").request["max_tokens"] == 2000
    assert site.faults == []


@override_settings(SUBMISSIONS_PER_DAY=1)
def test_a_twin_and_a_quota_that_is_used_up_are_told_with_what_was_typed_kept(site: Site) -> None:
    page = submitted(site)
    status = page.url
    page.goto(f"{site.url}/submit/")
    fill(page, "http://127.0.0.1:9")
    send(page)
    expect(page.get_by_role("alert")).to_contain_text("A submission of this model at this address")
    page.get_by_role("link", name="See its status").click()
    expect(page).to_have_url(status)
    page.goto(f"{site.url}/submit/")
    fill(page, "http://127.0.0.1:9", Name="maker/another")
    send(page)
    expect(page.get_by_role("alert")).to_contain_text("1 submission came from your network in the last 24 hours")
    expect(page.get_by_label("Name", exact=True)).to_have_value("maker/another")
    assert Submission.objects.count() == 1


def submitted(site: Site) -> Page:
    """The status page of an approved submission, in the browser that sent it."""
    page = site.open("/submit/")
    fill(page, "http://127.0.0.1:9")
    send(page)
    expect(page.locator("h1")).to_contain_text("A moderator looks at your submission")
    approve(Submission.objects.select_related("endpoint").get())
    page.reload()
    return page


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_the_place_in_the_queue_is_drawn_without_a_fault(
    site: Site, scheme: Literal["light", "dark"], width: int
) -> None:
    page = submitted(site)
    bank = Run.objects.get().bank
    for seconds in (600.0, 700.0, 800.0, 900.0):
        make_run(bank=bank, status=Status.FINISHED, wall_seconds=seconds)
    make_run(bank=bank, status=Status.RUNNING, lease_until=timezone.now() + timedelta(seconds=80))
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.reload()
    expect(page.locator("h1")).to_contain_text("One run is ahead of yours; it starts in 10–14 min")
    expect(page.locator("#live svg.plot rect.r-span")).to_have_count(2)
    assert grave(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert site.faults == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_form_panel_and_status_page_break_no_rule_of_accessibility(site: Site, scheme: str, width: int) -> None:
    with serve(make_app(persona="refusing")) as address:
        page = site.open("/submit/", width=width, color_scheme=scheme)
        fill(page, address)
        page.get_by_role("button", name="Start the dry run").click()
        expect(page.locator("#dry")).to_contain_text("No reply could be read")
        assert grave(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        send(page)
        expect(page.locator("h1")).to_contain_text("A moderator looks at your submission")
        assert grave(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert site.faults == []


def test_an_empty_form_moves_the_focus_to_the_summary_and_a_line_of_it_to_its_field(site: Site) -> None:
    page = site.open("/submit/")
    page.get_by_role("button", name="Submit the run").click()
    expect(page.locator("#errors")).to_be_focused()
    for line, target in (("Base address", "id_base_url"), ("What happens with the result?", "id_publish_consent_0")):
        page.locator("#errors").get_by_role("link", name=line).click()
        expect(page).to_have_url(re.compile(f"#{target}$"))
        page.keyboard.press("Tab")
        page.keyboard.press("Shift+Tab")
        expect(page.locator(f"#{target}")).to_be_focused()
    assert grave(page) == []
