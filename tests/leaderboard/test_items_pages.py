"""The items of a bank and one item: figures over the field, answers against the reference, and what stays closed."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluation.importers.banks import bank_sources
from evaluation.models import Item, ItemBank, ItemResult, LanguageModel, Origin, Run
from evaluation.runs.parts import settle_parts
from evaluation.statistics.items import item_figures
from leaderboard.rounding import points
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_result, scene_labels, scene_prompt
from tests.leaderboard.fields import answered
from tests.leaderboard.pages import board, page, table
from tests.statistics.official import official_runs

pytestmark = [pytest.mark.django_db, pytest.mark.database]

# Models x items. Item 5 falls while the others rise; the last model lacks item 2.
FIELD: tuple[tuple[float | None, ...], ...] = (
    (9.0, 8.0, 7.0, 9.5, 1.0),
    (7.0, 6.5, 6.0, 8.0, 3.0),
    (5.0, 6.0, 4.0, 6.0, 4.5),
    (3.0, 2.0, 3.5, 4.0, 8.0),
    (2.0, None, 1.0, 3.0, 9.0),
)


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    cache.clear()


@pytest.fixture
def bank() -> ItemBank:
    """Own scenes answered by five models, m0 the best."""
    bank = make_bank(slug="scenes", title="Own scenes")
    for at, scores in enumerate(FIELD):
        answered(bank, f"m{at}", scores)
    refresh_standings()
    return bank


def test_our_own_bank_is_offered_as_the_very_file_that_its_hash_has(client: Client) -> None:
    call_command("load_bank", "eq-open-v1", verbosity=0)
    for path in ("/items/eq-open-v1/", "/methodology/"):
        assert 'href="/items/eq-open-v1.json"' in page(client, path)
    response = client.get("/items/eq-open-v1.json")
    assert hashlib.sha256(response.content).hexdigest() == ItemBank.objects.get(slug="eq-open-v1").sha256
    assert len(response.json()) == 60
    assert response["Content-Disposition"] == 'attachment; filename="eq_open_v1.json"'


@pytest.mark.parametrize("change", [{"access": "withheld"}, {"access": "private"}, {"sha256": "a" * 64}])
def test_a_closed_or_another_bank_of_that_name_is_not_handed_out(client: Client, change: dict[str, object]) -> None:
    call_command("load_bank", "eq-open-v1", verbosity=0)
    ItemBank.objects.update(**change)
    assert client.get("/items/eq-open-v1.json").status_code == 404
    pages = page(client, "/methodology/") + client.get("/items/eq-open-v1/").content.decode()
    assert "eq-open-v1.json" not in pages


def test_a_bank_that_others_publish_has_no_file_here(client: Client, bank: ItemBank) -> None:
    assert client.get("/items/scenes.json").status_code == 404
    assert client.get("/items/nothing.json").status_code == 404
    assert "scenes.json" not in page(client, "/items/scenes/")


def figures(html: str) -> dict[str, list[str]]:
    """Item -> mean, spread, discrimination and number of models, in the order of the page."""
    return {row[0]: row[-4:] for row in table(html.partition("<h2>All items")[2])[1:]}


def test_the_list_shows_the_figures_of_the_statistics(client: Client, bank: ItemBank) -> None:
    shown = figures(page(client, "/items/scenes/"))
    for number, own in enumerate(item_figures(np.array(FIELD, dtype=float)), 1):
        mean, spread, discrimination, n = shown[str(number)]
        assert (mean, spread, n) == (points(own.difficulty), points(own.sd), str(own.n))
        assert discrimination.removeprefix("below zero ") == points(own.item_total)
    # Item 1 by hand: (9 + 7 + 5 + 3 + 2) / 5 = 5.2; squares 14.44 + 3.24 + 0.04 + 4.84 + 10.24 = 32.8; root of 8.2.
    assert shown["1"][:2] == ["5.20", "2.86"]
    assert shown["2"][3] == "4"


def test_an_item_that_falls_while_the_others_rise_is_flagged(client: Client, bank: ItemBank) -> None:
    html = page(client, "/items/scenes/")
    assert "<h1>5 items, 1 of which correlates below zero with the others</h1>" in html
    assert figures(html)["5"][2].startswith("below zero −")
    assert html.count("below zero</span>") == 1
    assert "<h1>Item 5 disagrees with the other items</h1>" in page(client, "/items/scenes/5/")


def test_an_item_that_lies_below_zero_by_chance_is_not_said_to_disagree(client: Client) -> None:
    bank = make_bank(5, slug="scenes", title="Own scenes")
    for at, odd in enumerate((5.0, 3.0, 6.0, 4.0, 6.0, 3.0, 5.0, 4.0), 1):
        answered(bank, f"m{at}", (float(at), at + 0.5, at + 1.0, at + 1.5, odd))
    refresh_standings()
    html = page(client, "/items/scenes/")
    assert "<h1>5 items, answered by 8 models</h1>" in html
    assert figures(html)["5"][2].startswith("below zero −0.")
    html = page(client, "/items/scenes/5/")
    assert "disagrees" not in html
    assert "Its discrimination is below zero" in html
    assert "though this may be chance" in html


def test_a_model_counts_once_by_its_newest_run_and_baselines_do_not(client: Client, bank: ItemBank) -> None:
    model = Run.objects.get(model__slug="m0").model
    answered(bank, "m0", [1.0] * 5, model=model)
    answered(bank, "constant", [0.0] * 5, origin=Origin.BASELINE)
    answered(bank, "scripted", [0.0] * 5, origin=Origin.DEMO)
    answered(bank, "secret", [0.0] * 5, published=False)
    shown = figures(board(client, "/items/scenes/"))
    # The newest run of m0 has 1 in place of 9: the sum is 18.
    assert shown["1"][0] == "3.60"
    assert shown["1"][3] == "5"


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("difficulty", ["3", "5", "1", "2", "4"]),
        ("-difficulty", ["4", "2", "1", "5", "3"]),
        ("discrimination", ["5"]),
        ("-item", ["5", "4", "3", "2", "1"]),
        ("nonsense", ["1", "2", "3", "4", "5"]),
        ("", ["1", "2", "3", "4", "5"]),
    ],
)
def test_plain_links_sort_the_list(client: Client, bank: ItemBank, sort: str, order: list[str]) -> None:
    html = page(client, f"/items/scenes/?sort={sort}")
    assert list(figures(html))[: len(order)] == order
    assert '<a href="?sort=spread">Spread</a>' in html


def test_items_without_a_figure_come_last_in_both_directions(client: Client) -> None:
    bank = make_bank(2, slug="scenes")
    answered(bank, "m0", [5.0, None])
    refresh_standings()
    for sort in ("difficulty", "-difficulty"):
        shown = figures(page(client, f"/items/scenes/?sort={sort}"))
        assert list(shown) == ["1", "2"]
        assert shown["2"] == ["–", "–", "–", "0"]


def test_an_item_is_told_by_the_end_of_its_dialogue(client: Client, bank: ItemBank) -> None:
    assert "<bdi>A friend: The ferry left without us." in page(client, "/items/scenes/")
    opening = "A friend: It is the same opening as in the scenes before this one, word for word, all of it. "
    Item.objects.filter(bank=bank, item_id="2").update(
        prompt=f"Read:\n\n{opening}Then it parts.\n[End dialogue]\n\nAsk."
    )
    cache.clear()
    html = page(client, "/items/scenes/")
    assert re.search("<bdi>… [^<]{20,88} Then it parts.</bdi>", html)


def test_a_prompt_without_a_dialogue_is_told_by_its_beginning(client: Client, bank: ItemBank) -> None:
    Item.objects.filter(bank=bank, item_id="2").update(prompt="What would you feel here. " * 9)
    assert re.search("<bdi>What would you [^<]{20,88} …</bdi>", page(client, "/items/scenes/"))


@pytest.mark.parametrize("path", ["/items/scenes/", "/items/scenes/1/"])
def test_texts_of_a_withheld_bank_never_show(client: Client, path: str) -> None:
    bank = make_bank(slug="scenes", access="withheld")
    for at, scores in enumerate(FIELD):
        run = answered(bank, f"m{at}", [])
        for number, score in enumerate(scores, 1):
            make_result(run, str(number), score=score or 0.0, reply="a reply of its own")
    html = board(client, path)
    hidden = ["The ferry left", "Read scene", "a reply of its own", *scene_labels(1)]
    assert [text for text in hidden if text in html] == []
    assert "texts of this item bank are not public" in html
    assert "5.20" in html


@pytest.mark.parametrize("path", ["/items/scenes/", "/items/scenes/1/", "/items/scenes.json"])
def test_a_private_bank_has_no_pages_of_items(client: Client, path: str) -> None:
    bank = make_bank(50, slug="scenes", access="private")
    make_result(answered(bank, "m", []), "1")
    refresh_standings()
    assert client.get(path).status_code == 404
    assert "/items/scenes/" not in client.get("/sitemap.xml").content.decode() + client.get("/items/").content.decode()


def test_answers_are_counted_against_the_reference_and_the_axis_is_not_burst(client: Client) -> None:
    bank = make_bank(1, slug="scenes")
    for at, value in enumerate((7, 7.4, 6.5, 0, 10, 10.4, 9_999_999)):
        run = answered(bank, f"m{at}", [])
        make_result(run, "1", score=5.0, answer=[value, 1, 0, 3])
    html = board(client, "/items/scenes/1/")
    counts = {row[0]: row[1] for row in table(html.partition("<summary>Data table")[2])[1:]}
    assert counts == {**{str(value): "0" for value in range(11)}, "0": "1", "7": "3", "10": "1", "above 10": "2"}
    assert "Reference 7, median answer 7.4." in html
    # Twelve bars across: the ring of a reference of 7 stands in the middle of the eighth.
    assert '<use href="#mark-ring" x="62.50%" y="92"/>' in html
    assert "9999999" not in html.replace(",", "").partition("Best and worst")[0]


def test_an_unread_answer_is_left_out_and_the_first_read_repeat_counts(client: Client) -> None:
    bank = make_bank(1, slug="scenes")
    run = answered(bank, "m0", [None], repeats=2, score=50.0)
    make_result(run, "1", repeat=2, score=6.0, answer=[2, 2, 2, 2])
    answered(bank, "m1", [None], score=50.0)
    html = board(client, "/items/scenes/1/")
    assert "Answers of 1 model." in html
    assert '<dt>Mean score</dt><dd><span class="figure-number">6.00</span>10 is best; 1 model<' in html
    assert '<dt>Not scored</dt><dd><span class="figure-number">1</span>model without a score here' in html


def test_the_part_that_a_run_counts_gives_score_and_answer(client: Client) -> None:
    bank = make_bank(1, slug="scenes")
    run = answered(bank, "m0", [])
    part = {"answer": [9, 9, 9, 9], "reading": "official", "reason": "", "flags": "", "score": 8.0}
    make_result(run, "1", score=2.0, answer=[1, 1, 1, 1], other_parts={"revised": part})
    settle_parts(run, ["revised"])
    html = board(client, "/items/scenes/1/")
    assert '<span class="figure-number">8.00</span>' in html
    assert "median answer 9." in html


def test_best_and_worst_models_are_linked_and_none_stands_at_both_ends(client: Client, bank: ItemBank) -> None:
    html = page(client, "/items/scenes/1/").partition("Best on this item")[2]
    best, _, worst = html.partition("Worst on this item")
    assert re.findall(r'href="/models/(\w+)/"', best) == ["m0", "m1", "m2"]
    assert re.findall(r'href="/models/(\w+)/"', worst) == ["m4", "m3"]


def test_the_headline_says_how_hard_the_item_is(client: Client, bank: ItemBank) -> None:
    assert "<h1>Item 3 is the hardest of 5</h1>" in page(client, "/items/scenes/3/")
    assert "<h1>Item 4 is the easiest of 5</h1>" in page(client, "/items/scenes/4/")
    assert "<h1>Item 1 is harder than 2 of the other 4</h1>" in page(client, "/items/scenes/1/")


def test_discrimination_stands_with_its_interval_and_n(client: Client, bank: ItemBank) -> None:
    html = page(client, "/items/scenes/1/")
    assert "(95 %, Fisher), over 4 models with a score on every item" in html


def test_previous_and_next_items_are_linked(client: Client, bank: ItemBank) -> None:
    middle = page(client, "/items/scenes/2/")
    assert 'rel="prev" href="/items/scenes/1/"' in middle
    assert 'rel="next" href="/items/scenes/3/"' in middle
    assert 'rel="prev"' not in page(client, "/items/scenes/1/")
    assert 'rel="next"' not in page(client, "/items/scenes/5/")


@pytest.mark.parametrize("path", ["/items/none/", "/items/none/1/", "/items/scenes/6/", "/items/scenes/%00/"])
def test_what_is_not_there_is_not_found(client: Client, bank: ItemBank, path: str) -> None:
    assert client.get(path).status_code == 404


def test_the_dialogue_stands_alone_and_the_whole_prompt_behind_it(client: Client, bank: ItemBank) -> None:
    html = page(client, "/items/scenes/1/")
    assert '<pre class="dialogue"><bdi>A friend: The ferry left without us.</bdi></pre>' in html
    assert scene_prompt(1).strip().splitlines()[0] in html.partition("The whole prompt that this board sends")[2]


@pytest.mark.parametrize("path", ["/items/", "/items/eq-bench-v2/1/"])
def test_the_licence_notice_of_a_known_bank_goes_with_its_texts(client: Client, path: str) -> None:
    bank = make_bank(slug="eq-bench-v2", licence="MIT")
    notice = bank_sources()["eq-bench-v2"].notice.splitlines()[-1]
    assert notice in page(client, path)
    ItemBank.objects.filter(pk=bank.pk).update(access="withheld")
    assert notice not in page(client, path)


def test_answers_of_version_one_are_brought_to_the_sum_of_its_reference(client: Client) -> None:
    bank = make_bank(1, slug="eq-bench-v1", benchmark="eq-bench-v1")
    run = answered(bank, "m0", [], benchmark="eq-bench-v1")
    make_result(run, "1", answer=[4, 8, 4, 4])
    html = board(client, "/items/eq-bench-v1/1/")
    assert "median answer 4." in html
    assert "scaled to a sum of 10" in html


def test_the_bank_with_most_models_stands_first_and_the_others_are_tabs(client: Client, bank: ItemBank) -> None:
    make_bank(2, slug="another", title="Another bank")
    html = page(client, "/items/")
    assert '<a href="/items/scenes/" aria-current="page">Own scenes</a>' in html
    assert "<h1>2 items, none answered yet</h1>" in page(client, "/items/another/")
    assert "<h1>Item 1, not answered yet</h1>" in page(client, "/items/another/1/")


def test_without_a_bank_the_page_says_so(client: Client) -> None:
    assert "<h1>No item bank is loaded yet</h1>" in page(client, "/items/")


@pytest.mark.parametrize("path", ["/items/scenes/", "/items/scenes/1/"])
def test_a_new_result_shows_at_once_and_nothing_is_computed_twice(client: Client, bank: ItemBank, path: str) -> None:
    assert "5.20" in page(client, path)
    with CaptureQueriesContext(connection) as warm:
        page(client, path)
    assert not [query for query in warm if "evaluation_itemresult" in query["sql"]]
    answered(bank, "newcomer", [10.0] * 5)
    # The sum of 26 becomes 36, over six models.
    assert "6.00" in board(client, path)


def test_a_model_merged_away_while_its_line_is_drawn_is_left_out(client: Client, bank: ItemBank) -> None:
    other, kept = LanguageModel.objects.get(slug="m0"), LanguageModel.objects.get(slug="m1")
    begun: list[str] = []

    def merged_before(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if not begun and 'FROM "evaluation_languagemodel" WHERE "evaluation_languagemodel"."id" IN' in sql:
            begun.append(sql)
            Run.objects.filter(model=other).update(model=kept)
            LanguageModel.objects.filter(pk=other.pk).delete()
        return execute(sql, *rest)

    with connection.execute_wrapper(merged_before):
        html = page(client, "/items/scenes/1/")
    assert begun
    assert 'href="/models/m1/"' in html
    assert 'href="/models/m0/"' not in html


@pytest.mark.parametrize("path", ["/items/bank-{n}/", "/items/bank-{n}/1/"])
def test_queries_do_not_grow_with_models_and_items(client: Client, path: str) -> None:
    counts = []
    for n in (3, 12):
        bank = make_bank(n, slug=f"bank-{n}")
        for at in range(n):
            answered(bank, f"model-{n}-{at}", [float((at * number) % 7) for number in range(n)])
        refresh_standings()
        cache.clear()
        with CaptureQueriesContext(connection) as queries:
            page(client, path.format(n=n))
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 12


def test_figures_of_the_official_runs_are_those_computed_apart(client: Client, shared_data: Path) -> None:
    questions = shared_data / "eqbench/eq_bench_v2_questions_171.json"
    call_command("load_bank", "eq-bench-v2", "--from", str(questions), verbosity=0)
    call_command("import_results", str(shared_data / "eqbench/official_runs"), verbosity=0)
    shown = figures(board(client, "/items/"))
    scores = official_runs(shared_data).scores
    complete = scores[~np.isnan(scores).any(axis=1)]
    assert complete.shape == (43, 171)
    for at in range(171):
        rest = complete.sum(axis=1) - complete[:, at]
        total = float(np.corrcoef(complete[:, at], rest)[0, 1])
        expected = [np.nanmean(scores[:, at]), np.nanstd(scores[:, at], ddof=1), total]
        found = [shown[str(at + 1)][column].removeprefix("below zero ").replace("−", "-") for column in range(3)]
        assert [float(value) for value in found] == pytest.approx(expected, abs=0.00501)
    flagged = [number for number, row in shown.items() if row[2].startswith("below zero")]
    assert flagged == ["48", "137"]
    assert Item.objects.count() == 171
    assert ItemResult.objects.filter(score__isnull=False).count() >= np.isfinite(scores).sum()
