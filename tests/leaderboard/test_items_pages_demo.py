"""Item pages of a board on which only demonstrations have answered: filled, marked, and left to the first model."""

import re

import pytest
from django.core.cache import cache
from django.db import connection
from django.db.models import Count, Max
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluation.models import ItemBank, Origin, Run
from leaderboard.models import FieldFigures, Standing
from leaderboard.pages.models.field import Stamp, field_of
from leaderboard.pages.shared.measures import ranking_measure
from leaderboard.standings import refresh_standings
from leaderboard.standings.item_figures import item_field
from tests.factories import make_bank
from tests.leaderboard.fields import answered
from tests.leaderboard.pages import board, page, table

pytestmark = [pytest.mark.django_db, pytest.mark.database]

# Demonstrations x items. Item 3 falls while the others rise.
FIELD = ((9.0, 8.0, 1.0), (7.0, 6.0, 3.0), (2.0, 4.0, 8.0))
SENTENCE = (
    "Only demonstrations have answered these items so far: scripted endpoints, not models. The figures only show "
    "how the page works."
)
PATHS = ("/items/scenes/", "/items/scenes/1/")
LIST, ITEM = PATHS
BADGE = '<span class="badge demo">'


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    cache.clear()


@pytest.fixture
def bank() -> ItemBank:
    """Three scenes as a first start leaves them: answered by three demonstrations and one baseline."""
    bank = make_bank(3, slug="scenes", title="Own scenes")
    for at, scores in enumerate(FIELD):
        answered(bank, f"d{at}", scores, origin=Origin.DEMO)
    answered(bank, "constant", [0.0] * 3, origin=Origin.BASELINE)
    refresh_standings()
    return bank


def figures(html: str) -> dict[str, list[str]]:
    """Item -> mean, spread, discrimination and n."""
    return {row[0]: row[-4:] for row in table(html.partition("<h2>All items")[2])[1:]}


def test_the_list_is_filled_from_the_demonstrations_alone(client: Client, bank: ItemBank) -> None:
    html = page(client, LIST)
    # By hand: (9 + 7 + 2) / 3 = 6; squares 9 + 1 + 16 = 26; root of 13.
    assert figures(html)["1"][:2] == ["6.00", "3.61"]
    assert figures(html)["1"][3] == "3"
    assert "<h1>3 items, answered by 3 demonstrations only</h1>" in html
    assert "Each of 3 demonstrations counts once" in html


def test_an_item_is_filled_from_the_demonstrations_alone(client: Client, bank: ItemBank) -> None:
    html = page(client, ITEM)
    assert "<h1>Item 1, answered by 3 demonstrations only</h1>" in html
    assert '<span class="figure-number">6.00</span>10 is best; 3 demonstrations<' in html
    assert "Answers of 3 demonstrations." in html
    assert "answers of 3 demonstrations" in html
    assert '<span class="figure-number">0</span>demonstrations without a score here' in html


@pytest.mark.parametrize("path", PATHS)
def test_the_page_says_before_any_figure_that_no_model_answered(client: Client, bank: ItemBank, path: str) -> None:
    before = page(client, path).partition("6.00")[0]
    assert SENTENCE in before
    assert BADGE in before


def test_each_demonstration_that_is_named_carries_the_badge(client: Client, bank: ItemBank) -> None:
    named = page(client, ITEM).partition("Best on this item")[2]
    rows = re.findall(r'<th scope="row"><a href="/models/(\w+)/">.*?</a> *(.*?)</th>', named, re.DOTALL)
    assert [slug for slug, _ in rows] == ["d0", "d1", "d2"]
    assert all(BADGE in badge for _, badge in rows)


def test_no_finding_on_models_is_drawn_from_demonstrations(client: Client, bank: ItemBank) -> None:
    html = page(client, "/items/scenes/3/")
    assert "<h1>Item 3, answered by 3 demonstrations only</h1>" in html
    assert "models that do well" not in html
    assert figures(page(client, LIST))["3"][2].startswith("below zero −")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("origin", [Origin.MEASURED, Origin.IMPORTED])
def test_demonstrations_leave_the_field_with_the_first_model_and_come_back_after_the_last(
    client: Client, bank: ItemBank, path: str, origin: Origin
) -> None:
    assert "6.00" in page(client, path)
    run = answered(bank, "newcomer", [4.0, 4.5, 5.0], origin=origin)
    refresh_standings(run.pk)
    html = page(client, path)
    assert "4.00" in html
    assert "6.00" not in html
    assert "emonstration" not in html.partition("<main")[2].partition("</main>")[0]
    assert BADGE not in html
    assert FieldFigures.objects.get().figures["medians"] == [4.0, 4.5, 5.0]
    Run.objects.filter(pk=run.pk).update(published=False)
    refresh_standings(run.pk)
    assert not FieldFigures.objects.exists()
    back = page(client, path)
    assert SENTENCE in back
    assert "6.00" in back


def test_a_new_demonstration_shows_at_once(client: Client, bank: ItemBank) -> None:
    assert "6.00" in page(client, LIST)
    answered(bank, "d3", [10.0, 9.0, 1.0], origin=Origin.DEMO)
    # The sum of 18 becomes 28, over four.
    assert figures(board(client, LIST))["1"][0] == "7.00"


def test_an_unpublished_demonstration_never_shows(client: Client) -> None:
    bank = make_bank(1, slug="scenes")
    answered(bank, "secret", [3.0], origin=Origin.DEMO, published=False)
    assert "<h1>1 item, none answered yet</h1>" in board(client, LIST)
    assert "<h1>Item 1, not answered yet</h1>" in page(client, ITEM)


def test_a_baseline_alone_fills_no_page(client: Client) -> None:
    bank = make_bank(1, slug="scenes")
    answered(bank, "constant", [3.0], origin=Origin.BASELINE)
    html = board(client, LIST)
    assert "<h1>1 item, none answered yet</h1>" in html
    assert SENTENCE not in html


def test_the_field_that_others_compare_with_takes_no_demonstration(bank: ItemBank) -> None:
    items = list(bank.items.order_by("number").values_list("pk", flat=True))
    assert item_field("scenes", items).n_models == 0
    stamp = Standing.objects.aggregate(n=Count("pk"), newest=Max("computed_at"))
    field = field_of("scenes", Stamp(stamp["n"], stamp["newest"]), items, ranking_measure("eq-bench-v2"))
    assert (field.n_runs, field.medians) == (0, {})


@pytest.mark.parametrize("path", ["/items/bank-{n}/", "/items/bank-{n}/1/"])
def test_queries_do_not_grow_with_demonstrations_and_items(client: Client, path: str) -> None:
    counts = []
    for n in (3, 9):
        bank = make_bank(n, slug=f"bank-{n}")
        for at in range(n):
            scores = [float((at * number) % 7) for number in range(n)]
            answered(bank, f"demo-{n}-{at}", scores, origin=Origin.DEMO)
        refresh_standings()
        cache.clear()
        with CaptureQueriesContext(connection) as queries:
            page(client, path.format(n=n))
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 12
