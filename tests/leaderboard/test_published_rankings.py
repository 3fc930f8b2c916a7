"""Tables of others as rankings: on a fresh board, on their pages, in files, badge and API, and on a model's page."""

import csv
import io
import json
import re
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from evaluation.models import LanguageModel, Origin, PublishedName, ReferenceScore, Status
from evaluation.published_tables import PUBLISHED
from leaderboard.models import AheadTable, Standing, StatisticsSection
from leaderboard.pages.rankings.directory import filled_rankings
from leaderboard.pages.rankings.heat import step_of
from leaderboard.standings import refresh_standings
from leaderboard.starting import first_start
from tests.factories import make_bank, make_model, make_run
from tests.leaderboard.pages import content_of, page

pytestmark = [pytest.mark.django_db, pytest.mark.database]

TABLES = ("eq-bench-3", "emotionbench-2026", "seceu-table-1")


def publish(table: str, name: str, value: float, **fields: Any) -> ReferenceScore:
    model = LanguageModel.objects.filter(name=name).first() or make_model(name=name, display_name=name)
    return ReferenceScore.objects.create(
        model=model, benchmark=table, value=value, source="a table", preferred=True, **{"matched_name": name, **fields}
    )


def ahead_of(ranking: str) -> Any:
    table = AheadTable.objects.get(ranking=ranking)
    n = len(table.model_ids)
    return np.unpackbits(np.frombuffer(bytes(table.packed), dtype=np.uint8), count=n * n).reshape(n, n)


def rows_of(client: Client, ranking: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content_of(client.get(f"/rankings/{ranking}.csv")))))


def test_a_fresh_board_has_the_published_tables_as_rankings(client: Client) -> None:
    first_start.fill()
    assert not first_start.lacks_a_table()
    ranked = {key: Standing.objects.filter(ranking=key, rank__isnull=False).count() for key in TABLES}
    assert ranked == {"eq-bench-3": 79, "emotionbench-2026": 23, "seceu-table-1": 15}
    assert list(filled_rankings())[:2] == ["eq-bench-v2", "eq-bench-3"]
    text = page(client, "/")
    assert all(f'<a href="/rankings/{key}/">{PUBLISHED[key].title}</a>' in text for key in TABLES)

    # Two-sided z tests at 5 % on the published intervals.
    ahead = ahead_of("eq-bench-3")
    assert (len(ahead), sum(not ahead[at, at + 1] for at in range(78))) == (79, 67)
    best = Standing.objects.get(ranking="eq-bench-3", rank=1)
    assert (best.model.name, best.score, best.interval_low, best.interval_high) == (
        "claude-fable-5", 2049.7, 1977.1, 2122.3,
    )  # fmt: skip
    assert (best.rank_low, best.rank_high, best.approximate, best.figures["warm"]) == (1, 2, False, 13.69)

    # Where the source prints no intervals, no range is made up.
    without = Standing.objects.filter(ranking__in=["emotionbench-2026", "seceu-table-1"])
    assert not without.exclude(rank_low=None, rank_high=None, interval_low=None, own_error=None).exists()
    lines = without.filter(origin=Origin.BASELINE, rank=None).order_by("score")
    assert [(row.model.name, row.score) for row in lines] == [
        ("One half of the people", 80.3), ("Mean of 541 people", 100.0), ("Always 4, 3, 2, 1 in printed order", 121.55)
    ]  # fmt: skip

    seceu = page(client, "/rankings/seceu-table-1/")
    assert "LLaMA left 40 of 40 unanswered, Fastchat 31 and RWKV-v4 31" in seceu
    assert "the prompt that the paper ranks, usually the best of up to five" in seceu
    assert "gets EQ 121.6, above GPT-4’s 117" in seceu
    assert "gpt-4-0314 has the highest EQ of 15 models, 117; a rule that reads nothing gets 122" in seceu
    for key in TABLES:
        table, text = PUBLISHED[key], page(client, f"/rankings/{key}/")
        assert all(words in text for words in (table.title, table.retrieved, table.source_url))

    found = StatisticsSection.objects.get(section="agree").value
    places = {measure["key"]: at for at, measure in enumerate(found["measures"])}
    pairs = {frozenset((pair["first"], pair["second"])): pair for pair in found["pairs"]}
    with_mmlu = pairs[frozenset((places["eq-bench-v2"], places["mmlu"]))]
    assert (with_mmlu["n"], round(with_mmlu["rho"], 4)) == (142, 0.8087)
    assert (round(with_mmlu["low"], 4), round(with_mmlu["high"], 4)) == (0.7314, 0.8655)
    assert pairs[frozenset((places["eq-bench-v2"], places["eq-bench-3"]))] == {
        "first": places["eq-bench-v2"], "second": places["eq-bench-3"], "n": 5, "n_approx": 0,
    }  # fmt: skip
    agree = page(client, "/statistics/agree/")
    assert "<i>only </i>5<i> shared</i>" in agree
    assert "cannot say" in agree

    model = page(client, "/models/gpt-4-0314/")
    assert "Published 10 Dec 2023 as “GPT-4”; the snapshot is not named" in model
    assert '<td class="n" data-label="Rank"><b>76–78</b> <span class="muted">of 79</span></td>' in model


def test_a_board_of_an_older_release_gets_the_tables_that_it_lacks() -> None:
    publish("eq-bench-v2", "one", 60.0)
    assert first_start.lacks_a_table()


def test_intervals_of_a_source_decide_who_is_tied() -> None:
    publish("eq-bench-3", "first", 1000.0, low=960.8, high=1039.2)
    publish("eq-bench-3", "second", 950.0, low=910.8, high=989.2)
    publish("eq-bench-3", "third", 900.0, low=860.8, high=939.2)
    refresh_standings()
    rows = Standing.objects.filter(ranking="eq-bench-3").order_by("rank")
    # A standard error of 20 each, so 55.4 points tell two apart.
    assert [(row.rank_low, row.rank_high, round(row.own_error or 0.0, 2)) for row in rows] == [
        (1, 2, 20.0), (1, 3, 20.0), (2, 3, 20.0)
    ]  # fmt: skip


def test_measured_runs_stay_in_a_ranking_of_their_own() -> None:
    model = publish("seceu-table-1", "one", 110.0).model
    make_run(bank=make_bank(slug="seceu"), model=model, status=Status.FINISHED, score=90.0)
    refresh_standings()
    found = {row.ranking: row.score for row in Standing.objects.filter(model=model)}
    assert found == {"seceu-table-1": 110.0, "seceu": 90.0}


def test_a_ranking_of_a_table_has_its_own_columns_and_no_others(client: Client) -> None:
    for at in range(10):
        publish("eq-bench-3", f"model {at}", 1000.0 - at, low=900.0, high=1100.0, figures={"rubric": 50.0, "warm": at})
    refresh_standings()
    text = page(client, "/rankings/eq-bench-3/")
    assert all(f'id="sort-{name}"' in text for name in ("elo", "rubric", "warm", "pragmatic"))
    assert all(f'id="sort-{name}"' not in text for name in ("items", "mmlu", "date", "strict"))
    # Each of ten models lies in its ninth of the column, the lowest first.
    assert '<td class="trait n x-narrow h0">0.0</td>' in text
    assert '<td class="trait n x-narrow h8">9.0</td>' in text
    assert "by the published intervals" not in text or "the typical error" not in text
    rows = rows_of(client, "eq-bench-3")
    assert [rows[0][name] for name in ("elo", "rubric", "warm", "interval_low", "rank_low")] == [
        "1000.0", "50.0", "0", "900.0", "1"
    ]  # fmt: skip
    assert "n_items" not in rows[0]


def test_charts_of_a_table_know_other_measures_although_it_has_no_column_of_them(client: Client) -> None:
    for at in range(8):
        publish("seceu-table-1", f"model {at}", 100.0 + at)
        publish("mmlu", f"model {at}", 50.0 + at)
    refresh_standings()
    text = page(client, "/charts/seceu-table-1/")
    assert "EQ correlates with MMLU" in text
    assert "Too few models to compare the score with MMLU" not in text


def test_sorting_by_a_figure_of_the_table(client: Client) -> None:
    for name, warm in (("mild", 5.0), ("warm", 9.0), ("cold", 1.0)):
        publish("eq-bench-3", name, 1000.0, low=900.0, high=1100.0, figures={"warm": warm})
    refresh_standings()
    text = content_of(client.get("/rankings/eq-bench-3.csv?sort=-warm"))
    assert [row["model"] for row in csv.DictReader(io.StringIO(text))] == ["warm", "mild", "cold"]


def test_files_and_api_say_where_the_figures_come_from(client: Client) -> None:
    publish("seceu-table-1", "one", 110.0, figures={"distance": 2.5, "eq_direct": 110.0})
    refresh_standings()
    found = json.loads(client.get("/rankings/seceu-table-1.json").content)
    table = PUBLISHED["seceu-table-1"]
    assert (found["source"], found["licence"], found["as_of"]) == (table.source_name, table.licence, "2023-12-10")
    assert (found["rows"][0]["eq"], found["rows"][0]["distance"], found["rows"][0]["eq_two_shot"]) == (110.0, 2.5, None)
    rows = client.get("/api/v1/rankings/seceu-table-1").json()["results"]
    assert (rows[0]["score"], rows[0]["figures"]["eq_direct"], rows[0]["origin"]) == (110.0, 110.0, "published")
    assert client.get("/rankings/seceu-table-1.parquet").status_code == 200


def test_badge_and_citation_have_the_decimals_and_the_source_of_the_table(client: Client) -> None:
    model = publish("eq-bench-3", "one", 1499.6, low=1400.0, high=1600.0).model
    publish("eq-bench-3", "two", 1000.0, low=900.0, high=1100.0)
    refresh_standings()
    badge = page(client, reverse("model-badge", args=[model.slug]) + "?ranking=eq-bench-3")
    assert "1500" in badge
    assert "1499.60" not in badge
    text = page(client, f"/models/{model.slug}/?ranking=eq-bench-3")
    assert "https://eqbench.com/" in text


def test_a_line_to_measure_by_is_not_ranked_and_stands_where_its_score_puts_it(client: Client) -> None:
    publish("emotionbench-2026", "One half of the people", 80.3)
    publish("emotionbench-2026", "one", 75.0)
    publish("emotionbench-2026", "two", 90.0)
    refresh_standings()
    assert [(row["model"], row["rank"]) for row in rows_of(client, "emotionbench-2026")] == [
        ("two", "1"), ("One half of the people", ""), ("one", "2")
    ]  # fmt: skip


def test_the_table_of_emotionbench_shows_means_and_the_parts_of_alignment_at_first(client: Client) -> None:
    publish("emotionbench-2026", "one", 75.0)
    refresh_standings()
    text = page(client, "/rankings/emotionbench-2026/")
    shown = ("alignment", "level", "change", "pattern", "default_p", "default_n", "evoked_p", "evoked_n")
    assert all(f'id="sort-{name}"' in text for name in shown)
    assert 'id="sort-gap_change"' not in text


@pytest.mark.parametrize(
    ("value", "step"), [(None, None), (0.0, 0), (1.0, 0), (10.0, 8), (5.0, 3), (11.0, 8), (9.0, 7)]
)
def test_shades_are_ninths_of_the_column(value: float | None, step: int | None) -> None:
    assert step_of(value, [float(at) for at in range(1, 11)]) == step


def test_a_profile_shows_a_model_on_all_measures_with_the_rank_in_each_field(client: Client) -> None:
    one = publish("eq-bench-3", "one", 1500.0, low=1480.0, high=1520.0).model
    publish("eq-bench-3", "two", 1000.0, low=980.0, high=1020.0)
    publish("mmlu", "one", 50.0, as_of="2024-01-02")
    for at in range(3):
        publish("mmlu", f"other {at}", 60.0 + at)
    refresh_standings()
    text = page(client, f"/models/{one.slug}/")
    assert "Ranks highest on EQ-Bench 3, lowest on MMLU" in text
    assert '<b>1</b> <span class="muted">of 2</span>' in text
    assert '<b>4</b> <span class="muted">of 4</span>' in text
    assert "Published 2 Jan 2024" in text
    assert text.count('class="knob hollow"') == 2  # MMLU prints no error: upright and lying


def test_a_model_with_one_measure_has_no_profile(client: Client) -> None:
    model = publish("eq-bench-3", "one", 1500.0).model
    publish("eq-bench-3", "two", 1000.0)
    refresh_standings()
    assert 'id="profile"' not in page(client, f"/models/{model.slug}/")


def test_a_profile_says_what_a_run_took_and_its_price_where_staff_know_it(client: Client) -> None:
    bank = make_bank()
    model = publish("eq-bench-3", "one", 1500.0).model
    publish("eq-bench-3", "two", 1000.0)
    run = make_run(
        bank=bank, model=model, status=Status.FINISHED, score=80.0, prompt_tokens=900_000, completion_tokens=100_000
    )
    make_run(bank=bank, model=make_model(), status=Status.FINISHED, score=70.0)
    for item, milliseconds in zip(bank.items.all(), (1000, 3000, 2000), strict=False):
        run.results.create(item=item, state="read", answer=[1], score=5.0, latency_ms=milliseconds)
    refresh_standings()
    text = page(client, f"/models/{model.slug}/")
    assert ">1,000,000</td>" in text
    assert ">2.0 s</td>" in text
    assert ">2.0 s</td>" in page(client, f"/models/{model.slug}/?ranking=eq-bench-3"), "whichever ranking is looked at"
    assert "Price of a run" not in text
    LanguageModel.objects.filter(pk=model.pk).update(price_prompt=1.0, price_completion=5.0)
    LanguageModel.objects.get(pk=model.pk).save()
    assert ">$1.40</td>" in page(client, f"/models/{model.slug}/")


def test_staff_correct_what_a_name_means(client: Client, admin_user: User) -> None:
    figure = publish("seceu-table-1", "GPT-4", 117.0, match="approx: the snapshot is not named")
    name = PublishedName.objects.create(table="seceu-table-1", name="GPT-4", model=figure.model)
    right = make_model(name="gpt-4-of-that-day")
    refresh_standings()
    client.force_login(admin_user)
    path = f"/admin/evaluation/publishedname/{name.pk}/change/"
    response = client.post(path, {"model": right.pk, "match": "alias: by its authors"})
    assert response.status_code == 302
    figure.refresh_from_db()
    name.refresh_from_db()
    assert (figure.model, figure.match, figure.preferred, name.by_hand) == (right, "alias: by its authors", True, True)
    refresh_standings()
    assert Standing.objects.get(ranking="seceu-table-1").model == right


def test_a_name_that_staff_give_to_a_model_of_the_table_stands_beside_its_figure(
    client: Client, admin_user: User
) -> None:
    other = publish("seceu-table-1", "Claude", 106.0)
    figure = publish("seceu-table-1", "GPT-4", 117.0)
    name = PublishedName.objects.create(table="seceu-table-1", name="GPT-4", model=figure.model)
    client.force_login(admin_user)
    path = f"/admin/evaluation/publishedname/{name.pk}/change/"
    assert client.post(path, {"model": other.model_id, "match": "exact"}).status_code == 302
    found = ReferenceScore.objects.filter(model=other.model).order_by("pk").values_list("value", "preferred")
    assert list(found) == [(106.0, True), (117.0, False)]
    refresh_standings()


def test_a_figure_that_stands_at_two_models_moves_with_its_name_all_the_same(client: Client, admin_user: User) -> None:
    figure = publish("seceu-table-1", "GPT-4", 117.0)
    name = PublishedName.objects.create(table="seceu-table-1", name="GPT-4", model=figure.model)
    figure.pk, figure.model = None, make_model("moved-by-hand")
    figure.save()
    right = make_model("gpt-4-of-that-day")
    client.force_login(admin_user)
    path = f"/admin/evaluation/publishedname/{name.pk}/change/"
    assert client.post(path, {"model": right.pk, "match": "exact"}).status_code == 302
    assert ReferenceScore.objects.get(benchmark="seceu-table-1").model == right
    refresh_standings()


@pytest.mark.parametrize("moved", [False, True])
def test_a_name_that_is_saved_leaves_the_figure_preferred_that_staff_prefer(
    client: Client, admin_user: User, moved: bool
) -> None:
    older = publish("seceu-table-1", "GPT-4", 117.0)
    ReferenceScore.objects.create(
        model=older.model, benchmark="seceu-table-1", value=106.0, source="another table", matched_name="GPT-4"
    )
    name = PublishedName.objects.create(table="seceu-table-1", name="GPT-4", model=older.model)
    model = make_model("gpt-4-of-that-day") if moved else older.model
    client.force_login(admin_user)
    path = f"/admin/evaluation/publishedname/{name.pk}/change/"
    assert client.post(path, {"model": model.pk, "match": "exact"}).status_code == 302
    older.refresh_from_db()
    assert (older.model, older.preferred) == (model, True)


@pytest.mark.parametrize("key", TABLES)
def test_every_column_of_a_table_sorts_its_page_and_its_files_alike(client: Client, key: str) -> None:
    measures = PUBLISHED[key].measures
    for at in range(4):
        figures = {measure.key: measure.low + (at * 7) % 4 for measure in measures[1:] if measure.low is not None}
        publish(key, f"model {at}", 90.0 - at, figures=figures)
    refresh_standings()
    for measure in measures:
        for sort, turned in ((measure.key, False), (f"-{measure.key}", True)):
            text = content_of(client.get(f"/rankings/{key}.csv?sort={sort}"))
            values = [float(row[measure.key]) for row in csv.DictReader(io.StringIO(text))]
            assert values == sorted(values, reverse=turned)
            assert len(set(values)) == 4, measure.key
        html = page(client, f"/rankings/{key}/?sort=-{measure.key}&c=none")
        assert f'aria-sort="descending"><a id="sort-{measure.key}"' in html


def test_columns_that_are_usual_in_this_ranking_alone_can_be_taken_off(client: Client) -> None:
    publish("emotionbench-2026", "one", 75.0)
    refresh_standings()
    path = "/rankings/emotionbench-2026/"

    def sent(*without: str) -> str:
        html = page(client, path)
        fields = [("apply", "1"), *re.findall(r'<input\s+type="hidden" name="(columns|usual)" value="([^"]*)"', html)]
        ticked = re.findall(r'name="c"\s+value="(\w+)" checked', html)
        return f"{path}?{urlencode([*fields, *(('c', key) for key in ticked if key not in without)])}"

    assert client.get(sent())["Location"] == path
    fewer = client.get(sent("default_p", "default_n", "evoked_p", "evoked_n"))["Location"]
    assert fewer == f"{path}?c=origin&c=level&c=change&c=pattern&c=gap"
