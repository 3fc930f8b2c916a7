"""Charts over HTTP: they follow the page's filters, their files are read back by parsers, Plotly is a static file."""

import csv
import io
import json
import re
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client, override_settings
from pytest_django import DjangoAssertNumQueries

from evaluation.models import ItemBank, ItemState, Origin
from leaderboard.pages.charts.page import NAMES, charts_beside, charts_page
from leaderboard.pages.rankings.asked import RankingRequest
from leaderboard.pages.rankings.selection import selected
from leaderboard.plotly_bundle import STATIC_NAME, PlotlyFinder, bundle, package_data
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_model, make_result
from tests.leaderboard.pages import board, finished, page, publish

pytestmark = [pytest.mark.django_db, pytest.mark.database]

HOSTILE = '<a href="https://x.example">Best</a>'
EMPTY = {"arena_elo", "magi_hard"}  # of the board below: no model has such a figure
FINDERS = ["leaderboard.plotly_bundle.PlotlyFinder"]


def strict(text: str) -> Any:
    """The JSON, read by a parser that takes no NaN and no Infinity."""

    def refuse(name: str) -> float:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)


def chart(client: Client, name: str, query: str = "", key: str = "scenes") -> Any:
    return strict(page(client, f"/charts/{key}/{name}.json{query}"))


def rows(client: Client, name: str, query: str = "", key: str = "scenes") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(page(client, f"/charts/{key}/{name}.csv{query}"))))


def said(text: str) -> str:
    return text.replace("\u00a0", " ")


@pytest.fixture
def bank() -> ItemBank:
    """Eight measured models of two makers with all that charts ask for, item scores among it; a baseline, a demo and a
    published figure beside them."""
    bank = make_bank(slug="scenes", title="Own scenes")
    for at in range(8):
        facts: dict[str, Any] = {
            "organisation": "east" if at % 2 else "west",
            "params_billion": 2.0**at,
            "open_weights": at % 2 == 0,
        }
        facts |= {"released_on": date(2024, 1 + at, 3), "display_name": f"model {at}"}
        run = finished(bank, 40.0 + 5 * at, name=f"maker/model-{at}", facts=facts, standard_error=2.0)
        publish(run.model, "mmlu", 50.0 + 4 * at + (at % 3))
        for number in range(1, 6):
            make_result(run, str(number), score=float((number + at) % 6))
    finished(bank, 20.0, name="Always answers 3 3 3 3", origin=Origin.BASELINE)
    finished(bank, 99.0, name="scripted", origin=Origin.DEMO)
    publish(make_model("elsewhere"), "scenes", 61.0)
    refresh_standings()
    return bank


def test_the_published_figures_of_eq_bench_give_their_known_correlations(client: Client) -> None:
    call_command("load_published")
    refresh_standings()
    titles = {
        name: said(chart(client, name, key="eq-bench-v2")["title"])
        for name in ("mmlu", "arena_elo", "magi_hard", "size")
    }
    assert titles == {
        "mmlu": "Score correlates with MMLU: r = 0.83, n = 142",
        "arena_elo": "Score correlates with Arena Elo: r = 0.71, n = 81",
        "magi_hard": "Score correlates with MAGI-Hard: r = 0.70, n = 161",
        "size": "Score correlates with the logarithm of size: r = 0.65, n = 145",
    }
    assert "95 % interval 0.77 to 0.87 (Fisher)" in said(chart(client, "mmlu", key="eq-bench-v2")["how"])
    assert said(chart(client, "mmlu", key="eq-bench-v1")["title"]) == "Score correlates with MMLU: r = 0.96, n = 30"
    assert said(chart(client, "scores", key="eq-bench-v2")["source"]).startswith("n = 172: 172 published.")


def test_every_chart_has_a_figure_that_a_strict_parser_reads_and_the_page_names_it(
    client: Client, bank: ItemBank
) -> None:
    text = page(client, "/charts/scenes/")
    for name in NAMES:
        content = chart(client, name)
        assert (content["figure"] is None) == (name in EMPTY)
        assert f"<h3>{content['title']}</h3>" in text
        assert (f'data-figure="/charts/scenes/{name}.json"' in text) == (name not in EMPTY)
        assert (f'href="/charts/scenes/{name}.csv"' in text) == (name not in EMPTY)
    assert "r = " in said(re.findall("<h1>(.*)</h1>", text)[0])


def test_a_page_of_charts_holds_no_inline_script_and_no_inline_style(client: Client, bank: ItemBank) -> None:
    text = page(client, "/charts/scenes/")
    assert re.findall(r"<script(?![^>]*\bsrc=)", text) == []
    assert re.findall(r"\sstyle=|<style|\son\w+=", text) == []
    assert 'id="plotly.js-style-global" class="no-inline-styles"' in text
    assert "plotly.min.js" not in re.sub(r'data-plotly="[^"]*"', "", text)


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("", {0, 1, 2, 3, 4, 5, 6, 7}),
        ("?org=east", {1, 3, 5, 7}),
        ("?weights=open", {0, 2, 4, 6}),
        ("?q=MODEL-3", {3}),
        ("?size=8-40", {4, 5}),
        ("?org=east&size=8-40", {5}),
        ("?q=nothing-like-it", set()),
        ("?sort=nonsense&page=999&page=x&org=%00", {0, 1, 2, 3, 4, 5, 6, 7}),
    ],
)
def test_charts_and_their_files_follow_the_filters_of_the_page(
    client: Client, bank: ItemBank, query: str, kept: set[int]
) -> None:
    names = {f"model {at}" for at in kept}
    table = page(client, f"/rankings/scenes/{query}")
    assert {f"model {at}" for at in range(8) if f">model {at}<" in table} == names
    assert {row["model"] for row in rows(client, "scores", query) if row["origin"] == "measured"} == names
    assert {row["model"] for row in rows(client, "mmlu", query)} == names
    items = chart(client, "items", query)
    drawn = set(items["figure"]["data"][0]["y"]) if items["figure"] else set()
    assert drawn == names
    assert {row["model"] for row in rows(client, "items", query) if "model" in row} == names


def test_a_filter_set_and_taken_back_gives_the_same_chart(client: Client, bank: ItemBank) -> None:
    whole = chart(client, "mmlu")
    assert chart(client, "mmlu", "?org=east") != whole
    assert chart(client, "mmlu") == whole


def test_the_heat_map_keeps_the_order_of_the_page(client: Client, bank: ItemBank) -> None:
    assert chart(client, "items")["figure"]["data"][0]["y"] == [f"model {at}" for at in (7, 6, 5, 4, 3, 2, 1, 0)]
    assert chart(client, "items", "?sort=model")["figure"]["data"][0]["y"] == [f"model {at}" for at in range(8)]


def test_the_heat_map_counts_the_models_of_all_pages_that_it_leaves_out(client: Client, bank: ItemBank) -> None:
    before = chart(client, "items")["source"]
    assert "Not shown" in before
    for at in range(50):
        finished(bank, 10.0 - at / 10, name=f"further/{at}")
    refresh_standings()
    counts = [
        int(re.findall(r"Not shown: (\d+) rows?", said(source))[0])
        for source in (before, chart(client, "items")["source"])
    ]
    assert counts[1] - counts[0] == 50


def test_demonstrations_are_drawn_only_where_the_page_shows_them(client: Client, bank: ItemBank) -> None:
    assert "scripted" not in page(client, "/charts/scenes/")
    assert "scripted" not in page(client, "/charts/scenes/scores.csv?demo=1")


def test_numbers_in_a_file_have_all_their_digits_and_texts_run_no_formula(client: Client) -> None:
    bank = make_bank(slug="scenes")
    for at, name in enumerate(("=1+1", '"quoted", with a comma', HOSTILE)):
        run = finished(bank, -8.32 - at / 3, name=f"m/{at}", facts={"display_name": name}, standard_error=1.0)
        publish(run.model, "mmlu", 50.123456789 + at)
    board(client)
    found = rows(client, "scores")
    assert [row["model"] for row in found] == ["'=1+1", '"quoted", with a comma', HOSTILE]
    assert [float(row["score"]) for row in found] == [-8.32 - at / 3 for at in range(3)]
    assert [float(row["mmlu"]) for row in rows(client, "mmlu")] == [50.123456789, 51.123456789, 52.123456789]


def test_item_scores_in_the_file_are_the_means_over_runs_and_repeats(client: Client) -> None:
    bank = make_bank(slug="scenes")
    first = finished(bank, 60.0, name="one", repeats=2)
    second = finished(bank, 62.0, model=first.model)
    make_result(first, "1", score=4.0)
    make_result(first, "1", score=6.0, repeat=2)
    make_result(second, "1", score=2.0)
    make_result(second, "2", score=None, answer=None, reading="none", state=ItemState.UNREAD)
    hidden = finished(bank, 90.0, model=first.model, published=False)
    make_result(hidden, "1", score=-100.0)
    refresh_standings()
    (found,) = rows(client, "items")
    assert float(found["item_1"]) == 4.0
    assert found["item_2"] == found["item_5"] == ""


def test_no_text_of_an_item_reaches_a_chart(client: Client, bank: ItemBank) -> None:
    ItemBank.objects.filter(pk=bank.pk).update(access="private")
    seen = (
        page(client, "/charts/scenes/")
        + page(client, "/charts/scenes/items.json")
        + page(client, "/charts/scenes/items.csv")
    )
    for item in bank.items.all():
        assert item.prompt not in seen
        assert not any(label in seen for label in item.labels)


def test_markup_in_a_name_is_text_on_the_page_and_in_every_figure(client: Client, bank: ItemBank) -> None:
    best = finished(
        bank, 95.0, name="x/best", facts={"display_name": HOSTILE, "params_billion": 300.0}, standard_error=1.0
    )
    publish(best.model, "mmlu", 99.0)
    make_result(best, "1")
    refresh_standings()
    text = page(client, "/charts/scenes/")
    assert HOSTILE not in text
    assert "&lt;a href=&quot;https://x.example&quot;&gt;Best&lt;/a&gt;" in text
    for name in NAMES:
        assert "<a" not in json.dumps(chart(client, name)["figure"])
    assert "No other score lies within the interval of <a href" in chart(client, "scores")["title"]


def test_a_ranking_without_rows_says_so_and_draws_nothing(client: Client) -> None:
    make_bank(slug="empty", title="Empty bank")
    text = page(client, "/charts/empty/")
    assert "<h1>Empty bank in charts</h1>" in text
    assert "No model has a score here yet" in text
    assert "data-figure" not in text
    assert "<table" not in text
    for name in NAMES:
        assert chart(client, name, key="empty")["figure"] is None
        assert rows(client, name, key="empty") == []


@pytest.mark.parametrize(
    "path",
    ["/charts/nowhere/", "/charts/nowhere/mmlu.json", "/charts/scenes/nothing.json", "/charts/scenes/nothing.csv"],
)
def test_what_does_not_exist_is_not_found(client: Client, bank: ItemBank, path: str) -> None:
    assert client.get(path).status_code == 404
    assert client.post("/charts/scenes/").status_code == 405


def test_of_a_table_beyond_two_hundred_rows_the_page_shows_fifty_and_the_file_all(client: Client) -> None:
    bank = make_bank(slug="scenes")
    for at in range(203):
        finished(bank, 10.0 + at / 4, name=f"m/{at}", facts={"display_name": f"model {at}"})
    board(client)
    text = page(client, "/charts/scenes/")
    scores = text[text.index('id="chart-scores"') : text.index("</figure>")]
    assert scores.count("<tr>") == 51
    assert "The first 50 of 203 rows." in scores
    assert len(rows(client, "scores")) == 203


class Tables(HTMLParser):
    """Counts what a reader of tables needs."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: dict[str, int] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1


def test_every_drawn_chart_has_a_table_behind_it(client: Client, bank: ItemBank) -> None:
    parser = Tables()
    parser.feed(page(client, "/charts/scenes/"))
    assert parser.tags["details"] == parser.tags["table"] == parser.tags["caption"] == len(NAMES) - len(EMPTY)
    assert parser.tags["figure"] == len(NAMES)


def queries_of_page(django_assert_max_num_queries: DjangoAssertNumQueries) -> int:
    with django_assert_max_num_queries(10) as caught:
        assert charts_page("scenes", RankingRequest()) is not None
    return len(caught)


def test_queries_do_not_grow_with_rows(bank: ItemBank, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    before = queries_of_page(django_assert_max_num_queries)
    for at in range(20, 30):
        make_result(finished(bank, 30.0 + at, name=f"maker/model-{at}"), "1")
    refresh_standings()
    assert queries_of_page(django_assert_max_num_queries) == before


def test_beside_the_ranking_the_charts_cost_no_query_and_keep_their_tables_short(
    bank: ItemBank, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    selection = selected("scenes", RankingRequest())
    assert selection is not None
    with django_assert_num_queries(0):
        beside = charts_beside(selection, RankingRequest(), table_rows=3)
    whole = charts_page("scenes", RankingRequest())
    assert whole is not None
    assert beside is not None
    parts = [part for section in beside.sections for part in section.parts]
    assert [part.name for part in parts] == list(NAMES)
    assert all(len(part.rows) <= 3 for part in parts)
    named = {part.name: part for section in whole.sections for part in section.parts}
    for part in parts[:-1]:
        other = named[part.name]
        assert (part.title, part.how, part.n_rows, part.rows) == (other.title, other.how, other.n_rows, other.rows[:3])
    assert parts[-1].height == named["items"].height


def test_the_bundle_of_the_installed_package_is_found_under_one_name_only() -> None:
    finder = PlotlyFinder()
    path = Path(finder.find(STATIC_NAME))
    assert path == package_data() / "plotly.min.js"
    assert path.read_bytes().startswith(b"/**\n* plotly.js v")
    assert finder.find(STATIC_NAME, find_all=True) == [str(path)]
    assert [finder.find(name) for name in ("plotly/widgetbundle.js", "plotly/../x", "plotly.min.js")] == [[], [], []]
    assert finder.check() == []


def test_collected_files_hold_the_bundle_under_a_hashed_name(tmp_path: Path) -> None:
    storages = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"}}
    with override_settings(STATICFILES_FINDERS=FINDERS, STATIC_ROOT=tmp_path, STORAGES=storages):
        call_command("collectstatic", interactive=False, verbosity=0)
    manifest = json.loads((tmp_path / "staticfiles.json").read_text())
    assert list(manifest["paths"]) == [STATIC_NAME]
    hashed = tmp_path / manifest["paths"][STATIC_NAME]
    assert hashed.read_bytes() == (package_data() / "plotly.min.js").read_bytes()


def test_the_page_knows_the_sheets_that_the_bundle_would_write(client: Client, bank: ItemBank) -> None:
    text = (package_data() / "plotly.min.js").read_text(encoding="utf-8")
    assert len(bundle().guards) == 1
    assert all(f'.id="{guard}"' in text for guard in bundle().guards)
    assert f'data-guards="{bundle().guards[0]}"' in page(client, "/charts/scenes/")


def test_the_page_of_a_ranking_holds_its_charts_under_its_own_filters(client: Client, bank: ItemBank) -> None:
    text = page(client, "/rankings/scenes/?org=east")
    assert 'data-figure="/charts/scenes/scores.json?org=east"' in text
    assert 'href="/charts/scenes/?org=east"' in text
    assert text.count('id="plotly.js-style-global"') == 1
    assert f"<h3>{chart(client, 'mmlu', '?org=east')['title']}</h3>" in text


def test_charts_have_a_place_of_their_own_in_the_navigation(client: Client) -> None:
    assert client.get("/charts/")["Location"] == "/"


def test_the_charts_of_the_fullest_ranking_stand_under_the_short_address(client: Client, bank: ItemBank) -> None:
    html = page(client, "/charts/")
    assert 'data-figure="/charts/scenes/scores.json"' in html
    assert '<a class="less" href="/charts/" aria-current="page">Charts</a>' in html
