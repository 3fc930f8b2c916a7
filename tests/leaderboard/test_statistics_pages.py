"""The pages on statistics: an empty board, published figures alone, a measured field, files that parse back."""

import csv
import io
import json
import re
from typing import Any

import numpy as np
import pytest
from django.core.cache import cache
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation.models import ItemBank, ItemResult, LanguageModel
from leaderboard.models import StatisticsSection
from leaderboard.pages.statistics.kinds import KINDS
from leaderboard.pages.storing.statistics import keep_ready
from leaderboard.standings import refresh_standings
from leaderboard.statistics.refreshing import refresh_statistics
from tests.factories import make_bank, make_model
from tests.leaderboard.pages import page, publish
from tests.leaderboard.scored_runs import scored

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def refresh() -> None:
    refresh_standings()
    refresh_statistics()
    keep_ready()


def publish_field(n: int = 12) -> None:
    """Published scores with MMLU beside them, as a fresh board has them."""
    for at in range(n):
        model = make_model(f"p/model-{at}")
        publish(model, "eq-bench-v2", 40.0 + 4 * at)
        publish(model, "mmlu", 30.0 + 4 * at + (at % 3))


def measure_field(bank: ItemBank, n: int = 6) -> None:
    """Models with runs of two passes."""
    items, chance = bank.items.count(), np.random.default_rng(9)
    for at in range(n):
        given = np.clip(9 - at + chance.normal(0, 1, items), 0, 10).round(2)
        again = np.clip(given + chance.normal(0, 0.2, items), 0, 10).round(2)
        scored(bank, given.tolist(), again.tolist(), name=f"m/model-{at}")


def answer_unlike(bank: ItemBank) -> None:
    """Answers at random, so that models differ in them as well."""
    chance, results = np.random.default_rng(3), list(ItemResult.objects.filter(run__bank=bank).order_by("pk"))
    for result in results:
        result.answer = chance.integers(0, 11, 4).astype(float).tolist()
    ItemResult.objects.bulk_update(results, ["answer"])


def test_an_empty_board_says_what_each_section_waits_for(client: Client) -> None:
    html = page(client, reverse("statistics"))
    assert "Nothing has been computed yet" in html
    for kind in KINDS:
        assert kind.missing in html
        assert kind.missing in page(client, reverse("statistics-section", args=[kind.key]))


def test_a_page_shows_what_was_kept_with_its_section_and_makes_the_same_where_that_is_of_another_release(
    client: Client,
) -> None:
    measure_field(make_bank(8))
    publish_field()
    refresh()
    paths = [reverse("statistics"), *(reverse("statistics-section", args=[kind.key]) for kind in KINDS)]
    with CaptureQueriesContext(connection) as kept:
        before = [page(client, path) for path in paths]
    assert not any('."value"' in query["sql"].partition(" FROM ")[0] for query in kept.captured_queries)
    StatisticsSection.objects.update(ready={}, ready_html="", ready_mark="another release")
    cache.clear()
    assert [page(client, path) for path in paths] == before
    keep_ready()
    assert not StatisticsSection.objects.filter(ready_mark="another release").exists()


def test_sections_of_an_older_form_wait_for_the_next_refresh(client: Client) -> None:
    """As after an update, before a worker has computed them anew."""
    measure_field(make_bank(8))
    publish_field()
    refresh()
    StatisticsSection.objects.update(version=F("version") - 1, value={"kind": "items"})
    assert "Nothing has been computed yet" in page(client, reverse("statistics"))
    for kind in KINDS:
        assert kind.missing in page(client, reverse("statistics-section", args=[kind.key]))
    refresh_statistics()
    assert "pairs of neighbours are tied" in page(client, reverse("statistics"))


def test_published_figures_alone_give_ties_and_other_measures(client: Client) -> None:
    publish_field()
    refresh()
    html = page(client, reverse("statistics"))
    assert "pairs of neighbours are tied" in html
    assert "r\u00a0=\u00a01.00" in html  # 0.998, of which two decimals are known
    assert "12 models with a score published by EQ-Bench" in html
    missing = html.partition("Not enough data yet")[2]
    assert "This section needs a model with two passes" in missing
    assert "This section needs three models" in missing
    assert "Other measures need" not in missing


def test_each_claim_names_n_uncertainty_method_and_day(client: Client) -> None:
    publish_field()
    measure_field(make_bank(8))
    refresh()
    html = page(client, reverse("statistics")).partition('class="minute claims"')[2].partition("</section>")[0]
    n_claims = html.count('class="figure-number"')
    assert n_claims == 6
    for word in ("n", "Uncertainty", "Method", "Computed"):
        assert html.count(f"<dt>{word}</dt>") == n_claims
    assert "<dd></dd>" not in html


OF_THE_BOARD = {"correlation", "agree"}


@pytest.mark.parametrize("kind", [kind.key for kind in KINDS if kind.key != "banks"])
def test_each_section_shows_its_parts_with_formula_and_table(kind: str, client: Client) -> None:
    publish_field()
    bank = make_bank(8)
    measure_field(bank, 18)
    answer_unlike(bank)
    refresh()
    html = page(
        client, f"{reverse('statistics-section', args=[kind])}?ranking={'' if kind in OF_THE_BOARD else bank.slug}"
    )
    assert html.count('class="formula"') == html.count('<figure class="chart"') >= 1
    assert ("<svg" in html.partition('<figure class="chart"')[2]) is (kind != "files")
    assert "<details" in html


@pytest.mark.parametrize("kind", [kind.key for kind in KINDS])
def test_pages_take_few_queries_however_many_models_there_are(
    kind: str, client: Client, django_assert_max_num_queries: Any
) -> None:
    measure_field(make_bank(6), 9)
    refresh()
    with django_assert_max_num_queries(12):
        page(client, reverse("statistics-section", args=[kind]))


def test_the_overview_takes_few_queries(client: Client, django_assert_max_num_queries: Any) -> None:
    publish_field()
    measure_field(make_bank(6), 9)
    refresh()
    with django_assert_max_num_queries(12):
        page(client, reverse("statistics"))


def test_files_parse_back_to_what_is_stored(client: Client) -> None:
    bank = make_bank(8)
    measure_field(bank)
    refresh()
    query = f"?ranking={bank.slug}"
    stored = json.loads(page(client, reverse("statistics-json", args=["scores"]) + query))
    assert (stored["section"], stored["ranking"], stored["n"]) == ("scores", bank.slug, 6)
    assert len(stored["inputs_sha256"]) == 64
    found = {finding["name"]: finding for finding in stored["findings"]}
    answer = client.get(reverse("statistics-csv", args=["scores", "ties"]) + query)
    assert answer["Content-Disposition"] == f'attachment; filename="statistics-scores-ties-{bank.slug}.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [row["model"] for row in rows] == [f"model-{at}" for at in range(6)]
    at = found["ties"]["columns"].index("score")
    assert [float(row["score"]) for row in rows] == [row[at] for row in found["ties"]["rows"]]


def test_every_part_of_every_section_has_a_csv(client: Client) -> None:
    publish_field()
    measure_field(make_bank(8))
    refresh()
    for kind in KINDS:
        findings = json.loads(page(client, reverse("statistics-json", args=[kind.key])))["findings"]
        for finding in findings:
            text = page(client, reverse("statistics-csv", args=[kind.key, finding["name"]]))
            rows = list(csv.reader(io.StringIO(text)))
            assert rows[0] == finding["columns"]
            assert len(rows) == 1 + len(finding["rows"])


@pytest.mark.parametrize(
    "path", ["/statistics/nothing/", "/statistics/scores/?ranking=nothing", "/statistics/scores/nothing.csv",
             "/statistics/nothing.json"],
)  # fmt: skip
def test_what_is_not_there_is_not_found(path: str, client: Client) -> None:
    measure_field(make_bank(6), 3)
    refresh()
    assert client.get(path).status_code == 404


def test_words_of_a_closed_bank_never_show(client: Client) -> None:
    bank = make_bank(8, access="private")
    measure_field(bank)
    refresh()
    for kind in ("emotions", "items"):
        html = page(client, reverse("statistics-section", args=[kind]))
        words = {word for labels in bank.items.values_list("labels", flat=True) for word in labels}
        assert not [word for word in words if word in html]


def test_the_paper_is_quoted_for_version_1_alone(client: Client) -> None:
    publish_field()
    for at in range(8):
        model = make_model(f"old/model-{at}")
        publish(model, "eq-bench-v1", 10.0 + 5 * at)
        publish(model, "mmlu", 25.0 + 6 * at + (at % 2))
    refresh()
    html = page(client, reverse("statistics-section", args=["correlation"]))
    first, second = html.split('id="measures-v1"')
    assert "paper (" not in first
    assert "prints r = 0.97 for v1" in second
    assert "n\u00a0=\u00a08, Fisher 95 %" in second


def test_a_private_bank_beside_a_public_one_says_what_a_gap_cannot_show(client: Client) -> None:
    open_one, closed = make_bank(6, slug="open"), make_bank(54, slug="closed", access="private")
    for at in range(3):
        model = make_model(f"m/model-{at}")
        scored(open_one, [9 - at, 8, 7, 8, 9, 8], model=model, standard_error=3.0)
        scored(closed, 9 * [7 - at, 8, 6, 7, 5, 8], model=model, standard_error=4.0)
    refresh()
    html = page(client, reverse("statistics-section", args=["banks"]))
    assert "open less closed: 13 points in the median" in html
    assert "0 models of 3 have a gap that departs from the median gap" in html
    # One item in six differs, by 10 points from its mean: ± t × √(100/36 + 14.15/54), t = 2.571 with 5 degrees.
    assert "−4 to 4" in html
    assert "No gap proves that an item was learnt" in html


def test_a_translation_is_compared_with_its_original(client: Client) -> None:
    english = make_bank(6, slug="scenes")
    german = make_bank(6, slug="scenes-de", language="de")
    for at in range(4):
        model = make_model(f"m/model-{at}")
        scored(english, [9 - at, 8, 7, 8, 9, 8], model=model)
        scored(german, [8 - at, 8, 7, 8, 9, 7 + at % 2], model=model)
    refresh()
    html = page(client, reverse("statistics-section", args=["banks"]))
    assert "scenes-de lies −2.50 points from scenes on average" in html
    assert "−4.03 to −0.97" in html  # ± 3.182 × 0.962 / 2, Student's t over four models
    assert "The interval of the mean difference holds zero" not in html


def test_banks_whose_difference_holds_zero_are_tied(client: Client) -> None:
    english = make_bank(6, slug="scenes")
    german = make_bank(6, slug="scenes-de", language="de")
    for at in range(4):
        model = make_model(f"m/model-{at}")
        scored(english, [9 - at, 8, 7, 8, 9, 8], model=model)
        scored(german, [9 - at, 8, 7, 8, 9, 7 + 2 * (at % 2)], model=model)
    refresh()
    assert "No difference between scenes-de and scenes is found on average" in page(
        client, reverse("statistics-section", args=["banks"])
    )


def test_the_ranking_says_which_lead_is_usually_a_tie_and_leads_to_the_section(client: Client) -> None:
    bank = make_bank(8)
    measure_field(bank)
    refresh_standings()
    ranking = reverse("ranking", args=[bank.slug])
    assert "is usually a tie" not in page(client, ranking)
    refresh_statistics()
    stored = StatisticsSection.objects.get(section="scores", ranking=bank.slug).value
    html = page(client, ranking)
    assert f"less than {stored['gap']:.1f} points apart is usually a tie" in html
    assert f'href="/statistics/scores/?ranking={bank.slug}"' in html


def test_on_the_official_bank_that_lead_is_told_by_band_since_errors_fall_as_scores_rise(client: Client) -> None:
    """The medians over the pairs in each band of the official runs, as recomputed outside this project."""
    above = "2.9 points (both scores above 80)"
    bands = f"{above}, 4.1 (70 to 80), 4.7 (60 to 70), 5.8 (40 to 60) or 7.5 (up to 40)"
    publish(make_model("paper"), "eq-bench-v2", 90.0)
    publish(make_model("other paper"), "eq-bench-v2", 50.0)
    refresh_standings()
    html = page(client, reverse("ranking", args=["eq-bench-v2"]))
    assert (
        f"if their scores differ by less than {bands}. These are medians of what all pairs of 86 run files "
        "of EQ-Bench’s authors in each range need" in html
    )
    assert "A lead of less than" not in html
    table = page(client, "/methodology/").partition("Usually a tie below")[2].partition("</table>")[0]
    cells = re.findall(r'<th scope="row">([^<]+)</th><td\s+class="n">([^<]+)</td>', table)
    assert cells == [
        ("above 80", "2.9"), ("between 70 and 80", "4.1"), ("between 60 and 70", "4.7"),
        ("between 40 and 60", "5.8"), ("up to 40", "7.5"),
    ]  # fmt: skip


def test_another_bank_tells_it_by_band_as_far_as_the_bands_have_pairs(client: Client) -> None:
    bank = make_bank(8)
    for at in range(12):
        top = at < 6
        base = [9.0, 8.5, 9.5, 8.8] if top else [5.0, 6.0, 4.0, 5.5]
        scored(
            bank, [value + 0.1 * (at % 6) * (-1) ** place for place, value in enumerate(base * 2)], model=make_model()
        )
    refresh()
    bands = [band[:2] for band in StatisticsSection.objects.get(section="scores", ranking=bank.slug).value["gap_bands"]]
    assert bands == [[80.0, None], [40.0, 60.0]]
    html = page(client, reverse("ranking", args=[bank.slug]))
    above, between = r"[\d.]+ points \(both scores above 80\)", r"[\d.]+ \(40 to 60\)"
    words = rf"differ by less than {above} or {between}.* of 12 models in each range need \(paired"
    assert re.search(words, html)
    section = page(client, f"/statistics/scores/?ranking={bank.slug}")
    assert re.search(rf"Among these 12 models a lead is usually a tie below {above} or {between}\.", section)


def test_models_items_and_comparisons_lead_to_the_sections_that_explain_them(client: Client) -> None:
    bank = make_bank(8)
    measure_field(bank, 3)
    refresh()
    slugs = LanguageModel.objects.order_by("name").values_list("slug", flat=True)
    item = bank.items.get(number=1).item_id
    query = f"ranking={bank.slug}"
    for path, section in (
        (reverse("model", args=[slugs[0]]), "emotions"),
        (reverse("item", args=[bank.slug, item]), "items"),
        (f"{reverse('compare')}?m={slugs[0]}&m={slugs[1]}&{query}", "scores"),
    ):
        assert f'href="/statistics/{section}/?{query}"' in page(client, path)


def test_two_other_measures_stand_beside_each_other_for_comparison(client: Client) -> None:
    for at in range(8):
        model = make_model(f"p/model-{at}")
        publish(model, "eq-bench-v2", 40.0 + 4 * at)
        publish(model, "mmlu", 30.0 + 4 * at + (at % 3))
        publish(model, "magi_hard", 20.0 + 3 * at - (at % 2))
    refresh()
    html = page(client, reverse("statistics-section", args=["correlation"])).partition('id="compared"')[2]
    assert "MAGI-Hard and MMLU: n\u00a0=\u00a08, Fisher 95 %" in html
    assert "For comparison: " in html


def test_names_of_strangers_are_escaped(client: Client) -> None:
    bank = make_bank(6)
    measure_field(bank, 3)
    scored(bank, [9, 9, 9, 9, 9, 8], model=make_model("x/<b>bold</b>", display_name="<b>bold</b>"))
    refresh()
    html = page(client, reverse("statistics-section", args=["scores"]))
    assert "<b>bold</b>" not in html
    assert "&lt;b&gt;bold&lt;/b&gt;" in html


def test_the_page_of_a_model_says_how_far_its_passes_agree(client: Client) -> None:
    bank = make_bank(8)
    measure_field(bank, 3)
    scored(bank, [5, 6, 7, 5, 6, 7, 5, 6], name="m/once", model=make_model("m/once", slug="once"))
    refresh()
    model = LanguageModel.objects.get(name="m/model-0")
    html = page(client, reverse("model", args=[model.slug]))
    assert "Over items the 2 passes agree with ICC(2,1) " in html
    assert f'href="/statistics/repeatability/?ranking={bank.slug}"' in html
    assert "ICC(2,1)" not in page(client, reverse("model", args=["once"]))


def test_the_items_of_a_bank_lead_to_its_section_once_there_is_one(client: Client) -> None:
    bank = make_bank(8)
    measure_field(bank, 3)
    link = f"/statistics/items/?ranking={bank.slug}"
    paths = [reverse("items", args=[bank.slug]), reverse("item", args=[bank.slug, "1"])]
    refresh_standings()
    assert client.get(link).status_code == 404
    assert not [path for path in paths if link in page(client, path)]
    refresh()
    cache.clear()
    assert client.get(link).status_code == 200
    assert all(f'href="{link}"' in page(client, path) for path in paths)
