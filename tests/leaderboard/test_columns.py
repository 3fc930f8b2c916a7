"""Every column of every ranking: it sorts both ways on the page as in the files, has a tick box or stands anyway, is
in the legend, and its fields are in the files and on the page of the API.
"""

import csv
import io
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.test import Client

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Measure
from evaluation.models import ItemBank, Origin
from evaluation.published_tables import PUBLISHED
from leaderboard.api.schemas import RowOut
from leaderboard.models import Standing
from leaderboard.pages.rankings import selection
from leaderboard.pages.rankings.asked import RankingRequest, known_columns
from leaderboard.pages.rankings.column import Column, Look
from leaderboard.pages.rankings.columns import (
    COMMON,
    REFERENCES,
    RIBBON,
    benchmarks_of,
    columns_of,
    every_column,
    fields_of,
    of_measure,
)
from leaderboard.pages.rankings.directory import Ranking, described, loaded_banks
from leaderboard.pages.rankings.rows import ModelCells, RankingRow, full_rows
from leaderboard.pages.rankings.selection import selected, shown
from leaderboard.pages.rankings.sorting import in_order, order_of
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_model
from tests.leaderboard.pages import board, content_of, finished, page, publish

pytestmark = [pytest.mark.django_db, pytest.mark.database]

RANKINGS = [Ranking(name, "", name, None, 171, "") for name in (*BENCHMARKS, *PUBLISHED, "figures-of-nobody-here")]
ALL = [pytest.param(column, id=f"{each.key}-{column.key}") for each in RANKINGS for column in columns_of(each)]
OWN = columns_of(RANKINGS[0])  # of the ranking of `bank`
SORTING = [column for column in OWN if column.sorts]


@pytest.fixture
def bank(db: None) -> ItemBank:
    """Four models that differ in every value that sorts, one of which hardly anything is known, and two ties."""
    bank = make_bank(slug="scenes", title="Own scenes")
    for at, name in enumerate(("Bee", "ant", "cat", "Dog")):
        facts = {"params_billion": (3.0, 70.0, 7.0, 7.0)[at], "organisation": f"M{at}", "open_weights": at != 1}
        run = finished(
            bank, (60.0, 50.0, 70.0, 60.0)[at], name=name, facts=facts, strict_score=(58.0, 50.0, 57.0, 58.0)[at],
            n_scored=(3, 5, 4, 4)[at], repeats=2,
            repeat_scores=[[60.0, 61.0], [50.0, 50.5], [70.0, 75.0], [60.0, 61.0]][at],
            finished_at=datetime(2024, 1, (5, 9, 1, 5)[at], tzinfo=UTC), origin=Origin.MEASURED,
        )  # fmt: skip
        for benchmark, value in (("mmlu", 50.0), ("arena_elo", 1000.0), ("magi_hard", 40.0)):
            publish(run.model, benchmark, value + (2, 1, 3, 2)[at])
    publish(make_model("paper"), "scenes", 55.0)
    refresh_standings()
    Standing.objects.filter(model__name="cat").update(added_on=date(2024, 2, 1))
    return bank


@pytest.mark.parametrize("column", ALL)
def test_every_column_is_in_the_legend_or_in_files_alone(column: Column) -> None:
    if column.cell or column.optional:
        assert column.legend_term
        assert column.note.endswith(".")
        assert column.choice or column.key == "ribbon"
    else:
        assert column.fields
        assert not column.sorts
    assert all(field.note for field in column.fields)


@pytest.mark.parametrize("column", ALL)
def test_every_column_stands_for_one_value_of_a_row(column: Column) -> None:
    """A row without anything is written without an error; a column that sorts has a name for that."""
    bare = RankingRow(ModelCells("a", "m/a", "a", ""), "measured", None)
    assert isinstance(column.text(bare), str)
    if column.sorts:
        assert column.order_name
        assert column.value(bare) in (None, "a")


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("column", SORTING, ids=lambda column: column.key)
def test_every_column_sorts_the_same_whole_and_by_page(
    bank: ItemBank, column: Column, descending: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selection, "PAGE_SIZE", 2)
    sort = f"-{column.key}" if descending else column.key
    whole = selected("scenes", RankingRequest(sort=sort))
    assert whole is not None
    slugs = [row.model.slug for row in whole.rows or ()]
    pages = [shown("scenes", RankingRequest(sort=sort, page=str(at)), ()) for at in (1, 2, 3)]
    assert [each.row.model.slug for found in pages if found for each in found.page] == slugs
    assert len(set(slugs)) == 5
    values = [column.value(row) for row in whole.rows or ()]
    known: list[Any] = [value.casefold() if isinstance(value, str) else value for value in values if value is not None]
    assert known == sorted(known, reverse=descending)
    assert values[len(known) :] == [None] * (len(values) - len(known))
    assert len(set(known)) > 1


@pytest.mark.parametrize("column", SORTING, ids=lambda column: column.key)
def test_every_sorted_column_is_on_the_page_and_in_the_files_in_its_order(
    client: Client, bank: ItemBank, column: Column
) -> None:
    html = page(client, f"/?sort=-{column.key}&c=none")
    assert f'aria-sort="descending"><a id="sort-{column.key}"' in html
    rows = csv.DictReader(io.StringIO(content_of(client.get(f"/rankings/scenes.csv?sort=-{column.key}")), newline=""))
    names = [row["display_name"] for row in rows]
    places = [html.index(f"<bdi>{name}</bdi></a>") for name in names]
    assert places == sorted(places)


def test_every_tick_box_shows_its_column_and_the_legend_has_all(client: Client, bank: ItemBank) -> None:
    html = board(client)
    legend = html.partition('id="columns"')[2].partition("</section>")[0]
    for column in OWN:
        key = column.key
        if column.optional:
            (box,) = [line for line in html.split("<label>") if f'name="c" value="{key}"' in line]
            assert (" checked" in box.partition("</label>")[0]) == column.shown
            assert f">{column.choice}</label>" in box
            chosen = page(client, f"/?c={key}")
            assert (f'id="sort-{key}"' in chosen.partition("</thead>")[0]) == column.sorts
        if column.note and column is not RIBBON:  # no ranges are known here, so no row is shaded
            assert f"<dt>{column.legend_term}</dt>" in legend


def test_what_an_address_may_name_are_the_columns_and_no_others() -> None:
    assert set(known_columns()) == {column.key for column in every_column().values() if column.optional}
    assert {column.key for column in columns_of(RANKINGS[0]) if column.optional} <= set(known_columns())
    assert order_of("-settings", columns_of(RANKINGS[0])).param == "rank"


def test_every_field_is_in_the_files_of_its_ranking_once(client: Client, bank: ItemBank) -> None:
    names = [field.name for field in fields_of(columns_of(RANKINGS[0]))]
    assert len(set(names)) == len(names)
    (first, *_) = client.get("/rankings/scenes.json").json()["rows"]
    assert list(first) == names
    assert all(f"<code>{name}</code>" in page(client, "/api/") for name in names)


def test_every_field_of_a_column_is_in_the_rows_of_the_api() -> None:
    """What is new for all rankings has to be named in the API as well. Published figures stand with the models there,
    and those of a benchmark in `figures`."""
    others = {"slug": "model", "runs": "runs_used"}  # the same under another name
    own = [column for column in COMMON if column.key not in REFERENCES]
    names = {others.get(field.name, field.name) for field in fields_of(own)}
    assert {*names, "score", "strict_score", "figures"} <= {*RowOut.model_fields}


def test_a_light_row_is_the_full_one_as_far_as_it_was_read(bank: ItemBank) -> None:
    ranking = described("scenes", loaded_banks())
    columns = columns_of(ranking)
    full = {row.model.slug: row for row in full_rows("scenes", benchmarks_of(columns))}
    for column in filter(lambda column: column.sorts, columns):
        order = order_of(column.key, columns)
        light = selection.light_of(ranking, columns, order, RankingRequest(weights="open", min_items=1))
        assert len(light) == len(full) == 5
        for row in light:
            same = full[row.model.slug]
            assert column.value(row) == column.value(same)
            assert (row.model.weights, row.n_scored) == (same.model.weights, same.n_scored)
            assert row[1 : row._fields.index("tied_with")] == same[1 : row._fields.index("tied_with")]


def test_a_measure_of_which_less_is_better_sorts_upwards_first_and_the_legend_says_what_it_is() -> None:
    measure = Measure("distance", "Distance", "points", 1, "lower", note="Mean distance from the people.")
    column = of_measure(measure)
    rows = [
        RankingRow(ModelCells(name, name, name, ""), "measured", 1.0, figures={"distance": value})
        for name, value in (("a", 2.0), ("b", 1.0))
    ]
    assert [row.model.name for row in in_order(rows, column, measure, descending=not column.upwards_first)] == [
        "b",
        "a",
    ]
    assert (column.text(rows[0]), column.legend_term, column.unit) == ("2.0", "Distance", "low is good")


def test_what_the_rows_decide_is_said_by_the_columns() -> None:
    without = {column.key: column for column in columns_of(RANKINGS[0], Look(False, False, False))}
    approximate = {column.key: column for column in columns_of(RANKINGS[0], Look(all_approximate=True))}
    assert "ribbon" not in without
    assert without["rank"].note == "By score; equal scores share a rank."
    assert "typical error" in approximate["rank"].note
    assert (without["score"].unit, approximate["score"].unit) == ("points", "± 95 %")
    assert without["items"].unit == "of 171"
