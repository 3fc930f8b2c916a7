"""Each reply has an address, and an item's page leads to those of all models."""

import re

import pytest
from django.test import Client

from evaluation.models import Access, Item, ItemBank, ItemResult, Reply
from leaderboard.standings import refresh_standings
from tests.factories import make_bank
from tests.leaderboard.pages import finished, page
from tests.leaderboard.scored_runs import scored


@pytest.fixture
def bank(db: None) -> ItemBank:
    found = make_bank(30, slug="scenes", title="Own scenes")
    for name, points in (("good", 9.0), ("bad", 2.0)):
        run = scored(found, [points] * 30, name=name)
        for result in run.results.all():
            Reply.objects.create(result=result, text=f"{name} says {result.item.number}")
    refresh_standings()
    return found


def test_the_item_leads_to_the_replies_of_all_models_the_best_first(client: Client, bank: ItemBank) -> None:
    item = Item.objects.get(bank=bank, number=28)
    html = page(client, f"/items/scenes/{item.item_id}/")
    assert f'href="/items/scenes/{item.item_id}/replies/">Replies of all 2 models' in html
    replies = page(client, f"/items/scenes/{item.item_id}/replies/")
    assert replies.index("good says 28") < replies.index("bad says 28")
    assert "2 replies to item 28" in replies


def test_an_address_of_a_reply_opens_it_on_the_page_that_holds_it(client: Client, bank: ItemBank) -> None:
    item = Item.objects.get(bank=bank, number=28)
    run = ItemResult.objects.filter(item=item).order_by("pk")[0].run
    replies = page(client, f"/items/scenes/{item.item_id}/replies/")
    address = f"/runs/{run.pk}/items/?item={item.item_id}"
    assert f'href="{address}#item-28"' in replies
    opened = page(client, address)
    assert re.search(r'<details class="item" id="item-28" open>', opened)
    assert f'href="/items/scenes/{item.item_id}/"' in opened
    assert 'id="item-1"' not in opened, "twenty-five items a page, and the address leads to the second"


def test_an_unknown_item_in_an_address_is_no_error(client: Client, bank: ItemBank) -> None:
    run = ItemResult.objects.order_by("pk")[0].run
    assert 'id="item-1"' in page(client, f"/runs/{run.pk}/items/?item=nothing")
    assert client.get("/items/scenes/nothing/replies/").status_code == 404
    assert client.get("/items/nothing/1/replies/").status_code == 404


def test_a_withheld_bank_shows_answers_and_no_text(client: Client, bank: ItemBank) -> None:
    ItemBank.objects.update(access=Access.WITHHELD)
    item = Item.objects.get(bank=bank, number=1)
    html = page(client, f"/items/scenes/{item.item_id}/replies/")
    assert "says 1" not in html
    assert "not public" in html
    assert "good" in html


def test_a_private_bank_has_no_such_page(client: Client, bank: ItemBank) -> None:
    ItemBank.objects.update(access=Access.PRIVATE)
    item = Item.objects.get(bank=bank, number=1)
    assert client.get(f"/items/scenes/{item.item_id}/replies/").status_code == 404


def test_without_a_listed_run_the_page_says_so(client: Client, db: None) -> None:
    found = make_bank(3, slug="empty")
    finished(make_bank(3, slug="other"), 50.0)
    item = Item.objects.filter(bank=found).order_by("number")[0]
    assert "No listed model has a reply to this item yet" in page(client, f"/items/empty/{item.item_id}/replies/")


def test_an_ended_run_shows_its_worst_and_best_items_and_leads_to_their_replies(client: Client, db: None) -> None:
    found = make_bank(20, slug="steps")
    run = scored(found, [at / 2 for at in range(20)], name="steps")
    html = page(client, f"/runs/{run.pk}/")
    assert "Worst and best items" in html
    shown = re.findall(rf'href="/runs/{run.pk}/items/\?item=[^"]+#item-(\d+)"', html)
    assert shown == ["1", "2", "3", "4", "17", "18", "19", "20"]
    assert f'href="/models/{run.model.slug}/"><bdi>' in html
