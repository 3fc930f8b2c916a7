"""The state of the rankings page in its address: filters, columns, pins, marks, and the form that writes it."""

import re
from datetime import UTC, datetime

import pytest
from django.core.cache import cache
from django.test import Client

from evaluation.models import FaultKind, ItemBank, Origin, Status
from leaderboard.models import Standing
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_model, make_run
from tests.leaderboard.pages import board, finished, models, page, publish, table
from tests.leaderboard.seceu_board import seceu_bank

pytestmark = [pytest.mark.django_db, pytest.mark.database]

MODEL = 2


@pytest.fixture
def bank(db: None) -> ItemBank:
    return make_bank(slug="scenes", title="Own scenes")


def names(html: str) -> list[str]:
    """The models of the board from top to bottom, without origin and maker."""
    return [next(cell.split()[1] for cell in row if cell.startswith(ORIGINS)) for row in models(html)]


ORIGINS = ("measured ", "imported ", "published ")
FACTS = {"organisation": "Maker", "open_weights": True, "params_billion": 7.0}
OTHER_FACTS = {"organisation": "Other", "open_weights": False, "params_billion": 70.0}


@pytest.fixture
def mixed(bank: ItemBank) -> ItemBank:
    """Three models: one of Maker from 2024, one of Other from 2023 with a gap, one of which nothing is known."""
    finished(bank, 70.0, name="open", facts=FACTS, finished_at=datetime(2024, 5, 1, tzinfo=UTC))
    imported = {"origin": Origin.IMPORTED, "n_scored": 4, "finished_at": datetime(2023, 5, 1, tzinfo=UTC)}
    finished(bank, 60.0, name="closed", facts=OTHER_FACTS, **imported)
    publish(make_model("paper"), "scenes", 50.0)
    refresh_standings()
    return bank


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("", ["open", "closed", "paper"]),
        ("org=Maker", ["open"]),
        ("weights=open", ["open"]),
        ("weights=closed", ["closed"]),
        ("size=-8", ["open"]),
        ("size=40-", ["closed"]),
        ("size=7-70", ["closed"]),
        ("origin=imported", ["closed"]),
        ("origin=published", ["paper"]),
        ("since=2024-01-01", ["open"]),
        ("since=2023-05-01", ["open", "closed"]),
        ("items=5", ["open"]),
        ("items=4", ["open", "closed"]),
        ("answers=1", ["open", "closed"]),
        ("answers=1&origin=published", []),
        ("weights=open&q=clo", []),
        ("org=Maker&size=-8&since=2024-01-01&items=5&origin=measured&weights=open&q=op", ["open"]),
    ],
)
def test_a_filter_leaves_the_models_that_are_known_to_pass_it(
    client: Client, mixed: ItemBank, query: str, left: list[str]
) -> None:
    html = page(client, f"/?{query}")
    assert names(html) == left
    assert (f"{len(left)} of 3 rows match" in html) == bool(query)


@pytest.mark.parametrize(
    "query",
    [
        "weights=ajar", "size=big", "size=9-3", "size=nan-", "size=1e9-", "origin=dreamt", "since=yesterday",
        "since=2024-13-01", "items=many", "items=-3", "items=\u0663", "c=nonsense", "org=%00", "size=-",
    ],
)  # fmt: skip
def test_a_filter_that_makes_no_sense_is_no_filter(client: Client, mixed: ItemBank, query: str) -> None:
    html = page(client, f"/?{query}")
    assert names(html) == ["open", "closed", "paper"]
    assert "3 ranked, 3 in all" in html


def test_a_filter_that_is_taken_back_leaves_the_same_page_as_before(client: Client, mixed: ItemBank) -> None:
    before = page(client, "/?sort=-score")
    filtered = page(client, "/?weights=open&sort=-score")
    assert names(filtered) != names(before)
    (back,) = re.findall(r'<a href="([^"]*)" hx-boost="false">Clear filters</a>', filtered)
    assert page(client, f"/{back}") == before


@pytest.mark.parametrize(
    ("query", "left"), [("size=-1023.5", ["small"]), ("size=10000-", []), ("size=0.00001-", ["small", "big"])]
)
def test_every_size_that_an_address_may_name_is_kept_by_its_links(
    client: Client, bank: ItemBank, query: str, left: list[str]
) -> None:
    finished(bank, 70.0, name="small", facts={"params_billion": 7.0})
    finished(bank, 60.0, name="big", facts={"params_billion": 1023.7})
    refresh_standings()
    low, high = query.removeprefix("size=").split("-")
    response = client.get(f"/rankings/scenes/?apply=1&size_from={low}&size_to={high}")
    assert response["Location"] == f"/rankings/scenes/?{query}"
    html = page(client, response["Location"])
    assert names(html) == left
    assert set(re.findall(r'href="/rankings/scenes\.csv\?([^"]*)"', html)) == ({query} if left else set())


def test_the_form_leads_to_the_short_address_of_what_was_chosen(client: Client, mixed: ItemBank) -> None:
    sent = (
        "apply=1&q=&org=Maker&weights=&size=&origin=&since=&items="
        "&columns=origin+strict+items+cv+mmlu+arena_elo+magi_hard+date&c=origin&c=items&c=mmlu&c=arena_elo"
        "&c=magi_hard&c=date&sort=rank&pin=a"
    )
    assert client.get(f"/rankings/scenes/?{sent}")["Location"] == "/rankings/scenes/?org=Maker&pin=a"
    assert client.get("/?apply=1&q=&sort=rank")["Location"] == "/"
    assert client.get("/?apply=1&answers=1&sort=rank")["Location"] == "/?answers=1"
    assert client.get("/?apply=1&columns=1")["Location"] == "/?c=none"
    assert client.get("/?apply=1&columns=origin+strict+mmlu")["Location"] == "/?c=none"
    assert client.get("/?apply=1&columns=origin+strict+mmlu&c=origin&c=mmlu")["Location"] == "/"
    assert client.get("/?apply=1&columns=origin+strict+mmlu&c=origin&c=strict")["Location"] == "/?c=origin&c=strict"
    assert client.get("/?apply=1&columns=1&c=date&c=strict&sort=-date&q=a%26b")["Location"] == (
        "/?q=a%26b&sort=-date&c=strict&c=date"
    )


def test_the_form_shows_what_the_address_asks_for(client: Client, mixed: ItemBank) -> None:
    query = "q=op&org=Maker&weights=open&size=1-9&origin=measured&since=2024-01-31&items=3&answers=1"
    html = page(client, f"/?{query}&sort=-mmlu&c=cv&pin=x&demo=1")
    for chosen in (
        'name="q" value="op"',
        "<option selected>Maker</option>",
        '<option value="open" selected>',
        'aria-current="true">1 to 9<span class="unit"> B</span>',
        'name="size_from" min="0" step="any" value="1"',
        'name="size_to" min="0" step="any" value="9"',
        '<option value="measured" selected>',
        'type="date" name="since" value="2024-01-31"',
        'name="items" min="0" max="100000" value="3"',
        '<option value="-mmlu" selected>',
        'name="c" value="cv" checked',
        'name="pin" value="x"',
        'name="demo" value="1"',
        'name="answers" value="1" checked',
        "Filters · 7 set",
    ):
        assert chosen in html
    assert 'name="c" value="mmlu" checked' not in html


def test_columns_are_chosen_by_the_address_and_kept_by_its_links(client: Client, bank: ItemBank) -> None:
    finished(bank, 60.0, name="one", strict_score=58.123, repeat_scores=[59.0, 61.0], repeats=2)
    html = board(client, "/?c=strict&c=cv")
    head, row = table(html)[0], next(row for row in table(html) if "one" in row[2:3])
    assert [cell.split()[0] for cell in head if cell] == [
        "Mark", "Rank", "Model", "Size", "Score", "Score", "Strict", "Repeats",
    ]  # fmt: skip
    assert row[-2:] == ["58.12", "2 · 2.4 %"]
    assert 'href="?sort=-score&amp;c=strict&amp;c=cv"' in html
    assert 'class="badge' not in html.partition("<tbody")[2].partition("</table>")[0]


def test_a_filtered_table_still_marks_who_is_tied_with_the_leader_of_all(client: Client, bank: ItemBank) -> None:
    for name, score in (("a", 60.0), ("b", 50.0), ("c", 40.0)):
        finished(bank, score, name=name)
    refresh_standings()
    Standing.objects.update(rank_low=1, rank_high=3, tie_group=1)
    Standing.objects.filter(model__name="c").update(tie_group=2)
    assert '<tr class="tied">' in page(client, "/?q=b")
    assert '<tr class="tied">' not in page(client, "/?q=c")


def test_a_pinned_model_stands_on_top_as_well_whatever_the_filters_leave(client: Client, mixed: ItemBank) -> None:
    slug = Standing.objects.get(model__name="closed").model.slug
    html = page(client, f"/?weights=open&pin={slug}&pin=unknown")
    assert names(html) == ["closed", "open"]
    assert table(html)[1] == ["Pinned · always on top, whatever the filters"]
    assert "1 of 3 rows match" in html
    assert 'href="?weights=open&amp;pin=unknown" hx-boost="true" aria-label="Unpin closed"' in html
    plain = page(client, "/?weights=open")
    other = Standing.objects.get(model__name="open").model.slug
    assert f'href="?weights=open&amp;pin={other}" hx-boost="true" aria-label="Pin open"' in plain


def test_marked_models_are_ticked_or_taken_along_and_go_to_the_comparison(client: Client, mixed: ItemBank) -> None:
    one, two = (Standing.objects.get(model__name=name).model.slug for name in ("open", "closed"))
    html = page(client, f"/?weights=open&m={one}&m={two}")
    assert re.search(f'<input type="checkbox" form="compare" name="m" value="{one}"[^>]* checked>', html)
    assert f'<input type="hidden" name="m" value="{two}">' in html
    assert 'id="compare" method="get" action="/compare/"' in html
    assert f"m={one}" in html.partition('id="sort-model" href="')[2].partition('"')[0]


def test_a_published_score_cannot_be_marked(client: Client, mixed: ItemBank) -> None:
    html = page(client, "/?origin=published")
    assert 'type="checkbox" form="compare"' not in html


@pytest.mark.parametrize("status", [Status.RUNNING, Status.FAILED, Status.FINISHED])
def test_a_run_leads_to_its_ranking_also_while_that_has_no_row(client: Client, status: Status) -> None:
    bank = seceu_bank()
    kind = FaultKind.PARSE if status == Status.FAILED else ""
    run = make_run(
        bank=bank, benchmark="seceu-shuffled", status=status, published=True, failure_kind=kind,
        limit=2 if status == Status.FINISHED else None,
    )  # fmt: skip
    refresh_standings()
    assert 'href="/rankings/seceu--seceu-shuffled/"' in page(client, f"/runs/{run.pk}/")
    text = page(client, "/rankings/seceu--seceu-shuffled/")
    assert (run.model.display_name in text) == (status == Status.FAILED)
    assert client.get("/charts/seceu--seceu-shuffled/").status_code == 200
    assert client.get("/rankings/seceu--seceu-shuffled.csv").status_code == 200
    for key in ("seceu--seceu", "seceu--seceu-direct", "seceu--", "seceu--x"):
        assert client.get(f"/rankings/{key}/").status_code == 404, key
    run.published = False
    run.save()
    cache.clear()
    assert client.get("/rankings/seceu--seceu-shuffled/").status_code == 404
