"""A loaded bank whose benchmark has no runs yet changes no page: it is offered nowhere, and nothing of it is shown."""

import pytest
from django.core.management import call_command
from django.test import Client

from evaluation.benchmarks import WITHOUT_RUNS
from evaluation.importers.private_banks import load_private_files
from evaluation.models import Access, ItemBank
from leaderboard.standings.refreshing import refresh_standings
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


def load_seceu() -> ItemBank:
    """A bank as the listed one is stored: withheld, under the family's name."""
    bank, _ = load_private_files(WITHOUT_RUNS["seceu"], seceu_files(), "office")
    ItemBank.objects.filter(pk=bank.pk).update(slug="seceu", title="SECEU", access=Access.WITHHELD)
    bank.refresh_from_db()
    return bank


def pages(client: Client) -> dict[str, str]:
    return {address: client.get(address, follow=True).content.decode() for address in PAGES}


def test_no_page_names_the_bank_or_shows_its_texts(client: Client) -> None:
    make_bank(3)
    call_command("load_baselines", verbosity=0)
    bank = load_seceu()
    call_command("load_baselines", verbosity=0)
    refresh_standings()
    for address, page in pages(client).items():
        assert "seceu" not in page.casefold(), address
        for text in (bank.items.first().prompt, *OPTIONS[0], *OPTIONS[1]):  # type: ignore[union-attr]
            assert f">{text}<" not in page, (address, text)
    assert not bank.runs.exists()


@pytest.mark.parametrize("address", ["/items/seceu/", "/items/seceu/1/", "/items/seceu.json"])
def test_pages_on_its_items_do_not_exist_yet(client: Client, address: str) -> None:
    make_bank(3)
    load_seceu()
    assert client.get(address).status_code == 404


def test_a_board_with_no_other_bank_still_has_its_pages(client: Client) -> None:
    load_seceu()
    for address in PAGES:
        assert client.get(address, follow=True).status_code == 200, address
