"""Why A beats B: emotion families on the pages of models and of comparisons, the matrix of pairs, dialogues beside."""

import re

import numpy as np
import pytest
from django.core.cache import cache
from django.test import Client
from django.utils.html import strip_tags

from evaluation.models import Access, Item, ItemBank
from leaderboard.models import AheadTable
from leaderboard.standings import refresh_standings
from tests.factories import make_bank
from tests.leaderboard.fields import answered, two_models
from tests.leaderboard.pages import page

pytestmark = [pytest.mark.django_db, pytest.mark.database]

LABELS = ["Angry", "Hurt", "Joyful", "Zest"]
NAMES = ("alpha", "beta", "gamma")
COMPARED = "/compare/?m=alpha&m=beta&m=gamma"


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    cache.clear()


@pytest.fixture
def bank(db: None) -> ItemBank:
    """Twenty items; alpha is right but for noise, beta overrates joy, gamma has answered nine items alone."""
    bank = make_bank(20, slug="scenes", title="Own scenes")
    Item.objects.filter(bank=bank).update(labels=LABELS, reference=[5.0, 5.0, 5.0, 5.0])
    for name, score in zip(NAMES, (9.0, 7.0, 6.5), strict=True):
        n = 9 if name == "gamma" else 20
        run = answered(bank, name, [score + (at % 3) / 10 for at in range(n)] + [None] * (20 - n))
        for result in run.results.filter(score__isnull=False).select_related("item"):
            wobble = result.item.number % 2
            joy = 8.0 + wobble if name == "beta" else 5.0 + wobble
            result.answer = [5.0 + wobble, 5.0 - wobble, joy, 5.0]
            result.save(update_fields=["answer"])
    refresh_standings()
    return bank


def heat_of(html: str, heading: str) -> dict[str, list[str]]:
    """Family -> its cells, of the heat map that follows a heading."""
    found = re.search(r'<table\s+class="heat.*?</table>', html[html.index(heading) :], re.DOTALL)
    assert found is not None
    rows = re.findall(r"<tr>(.*?)</tr>", found[0].partition("<tbody>")[2], re.DOTALL)
    cells = [re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL) for row in rows]
    texts = [[" ".join(strip_tags(cell).replace("&nbsp;", " ").split()) for cell in row] for row in cells]
    return {row[0]: row[1:] for row in texts}


def words(html: str) -> str:
    main = html.partition("<main")[2].partition("</main>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", main).replace("&nbsp;", " ").split())


def test_a_comparison_says_in_which_family_one_is_farther_from_the_reference(client: Client, bank: ItemBank) -> None:
    html = page(client, COMPARED)
    farther = heat_of(html, "Why: by emotion family")
    # Distances of joy: alpha 0 or 1, beta 3 or 4, so each time 3 more. Gamma shares nine ratings a family: too few.
    assert farther == {
        "Joy": ["+3.00 ±0.00 n = 20", "–"],
        "Anger": ["0.00 ±0.00 n = 20", "–"],
        "Hurt": ["0.00 ±0.00 n = 20", "–"],
    }
    assert "beta is clearly farther from the reference than alpha on joy" in words(html)
    assert "correction for all 3 comparisons" in words(html)


def test_cells_have_a_sign_an_interval_and_n_and_a_table_beneath_has_the_figures(
    client: Client, bank: ItemBank
) -> None:
    html = page(client, COMPARED)
    leaning = heat_of(html, "Too high or too low?")
    # Beta errs by 0.5, -0.5, 3.5 and 0 on average, all at reference 5: 0.875 in all.
    assert [cells[1].split()[0] for cells in leaning.values()] == ["+2.62", "−0.38", "−1.38"]
    assert all(re.fullmatch(r"[+−]?\d\.\d\d ±\d\.\d\d n = 20", cells[1]) for cells in leaning.values())
    assert all(cells[2] == "–" for cells in leaning.values())
    assert "joy family alpha 20 0.50 +0.50 " in words(html)
    assert "Zest beta 20 0.00 0.00 −0.88" in words(html)
    assert "Zest gamma" not in words(html), "words need ten ratings"


def test_the_model_page_shows_the_same_cells(client: Client, bank: ItemBank) -> None:
    compared = heat_of(page(client, COMPARED), "Too high or too low?")
    html = page(client, "/models/beta/")
    cells = re.findall(r'<span\s+class="h[^"]*">(.*?)</span><span class="name">(.*?)</span>', html, re.DOTALL)
    found = {strip_tags(name).partition(",")[0]: " ".join(strip_tags(cell).split()) for cell, name in cells}
    assert found == {name: " ".join(own[1].split()[:2]) for name, own in compared.items()}
    assert "Zest" in html


def test_words_of_a_bank_that_is_not_open_give_no_families(client: Client, bank: ItemBank) -> None:
    for access in (Access.WITHHELD, Access.PRIVATE):
        ItemBank.objects.update(access=access)
        refresh_standings()
        cache.clear()
        paths = (f"{COMPARED}&ranking=scenes", "/models/beta/", "/models/beta/errors.csv")
        pages = [client.get(path).content.decode() for path in paths]
        shown = [
            text for text in ("Joy", "joy", "heat-strip", "ferry", "Why: by emotion") for html in pages if text in html
        ]
        assert shown == [], access


def test_a_bank_whose_words_are_in_no_family_shows_no_heat_map(client: Client, bank: ItemBank) -> None:
    Item.objects.update(labels=["Wut", "Trauer", "Freude", "Ruhe"])
    assert "Why: by emotion family" not in page(client, COMPARED)
    assert "heat-strip" not in page(client, "/models/beta/")


def test_each_pair_of_three_stands_in_a_matrix_with_the_verdict_of_the_ranking(client: Client, bank: ItemBank) -> None:
    models = dict(bank.runs.values_list("model__slug", "model_id"))
    table = AheadTable.objects.get()
    order = [models[name] for name in NAMES]
    AheadTable.objects.update(
        model_ids=order,
        packed=np.packbits(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=np.bool_)).tobytes(),
    )
    assert len(table.model_ids) == 3
    html = page(client, COMPARED)
    (matrix,) = re.findall(r'<table\s+class="matrix">.*?</table>', html, re.DOTALL)
    cells = [" ".join(strip_tags(cell).split()) for cell in re.findall(r"<td.*?</td>", matrix, re.DOTALL)][1:]
    assert cells == [
        "–", "tied +20.00 +20.0 to +20.0", "ahead +25.00 +25.0 to +25.0",
        "tied −20.00 −20.0 to −20.0", "–", "tied +5.00 +5.0 to +5.0",
        "behind −25.00 −25.0 to −25.0", "tied −5.00 −5.0 to −5.0", "–",
    ]  # fmt: skip
    assert "<h1>2 of 3 pairs are tied</h1>" in html


def test_two_models_need_no_matrix_and_two_without_a_shared_item_have_no_difference(client: Client) -> None:
    bank = make_bank()
    two_models(bank)
    assert 'class="matrix"' not in page(client, "/compare/?m=alpha&m=beta")
    answered(bank, "early", [9.0, 8.0, None, None, None])
    answered(bank, "late", [None, None, 6.0, 7.0, 8.0])
    refresh_standings()
    assert "no shared items" in words(page(client, "/compare/?m=alpha&m=early&m=late"))


PATHS = ("/items/scenes/1/", "/items/scenes/1/replies/", "/compare/?m=alpha&m=beta")


@pytest.mark.parametrize("path", PATHS)
def test_the_dialogue_is_beside_the_replies_and_folded_above_them_on_a_phone(
    client: Client, bank: ItemBank, path: str
) -> None:
    html = page(client, path)
    line = "A friend: The ferry left without us."
    beside = re.search(r'<div\s+class="beside-text".*?</div>', html, re.DOTALL)
    folded = re.search(r'<details class="data beside-fold">.*?</details>', html, re.DOTALL)
    assert beside is not None
    assert folded is not None
    if path != PATHS[2]:
        assert line in beside[0]
        assert line in folded[0]
    ItemBank.objects.update(access=Access.WITHHELD)
    cache.clear()
    withheld = page(client, path)
    assert line not in withheld
    assert "beside-text" not in withheld
