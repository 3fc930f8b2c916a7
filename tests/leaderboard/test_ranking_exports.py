"""The files of a ranking, each read back by a parser: the rows of the page, untouched values, nothing that runs."""

import csv
import io
import json
from datetime import UTC, date, datetime
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluation.models import FaultKind, ItemBank, Origin, Status
from leaderboard.models import Standing
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_model, make_run
from tests.leaderboard.pages import board, finished, models, publish

pytestmark = [pytest.mark.django_db, pytest.mark.database]

FIELDS = [
    "rank", "rank_low", "rank_high", "tie_group", "tied_with", "rank_low_all", "rank_high_all", "model", "display_name",
    "slug", "organisation", "open_weights", "params_billion", "origin", "score", "strict_score", "standard_error",
    "interval_low", "interval_high", "approximate", "n_items", "n_scored", "runs", "repeats", "cv_percent", "mmlu",
    "arena_elo", "magi_hard", "measured_on", "run", "added_on", "vouched_by", "other_settings", "scorer_version",
    "needs_rescoring",
]  # fmt: skip
AWKWARD = 'a, "quoted"\nname with / % # and ü'


@pytest.fixture
def bank(db: None) -> ItemBank:
    """A measured model with all facts, one with an awkward name below zero, one without a score, one published."""
    bank = make_bank(slug="scenes", title="Own scenes")
    facts = {"organisation": "Maker", "open_weights": True, "params_billion": 7.24}
    run = finished(
        bank, 61.123456789012345, name="maker/tuned", facts=facts, standard_error=1.5, strict_score=60.0,
        repeats=2, repeat_scores=[61.0, 61.25], finished_at=datetime(2024, 1, 15, 23, 59, tzinfo=UTC),
    )  # fmt: skip
    publish(run.model, "mmlu", 61.1)
    finished(bank, -8.32, name="awkward", facts={"display_name": AWKWARD, "organisation": "=1+1"})
    make_run(
        bank=bank,
        model=make_model("mute"),
        status=Status.FAILED,
        failure_kind=FaultKind.PARSE,
        parse_share=0.2,
        published=True,
    )
    publish(make_model("paper"), "scenes", 50.0)
    refresh_standings()
    Standing.objects.filter(model__name="maker/tuned").update(
        rank_low=1, rank_high=2, tie_group=1, tied_with=1, rank_low_all=1, rank_high_all=3
    )
    return bank


def as_csv(client: Client, query: str = "") -> list[dict[str, str]]:
    response = client.get(f"/rankings/scenes.csv{query}")
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == 'attachment; filename="scenes.csv"'
    return list(csv.DictReader(io.StringIO(response.content.decode(), newline="")))


def strict(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def as_json(client: Client, query: str = "") -> dict[str, Any]:
    response = client.get(f"/rankings/scenes.json{query}")
    assert response["Content-Type"] == "application/json"
    content: dict[str, Any] = json.loads(response.content, parse_constant=strict)
    return content


def as_parquet(client: Client, query: str = "") -> Any:
    return pq.read_table(io.BytesIO(client.get(f"/rankings/scenes.parquet{query}").content))


def test_all_three_files_hold_the_same_rows_under_the_same_names(client: Client, bank: ItemBank) -> None:
    rows, table = as_json(client)["rows"], as_parquet(client)
    assert list(rows[0]) == list(as_csv(client)[0]) == table.column_names == FIELDS
    parquet = [
        {name: value.isoformat() if isinstance(value, date) else value for name, value in row.items()}
        for row in table.to_pylist()
    ]
    assert parquet == rows
    assert [line["model"] for line in as_csv(client)] == [row["model"] for row in rows]
    assert [row["model"] for row in rows] == ["maker/tuned", "paper", "awkward", "mute"]


def test_json_holds_whole_values_and_null_for_what_is_missing(client: Client, bank: ItemBank) -> None:
    content = as_json(client)
    assert {name: content[name] for name in ("ranking", "title", "benchmark", "n_items", "n_rows", "n_all")} == {
        "ranking": "scenes", "title": "Own scenes", "benchmark": "eq-bench-v2", "n_items": 5, "n_rows": 4, "n_all": 4,
    }  # fmt: skip
    assert datetime.fromisoformat(content["computed_at"]).tzinfo is not None
    tuned, paper, _, mute = content["rows"]
    standing = Standing.objects.get(model__name="maker/tuned")
    assert tuned == {
        "rank": 1, "rank_low": 1, "rank_high": 2, "tie_group": 1, "tied_with": 1, "rank_low_all": 1,
        "rank_high_all": 3, "model": "maker/tuned", "display_name": "tuned",
        "slug": standing.model.slug, "organisation": "Maker", "open_weights": True, "params_billion": 7.24,
        "origin": "measured", "score": 61.123456789012345, "strict_score": 60.0, "standard_error": 1.5,
        "interval_low": standing.interval_low, "interval_high": standing.interval_high, "approximate": False,
        "n_items": 5, "n_scored": 5, "runs": 1, "repeats": 2, "cv_percent": standing.cv_percent, "mmlu": 61.1,
        "arena_elo": None, "magi_hard": None, "measured_on": "2024-01-15", "run": standing.run_id,
        "added_on": standing.added_on.isoformat(), "vouched_by": "staff", "other_settings": None,
        "scorer_version": None, "needs_rescoring": False,
    }  # fmt: skip
    assert (mute["score"], mute["rank"], mute["origin"]) == (None, None, "measured")
    assert (paper["score"], paper["rank"], paper["run"], paper["measured_on"]) == (50.0, 2, None, None)


def test_csv_quotes_every_cell_guards_text_and_leaves_numbers_numbers(client: Client, bank: ItemBank) -> None:
    tuned, _, awkward, mute = as_csv(client)
    assert awkward["display_name"] == AWKWARD
    assert awkward["organisation"] == "'=1+1"
    assert awkward["score"] == "-8.32"
    assert float(tuned["score"]) == 61.123456789012345
    assert (tuned["open_weights"], tuned["measured_on"], mute["score"]) == ("true", "2024-01-15", "")
    raw = client.get("/rankings/scenes.csv").content.decode()
    assert raw.startswith('"rank","rank_low",')
    assert '"-8.32"' in raw


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"])
def test_no_text_of_a_csv_file_begins_like_a_formula(client: Client, db: None, sign: str) -> None:
    finished(make_bank(slug="scenes"), 50.0, name="x", facts={"display_name": f"{sign}1+1", "organisation": f"{sign}A"})
    refresh_standings()
    (line,) = as_csv(client)
    seen = "[U+000D]" if sign == "\r" else sign
    assert (line["display_name"], line["organisation"]) == (f"'{seen}1+1", f"'{seen}A")
    (row,) = as_json(client)["rows"]
    assert row["display_name"] == f"{sign}1+1"


def test_parquet_columns_are_typed(client: Client, bank: ItemBank) -> None:
    schema = as_parquet(client).schema
    kinds = {name: str(schema.field(name).type) for name in ("rank", "score", "open_weights", "measured_on", "model")}
    assert kinds == {
        "rank": "int32", "score": "double", "open_weights": "bool", "measured_on": "date32[day]", "model": "string",
    }  # fmt: skip
    assert json.loads(schema.metadata[b"ranking"])["ranking"] == "scenes"


@pytest.mark.parametrize(
    "query", ["?weights=open", "?q=a&sort=-score", "?sort=score", "?sort=-mmlu&origin=measured", "?q=zzz"]
)
def test_a_file_holds_the_rows_of_the_page_in_its_order(client: Client, bank: ItemBank, query: str) -> None:
    html = client.get(f"/rankings/scenes/{query}").content.decode()
    shown = models(html) if "<table" in html else []
    names = [row["display_name"] for row in as_json(client, query)["rows"]]
    assert len(shown) == len(names) == len(as_csv(client, query)) == as_parquet(client, query).num_rows
    joined = [" ".join(row) for row in shown]
    assert all(" ".join(name.split()) in row for name, row in zip(names, joined, strict=True))


def test_a_file_holds_all_pages_and_the_links_to_it_keep_filters_and_order_only(client: Client, db: None) -> None:
    bank = make_bank(slug="scenes")
    for score in range(203):
        finished(bank, float(score))
    html = board(client, "/rankings/scenes/?q=model&sort=score&page=2&c=cv&pin=x")
    assert 'href="/rankings/scenes.csv?q=model&amp;sort=score"' in html
    assert 'href="/rankings/scenes.parquet?q=model&amp;sort=score"' in html
    rows = as_json(client, "?q=model&sort=score&page=2")["rows"]
    assert len(rows) == 203
    assert rows[0]["score"] == 0.0


def test_demonstrations_are_in_a_file_only_when_asked_for(client: Client, bank: ItemBank) -> None:
    finished(bank, 99.0, name="scripted", origin=Origin.DEMO)
    refresh_standings()
    assert "scripted" not in [row["model"] for row in as_json(client)["rows"]]
    assert "scripted" in [row["model"] for row in as_json(client, "?demo=1")["rows"]]


def test_what_is_not_public_is_in_no_file(client: Client, bank: ItemBank) -> None:
    finished(bank, 99.0, name="hidden", published=False)
    refresh_standings()
    assert b"hidden" not in client.get("/rankings/scenes.json").content
    for ending in ("csv", "json", "parquet"):
        assert client.get(f"/rankings/unknown.{ending}").status_code == 404


def test_a_file_takes_few_queries_and_is_not_sent_twice(client: Client, bank: ItemBank) -> None:
    with CaptureQueriesContext(connection) as captured:
        first = client.get("/rankings/scenes.csv")
    assert len(captured) <= 12
    assert client.get("/rankings/scenes.csv", headers={"if-none-match": first["ETag"]}).status_code == 304
    assert client.post("/rankings/scenes.csv").status_code == 405
