"""A closed bank on a board, and models of every kind that answered it: good ones, sloppy ones and hostile ones."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aiohttp import web
from django.core.management import call_command

from evaluation import evaluate
from evaluation.models import ItemBank
from tests.fakes import serve

LABELS = ("Quibblish", "Womblesome", "Zorbled", "Fleenish")
STEMS = ("quibbl", "womble", "zorbl", "fleeni", "thimble", "xylophon", "ottolin", "barnabu")
"""The beginnings of all words that tell an item: a word that a model bends is found by its beginning too."""

NAMES = ("Ottoline", "Barnabus")


def line(number: int) -> str:
    return f"The heron of quay {number} hid nine brass thimbles under my xylophone."


def reference(number: int) -> tuple[int, int, int, int]:
    return number % 9 + 1, (number // 9) % 8 + 1, 3 * number % 10, 7 * number % 11


def question(number: int) -> dict[str, Any]:
    answer: dict[str, Any] = {f"emotion{at}": label for at, label in enumerate(LABELS, 1)}
    answer |= {f"emotion{at}_score": value for at, value in enumerate(reference(number), 1)}
    lines = "\n".join(f"{label}: <score>" for label in LABELS)
    prompt = f"\nRead this:\n\nOttoline: {line(number)}\n[End dialogue]\n\nItem {number} of Barnabus.\n"
    return {"prompt": f"{prompt}First pass scores:\n{lines}\n", "reference_answer_fullscale": answer}


def load_private(folder: Path, n_items: int, slug: str) -> ItemBank:
    path = folder / f"{slug}.json"
    path.write_text(json.dumps({str(number): question(number) for number in range(1, n_items + 1)}))
    call_command("load_bank", "eq-bench-v2", "--private", str(path), "--slug", slug, verbosity=0)
    return ItemBank.objects.get(slug=slug)


def number_in(prompt: str) -> int:
    found = re.search(r"Item (\d+) of", prompt)
    assert found is not None
    return int(found[1])


def rated(names: tuple[str, ...], number: int) -> str:
    values = (number % 10, (number + 3) % 10, 1, 7)
    return "\n".join(f"{name}: {value}" for name, value in zip(names, values, strict=True))


def only_sometimes(sloppy: str, number: int) -> str:
    """One item of ten is sloppy: the run has a score, and items that were not read."""
    return sloppy if number % 10 == 0 else rated(LABELS, number)


REPLIES: Mapping[str, Callable[[int], str]] = {
    "good": lambda number: rated(LABELS, number),
    "rates-synonyms": lambda number: only_sometimes(rated(("Quibble", *LABELS[1:]), number), number),
    "rates-only-synonyms": lambda number: rated(("Quibble", *LABELS[1:]), number),
    "bends-each-word": lambda number: rated(tuple(f"{label}Z" for label in LABELS), number),
    "writes-names": lambda number: only_sometimes(f"Ottoline: {number % 10}\nBarnabus: 4", number),
    "writes-only-names": lambda number: f"Ottoline: {number % 10}\nBarnabus: 4",
    "never-ends": lambda number: only_sometimes(f"<think>{line(number)}", number),
    "tells-of-itself": lambda number: rated(LABELS, number),
    "refuses": lambda number: "",
}


def response_to(name: str, number: int) -> web.Response:
    if name == "refuses":
        message = f"I will not rate {LABELS[0]} for Ottoline: {line(number)}"
        return web.json_response({"error": {"message": message}}, status=400)
    body: dict[str, Any] = {
        "choices": [{"message": {"content": REPLIES[name](number)}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 300, "completion_tokens": 20},
    }
    headers = {}
    if name == "tells-of-itself":
        body |= {"model": f"{LABELS[1]} thimble", "system_fingerprint": f"{NAMES[1]} {LABELS[2]}"}
        headers["Server"] = f"{LABELS[3]} {NAMES[0]}"
    return web.json_response(body, headers=headers)


@contextmanager
def endpoint() -> Iterator[str]:
    """An address whose model answers as its name says."""

    async def answer(request: web.Request) -> web.Response:
        asked = await request.json()
        return response_to(asked["model"], number_in(asked["messages"][-1]["content"]))

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    with serve(app) as address:
        yield f"{address}/v1"


def evaluate_all(bank: ItemBank, names: Iterable[str] = REPLIES, **options: Any) -> None:
    with endpoint() as address:
        for name in names:
            evaluate(address, f"maker/{name}", bank=bank.slug, api_model=name, **options)
