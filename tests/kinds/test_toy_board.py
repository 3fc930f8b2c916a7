"""A board of a benchmark whose score is better the lower it is: everywhere the right way up."""

import csv
import io
import json
import re
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from django.test import Client

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Measure
from evaluation.models import ItemBank, ItemResult, Origin, Run
from evaluation.published_tables import PUBLISHED, PublishedTable
from evaluation.states import ItemState
from leaderboard.models import ItemAnswers, RankingDay, Standing
from leaderboard.pages.rankings.directory import described, loaded_banks
from leaderboard.standings import ranking_key, refresh_standings
from leaderboard.standings.ahead import ahead_among
from leaderboard.standings.orders import unpacked
from tests.factories import make_bank, make_model
from tests.kinds.toy import TOY_CHOICES, TOY_MINUTES
from tests.leaderboard.pages import content_of, finished, models, page, publish

pytestmark = [pytest.mark.django_db, pytest.mark.database]

N = 40
MISSES = {"Dog": 9.0, "Amber": 2.0, "Cat": 6.0, "Bee": 3.5}


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    for benchmark in (TOY_MINUTES, TOY_CHOICES):
        monkeypatch.setitem(BENCHMARKS, benchmark.name, benchmark)


def missing(bank: ItemBank, name: str, misses: list[float], **fields: Any) -> Run:
    """A run that is off by so many minutes on each item."""
    score = sum(misses) / len(misses)
    figures = {
        "miss": {"value": score, "error": 0.2, "n": len(misses)},
        "close": {"value": 100 * sum(miss <= 5 for miss in misses) / len(misses), "error": None, "n": len(misses)},
        "longest": {"value": max(misses), "error": None, "n": len(misses)},
    }
    defaults = {"standard_error": 0.2, "finished_at": datetime(2026, 1, 2, tzinfo=UTC), "scorer_version": "toy/1"}
    run = finished(bank, score, name=f"maker/{name}", figures=figures, **{**defaults, **fields})
    ItemResult.objects.bulk_create(
        ItemResult(run=run, item=item, state=ItemState.READ, reading="number", answer=[miss], score=miss)
        for item, miss in zip(bank.items.order_by("number"), misses, strict=True)
    )
    return run


@pytest.fixture
def bank(db: None) -> ItemBank:
    bank = make_bank(N, slug="minutes", benchmark="toy-minutes", title="Minutes")
    noise = np.random.default_rng(3).uniform(-1, 1, (len(MISSES), N))
    noise -= noise.mean(axis=1, keepdims=True)
    for (name, miss), own in zip(MISSES.items(), noise, strict=True):
        missing(bank, name, [round(float(miss + each), 6) for each in own])
    for name, score in (("Always answers 3", 7.0), ("Always answers 5", 5.0)):
        finished(bank, score, name=name, origin=Origin.BASELINE, settings={"baseline": "constant"})
    refresh_standings()
    return bank


BEST_FIRST = ["Amber", "Bee", "Cat", "Dog"]


def test_ranks_ranges_and_ties_have_the_lowest_score_first(bank: ItemBank) -> None:
    rows = {row.model.display_name: row for row in Standing.objects.filter(rank__isnull=False).select_related("model")}
    assert sorted(rows, key=lambda name: rows[name].rank or 0) == BEST_FIRST
    assert {name: (row.rank_low, row.rank_high) for name, row in rows.items()} == {
        name: (at, at) for at, name in enumerate(BEST_FIRST, 1)
    }
    table = ahead_among("minutes", [rows[name].model_id for name in BEST_FIRST])
    assert table is not None
    assert (table == np.triu(np.ones((4, 4), dtype=bool), 1)).all()
    assert rows["Amber"].score == pytest.approx(2.0)
    assert rows["Dog"].interval_low is not None
    assert rows["Dog"].interval_low < 9 < (rows["Dog"].interval_high or 0)


def test_the_table_has_the_best_on_top_and_every_figure_in_its_column(client: Client, bank: ItemBank) -> None:
    html = page(client, "/rankings/minutes/")
    rows = models(html)
    # Among the models stand the baselines, where their scores put them.
    assert [re.search(r"Amber|Bee|Cat|Dog|Always answers \d", " ".join(row))[0] for row in rows] == [  # type: ignore[index]
        "Amber", "Bee", "Always answers 5", "Cat", "Always answers 3", "Dog",
    ]  # fmt: skip
    assert [key for key in FIELDS if f'id="sort-{key}"' in html] == [*FIELDS]
    assert 'id="sort-close"' not in page(client, "/rankings/minutes/?c=longest")
    assert "Mean distance to the true number of minutes." in html
    assert "2.0" in html.partition('data-points="')[2].partition('"')[0], "the picture says the scores in their digits"
    assert 'id="sort-strict"' not in html
    assert "Amber leads 3 other models" in html


@pytest.mark.parametrize(
    ("sort", "names"),
    [("miss", BEST_FIRST), ("-miss", BEST_FIRST[::-1]), ("-close", BEST_FIRST), ("longest", BEST_FIRST)],
)
def test_the_table_sorts_by_each_figure(client: Client, bank: ItemBank, sort: str, names: list[str]) -> None:
    rows = models(page(client, f"/rankings/minutes/?sort={sort}"))
    found = [name for row in rows for name in names if any(name in cell for cell in row)]
    assert found == names


def test_a_click_on_a_head_of_which_less_is_better_sorts_upwards_first(client: Client, bank: ItemBank) -> None:
    html = page(client, "/rankings/minutes/")
    assert 'id="sort-miss" href="?sort=miss"' in html
    assert 'id="sort-close" href="?sort=-close"' in html


def test_the_comparison_puts_the_lower_score_ahead_and_says_by_how_much_it_is_better(
    client: Client, bank: ItemBank
) -> None:
    slugs = [Standing.objects.get(model__display_name=name).model.slug for name in ("Dog", "Amber")]
    html = page(client, f"/compare/?m={slugs[0]}&m={slugs[1]}&ranking=minutes")
    text = " ".join(re.sub(r"<[^>]*>", " ", html).split())
    assert "By 7.00 minutes over 40 shared items." in text
    assert "Better on 40 items, worse on 0." in text
    assert text.index("Amber") < text.index("By 7.00 minutes")


def test_the_models_to_choose_from_are_the_best_first(client: Client, bank: ItemBank) -> None:
    html = page(client, "/compare/?ranking=minutes").partition("<table")[2]
    assert sorted(BEST_FIRST, key=html.index) == BEST_FIRST


def chart(client: Client, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(page(client, f"/charts/minutes/{name}.json"))
    return found


def test_the_chart_has_the_best_first_and_above(client: Client, bank: ItemBank) -> None:
    found = chart(client, "scores")
    axis = found["figure"]["layout"]["yaxis"]["range"]
    assert axis[0] > axis[1]
    (dots,) = [trace for trace in found["figure"]["data"] if trace.get("mode") == "markers"]
    assert dots["y"] == pytest.approx(sorted(MISSES.values()))
    assert [text.partition("<br>")[0] for text in dots["text"]] == BEST_FIRST
    assert "2.0 ± " in dots["text"][0]
    assert "minutes" in dots["text"][0]
    assert found["title"] == "No other score lies within the interval of Amber"
    titles = [each["text"] for each in found["figure"]["layout"]["annotations"]]
    assert "mean miss, minutes; lower is better" in titles
    rows = list(csv.DictReader(io.StringIO(content_of(client.get("/charts/minutes/scores.csv")))))
    assert [row["model"] for row in rows] == BEST_FIRST


def test_the_best_so_far_falls_and_the_easiest_item_is_that_with_the_least_miss(client: Client, bank: ItemBank) -> None:
    days = {"Dog": (2023, 1, 1), "Cat": (2023, 6, 1), "Amber": (2024, 1, 1), "Bee": (2024, 6, 1)}
    for row in Standing.objects.select_related("model").filter(rank__isnull=False):
        row.model.released_on = datetime(*days[row.model.display_name], tzinfo=UTC).date()
        row.model.save()
    assert chart(client, "release")["title"] == (
        "Where dates are known, the best score fell from 9.0 (1 Jan 2023) to 2.0 (1 Jan 2024) in 2 steps"
    )
    found = chart(client, "items")
    means = {
        item.number: sum(result.score or 0 for result in item.results.all()) / 4
        for item in bank.items.prefetch_related("results")
    }
    hardest, easiest = max(means, key=lambda at: means[at]), min(means, key=lambda at: means[at])
    assert found["title"].startswith(f"Item {hardest} is the hardest for these 4 models")
    assert found["title"].endswith(f"for item {easiest}")
    assert found["how"].endswith("Colour: from 10 or more (pale) to 0 (full); amber: not read.")
    heat = found["figure"]["data"][0]
    assert heat["y"] == BEST_FIRST
    assert heat["colorscale"][0] == [0, "--accent"]


def test_the_badge_and_the_card_show_score_and_rank_of_the_best(client: Client, bank: ItemBank) -> None:
    slug = Standing.objects.get(model__display_name="Amber").model.slug
    html = content_of(client.get(f"/models/{slug}/badge.svg"))
    assert "Minutes: 2.0" in html
    assert "rank 1 of 4" in html
    html = page(client, f"/models/{slug}/")
    assert '<span class="figure-number">2.0</span>' in html


def test_the_feed_names_the_unit_of_the_benchmark(client: Client, bank: ItemBank) -> None:
    text = content_of(client.get("/feed.atom"))
    assert "Amber: 2.0 on Minutes" in text
    assert "A new measured result of maker/Amber: 2.0 ± 0.4 minutes on Minutes, 40 of 40 items scored." in text


FIELDS = ("miss", "close", "longest")


def test_the_files_hold_each_figure_under_its_own_name(client: Client, bank: ItemBank) -> None:
    rows = list(csv.DictReader(io.StringIO(content_of(client.get("/rankings/minutes.csv")), newline="")))
    ranked = [row for row in rows if row["rank"]]
    assert [(row["display_name"], row["rank"]) for row in ranked] == [
        (n, str(at)) for at, n in enumerate(BEST_FIRST, 1)
    ]
    assert [float(ranked[0][name]) for name in FIELDS] == [
        pytest.approx(2.0), 100.0, pytest.approx(max(values_of("Amber"))),
    ]  # fmt: skip
    assert "score" not in ranked[0]
    assert "strict_score" not in ranked[0]
    (first, *_) = client.get("/rankings/minutes.json").json()["rows"]
    assert {name: first[name] for name in FIELDS} == {name: float(ranked[0][name]) for name in FIELDS}
    table = pq.read_table(io.BytesIO(client.get("/rankings/minutes.parquet").content))
    assert [table.schema.field(name).type for name in FIELDS] == ["double"] * 3
    assert table.column("display_name").to_pylist()[0] == "Amber"


def values_of(name: str) -> list[float]:
    scores = ItemResult.objects.filter(run__model__display_name=name).values_list("score", flat=True)
    return [score for score in scores if score is not None]


def test_the_api_has_the_best_first_with_its_figures(client: Client, bank: ItemBank) -> None:
    rows = client.get("/api/v1/rankings/minutes").json()["results"]
    assert [row["display_name"] for row in rows] == [*BEST_FIRST, "Always answers 5", "Always answers 3"]
    assert rows[0]["figures"] == {"close": 100.0, "longest": pytest.approx(max(values_of("Amber")))}
    assert (rows[0]["score"], rows[0]["strict_score"]) == (pytest.approx(2.0), None)


def test_an_item_names_the_lowest_miss_as_the_best(bank: ItemBank) -> None:
    for counts in ItemAnswers.objects.filter(field__ranking="minutes"):
        best = Run.objects.get(pk=counts.counts["best"][0])
        worst = Run.objects.get(pk=counts.counts["worst"][0])
        rows = ItemResult.objects.filter(item=counts.item_id, score__isnull=False).values_list("run_id", "score")
        scores = {pk: score or 0.0 for pk, score in rows}
        assert scores[best.pk] == min(scores.values())
        assert scores[worst.pk] == max(scores.values())


def test_a_second_run_makes_the_mean_of_both(bank: ItemBank) -> None:
    model = Standing.objects.get(model__display_name="Amber").model
    old = values_of("Amber")
    run = missing(bank, "", [value + 20 for value in old], model=model)
    refresh_standings(run.pk)
    row = Standing.objects.get(model=model)
    assert (row.runs_used, row.rank) == (2, 4)
    assert row.score == pytest.approx(12.0)
    assert row.figures == {"close": 50.0, "longest": pytest.approx(max(old) + 10)}


def test_a_private_bank_ranks_the_lowest_whole_score_first_and_tells_no_figure() -> None:
    bank = make_bank(60, slug="hidden", benchmark="toy-minutes", title="Hidden", access="private")
    for name, miss in (("Far", 31.0), ("Near", 2.4)):
        missing(bank, name, [miss + (at % 3 - 1) / 5 for at in range(60)])
    refresh_standings()
    rows = {row.model.display_name: row for row in Standing.objects.filter(ranking="hidden").select_related("model")}
    assert {name: (row.rank, row.score, row.figures) for name, row in rows.items()} == {
        "Near": (1, 2.0, {}), "Far": (2, 31.0, {}),
    }  # fmt: skip


def test_variants_are_rankings_of_their_own(client: Client) -> None:
    bank = make_bank(slug="choices", benchmark="toy-choices", title="Choices")
    runs = {
        variant: finished(bank, score, name="maker/both" if variant == "quick" else "maker/full", variant=variant)
        for variant, score in (("quick", 60.0), ("full", 70.0))
    }
    other = finished(bank, 90.0, model=runs["quick"].model, variant="full")
    for run in (*runs.values(), other):
        refresh_standings(run.pk)
    found = sorted(Standing.objects.values_list("ranking", "model__display_name", "score"))
    assert found == [("choices--full", "both", 90.0), ("choices--full", "full", 70.0), ("choices--quick", "both", 60.0)]
    refresh_standings()
    assert sorted(Standing.objects.values_list("ranking", "model__display_name", "score")) == found
    assert "Choices, quick" in page(client, "/rankings/choices--quick/")
    ranking = described("choices--full", loaded_banks())
    assert (ranking.title, ranking.benchmark, ranking.variant) == ("Choices, full", "toy-choices", "full")
    assert client.get(f"/api/v1/runs/{other.pk}").json()["ranking"] == "choices--full"


@pytest.mark.parametrize(
    ("parts", "key", "told"),
    [
        (("choices", "toy-choices", "toy-choices"), "choices", ("Choices", "toy-choices", "")),
        (
            ("choices", "toy-choices", "toy-choices", "quick"),
            "choices--quick",
            ("Choices, quick", "toy-choices", "quick"),
        ),
        (
            ("choices", "toy-choices", "toy-minutes"),
            "choices--toy-minutes",
            ("Choices, Toy: minutes", "toy-minutes", ""),
        ),
        (
            ("a--b", "toy-minutes", "toy-choices", "quick"),
            "a--b--toy-choices--quick",
            ("A, Toy: choices, quick", "toy-choices", "quick"),
        ),
        (("a--b", "toy-minutes", "gone"), "a--b--gone", ("A, gone", "gone", "")),
    ],
)
def test_a_key_says_bank_benchmark_and_variant(parts: tuple[str, ...], key: str, told: tuple[str, str, str]) -> None:
    make_bank(slug="choices", benchmark="toy-choices", title="Choices")
    make_bank(slug="a--b", benchmark="toy-minutes", title="A")
    assert ranking_key(*parts) == key
    ranking = described(key, loaded_banks())
    assert (ranking.title, ranking.benchmark, ranking.variant) == told
    assert ranking.bank_id is not None


TABLE = PublishedTable(
    key="printed-gaps",
    title="Printed gaps",
    measures=(
        Measure("gap", "Gap", "mm", 1, "lower", 0.0, 50.0, "Distance to the line."),
        Measure("warmth", "Warmth", "", 2, "higher", 0.0, 1.0, "How warm it is."),
    ),
    source_name="a paper",
    source_url="https://example.org/",
    licence="CC BY 4.0",
    retrieved="2026-11-28",
    approximate_error=1.0,
)


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> PublishedTable:
    monkeypatch.setitem(PUBLISHED, TABLE.key, TABLE)
    for name, value in (("one", 10.0), ("two", 11.0), ("three", 30.0)):
        publish(make_model(f"maker/{name}"), TABLE.key, value)
    refresh_standings()
    return TABLE


def test_a_published_table_is_a_ranking_without_a_bank(client: Client, printed: PublishedTable) -> None:
    rows = Standing.objects.filter(ranking=TABLE.key).order_by("rank").select_related("model")
    assert [(row.model.display_name, row.rank, row.rank_low, row.rank_high, row.approximate) for row in rows] == [
        ("one", 1, 1, 2, True), ("two", 2, 1, 2, True), ("three", 3, 3, 3, True),
    ]  # fmt: skip
    assert rows[0].interval_high == pytest.approx(11.96, abs=0.01)
    html = page(client, f"/rankings/{TABLE.key}/")
    assert "Printed gaps" in html
    assert "Distance to the line." in html
    ranking = described(TABLE.key, loaded_banks())
    assert (ranking.title, ranking.benchmark, ranking.licence) == ("Printed gaps", TABLE.key, "CC BY 4.0")


def test_a_measure_keeps_its_own_file_field_whatever_ranks(client: Client, printed: PublishedTable) -> None:
    (first, *_) = client.get(f"/rankings/{TABLE.key}.json").json()["rows"]
    assert (first["gap"], first["warmth"], first["display_name"]) == (10.0, None, "one")


def test_a_stored_order_of_one_ranked_row_has_it_above_the_baselines_that_score_higher(db: None) -> None:
    alone = make_bank(2, slug="minutes", benchmark="toy-minutes", title="Minutes")
    missing(alone, "Amber", [2.0, 2.0])
    for name, score in (("Always answers 3", 7.0), ("Always answers 5", 5.0)):
        finished(alone, score, name=name, origin=Origin.BASELINE, settings={"baseline": "constant"})
    refresh_standings()
    (day,) = RankingDay.objects.filter(ranking="minutes")
    assert [row.score for row in unpacked(bytes(day.content))] == [2.0, 5.0, 7.0]
