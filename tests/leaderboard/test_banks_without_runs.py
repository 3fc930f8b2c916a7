"""A loaded bank whose benchmark has no runs yet changes no page: it is offered nowhere, and nothing of it is shown."""

import pytest
from django.core.management import call_command
from django.test import Client

from evaluation.benchmarks import WITHOUT_RUNS
from evaluation.importers.private_banks import load_private_files
from evaluation.models import Access, ItemBank
from leaderboard.standings.refreshing import refresh_standings
from tests.evaluation.benchmarks.emotion_files import WORDS, emotion_files
from tests.evaluation.benchmarks.seceu_files import OPTIONS, seceu_files
from tests.factories import make_bank

pytestmark = [pytest.mark.django_db, pytest.mark.database]
PAGES = (
    "/",
    "/items/",
    "/methodology/",
    "/submit/",
    "/statistics/",
    "/compare/",
    "/charts/",
    "/about/",
    "/sitemap.xml",
)


FILES = {"seceu": seceu_files, "emotionbench": emotion_files}
TEXTS = (*OPTIONS[0], *OPTIONS[1], *WORDS)


def load(name: str) -> ItemBank:
    """A bank as the listed one is stored: withheld, under the family's name."""
    bank, _ = load_private_files(WITHOUT_RUNS[name], FILES[name](), f"office-{name}")
    ItemBank.objects.filter(pk=bank.pk).update(slug=name, title=name, access=Access.WITHHELD)
    bank.refresh_from_db()
    return bank


def pages(client: Client) -> dict[str, str]:
    return {address: client.get(address, follow=True).content.decode() for address in PAGES}


def test_no_page_names_the_bank_or_shows_its_texts(client: Client) -> None:
    make_bank(3)
    call_command("load_baselines", verbosity=0)
    banks = [load(name) for name in FILES]
    call_command("load_baselines", verbosity=0)
    refresh_standings()
    for address, page in pages(client).items():
        for name in FILES:
            assert name not in page.casefold(), address
        assert not [text for text in TEXTS if f">{text}<" in page], address
    assert not any(bank.runs.exists() for bank in banks)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("address", ["/items/{}/", "/items/{}/{}/", "/items/{}.json"])
def test_pages_on_its_items_do_not_exist_yet(client: Client, name: str, address: str) -> None:
    make_bank(3)
    first = load(name).items.order_by("number")[0].item_id
    assert client.get(address.format(name, first)).status_code == 404


def test_a_board_with_no_other_bank_still_has_its_pages(client: Client) -> None:
    for name in FILES:
        load(name)
    for address in PAGES:
        assert client.get(address, follow=True).status_code == 200, address
