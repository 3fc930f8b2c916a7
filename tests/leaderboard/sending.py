"""Filling in the form, and the rows that a sent one makes."""

from typing import Any

from django.core.cache import cache, caches
from django.test import Client

from evaluation.models import ItemBank
from leaderboard.models import Submission
from tests.factories import make_bank

CANARY = "sk-canary-7Qm2vX9tLw4RbN8z"
NOWHERE = "http://127.0.0.1:9"  # the discard port: nothing listens there


def no_turns_taken() -> None:
    """Turns are counted outside the tables that a test's end empties; a refusal is kept for a moment as well."""
    caches["limits"].clear()
    cache.clear()
    cache.set("stalled-line", "", 600)  # as tests/leaderboard/conftest.py has it


def offered_bank(**fields: Any) -> ItemBank:
    return make_bank(5, **{"slug": "scenes", "title": "Own scenes", **fields})


def filled(address: str = NOWHERE, **changes: Any) -> dict[str, Any]:
    """The form as a browser sends it."""
    usual = {
        "name": "maker/new-model",
        "configuration": "",
        "organisation": "Maker",
        "params": "7",
        "licence": "apache-2.0",
        "weights": "open",
        "released_on": "2024-05-31",
        "link": "https://models.example/card",
        "base_url": address,
        "api_model": "new-model",
        "key": "",
        "keep": "erase",
        "banks": ["scenes"],
        "repeats": "1",
        "max_tokens": "60",
        "concurrency": "2",
        "system_prompt": "",
        "extra_body": "",
        "contact": "team@models.example",
        "publish_consent": "on",
    }
    return {**usual, **changes}


def sent(client: Client, network: str = "", **changes: Any) -> Submission:
    """The submission that the form made, from that network; "" is the client's own."""
    come_from: dict[str, Any] = {"REMOTE_ADDR": network} if network else {}
    response = client.post("/submit/", filled(**changes), **come_from)
    assert response.status_code == 302, response.content.decode()
    return Submission.objects.get(token=response["Location"].split("/")[2])


def proof_in(html: str) -> str:
    return html.partition('name="proof" value="')[2].partition('"')[0]
