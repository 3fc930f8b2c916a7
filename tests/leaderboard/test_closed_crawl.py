"""A board with closed banks of every kind, on which hostile models answered: no page, file, feed, mail, log or list of
the administration holds a word of a closed bank, and of a private one nothing of an item."""

import io
import logging
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import call_command
from django.test import Client

from evaluation import evaluate
from evaluation.models import Access, FaultKind, ItemBank, ItemResult, LanguageModel, Reply, Run, Status
from leaderboard.models import Mail, Note, Submission
from leaderboard.pages.storing.statistics import keep_ready
from leaderboard.standings import refresh_standings
from leaderboard.statistics.refreshing import refresh_statistics
from leaderboard.submissions.emails import tell_submitters
from tests.factories import make_bank, make_endpoint, make_model, make_run
from tests.leaderboard.closed_board import line, reference
from tests.leaderboard.crawling import crawl, follow, text_of
from tests.leaderboard.hostile import AT_TIMES, FAULTY, hostile_endpoint
from tests.leaderboard.marked_banks import MARKS, N_QUESTIONS, all_banks
from tests.leaderboard.staff import logged_in, nobody_of_note, root
from tests.leaderboard.test_private_texts import admin_addresses

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.thorough]

WHOLE = (*FAULTY, *(f"{name}-at-times" for name in AT_TIMES))
SOME = ("good", "tells-of-itself", "quotes-in-names-at-times", "joins-names-at-times", "faults-in-json")
ASKED = {
    "seceu": ("seceu", WHOLE),
    "seceu-direct": ("seceu", SOME[2:4]),
    "seceu-shuffled": ("seceu", SOME[2:4]),
    "emotionbench": ("emotionbench", (*SOME, "refuses-at-times", "never-ends-at-times", "faults-in-html")),
    "empathy-replies": ("gloves", (*SOME, "thinks-aloud", "calls-tools-at-times", "faults-beside")),
}
QUERY = re.compile(r'href="(\?[^"#]+)')
TOKEN = "only-the-submitter-has-this"
QUOTING = f"The endpoint refused this request. It said: “Snorklish? Ask Ottoline, who lost mumplegock: {line(1)}”"


@pytest.fixture
def banks(tmp_path: Path, settings: Any) -> dict[str, ItemBank]:
    settings.PRIVATE_BANK_RUNS = 1000
    found = all_banks(tmp_path)
    with hostile_endpoint() as address:
        for benchmark, (slug, names) in ASKED.items():
            for name in names:
                evaluate(address, f"maker/{name}", benchmark, bank=slug, api_model=name)
        for name in SOME:
            evaluate(address, f"maker/{name}", bank="office", api_model=name)
            evaluate(address, f"maker/{name}", "empathy-replies", bank="hats", api_model=name)
        evaluate(address, "maker/of-the-cellar", bank="cellar", api_model="good")
    for bank in found.values():
        set_aside(bank)
    shown = make_bank(60, slug="scenes")
    for name in ("good", "tells-of-itself"):
        make_run(bank=shown, model=LanguageModel.objects.get(name=f"maker/{name}"), status=Status.FINISHED)
    call_command("load_baselines", stdout=io.StringIO())
    refresh_standings()
    refresh_statistics()
    keep_ready()
    return found


def set_aside(bank: ItemBank) -> None:
    """Runs as they wait and as they failed, with what an endpoint said; under the token of a submitter too. And ends of
    replies in the words of an endpoint, and notes on scores that nobody is told."""
    model = make_model(f"{bank.slug}/of-a-submitter")
    states: tuple[tuple[Status, bool], ...] = ((Status.WAITING, True), (Status.FAILED, True), (Status.FAILED, False))
    runs = [
        make_run(
            bank=bank, model=model, status=status, published=published, failure_kind=FaultKind.ENDPOINT,
            failure_message=QUOTING, observed={"model": QUOTING, "server": QUOTING},
        )
        for status, published in states
    ]  # fmt: skip
    submission, _ = Submission.objects.get_or_create(
        token=TOKEN,
        defaults={
            "model": model, "endpoint": make_endpoint(model=model), "contact": "team@models.example",
            "state": Submission.State.APPROVED, "publish_consent": True, "request": {"banks": [bank.slug]},
        },
    )  # fmt: skip
    failed = bank.runs.filter(status=Status.FAILED, finished_at__isnull=False).order_by("-pk")
    submission.runs.add(*runs, *failed[:2])
    last = Reply.objects.filter(result__run__bank=bank).order_by("-pk").values("pk")[:2]
    Reply.objects.filter(pk__in=list(last.values_list("pk", flat=True))).update(finish_reason="quazz")
    if not bank.shows_items:
        Note.objects.create(run=runs[1], text=f"Run {runs[1].pk} scored 61.4321, 13.2468 below the one before.")


def values_of(converter: str, n_parameters: int) -> Sequence[str]:
    """What a parameter of that kind may name. Where it stands beside others, only what no link leads to."""
    if converter == "int":
        runs = Run.objects.exclude(bank__slug="scenes").order_by("pk").values_list("pk", flat=True)
        return [str(pk) for pk in (runs if n_parameters == 1 else runs.filter(submissions__token=TOKEN)[::5])]
    if n_parameters > 1:
        return ["office", "hats", "xantho1", "1", TOKEN]
    models = LanguageModel.objects.filter(name__startswith="maker/").values_list("slug", flat=True)
    return [*models, *ItemBank.objects.values_list("slug", flat=True), "emotionbench--quick", "banks", TOKEN]


def api_addresses(client: Client) -> Iterator[str]:
    """Every address of the API with each of its parameters, as its own description has them."""
    values = {"limit": ["1", "200"], "offset": ["1"], "demo": ["true"], "q": ["maker", "of-the"]}
    slugs = ["office", "hats", "cellar", "seceu", "emotionbench", "gloves", "maker-good"]
    pks = [str(pk) for pk in Run.objects.values_list("pk", flat=True)]
    for path, actions in client.get("/api/v1/openapi.json").json()["paths"].items():
        fills = pks if "{run_id}" in path else slugs if "{" in path else [""]
        asked = [p["name"] for p in actions["get"].get("parameters", []) if p["in"] == "query"]
        queries = [urlencode({name: value}) for name in asked for value in values.get(name, slugs)]
        for fill in fills:
            address = re.sub(r"\{\w+\}", fill, path)
            yield from (f"{address}?{query}" for query in (queries if fill not in pks else queries[:1]))


def admin_pages(clerk: Client) -> dict[str, str]:
    """The lists of the administration, a few rows of each, and each list once by each of its filters and its orders:
    all rows of these small lists stand on the first page of the whole list as well."""
    pages = {address: text_of(clerk.get(address)) for address in admin_addresses()}
    queries = ((address, link) for address, text in pages.items() for link in QUERY.findall(text))
    narrowed = {(address, link.partition("=")[0]): link.replace("&amp;", "&") for address, link in queries}
    return pages | {address + link: text_of(clerk.get(address + link)) for (address, _), link in narrowed.items()}


def leaks(pages: dict[str, str]) -> list[tuple[str, str]]:
    """A word of the address itself is none: an answer may name what was asked for."""
    folded = ((address.casefold(), text.casefold()) for address, text in pages.items())
    return [(at, mark) for at, text in folded for mark in MARKS if mark in text and mark not in at]


def numbers_of_items() -> set[str]:
    """What a page would write of a run or of an item of a private bank: scores with their digits, answers, references,
    and the hash of its file."""
    runs = Run.objects.filter(bank__access=Access.PRIVATE)
    scores = [score for score in runs.values_list("score", flat=True) if score is not None and score % 1]
    answers = ItemResult.objects.filter(run__in=runs, score__isnull=False).values_list("answer", flat=True)
    four = {tuple(map(int, answer)) for answer in answers if answer and None not in answer} | {
        reference(n) for n in range(1, N_QUESTIONS + 1)
    }
    rows = {sign.join(map(str, values)) for values in four for sign in (", ", ",", " · ")}
    rows |= {", ".join(f"{value}.0" for value in values) for values in four}
    hashes = ItemBank.objects.filter(access=Access.PRIVATE).values_list("sha256", flat=True)
    return rows | {repr(score)[:7] for score in scores} | {found[:8] for found in hashes} | {"61.4321", "13.2468"}


def check_private(pages: dict[str, str]) -> None:
    """No number of an item, no run by its number, and no model that is on no list."""
    pks = set(Run.objects.filter(bank__access=Access.PRIVATE).values_list("pk", flat=True))
    named, numbers = re.compile(r"/runs?/(\d+)\b"), re.compile("|".join(map(re.escape, sorted(numbers_of_items()))))
    for address, page in pages.items():
        own = {int(found) for found in named.findall(address)}
        assert not pks & {int(found) for found in named.findall(page)} - own, address
        if own <= pks:  # the page of another run has answers and orders of its own, which may be the same numbers
            assert not (page and numbers.search(page)), address


def check_that_models_were_hostile() -> None:
    """What is stored holds the words: a search that finds none on the pages has something to find."""
    results = ItemResult.objects.filter(run__bank__access__in=(Access.WITHHELD, Access.PRIVATE))
    kept = {
        "reply": Reply.objects.filter(result__in=results).values_list("text", flat=True),
        "failure": Run.objects.values_list("failure_message", flat=True),
        "observed": map(str, Run.objects.values_list("observed", flat=True)),
    }
    told = {name: " ".join(texts).casefold() for name, texts in kept.items()}
    assert all(any(mark in text for mark in MARKS) for text in told.values())
    marks = set(MARKS) - {"xantho", "thimble", "xylophon"}
    assert {mark for mark in marks if mark in told["reply"]} >= {"snorkl", "drizzleknock", "mumplegock", "wozzlepeck"}


def check_visitor(client: Client) -> None:
    refused: dict[str, str] = {}
    pages = crawl(client, values_of, refused=refused) | follow(client, api_addresses(client), "/api/", refused)
    assert leaks(pages | refused) == []
    check_private(pages)
    assert len(list(filter(None, pages.values()))) > 1000
    assert all(pages[f"/rankings/{name}/"] for name in ("office", "seceu", "emotionbench--quick"))
    assert "of-the-cellar" not in " ".join(pages.values())


def check_staff(bank: ItemBank) -> None:
    """Those with all rights but the one to see items, after others acted on a private run, and those without any."""
    run = bank.runs.filter(status=Status.FINISHED).latest("pk")
    for act in ("unpublish", "publish", "rescore"):
        root().post("/admin/evaluation/run/", {"action": act, "_selected_action": [run.pk], "confirmed": "1"})
    user = User.objects.create(username="all-but-items", is_staff=True)
    user.user_permissions.set(Permission.objects.exclude(codename="view_item"))
    for clerk in (logged_in(user), nobody_of_note()):
        models = LanguageModel.objects.values_list("slug", flat=True)
        addresses = [f"/models/{slug}/" for slug in models]
        addresses += [f"/runs/{pk}/" for pk in Run.objects.values_list("pk", flat=True)]
        pages = admin_pages(clerk) | {address: text_of(clerk.get(address)) for address in addresses}
        assert leaks(pages) == []
        check_private(pages)


def test_no_word_of_a_closed_bank_leaves_it_whatever_models_answered(
    client: Client, banks: dict[str, ItemBank], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    check_that_models_were_hostile()
    tell_submitters()
    events = Submission.objects.get(token=TOKEN).events.values_list("text", flat=True)
    told = " ".join([*events, *(str(vars(mail)) for mail in Mail.objects.all())])
    assert told
    assert leaks({"mails": told}) == []
    check_visitor(client)
    check_staff(banks["office"])
    # The line of an address that is not there names the address: what was asked for.
    lines = [line for line in caplog.text.splitlines() if "Not Found: /" not in line]
    assert lines
    assert leaks({"log": "\n".join(lines)}) == []
