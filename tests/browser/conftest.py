"""A real Chromium from the PATH against the live site. Each page has a context of its own and keeps what went wrong."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests.leaderboard.sending import no_turns_taken
from tests.tools import CHROMIUM, chromium_path

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
HERE = Path(__file__).resolve().parent
QUICK = ("test_pages_in_a_browser.py", "test_rankings_in_a_browser.py")
PATIENCE_MS = 120_000  # what a page is given on a busy machine; whatever comes sooner is not waited for
# Violations of the content security policy, told by the browser itself.
WATCH = "document.addEventListener('securitypolicyviolation', e => console.error('CSP ' + e.violatedDirective));"

SETTLED = "() => Promise.allSettled(document.getAnimations().map(each => each.finished))"  # whatever fades has faded


@dataclass
class Site:
    """The live site in a browser. `faults` collects console errors, page errors and violations of the policy."""

    url: str
    browser: Browser
    faults: list[str]

    def open(self, path: str, *, width: int = 1280, **context: Any) -> Page:
        page = self.browser.new_context(viewport={"width": width, "height": 900}, **context).new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.add_init_script(WATCH)
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.goto(self.url + path)
        return page

    def _note(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.faults.append(message.text)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == HERE:
            item.add_marker("browser")
            if item.path.name not in QUICK:
                item.add_marker("thorough")


# Not of the session: while Playwright is up its loop runs in this thread, and other tests start loops of their own.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    path = chromium_path()
    if path is None:
        pytest.skip(f"no Chromium on the PATH (looked for {', '.join(CHROMIUM)})")
    # Playwright's loop runs in this thread, where Django would refuse to be called; no request is served in it.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE_MS)
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS), timeout=PATIENCE_MS)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="session")
def _no_whitenoise() -> Iterator[None]:
    """The live server serves static files itself; WhiteNoise would warn of a missing folder of collected ones."""
    without = [name for name in settings.MIDDLEWARE if not name.startswith("whitenoise.")]
    with override_settings(MIDDLEWARE=without):
        yield


@pytest.fixture
def site(
    _no_whitenoise: None, chromium: Browser, transactional_db: None, request: pytest.FixtureRequest
) -> Iterator[Site]:
    live_server: LiveServer = request.getfixturevalue("live_server")
    no_turns_taken()  # and the line of an earlier test about its queue, which pages keep for some seconds
    site = Site(live_server.url, chromium, [])
    yield site
    for context in chromium.contexts:
        context.close()
