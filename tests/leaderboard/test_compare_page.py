"""The comparison: who is ahead, by how much, on which items, and what it says where there is nothing to compare."""

import re
from pathlib import Path

import numpy as np
import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import strip_tags

from evaluation.models import Item, ItemResult, LanguageModel, Origin, Run
from evaluation.runs.parts import settle_parts
from evaluation.runs.summaries import summarise_run
from evaluation.statistics.differences import paired_difference
from leaderboard.models import AheadTable
from leaderboard.standings import refresh_standings
from leaderboard.wording import comparing
from tests.factories import make_bank, make_model, make_result, make_run, scene_labels
from tests.leaderboard.fields import add_results, answered, two_models
from tests.leaderboard.pages import board, page, publish

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    cache.clear()


def words(html: str) -> str:
    """What a reader reads of the main part, in one line."""
    return " ".join(strip_tags(html.partition("<main")[2].partition("</main>")[0]).split())


def test_without_a_choice_the_page_explains_and_offers_the_two_leaders(client: Client) -> None:
    bank = make_bank(slug="scenes")
    for name, score in (("third", 5.0), ("first", 9.0), ("second", 8.0)):
        answered(bank, name, [score] * 5)
    html = board(client, "/compare/")
    assert "<h1>Compare two to four models</h1>" in html
    assert 'href="?m=first&amp;m=second&amp;ranking=scenes"' in html
    assert re.findall(r'type="checkbox" name="m" value="([a-z]+)"', html) == ["first", "second", "third"]


def test_a_baseline_is_listed_and_not_offered_as_one_of_the_first_two(client: Client) -> None:
    bank = make_bank(slug="scenes")
    answered(bank, "rule", [9.5] * 5, origin=Origin.BASELINE)
    for name, score in (("first", 9.0), ("second", 8.0)):
        answered(bank, name, [score] * 5)
    html = board(client, "/compare/")
    assert 'href="?m=first&amp;m=second&amp;ranking=scenes"' in html
    assert 'value="rule"' in html
    assert "A published score alone cannot be compared item by item." in words(html)


def test_a_computed_baseline_without_answers_is_not_offered_and_says_why(client: Client) -> None:
    bank = make_bank(slug="scenes")
    make_run(bank=bank, model=make_model("noise", slug="noise"), status="finished", score=85.0, origin=Origin.BASELINE)
    for name, score in (("first", 9.0), ("second", 8.0)):
        answered(bank, name, [score] * 5)
    assert 'value="noise"' not in board(client, "/compare/")
    html = page(client, "/rankings/scenes/")
    assert 'aria-label="Mark first for comparison"' in html
    assert 'aria-label="Mark noise for comparison"' not in html
    html = page(client, "/compare/?m=first&m=noise&ranking=scenes")
    assert re.search(r"noise has a computed score on .{1,20}, without answers, so it shares no items", words(html))


def test_without_a_choice_the_ranking_with_most_answers_is_offered_not_the_one_of_published_figures(
    client: Client,
) -> None:
    for name in ("one", "two", "three"):
        publish(make_model(f"maker/{name}"), "eq-bench-v2", 70.0)
    answered(make_bank(slug="scenes"), "measured", [9.0] * 5)
    html = board(client, "/compare/")
    assert '<option value="scenes" selected>' in html
    assert re.findall(r'type="checkbox" name="m" value="([a-z]+)"', html) == ["measured"]


def test_a_tied_pair_is_told_with_interval_p_effect_and_wins(client: Client) -> None:
    two_models(make_bank())
    html = page(client, "/compare/?m=alpha&m=beta")
    assert "<h1><bdi>alpha</bdi> and <bdi>beta</bdi> are tied</h1>" in html
    # Student's t of 4 degrees of freedom: 8 - 2.776445 x 6.633 = -10.4; p of t = 1.206 is 0.294 (by the normal it would
    # be 0.228); effect 8 / 14.832 = 0.54.
    told = (
        "By 8.00 points over 5 shared items. Tied: the 95 % interval −10.4 to 26.4 includes zero; "
        "p = 0.294, effect size 0.54. Better on 3 items, worse on 1, equal on 1."
    )
    assert told in words(html)
    assert "paired t test over the n shared items, n − 1 degrees of freedom" in words(html)


def test_a_tie_beside_a_lopsided_count_of_items_is_explained(client: Client) -> None:
    bank = make_bank(22)
    answered(bank, "alpha", [6.0] * 18 + [5.0] * 4)
    answered(bank, "beta", [5.5] * 18 + [7.0] * 4)
    refresh_standings()
    html = page(client, "/compare/?m=alpha&m=beta")
    assert "<h1><bdi>alpha</bdi> and <bdi>beta</bdi> are tied</h1>" in html
    # 2 x P(at most 4 of 22 heads) = 0.0043.
    assert (
        "Better on 18 items, worse on 4. By the number of items alone this would be no tie (sign test p = 0.004, "
        "median difference 5.0 points), but the verdict goes by the mean: its gains are 5.0 points on average, its "
        "losses 20.0."
    ) in words(html)
    assert "Sign test: exact, two-sided, by the number of items on which each does better." in words(html)


def test_a_lead_on_fewer_items_than_the_other_is_explained_and_a_plain_lead_is_not() -> None:
    few = paired_difference([90.0] * 8 + [50.0] * 12, [40.0] * 8 + [52.0] * 12)
    plain = paired_difference([90.0] * 12 + [50.0] * 8, [60.0] * 12 + [52.0] * 8)
    assert few is not None
    assert plain is not None
    assert not few.tied
    assert comparing.wins_text(few, tied=False) == (
        "Better on 8 items, worse on 12. It is ahead by its mean though not by the number of items (sign test "
        "p = 0.503, median difference −2.0 points): its gains are 50.0 points on average, its losses 2.0."
    )
    assert comparing.wins_text(plain, tied=False) == "Better on 12 items, worse on 8."
    assert comparing.wins_text(plain, tied=True) == "Better on 12 items, worse on 8."
    turned = paired_difference([90.0] * 2 + [50.0] * 12, [40.0] * 2 + [52.0] * 12)
    assert turned is not None
    assert comparing.wins_text(turned, tied=True).endswith("its gains are 50.0 points on average, its losses 2.0.")


def test_the_one_behind_may_be_named_first_in_the_address(client: Client) -> None:
    two_models(make_bank())
    html = page(client, "/compare/?m=beta&m=alpha")
    assert 'aria-label="alpha less beta: By 8.00 points' in html


def test_a_pair_whose_interval_holds_no_zero_is_told_as_ahead(client: Client) -> None:
    bank = make_bank()
    answered(bank, "strong", [9.0, 9.5, 9.0, 9.5, 9.0])
    answered(bank, "weak", [5.0, 5.0, 5.5, 5.0, 5.5])
    html = board(client, "/compare/?m=weak&m=strong")
    assert "<h1><bdi>strong</bdi> is ahead of <bdi>weak</bdi></h1>" in html
    assert "excludes zero; p &lt; 0.001" in html


def test_the_verdict_is_that_of_the_ranking_where_the_paired_test_says_something_else(client: Client) -> None:
    two_models(make_bank())
    table = AheadTable.objects.get()
    assert len(table.model_ids) == 2
    first = LanguageModel.objects.get(pk=table.model_ids[0]).slug
    AheadTable.objects.update(packed=np.packbits(np.array([[0, 1], [0, 0]], dtype=np.bool_)).tobytes())
    html = page(client, "/compare/?m=alpha&m=beta")
    assert first == "alpha"
    assert "<h1><bdi>alpha</bdi> is ahead of <bdi>beta</bdi></h1>" in html
    assert "The 95 % interval −10.4 to 26.4 includes zero" in words(html)
    edge = "The ranking compares all models together, and there one is ahead: this pair is close to the limit."
    assert edge in words(html)


def test_the_difference_is_that_of_the_two_scores_shown(client: Client) -> None:
    bank = make_bank(4)
    answered(bank, "alpha", [9, 8, 9, None])  # 86.67 over its three items
    answered(bank, "beta", [8, 8, 8, 2])  # 65.00 over all four, 80.00 over those that both have
    text = words(board(client, "/compare/?m=alpha&m=beta"))
    assert "By 21.67 points; over 3 shared items, by 6.67." in text


def test_models_without_a_rank_are_compared_by_the_paired_test_alone(client: Client) -> None:
    bank = make_bank()
    answered(bank, "fives", [9.0, 9.5, 9.0, 9.5, 9.0], origin=Origin.BASELINE)
    answered(bank, "threes", [5.0, 5.0, 5.5, 5.0, 5.5], origin=Origin.BASELINE)
    html = board(client, "/compare/?m=threes&m=fives")
    assert "<h1><bdi>fives</bdi> is ahead of <bdi>threes</bdi></h1>" in html
    assert "The ranking compares" not in html


def test_an_item_score_is_the_mean_over_counted_runs_and_repeats(client: Client) -> None:
    bank = make_bank(2)
    first = answered(bank, "alpha", [4.0, 8.0], repeats=2)
    add_results(first, [6.0, 8.0], repeat=2)
    answered(bank, "alpha", [8.0, None], model=first.model)
    answered(bank, "alpha", [1.0, 1.0], model=first.model, published=False)
    answered(bank, "alpha", [1.0, 1.0], model=first.model, origin=Origin.IMPORTED)
    answered(bank, "beta", [5.0, 7.5])
    html = board(client, "/compare/?m=alpha&m=beta")
    # (4 + 6 + 8) / 3 = 6 and (8 + 8) / 2 = 8: differences 10 and 5 points.
    assert "By 7.50 points over 2 shared items" in html
    assert '<td class="n">6.00</td><td class="n">5.00</td><td class="n">1.00</td>' in html


def test_the_part_that_a_run_counts_is_the_one_that_is_compared(client: Client) -> None:
    bank = make_bank(2)
    revised = {"revised": {"answer": [1, 2, 3, 4], "reading": "official", "reason": "", "flags": "", "score": 9.0}}
    run = answered(bank, "alpha", [], score=90.0)
    add_results(run, [2.0, 2.0], other_parts=revised)
    settle_parts(run, summarise_run(run).counted_parts)
    answered(bank, "beta", [8.0, 8.0])
    html = board(client, "/compare/?m=alpha&m=beta")
    assert "By 10.00 points over 2 shared items" in html
    assert "<span>1 · " in html


def test_repeats_that_count_different_parts_are_told_apart_by_the_benchmark(client: Client) -> None:
    bank = make_bank(2)
    better = {"revised": {"answer": [1, 2, 3, 4], "reading": "official", "reason": "", "flags": "", "score": 9.0}}
    worse = {"revised": {"answer": [1, 2, 3, 4], "reading": "official", "reason": "", "flags": "", "score": 1.0}}
    run = answered(bank, "alpha", [], repeats=2, score=80.0)
    add_results(run, [5.0, 5.0], repeat=1, other_parts=better)
    add_results(run, [7.0, 7.0], repeat=2, other_parts=worse)
    settle_parts(run, summarise_run(run).counted_parts)
    answered(bank, "beta", [6.0, 6.0])
    assert "By 20.00 points over 2 shared items" in board(client, "/compare/?m=alpha&m=beta")


def test_a_model_with_a_published_score_alone_shares_no_items(client: Client) -> None:
    bank = make_bank(slug="scenes", title="Own scenes")
    two_models(bank)
    publish(make_model("maker/paper", slug="paper"), "scenes", 70.0)
    html = board(client, "/compare/?m=alpha&m=paper")
    assert "These models share no items, so a test by item is not possible." in words(html)
    expected = "paper has only a published score on Own scenes, without answers, so it shares no items"
    assert expected in words(html)
    assert "the same items" not in words(html)


def test_one_notice_says_which_models_have_no_answers_and_why(client: Client) -> None:
    two_models(make_bank(slug="scenes", title="Own scenes"))
    for name in ("paper", "print"):
        publish(make_model(f"maker/{name}", slug=name), "scenes", 70.0)
    publish(make_model("maker/elsewhere", slug="elsewhere"), "eq-bench-v2", 70.0)
    html = board(client, "/compare/?m=alpha&m=paper&m=print&ranking=scenes")
    assert html.count('class="notice"') == 1
    expected = "paper and print have only a published score on Own scenes, without answers, so they share no items."
    assert expected in words(html)
    html = page(client, "/compare/?m=alpha&m=paper&m=print&m=elsewhere&ranking=scenes")
    assert html.count('class="notice"') == 1
    assert (
        "paper and print have only a published score on Own scenes, without answers. elsewhere has no score on Own "
        "scenes, only on EQ-Bench v2. None of these shares items with the others."
    ) in words(html)


def test_of_models_that_share_no_items_the_verdict_of_the_ranking_is_told(client: Client) -> None:
    for name, score in (("low", 40.0), ("first", 80.0), ("second", 79.5)):
        publish(make_model(f"maker/{name}", slug=name), "eq-bench-v2", score)
    html = board(client, "/compare/?m=second&m=first")
    assert "<h1><bdi>first</bdi> and <bdi>second</bdi> are tied</h1>" in html
    assert "The ranking of EQ-Bench v2 compares their scores and errors." in words(html)
    assert "<h1><bdi>first</bdi> is ahead of <bdi>low</bdi></h1>" in page(client, "/compare/?m=low&m=first")
    html = page(client, "/compare/?m=low&m=first&m=second")
    assert "<h1>1 of 3 pairs are tied</h1>" in html
    for told in ("first and second are tied.", "first is ahead of low.", "second is ahead of low."):
        assert told in words(html)


def test_a_model_without_answers_beside_two_with_answers_is_told_by_the_ranking(client: Client) -> None:
    bank = make_bank(slug="scenes", title="Own scenes")
    two_models(bank)
    publish(make_model("maker/paper", slug="paper"), "scenes", 5.0)
    html = board(client, "/compare/?m=alpha&m=beta&m=paper")
    assert "<h1><bdi>alpha</bdi> and <bdi>beta</bdi> are tied</h1>" in html
    assert "alpha and paper are tied in the ranking; they share no items." in words(html)


def test_models_of_different_banks_share_no_items(client: Client) -> None:
    two_models(make_bank(slug="scenes", title="Own scenes"))
    answered(make_bank(slug="other", title="Other scenes"), "gamma", [5.0] * 5)
    html = board(client, "/compare/?m=alpha&m=gamma")
    told = "gamma has no score on Own scenes, only on Other scenes, so it shares no items with the others."
    assert told in words(html)


def test_two_models_of_one_bank_may_have_no_item_that_both_answered(client: Client) -> None:
    bank = make_bank(4, slug="scenes")
    answered(bank, "alpha", [9, 8, None, None])
    answered(bank, "beta", [None, None, 6, 7])
    html = board(client, "/compare/?m=alpha&m=beta")
    assert "These models share no items, so a test by item is not possible." in words(html)


def test_the_ranking_in_which_most_of_the_models_have_answers_is_taken(client: Client) -> None:
    full = make_bank(slug="full")
    for name in "xyz":
        answered(full, name, [5.0] * 5)
    two_models(make_bank(slug="scenes", title="Own scenes"))
    assert "On the same 5 items of Own scenes." in page(client, "/compare/?m=alpha&m=beta&ranking=no-such-ranking")


def test_of_models_without_answers_the_ranking_in_which_most_of_them_stand_is_taken(client: Client) -> None:
    full = make_bank(slug="full", title="Full scenes")
    for name in "xyz":
        answered(full, name, [5.0] * 5)
    for name, score in (("one", 117.0), ("two", 105.0)):
        publish(make_model(name, slug=name), "seceu-table-1", score)
    text = words(board(client, "/compare/?m=one&m=two"))
    assert "one and two have only a published score on SECEU (published), without answers" in text
    assert "Full scenes" not in text.partition("Choose from the list")[2]


def test_unknown_models_are_named_as_text(client: Client) -> None:
    two_models(make_bank())
    html = page(client, "/compare/?m=alpha&m=%3Cscript%3E&m=nobody&m=%00")
    assert "address names models without a score on this board:" in html
    assert "“<bdi>&lt;script&gt;</bdi>”, “<bdi>nobody</bdi>”" in html
    assert "<script>" not in html.partition("<main")[2]
    assert "Choose a second model" in html


def test_a_model_that_only_has_an_unpublished_run_is_unknown(client: Client) -> None:
    bank = make_bank()
    two_models(bank)
    answered(bank, "secret", [5.0] * 5, published=False)
    html = board(client, "/compare/?m=alpha&m=secret")
    assert "maker/secret" not in html
    assert "address names a model without a score on this board:" in html


def test_of_more_than_four_models_the_first_four_are_compared(client: Client) -> None:
    bank = make_bank()
    for at, name in enumerate("abcde"):
        answered(bank, name, [9.0 - at + number / 5 for number in range(5)])
    html = board(client, "/compare/?m=a&m=b&m=c&m=d&m=e&m=a")
    assert "These are the first four of the 5 asked for." in html
    assert html.count('<figure class="chart">') == 6
    assert "<bdi>e</bdi>" not in html


def test_headline_over_three_counts_the_tied_pairs(client: Client) -> None:
    bank = make_bank()
    two_models(bank)
    answered(bank, "gamma", [1.0, 1.5, 1.0, 1.5, 1.0])
    assert "<h1>1 of 3 pairs are tied</h1>" in board(client, "/compare/?m=alpha&m=beta&m=gamma")


@pytest.mark.parametrize(
    ("n_models", "tied", "n_chosen", "says"),
    [
        (2, [True], 2, ""), (2, [True], 4, ""), (3, [], 3, ""),
        (3, [True] * 3, 3, "The three are tied"), (3, [True] * 3, 4, "Three of the four are tied"),
        (4, [False] * 6, 4, "All four differ significantly"),
        (3, [False] * 3, 4, "Three of the four differ significantly"),
        (3, [True, False, True], 4, "2 of 3 pairs are tied"),
    ],
)  # fmt: skip
def test_headline_says_of_how_many_chosen_models_it_speaks(
    n_models: int, tied: list[bool], n_chosen: int, says: str
) -> None:
    assert comparing.headline(n_models, tied, n_chosen) == says


def test_a_search_finds_by_name_or_maker_and_keeps_what_is_chosen(client: Client) -> None:
    bank = make_bank()
    two_models(bank)
    answered(bank, "gamma", [5.0] * 5)
    html = board(client, "/compare/?m=alpha&q=GAM")
    assert re.findall(r'type="checkbox" name="m" value="([a-z]+)"', html) == ["gamma"]
    assert html.count('<input type="hidden" name="m" value="alpha">') == 2
    assert "matches this" in page(client, "/compare/?q=nothing-like-it")


def test_replies_and_feelings_stand_side_by_side_where_texts_are_public(client: Client) -> None:
    bank = make_bank(2)
    for name, scores in (("alpha", [9.0, 5.0]), ("beta", [2.0, 5.0])):
        run = answered(bank, name, scores)
        ItemResult.objects.filter(run=run, item__number=1).delete()
        make_result(run, "1", score=scores[0], answer=[7, 1, 12, 3], reply=f"{name} said <b>so</b>\u202e")
    html = board(client, "/compare/?m=alpha&m=beta")
    assert "alpha said &lt;b&gt;so&lt;/b&gt;" in html
    assert "U+202E" in html
    assert scene_labels(1)[0] in html
    assert "7 · 7, reference 7" in html
    assert html.count('<details class="item"') == 1, "items with equal scores are not told"


def test_texts_of_a_withheld_bank_never_show(client: Client) -> None:
    bank = make_bank(2, access="withheld")
    reason = f"{scene_labels(2)[0]} missing"
    for name, score in (("alpha", 9.0), ("beta", 2.0)):
        run = answered(bank, name, [], score=10 * score - 5)
        make_result(run, "1", score=score, reply="a reply of its own")
        make_result(run, "2", score=score - 1, reason=reason, reply="a reply of its own")
    html = board(client, "/compare/?m=alpha&m=beta")
    assert "By 70.00 points over 2 shared items" in html
    assert "Feeling 1" in html
    hidden = [*scene_labels(1), *scene_labels(2), "a reply of its own"]
    assert [text for text in hidden if text in html] == []


def test_models_on_a_private_bank_are_not_compared_item_by_item(client: Client) -> None:
    bank = make_bank(50, access="private")
    for name, score in (("alpha", 9.0), ("beta", 2.0)):
        run = answered(bank, name, [])
        for number in range(1, 51):
            make_result(run, str(number), score=score)
    html = board(client, f"/compare/?m=alpha&m=beta&ranking={bank.slug}")
    assert "have a score on Own scenes, a private bank whose items nobody sees" in html
    assert "items won" not in html
    assert "By 70.00 points" not in html


def test_an_extreme_score_is_drawn_at_the_edge_and_counted(client: Client) -> None:
    bank = make_bank()
    answered(bank, "alpha", [10, 8, 6, 9, 7])
    answered(bank, "burst", [9, 9, -104.4, 8, 7], score=1.0)
    html = board(client, "/compare/?m=alpha&m=burst")
    assert "1 item beyond the axes, drawn at their ends." in html
    assert "item 3: 6.00 and −104.40" in html


def test_models_of_strange_names_are_text_everywhere(client: Client) -> None:
    bank = make_bank()
    answered(bank, "alpha", [10, 8, 6, 9, 7])
    model = make_model("maker/odd", slug="odd", display_name='<a href="https://x.example">Best</a>')
    answered(bank, "odd", [9, 9, 3, 8, 7], model=model)
    assert '<a href="https://x.example">' not in board(client, "/compare/?m=alpha&m=odd")


def test_queries_do_not_grow_with_models_runs_and_items(client: Client) -> None:
    counts = []
    for n_items, names in ((3, "abc"), (9, "defg")):
        bank = make_bank(n_items, slug=f"bank-{n_items}")
        for name in names:
            run = answered(bank, name, [ord(name) % 7 + at / n_items for at in range(n_items)])
            for _ in range(n_items // 3):
                answered(bank, name, [5.0] * n_items, model=run.model)
        refresh_standings()
        chosen = "&".join(f"m={name}" for name in names[:-1])
        cache.clear()
        with CaptureQueriesContext(connection) as queries:
            page(client, f"/compare/?ranking={bank.slug}&{chosen}")
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 15


def test_a_bank_without_any_ranking_leaves_nothing_to_compare(client: Client) -> None:
    make_run(bank=make_bank())
    assert "There is no ranking yet" in page(client, "/compare/?m=a&m=b&ranking=c&q=d")
    assert Item.objects.count() == 5


def test_official_runs_part_as_published(client: Client, shared_data: Path) -> None:
    questions = shared_data / "eqbench/eq_bench_v2_questions_171.json"
    call_command("load_bank", "eq-bench-v2", "--from", str(questions), verbosity=0)
    names = ("gpt-4-0613", "mistral-medium", "gpt-3.5-turbo-0613")
    for name in names:
        paths = sorted((shared_data / "eqbench/official_runs").glob(f"*{name}_*.json"))
        call_command("import_results", *map(str, paths), verbosity=0)
    slugs = [Run.objects.get(model__display_name=name).model.slug for name in names]
    text = words(board(client, f"/compare/?m={slugs[0]}&m={slugs[1]}&m={slugs[2]}"))
    assert "1 of 3 pairs are tied On the same 171 items of EQ-Bench v2." in text
    assert "By 2.21 points over 171 shared items. Tied: the 95 % interval −0.4 to 4.8 includes zero" in text
    assert "Better on 80 items, worse on 75, equal on 16." in text
    assert "By 13.22 points over 171 shared items. The 95 % interval 9.5 to 17.0 excludes" in text
    assert "By 15.43 points over 171 shared items. The 95 % interval 11.4 to 19.5 excludes" in text
    assert "Better on 122 items, worse on 40, equal on 9." in text


@pytest.mark.parametrize(("family", "said"), [("eq-bench-v1", 1), ("eq-bench-v2", 0)])
def test_of_v1_the_page_says_that_answers_are_rescaled(client: Client, family: str, said: int) -> None:
    bank = make_bank(slug="scenes", benchmark=family)
    for name, score in (("alpha", 9.0), ("beta", 3.0)):
        answered(bank, name, [score] * 5, benchmark=family)
    html = board(client, "/compare/?m=alpha&m=beta")
    assert html.count("answers are scaled to a sum of 10, as in the score") == said
