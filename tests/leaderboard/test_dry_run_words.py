"""What a dry run says while it works and when it is through: progress, the whole cost, and what can be done."""

import asyncio
import json
import re
import threading
import urllib.request
from typing import Any

import pytest
from aiohttp import web
from aiohttp.typedefs import Handler
from django.db import connections
from django.test import Client

from evaluation.demo.server import make_app
from leaderboard.submissions.dry_run_progress import asking_words, progress_of
from tests.fakes import serve
from tests.leaderboard.sending import CANARY, filled
from tests.leaderboard.test_dry_run import panel, tried
from tests.processes import wait_for

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("bank_on_offer")]

AGAIN = "requests: an item whose reply cannot be read, as {} of these 3, is asked up to 3 times"
NAME = "0123456789abcdef" * 2


def cost_in(html: str) -> str:
    found = re.search(r"<dt>The whole run</dt><dd>(.*?)</dd>", html)
    assert found
    return re.sub("<[^>]+>", "|", found[1])


@pytest.mark.parametrize(
    ("faults", "persona", "told"),
    [
        ((), "random", "|5|requests, if all replies can be read"),
        ((), "refusing", f"|up to 15|{AGAIN.format(3)}"),
        (("null:2",), "random", f"|about 12|{AGAIN.format(2)}"),
        (("null:4",), "random", f"|about 8|{AGAIN.format(1)}"),
        (("no-temperature",), "refusing", "|5|requests, if all replies can be read"),
        (("refusal:1",), "random", f"|up to 15|{AGAIN.format(3)}"),
    ],
)  # fmt: skip
def test_the_cost_counts_the_requests_that_are_repeated(
    client: Client, faults: tuple[str, ...], persona: str, told: str
) -> None:
    assert cost_in(tried(client, *faults, persona=persona)) == told


def test_the_tokens_count_the_repeated_requests_as_well(client: Client) -> None:
    def tokens(persona: str) -> int:
        found = re.search(r"about ([\d,]+)</span>", tried(client, persona=persona))
        assert found
        return int(found[1].replace(",", ""))

    assert tokens("refusing") > 2.5 * tokens("random")


@pytest.mark.parametrize(
    ("fault", "sentences", "field"),
    [
        ("retry-after:86400", ("Ask fewer at once, or run it again in 24 h 0 min, as it asks for.",), "concurrency"),
        ("retry-after:900", ("Ask fewer at once, or run it again in 15 min 0 s, as it asks for.",), "concurrency"),
        ("always-429", ("It said: “Rate limit reached. Please slow down.”", "or try again in a minute"), "concurrency"),
        ("unknown-in-a-list", ("does not know this model name", "models/x is not found for API version"), "api_model"),
        ("quota:1", ("the quota of this key is used up", "0 of 1000000 tokens are left", "Top up the account"), "key"),
        (
            "redirect",
            ("It leads to: “http://127.0.0.1:", "/elsewhere”", "Enter the address that it leads to"),
            "base_url",
        ),
        ("busy:9", ("The engine is busy.", "status 503"), "base_url"),
        ("html", ("no chat completions API", "status 200"), "base_url"),
        ("web-page-502:1", ("It said: “502 Bad Gateway”", "status 502"), "base_url"),
        ("unfinished:9", ("did not finish this reply", "finish_reason: “abort”"), "base_url"),
        ("filtered:1", ("content filter of the provider stopped", "finish_reason: “content_filter”"), "api_model"),
        ("refusal:1", ("refused", "The model refused to answer", "help with that."), "system_prompt"),
        ("context:1", ("This model's maximum context length is 512 tokens.",), "max_tokens"),
        ("compressed:1", ("larger than the limit", "switch off its compression"), "base_url"),
    ],
)
def test_each_failure_quotes_the_server_and_says_what_can_be_done(
    client: Client, fault: str, sentences: tuple[str, ...], field: str
) -> None:
    html = tried(client, fault, key=CANARY)
    assert "Not passed" in html
    for sentence in sentences:
        assert sentence in html
    assert f'href="#id_{field}"' in html
    assert CANARY not in html


@pytest.mark.parametrize(
    "fault", ["retry-after-epoch:1", "retry-after-epoch-ms:1", "denied-once:2", "busy", "unfinished"]
)
def test_what_a_run_would_ask_again_is_asked_again(client: Client, fault: str) -> None:
    assert "All three replies were read" in tried(client, fault)


@pytest.mark.parametrize(
    ("answered", "of", "words"),
    [
        (0, 3, "Asking item 1 of 3"),
        (1, 3, "Asking items 2 to 3 of 3"),
        (2, 3, "Asking item 3 of 3"),
        (3, 3, "All 3 items are answered"),
        (0, 1, "Asking item 1 of 1"),
        (1, 2, "Asking item 2 of 2"),
    ],
)
def test_the_progress_is_put_in_words(answered: int, of: int, words: str) -> None:
    assert asking_words(answered, of) == words


def test_after_a_dry_run_its_progress_is_known_under_the_name_that_the_page_gave(client: Client) -> None:
    assert client.get(f"/submit/dry-run/{NAME}/").json() == {"asking": ""}
    with serve(make_app(persona="random")) as address:
        assert "All three replies were read" in panel(client, {**filled(address), "watch": NAME})
    assert client.get(f"/submit/dry-run/{NAME}/").json() == {"asking": "All 3 items are answered"}


def post_and_close(form: dict[str, Any]) -> None:
    """From a thread of its own, whose connection nobody else would close."""
    try:
        Client().post("/submit/dry-run/", form)
    finally:
        connections.close_all()


def answering_when_let(gate: threading.Semaphore) -> web.Application:
    """A demo endpoint that answers one request for each time that the gate is released."""

    @web.middleware
    async def wait(request: web.Request, handler: Handler) -> web.StreamResponse:
        await asyncio.to_thread(gate.acquire, timeout=60)
        return await handler(request)

    app = make_app(persona="random")
    app.middlewares.append(wait)
    return app


@pytest.mark.django_db(transaction=True)
def test_while_a_dry_run_works_another_request_learns_which_item_is_asked(client: Client) -> None:
    def shows(words: str) -> bool:
        return bool(client.get(f"/submit/dry-run/{NAME}/").json()["asking"] == words)

    gate = threading.Semaphore(0)
    with serve(answering_when_let(gate)) as address:
        asking = threading.Thread(target=post_and_close, args=({**filled(address), "watch": NAME},))
        asking.start()
        try:
            wait_for(lambda: shows("Asking item 1 of 3"), what="the first item is asked")
            gate.release()
            wait_for(lambda: shows("Asking items 2 to 3 of 3"), what="the others are asked")
        finally:
            gate.release(3)
            asking.join(timeout=60)
    assert shows("All 3 items are answered")


@pytest.mark.parametrize("name", ["", "short", "G" * 32, "0" * 33, "../../etc", "0" * 31 + "\n"])
def test_a_name_of_another_form_keeps_nothing_and_is_asked_all_the_same(client: Client, name: str) -> None:
    with serve(make_app(persona="random")) as address:
        assert "All three replies were read" in panel(client, {**filled(address), "watch": name})
    assert progress_of(name) == ""


def test_the_progress_is_only_read(client: Client) -> None:
    assert client.post(f"/submit/dry-run/{NAME}/").status_code == 405
    assert "no-store" in client.get(f"/submit/dry-run/{NAME}/")["Cache-Control"]


def test_without_javascript_the_page_says_beforehand_how_long_it_takes(client: Client) -> None:
    html = client.get("/submit/").content.decode()
    assert "It takes as long as the endpoint does for them, at most 90 s." in html
    assert 'id="dry-asking" data-progress="/submit/dry-run/0/" hidden' in html


def test_three_items_are_asked_however_it_is_watched(client: Client) -> None:
    with serve(make_app(persona="random")) as address:
        panel(client, {**filled(address), "watch": NAME})
        with urllib.request.urlopen(f"{address}/log") as log:  # noqa: S310
            assert len(json.load(log)["requests"]) == 3


def test_an_item_keeps_its_number_beside_one_that_got_no_reply(client: Client) -> None:
    @web.middleware
    async def fail_the_second(request: web.Request, handler: Handler) -> web.StreamResponse:
        if "Read scene 2 and" in await request.text():
            return web.json_response({"error": {"message": "no such thing"}}, status=400)
        return await handler(request)

    app = make_app(persona="random")
    app.middlewares.append(fail_the_second)
    with serve(app) as address:
        html = panel(client, filled(address))
    assert re.findall(r'<th scope="row">(\d)</th>', html) == ["1", "3"]
