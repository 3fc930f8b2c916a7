"""No page, file, feed, mail, log or list gives a word of a closed bank away, whatever the models on it answered."""

import io
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin import site
from django.contrib.auth.models import Permission, User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from evaluation.models import Access, FaultKind, ItemBank, ItemResult, LanguageModel, Run, Status
from leaderboard.models import Mail, Submission
from leaderboard.pages.storing.statistics import keep_ready
from leaderboard.standings import refresh_standings
from leaderboard.statistics.refreshing import refresh_statistics
from leaderboard.submissions.emails import tell_submitters
from tests.factories import make_bank, make_endpoint, make_model, make_run
from tests.leaderboard.closed_board import LABELS, NAMES, STEMS, evaluate_all, line, load_private, reference
from tests.leaderboard.crawling import crawl, text_of
from tests.leaderboard.staff import logged_in, root

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.thorough]

N_ITEMS = 60
MOST_ROWS = 20  # of each kind that are opened in the admin
TOKEN = "only-the-submitter-has-this"
SHOWN = ("maker/rates-synonyms", "maker/tells-of-itself")  # models whose pages are asked for by name
FORMATS = ("csv", "json", "parquet")
QUOTING = f"The endpoint refused this request. It said: “{LABELS[0]}? Ask {NAMES[0]}: {line(1)}”"


def closed_board(folder: Path, access: Access) -> ItemBank:
    """A closed bank with runs in every state, their replies full of its texts, beside a public one."""
    bank = load_private(folder, N_ITEMS, "office")
    ItemBank.objects.filter(pk=bank.pk).update(access=access)
    evaluate_all(bank)
    evaluate_all(bank, ("rates-only-synonyms", "writes-names"), revision=True, limit=11)
    set_aside(bank)
    make_run(bank=make_bank(5), model=LanguageModel.objects.get(name="maker/good"), status=Status.FINISHED)
    call_command("load_baselines", stdout=io.StringIO())
    refresh_standings()
    refresh_statistics()
    keep_ready()
    bank.refresh_from_db()
    return bank


def set_aside(bank: ItemBank) -> None:
    """Copies of the sloppiest runs as they look at work, waiting, unlisted, and under the token of a submitter."""
    for status, fields in (
        (Status.RUNNING, {}),
        (Status.WAITING, {"failure_kind": FaultKind.ENDPOINT, "failure_message": QUOTING}),
        (Status.FAILED, {"failure_kind": FaultKind.ENDPOINT, "failure_message": QUOTING, "published": False}),
    ):
        for name in ("writes-only-names", "rates-synonyms"):
            copy(bank.runs.filter(model__name=f"maker/{name}", limit=None).latest("pk"), status, **fields)
    run = bank.runs.filter(status=Status.FAILED, published=False).latest("pk")
    model = make_model("somebody/model")
    submission = Submission.objects.create(
        token=TOKEN, model=model, endpoint=make_endpoint(model=model), contact="somebody@models.example",
        state=Submission.State.APPROVED, publish_consent=True, request={"banks": [bank.slug]},
    )  # fmt: skip
    submission.runs.add(run, bank.runs.filter(failure_kind=FaultKind.PARSE, limit=None).latest("pk"))


def copy(run: Run, status: Status, **fields: Any) -> None:
    again = make_run(
        bank=run.bank, model=run.model, status=status, observed=run.observed, **{"published": True, **fields}
    )
    ItemResult.objects.bulk_create(
        ItemResult(
            run=again, item_id=each.item_id, state=each.state, reading=each.reading, answer=each.answer,
            reason=each.reason, flags=each.flags, score=each.score,
        )
        for each in run.results.all()[:40]
    )  # fmt: skip


def values_of(converter: str, n_parameters: int) -> Sequence[str]:
    """What a parameter of that kind may name. Where it stands beside others, only what belongs to the closed bank."""
    if converter == "int":
        runs = Run.objects.filter(bank__slug="office").values_list("pk", flat=True)
        return [str(pk) for pk in (runs if n_parameters == 1 else runs.filter(submissions__token=TOKEN))]
    own = ["office", *LanguageModel.objects.filter(name__in=SHOWN).values_list("slug", flat=True)]
    if n_parameters > 1:
        return [*own, *FORMATS, "1", "10", TOKEN]
    return [*own, *ItemBank.objects.values_list("slug", flat=True), "eq-bench-v2", "csv", TOKEN]


def leaks(pages: dict[str, str]) -> list[tuple[str, str]]:
    return [(address, stem) for address, text in pages.items() for stem in STEMS if stem in text.casefold()]


def spelt(values: Sequence[int]) -> Iterator[str]:
    """The references of an item as a page or a file would write them."""
    for words in (list(map(str, values)), [f"{value}.0" for value in values]):
        yield from (sign.join(words) for sign in (", ", ",", " ", " · "))


def check_that_models_were_sloppy(bank: ItemBank) -> None:
    said = " ".join(bank.runs.values_list("failure_message", flat=True)).casefold()
    read = " ".join(ItemResult.objects.filter(run__bank=bank).values_list("reason", flat=True)).casefold()
    told = str(list(bank.runs.values_list("observed", flat=True))).casefold()
    assert all(stem in read for stem in ("quibbl", "womble", "zorbl", "ottolin", "barnabu"))
    assert all(stem in said for stem in ("quibbl", "ottolin"))
    assert all(stem in told for stem in ("womble", "zorbl", "fleeni", "ottolin", "barnabu"))


def admin_addresses() -> Iterator[str]:
    yield from (reverse(f"admin-{name}") for name in ("queue", "audit", "import"))
    for model in site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        yield reverse(f"{name}_changelist")
        rows = model._default_manager.values_list("pk", flat=True)[:MOST_ROWS]
        yield from (reverse(f"{name}_change", args=[pk]) for pk in rows)


def check_mails_and_timelines(bank: ItemBank) -> None:
    tell_submitters()
    submission = Submission.objects.get(token=TOKEN)
    told = [*submission.events.values_list("text", flat=True), *(str(vars(mail)) for mail in Mail.objects.all())]
    assert leaks({"mails": " ".join(told)}) == []
    assert bool(told) is bank.shows_items


@pytest.mark.parametrize("access", [Access.PRIVATE, Access.WITHHELD])
def test_nothing_gives_a_word_or_a_name_of_a_closed_bank_away(
    client: Client, tmp_path: Path, settings: Any, caplog: pytest.LogCaptureFixture, access: Access
) -> None:
    settings.PRIVATE_BANK_RUNS = 100
    caplog.set_level(logging.INFO)
    bank = closed_board(tmp_path, access)
    check_that_models_were_sloppy(bank)
    check_mails_and_timelines(bank)

    pages = crawl(client, values_of)
    assert leaks(pages) == []
    assert len([text for text in pages.values() if text]) > 100
    if access == Access.PRIVATE:
        wanted = [text for number in range(1, N_ITEMS + 1) for text in spelt(reference(number))]
        assert [(address, text) for address, page in pages.items() for text in wanted if text in page] == []
        assert pages["/rankings/office/"]

    user = User.objects.create(username="all-but-items", is_staff=True)
    user.user_permissions.set(Permission.objects.exclude(codename="view_item"))
    clerk = logged_in(user)
    of_staff = {address: text_of(clerk.get(address)) for address in admin_addresses()}
    assert leaks(of_staff) == []
    assert len(of_staff) > 60
    assert leaks({"log": caplog.text}) == []


def test_the_same_search_finds_the_texts_of_an_open_bank(client: Client, tmp_path: Path, settings: Any) -> None:
    settings.PRIVATE_BANK_RUNS = 100
    bank = closed_board(tmp_path, Access.WITHHELD)
    ItemBank.objects.filter(pk=bank.pk).update(access=Access.OPEN)
    assert {stem for _, stem in leaks(crawl(client, values_of, "/runs/"))} == set(STEMS)
    item = bank.items.get(number=1)
    assert line(1) in root().get(reverse("admin:evaluation_item_change", args=[item.pk])).content.decode()
