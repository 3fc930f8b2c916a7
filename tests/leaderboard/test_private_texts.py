"""No page, export or answer of the API shows a text of a private bank, to whatever address a visitor goes."""

import io
import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import Endpoint, FaultKind, Item, ItemBank, ItemState, LanguageModel, Run, Status
from leaderboard.models import Standing, Submission
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_model, make_result, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.thorough]

N_ITEMS = 6
LABELS = ("Quibblish", "Womblesome", "Zorbled", "Fleenish")
SCORE = 47.3219
TOKEN = "only-the-submitter-has-this"
PARAMETER = re.compile(r"<(?:(\w+):)?(\w+)>")
LINK = re.compile(r"""(?:href|src|hx-get|data-src|action)=["'](/[^"'#]*)""")
MOST_VARIANTS = 5
FORMATS = ("csv", "json", "parquet")


def line(number: int) -> str:
    return f"The heron of quay {number} hid nine brass thimbles under my xylophone."


def reason(number: int) -> str:
    return f"Thimbles number {number} unsettle anybody who keeps herons."


def private_file(folder: Path) -> Path:
    path = folder / "own.json"
    path.write_text(json.dumps({str(number): question(number) for number in range(1, N_ITEMS + 1)}))
    return path


def question(number: int) -> dict[str, Any]:
    reference: dict[str, Any] = {f"emotion{at}": label for at, label in enumerate(LABELS, 1)}
    reference |= {f"emotion{at}_score": (number + at) % 9 + 1 for at in range(1, 5)}
    lines = "\n".join(f"{label}: <score>" for label in LABELS)
    return {
        "prompt": f"\nRead this:\n\nOttoline: {line(number)}\n[End dialogue]\n\nFirst pass scores:\n{lines}\n",
        "reference_answer_fullscale": reference,
        "reason": reason(number),
    }


def secrets() -> list[str]:
    """Each sentence, label and reason, and the rare words in them, which would survive a cut text."""
    numbers = range(1, N_ITEMS + 1)
    return [*map(line, numbers), *map(reason, numbers), *LABELS, "thimbles", "xylophone", "Ottoline"]


@pytest.fixture
def bank(tmp_path: Path) -> ItemBank:
    """A private bank with runs in every state, their replies full of its texts, beside a public one."""
    call_command("load_bank", "eq-bench-v2", "--private", str(private_file(tmp_path)), "--slug", "office")
    bank, model = ItemBank.objects.get(slug="office"), make_model("maker/known")
    finished = make_run(bank=bank, model=model, status=Status.FINISHED, score=SCORE, standard_error=3.0)
    failed = make_run(
        bank=bank, status=Status.FAILED, published=True, failure_kind=FaultKind.PARSE, failure_message="too few read"
    )
    hidden = make_run(bank=bank, status=Status.FAILED, published=False, failure_kind=FaultKind.PARSE)
    for run in (finished, failed, hidden, make_run(bank=bank, status=Status.RUNNING, published=True)):
        answer(run)
    endpoint = Endpoint.objects.create(model=hidden.model, base_url="https://models.example/v1", api_model="known")
    Submission.objects.create(token=TOKEN, model=hidden.model, endpoint=endpoint).runs.add(hidden)
    make_run(bank=make_bank(5), model=model, status=Status.FINISHED)
    make_run(bank=bank, benchmark="eq-bench-v2-code", model=model, status=Status.FINISHED)
    call_command("load_baselines")
    refresh_standings()
    return bank


def answer(run: Run) -> None:
    """One result read, one unread for a missing label, both with a revision that names labels."""
    revised = {"answer": None, "reading": "none", "reason": f"{LABELS[1]} missing", "flags": "", "score": None}
    make_result(run, "1", reply=f"{line(1)}\n{LABELS[0]}: 3", more_parts={"revised": revised})
    make_result(
        run,
        "2",
        reply=f"{LABELS[2]} {reason(2)}",
        state=ItemState.UNREAD,
        reading="none",
        answer=None,
        score=None,
        reason=f"{LABELS[3]} missing",
    )


def patterns(entries: Sequence[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    """The route of every page, "runs/<int:pk>/" and the like; the administration asks for a login and is left out."""
    for entry in entries:
        route = before + str(entry.pattern).removeprefix("^").removesuffix(r"\Z").removesuffix("$")
        if isinstance(entry, URLResolver):
            yield from () if entry.namespace == "admin" else patterns(entry.url_patterns, route)
        else:
            yield route


def values_of(converter: str, *, alone: bool) -> list[str]:
    """What a parameter of that kind may name: rows by number; slugs, names and formats.

    Where it stands beside others, only what belongs to the private bank, since every combination is asked.
    """
    if converter == "int":
        return sorted({str(pk) for model in (Run, Item, LanguageModel, ItemBank) for pk in keys(model)})
    if not alone:
        return ["office", Run.objects.get(score=SCORE).model.slug, *FORMATS, "1", TOKEN]
    names = [*Standing.objects.values_list("ranking", flat=True), *ItemBank.objects.values_list("slug", flat=True)]
    return sorted({*names, *LanguageModel.objects.values_list("slug", flat=True), *BENCHMARKS, *FORMATS, "1", TOKEN})


def keys(model: Any) -> list[int]:
    return list(model.objects.values_list("pk", flat=True))


def addresses(route: str) -> Iterator[str]:
    """The route with every combination of values in its parameters."""
    parameters = PARAMETER.findall(route)
    choices = [values_of(converter, alone=len(parameters) == 1) for converter, _ in parameters]
    for values in itertools.product(*choices):
        filled = iter(values)
        yield "/" + PARAMETER.sub(lambda _, filled=filled: next(filled), route)  # type: ignore[misc]


def text_of(response: Any) -> str:
    """What a reader of the response has before them; a Parquet file is unpacked first."""
    content = b"".join(response.streaming_content) if response.streaming else response.content
    if content.startswith(b"PAR1"):
        table = pq.read_table(io.BytesIO(content))
        return f"{table.to_pylist()} {table.schema.metadata}"
    return content.decode("utf-8", "replace") + " ".join(map(str, response.headers.items()))


def crawl(client: Client, under: str = "/") -> dict[str, str]:
    """Address -> text of every page that the routes or a link on another page lead to.

    Of the links to one page that differ in their query alone, the first few are followed. `under` narrows the search.
    """
    waiting = [address for route in patterns(get_resolver().url_patterns) for address in addresses(route)]
    seen: dict[str, str] = {}
    variants: Counter[str] = Counter()
    while waiting:
        address = waiting.pop()
        path = address.partition("?")[0]
        outside = path.startswith(("/static/", "/admin/")) or not path.startswith(under)
        if address in seen or outside or variants[path] >= MOST_VARIANTS:
            continue
        variants[path] += 1
        response = client.get(address)
        seen[address] = text_of(response) if response.status_code == 200 else ""
        waiting += [link.replace("&amp;", "&") for link in LINK.findall(seen[address])]
    return seen


def leaks(pages: dict[str, str]) -> list[tuple[str, str]]:
    return [(address, secret) for address, text in pages.items() for secret in secrets() if secret in text]


def test_no_sentence_label_or_reason_of_a_private_bank_is_shown_and_its_scores_are(
    client: Client, bank: ItemBank
) -> None:
    pages = crawl(client)
    assert leaks(pages) == []
    assert f"{SCORE:.2f}" in pages[f"/rankings/{bank.slug}/"] or f"{SCORE:.1f}" in pages[f"/rankings/{bank.slug}/"]
    assert pages[f"/runs/{Run.objects.get(score=SCORE).pk}/items/"]
    of_submitter = f"/submissions/{TOKEN}/runs/{Run.objects.get(published=False).pk}/"
    assert all(pages[of_submitter + name] for name in ("", "live/", "items/", "items.csv", "items.parquet"))
    assert len([text for text in pages.values() if text]) > 10


def test_the_same_search_finds_the_texts_of_a_public_bank(client: Client, bank: ItemBank) -> None:
    ItemBank.objects.filter(pk=bank.pk).update(private=False, texts_public=True)
    found = {secret for _, secret in leaks(crawl(client, "/runs/"))}
    assert {line(1), *LABELS} <= found
    # The loader keeps nothing that a scorer does not need, so a reason in the file stays in the file.
    assert reason(1) not in found


def test_a_label_is_hidden_even_where_only_a_fault_names_it(client: Client, bank: ItemBank) -> None:
    run = Run.objects.get(score=SCORE)
    text = client.get(f"/runs/{run.pk}/items/").content.decode()
    assert "a name missing" in text
    assert not any(label in text for label in LABELS)
