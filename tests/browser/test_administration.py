"""The administration in Chromium: logging in, the queue board, acts that ask first, publishing, uploading, merging."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import FilePayload, Page, expect

from evaluation.models import ItemBank, Run, Status
from leaderboard.models import Submission
from leaderboard.standings import refresh_standings
from tests.browser.conftest import SETTLED, Site
from tests.evaluation.peer_files import DATA, LM_EVAL, results_of, samples_of, unpacked
from tests.factories import make_bank, make_endpoint, make_model, make_run
from tests.leaderboard.pages import publish
from tests.leaderboard.sending import no_turns_taken
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.database]
PASSWORD = "the right one for root"
RUNS, MODELS, SUBMISSIONS = (
    "/admin/evaluation/run/", "/admin/evaluation/languagemodel/", "/admin/leaderboard/submission/",
)  # fmt: skip
SCHEMES = ("light", "dark")


@pytest.fixture(autouse=True)
def _patience(site: Site) -> Iterator[None]:
    no_turns_taken()
    cache.clear()
    User.objects.create_superuser("root", password=PASSWORD)
    yield
    no_turns_taken()


def logged_in(site: Site, path: str) -> Page:
    page = site.open(f"/admin/login/?next={path}")
    log_in(page, PASSWORD)
    expect(page).to_have_url(site.url + path)
    return page


def log_in(page: Page, password: str) -> None:
    page.get_by_label("Username").fill("root")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()


def run_of(name: str, bank: ItemBank, status: Status, **fields: object) -> Run:
    endpoint = make_endpoint(model=make_model(name, slug=name.lower().replace("/", "-")))
    host = {"host": "models.example", "owner": "team@models.example"}
    return make_run(bank=bank, endpoint=endpoint, status=status, **{**host, **fields})


def choose(page: Page, action: str, *rows: int) -> None:
    """An action on rows of a list, as a hand does it."""
    for row in rows:
        page.locator(f'input[name="_selected_action"][value="{row}"]').check()
    page.get_by_label("Action:").select_option(label=action)
    page.get_by_role("button", name="Go").click()


def ranked(site: Site, name: str) -> bool:
    """Whether a visitor without a session finds the model in the ranking."""
    page = site.open("/")
    found = page.get_by_role("link", name=name).count() > 0
    page.context.close()
    return found


def test_a_wrong_password_is_told_and_the_right_one_opens_the_queue_board(site: Site) -> None:
    page = site.open("/admin/queue/")
    log_in(page, "a wrong one")
    expect(page.locator(".errornote")).to_contain_text("Please enter the correct username and password")
    log_in(page, PASSWORD)
    expect(page.get_by_role("heading", name="Queue", exact=True)).to_be_visible()
    assert site.faults == []


def test_the_queue_board_shows_what_runs_and_waits_and_its_buttons_act(site: Site) -> None:
    bank = make_bank(5)
    now = timezone.now()
    at_work = {"started_at": now, "heartbeat_at": now, "lease_until": now + timedelta(seconds=80)}
    running = run_of("maker/runs", bank, Status.RUNNING, **at_work)
    queued = run_of("maker/queued", bank, Status.QUEUED)
    page = logged_in(site, "/admin/queue/")
    for run in (running, queued):
        expect(page.locator("tr", has=page.get_by_role("link", name=f"Run {run.pk}", exact=True))).to_be_visible()
    page.locator("tr", has_text=f"Run {queued.pk}").get_by_role("button", name="Cancel").click()
    expect(page.locator(".messagelist")).to_contain_text(f"Run {queued.pk} was cancelled.")
    assert Run.objects.get(pk=queued.pk).status == Status.CANCELLED
    assert Run.objects.get(pk=running.pk).status == Status.RUNNING
    assert site.faults == []


def test_running_again_from_the_page_of_a_run_asks_first_and_opens_one_replicate(site: Site) -> None:
    run = run_of("maker/again", make_bank(5), Status.FINISHED)
    page = logged_in(site, f"/runs/{run.pk}/")
    page.get_by_role("button", name="Run again").click()
    expect(page.get_by_role("heading", name="Run 1 run again?")).to_be_visible()
    expect(page.locator("#content")).to_contain_text("about 5 requests to the submitters' endpoints")
    assert Run.objects.count() == 1
    page.get_by_role("button", name="Run it again").click()
    expect(page.locator(".messagelist")).to_contain_text("1 run opened.")
    assert Run.objects.get(parent=run).status == Status.QUEUED
    assert site.faults == []


def test_a_run_taken_off_the_board_leaves_the_ranking_and_comes_back(site: Site) -> None:
    bank = make_bank(5)
    run = run_of("maker/comes-and-goes", bank, Status.FINISHED, score=61.5)
    run_of("maker/stays", bank, Status.FINISHED, score=55.0)
    refresh_standings()
    assert ranked(site, "comes-and-goes")
    page = logged_in(site, f"/runs/{run.pk}/")
    page.get_by_role("button", name="Take off the board").click()
    expect(page.get_by_role("button", name="Publish", exact=True)).to_be_visible()
    wait_for(lambda: not ranked(site, "comes-and-goes"), what="off the board")
    assert ranked(site, "stays")
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_role("button", name="Take off the board")).to_be_visible()
    wait_for(lambda: ranked(site, "comes-and-goes"), what="on the board again")


def test_an_upload_of_two_files_is_previewed_and_then_imported(site: Site, tmp_path: Path) -> None:
    call_command("load_bank", "eq-open-v1", verbosity=0)
    folder = unpacked(LM_EVAL, "random", tmp_path)
    page = logged_in(site, "/admin/import/")
    page.get_by_label("Files").set_input_files([samples_of(folder), results_of(folder)])
    page.get_by_role("button", name="Show what would happen").click()
    expect(page.locator("#content")).to_contain_text("A run of maker/Random-1B, a new model, on EQ Open v1: 60 of 60")
    expect(page.locator("#content")).to_contain_text("60 replies read by both, with the same score.")
    assert not Run.objects.exists()
    page.get_by_role("button", name="Import 1 run").click()
    expect(page.locator(".messagelist")).to_contain_text("of maker/Random-1B.")
    wait_for(lambda: ranked(site, "Random-1B"), what="in the ranking")
    assert site.faults == []


def two_entries() -> tuple[Run, Run]:
    """Of one model, which disagree on the licence."""
    bank = make_bank(5)
    first = run_of("maker/Model", bank, Status.FINISHED, score=60.0)
    second = run_of("Maker/model-chat", bank, Status.FINISHED, score=62.0)
    for run, licence in ((first, "mit"), (second, "apache-2.0")):
        type(run.model).objects.filter(pk=run.model_id).update(licence=licence)
    refresh_standings()
    return first, second


def test_a_merge_shows_what_moves_lets_the_other_one_stay_and_leads_on(site: Site) -> None:
    first, second = two_entries()
    page = logged_in(site, MODELS)
    choose(page, "Merge duplicates into one", first.model_id, second.model_id)
    expect(page.get_by_role("heading", name="Merge 2 models into one?")).to_be_visible()
    page.get_by_label("Maker/model-chat, 1 run").check()
    page.get_by_role("button", name="Look again with this one").click()
    expect(page.locator("#content")).to_contain_text("Licence: apache-2.0 stays, mit of maker/Model is dropped.")
    page.get_by_role("button", name="Merge them").click()
    expect(page.locator(".messagelist")).to_contain_text("Merged into it: maker/Model")
    page.goto(f"{site.url}/models/maker-model/")
    expect(page).to_have_url(f"{site.url}/models/maker-model-chat/")
    page.goto(f"{site.url}/compare/?m=maker-model")
    expect(page).to_have_url(f"{site.url}/compare/?m=maker-model-chat")


def go(page: Page, path: str) -> None:
    """To another page of the administration."""
    page.goto(page.url.partition("/admin/")[0] + path)


def queue(page: Page) -> None:
    now = timezone.now()
    bank = make_bank(5)
    at_work = {"started_at": now, "heartbeat_at": now, "lease_until": now + timedelta(seconds=80)}
    run_of("maker/runs-" + "with-a-long-name-" * 3, bank, Status.RUNNING, **at_work)
    run_of("maker/waits", bank, Status.WAITING, not_before=now + timedelta(hours=1))
    run_of("maker/queued", bank, Status.QUEUED)
    go(page, "/admin/queue/")


def import_form(page: Page) -> None:
    go(page, "/admin/import/")


def import_preview(page: Page) -> None:
    call_command("load_bank", "eq-open-v1", verbosity=0)
    import_form(page)
    bad = FilePayload(name="broken.json", mimeType="application/json", buffer=b"[")
    good = FilePayload(name="run.zip", mimeType="application/zip", buffer=(DATA / f"{LM_EVAL}.zip").read_bytes())
    page.get_by_label("Files").set_input_files([bad, good])
    page.get_by_role("button", name="Show what would happen").click()
    expect(page.get_by_role("button", name="Import 4 runs")).to_be_visible()


def audit(page: Page) -> None:
    go(page, "/admin/audit/")


def merge(page: Page) -> None:
    first, second = two_entries()
    publish(second.model, "mmlu", 70.0)
    go(page, MODELS)
    choose(page, "Merge duplicates into one", first.model_id, second.model_id)
    expect(page.get_by_role("button", name="Merge them")).to_be_visible()


def asked(page: Page, label: str, button: str) -> None:
    run = run_of("maker/again", make_bank(5), Status.FINISHED)
    imported = make_run(status=Status.FINISHED)
    go(page, RUNS)
    choose(page, label, run.pk, imported.pk)
    expect(page.get_by_role("button", name=button)).to_be_visible()


def run_again(page: Page) -> None:
    asked(page, "Run again, as a replicate", "Run it again")


def rescore(page: Page) -> None:
    asked(page, "Score anew from what is stored", "Rescore them")


def reject(page: Page) -> None:
    endpoint = make_endpoint(model=make_model("maker/submitted"))
    found = Submission.objects.create(model=endpoint.model, endpoint=endpoint, owner="team@models.example")
    go(page, SUBMISSIONS)
    choose(page, "Reject, with a reason", found.pk)
    expect(page.get_by_role("button", name="Reject")).to_be_visible()


def front(page: Page) -> None:
    """With things that wait, and zeros."""
    now = timezone.now()
    run_of("maker/failed", make_bank(5), Status.FAILED, failure_kind="endpoint", finished_at=now)
    endpoint = make_endpoint(model=make_model("maker/submitted"))
    Submission.objects.create(model=endpoint.model, endpoint=endpoint, owner="team@models.example")
    go(page, "/admin/")
    expect(page.get_by_role("link", name="submission waits for a decision")).to_be_visible()


def runs(page: Page) -> None:
    """A list with long names, filters and actions."""
    run_of("maker/" + "with-a-long-name-" * 3, make_bank(5), Status.FINISHED)
    go(page, RUNS)


def run_form(page: Page) -> None:
    runs(page)
    page.get_by_role("link", name="with-a-long-name").first.click()
    expect(page).to_have_url(re.compile(r"/change/"))


def model_form(page: Page) -> None:
    go(page, f"{MODELS}{make_model('maker/edited').pk}/change/")


def deletion(page: Page) -> None:
    go(page, f"{MODELS}{make_model('maker/to-delete').pk}/delete/")
    expect(page.get_by_role("button", name="Yes, I’m sure")).to_be_visible()


DJANGO_PAGES = (front, runs, run_form, model_form, deletion)
OWN_PAGES = (queue, import_form, import_preview, audit, merge, run_again, rescore, reject)


@pytest.mark.parametrize("show", [*OWN_PAGES, *DJANGO_PAGES])
def test_each_page_is_fit_for_everybody_in_light_and_dark_and_on_a_phone(
    site: Site, show: Callable[[Page], None]
) -> None:
    page = logged_in(site, "/admin/audit/")
    show(page)
    page.wait_for_load_state()
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert site.faults == []  # before axe, which tries an inline style where a sheet of Django imports another
    assert grave(page) == []
    page.set_viewport_size({"width": 1280, "height": 900})
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.evaluate(SETTLED)  # buttons fade from one scheme into the other, and half-way their contrast is low
        assert grave(page) == []


def grave(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [entry["id"] for entry in found if entry["impact"] in {"serious", "critical"}]
