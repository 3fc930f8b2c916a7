"""The rankings page: what stands in the table, in which order, and how it is written."""

import gzip
import re
from datetime import UTC, date, datetime, timedelta

import pytest
from django.conf import settings
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluation.baselines import CONSTANT_NAME
from evaluation.models import FaultKind, ItemBank, LanguageModel, Origin, Run, Status
from leaderboard.models import Standing
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_model, make_run
from tests.leaderboard.fields import two_models
from tests.leaderboard.pages import board, content_of, finished, flat, models, page, publish, table

pytestmark = [pytest.mark.django_db, pytest.mark.database]

MARK, RANK, MODEL, SIZE, SCORE, BAR, ITEMS, MMLU, ARENA, MAGI, DATE = range(11)
HOSTILE = '<a href="https://x.example">Best</a>'


@pytest.fixture
def bank(db: None) -> ItemBank:
    return make_bank(slug="scenes", title="Own scenes")


def names(html: str) -> list[str]:
    """The models of the board from top to bottom, without origin and maker."""
    return [row[MODEL].split()[1] for row in models(html)]


def unread(bank: ItemBank, name: str, share: float = 0.36) -> None:
    make_run(
        bank=bank,
        model=make_model(name),
        status=Status.FAILED,
        failure_kind=FaultKind.PARSE,
        parse_share=share,
        published=True,
    )


def test_the_page_says_what_its_words_mean_and_leads_to_how_a_score_is_made(client: Client, bank: ItemBank) -> None:
    two_models(bank)
    html = board(client)
    assert "Models read 5 short dialogues" in html
    assert '<a href="/methodology/">How a score is made</a>' in html.partition('class="lede"')[2].partition("</p>")[0]
    columns = html.partition('id="columns"')[2].partition("</section>")[0]
    for word in ("Rank", "Shaded rows", "Score", "Strict score", "Items", "Repeats and CV", "MAGI-Hard"):
        assert f"<dt>{word}</dt>" in columns
    assert "chance is 25" in columns
    assert 'href="/methodology/#words"' in columns


@pytest.mark.parametrize(("sort", "value"), [("-strict", "58.00"), ("cv", "3 · 0.2 %"), ("-magi_hard", "75.0")])
def test_the_column_that_sorts_is_in_the_table_whether_chosen_or_not(
    client: Client, bank: ItemBank, sort: str, value: str
) -> None:
    run = finished(bank, 61.0, strict_score=58.0)
    publish(run.model, "magi_hard", 75.0)
    refresh_standings()
    Standing.objects.update(repeats=3, cv_percent=0.2)
    assert value not in table(page(client, "/?c=none"))[-1]
    html = page(client, f"/?c=none&sort={sort}")
    assert value in table(html)[-1]
    (words,) = re.findall(
        rf'<td class="[^"]* sorted" data-before="([^"]*)" data-after="">{re.escape(value)}</td>', html
    )
    assert words == {"-strict": "strict ", "cv": "repeats ", "-magi_hard": "MAGI "}[sort]


def test_a_row_shows_rank_model_maker_size_score_items_figures_and_date(client: Client, bank: ItemBank) -> None:
    facts = {"organisation": "Maker", "open_weights": True, "params_billion": 7.0}
    run = finished(
        bank, 61.10000000001, name="maker/tuned", facts=facts, standard_error=1.5, n_scored=4,
        finished_at=datetime(2024, 1, 15, tzinfo=UTC),
    )  # fmt: skip
    for benchmark, value in (("mmlu", 61.10000000001), ("arena_elo", 1250.4), ("magi_hard", 75.0)):
        publish(run.model, benchmark, value)
    (row,) = models(board(client))
    assert row == [
        "", "1", "1", "", "measured tuned Maker · open", "7", "61.10 ±4.8", "", "4", "61.1", "1250", "75.0",
        "15 Jan 2024",
    ]  # fmt: skip


def test_a_model_of_which_hardly_anything_is_known_still_has_a_row(client: Client, bank: ItemBank) -> None:
    finished(bank, -6.284, name="bare")
    (row,) = models(board(client))
    assert row == ["", "1", "measured bare", "–", "−6.28", "", "5", "–", "–", "–", "–"]


@pytest.mark.parametrize("sort", ["score", "-score", "rank", "-rank", ""])
def test_a_model_without_a_score_is_last_in_both_directions(client: Client, bank: ItemBank, sort: str) -> None:
    finished(bank, 70.0, name="good")
    finished(bank, -20.0, name="poor")
    unread(bank, "mute")
    html = board(client, f"/?sort={sort}")
    assert names(html)[-1] == "mute"
    assert "36.0 % read" in html


def test_a_missing_figure_is_last_in_both_directions(client: Client, bank: ItemBank) -> None:
    for name, mmlu in (("none", None), ("low", 20.0), ("high", 80.0)):
        model = finished(bank, 50.0, name=name).model
        if mmlu is not None:
            publish(model, "mmlu", mmlu)
    assert names(board(client, "/?sort=mmlu")) == ["low", "high", "none"]
    assert names(page(client, "/?sort=-mmlu")) == ["high", "low", "none"]


def test_the_order_follows_the_full_value_where_the_figures_shown_are_equal(client: Client, bank: ItemBank) -> None:
    for name, score in (("a", 70.004), ("b", 70.001), ("c", 70.0049)):
        finished(bank, score, name=name)
    rows = models(board(client))
    assert [row[MODEL] for row in rows] == ["measured c", "measured a", "measured b"]
    assert [row[RANK] for row in rows] == ["1", "2", "3"]
    assert {row[SCORE] for row in rows} == {"70.00"}


def test_dates_sort_in_time_order(client: Client, bank: ItemBank) -> None:
    for name, day in (("dec", date(2024, 12, 2)), ("nov-9", date(2024, 11, 9)), ("nov-10", date(2024, 11, 10))):
        finished(bank, 50.0, name=name, finished_at=datetime(day.year, day.month, day.day, tzinfo=UTC))
    assert names(board(client, "/?sort=date")) == ["nov-9", "nov-10", "dec"]


def test_a_model_has_one_row_though_it_was_measured_and_imported(client: Client, bank: ItemBank) -> None:
    model = make_model("twice")
    finished(bank, 90.0, model=model, origin=Origin.IMPORTED)
    finished(bank, 50.0, model=model)
    (row,) = models(board(client))
    assert (row[MODEL], row[SCORE]) == ("measured twice", "50.00")


def test_a_name_with_markup_is_shown_as_text(client: Client, bank: ItemBank) -> None:
    finished(bank, 50.0, name="x", facts={"display_name": HOSTILE, "organisation": HOSTILE})
    html = board(client)
    assert 'href="https://x.example"' not in html
    assert "&lt;a href=&quot;https://x.example&quot;&gt;Best&lt;/a&gt;" in html


def test_the_rank_stays_that_of_the_whole_table_when_it_is_searched(client: Client, bank: ItemBank) -> None:
    for score, maker in ((90.0, "Elsewhere"), (80.0, "Qwen Team"), (70.0, "Qwen Team")):
        finished(bank, score, facts={"organisation": maker})
    html = board(client, "/?q=qwen")
    assert [row[RANK] for row in models(html)] == ["2", "3"]
    assert "2 of 3 rows match" in html


def test_a_search_that_finds_nothing_says_so_and_leads_back(client: Client, bank: ItemBank) -> None:
    finished(bank, 50.0)
    html = board(client, "/?q=zzz&sort=-score")
    assert "No model or organisation matches" in html
    assert 'href="?sort=-score"' in html


def test_the_links_that_sort_keep_the_search_and_turn_the_present_order(client: Client, bank: ItemBank) -> None:
    finished(bank, 50.0, name="here")
    html = board(client, "/?q=here&sort=-mmlu&page=1")
    assert 'aria-sort="descending"><a id="sort-mmlu" href="?q=here&amp;sort=mmlu">MMLU' in html
    assert '<a id="sort-score" href="?q=here&amp;sort=-score">Score' in html


@pytest.mark.parametrize(
    "query", ["sort=nonsense&page=999", "page=x", "page=-1", "page=9e99", "sort=%00&q=%00", "page=٣"]
)
def test_an_address_that_makes_no_sense_gives_the_table_in_its_default_order(
    client: Client, bank: ItemBank, query: str
) -> None:
    finished(bank, 50.0, name="second")
    finished(bank, 60.0, name="first")
    refresh_standings()
    response = client.get(f"/?{query}")
    assert response.status_code == 200
    if "q=" not in query:
        assert names(content_of(response)) == ["first", "second"]


def test_a_long_table_has_pages_of_fifty_and_the_one_beyond_the_end_is_the_last(client: Client, bank: ItemBank) -> None:
    for score in range(103):
        finished(bank, float(score))
    assert len(models(board(client))) == 50
    last = page(client, "/?page=999&q=model")
    assert [row[RANK] for row in models(last)] == ["101", "102", "103"]
    assert '<a href="?q=model&amp;page=2" rel="prev">' in last
    second = page(client, "/?q=model&sort=-score&page=2")
    assert '<a id="sort-size" href="?q=model&amp;sort=-size">' in second


def test_all_rows_stand_on_one_page_where_that_is_asked_for(client: Client, bank: ItemBank) -> None:
    for score in range(52):
        finished(bank, float(score))
    assert '<a href="?q=model&amp;rows=all">All 52 rows</a>' in board(client, "/?q=model&page=2")
    whole = page(client, "/?q=model&rows=all")
    assert [row[RANK] for row in models(whole)] == [str(rank) for rank in range(1, 53)]
    assert '<a href="?q=model">Show by pages</a>' in whole
    assert '<a id="sort-size" href="?q=model&amp;sort=-size&amp;rows=all">' in whole
    assert (
        "rows=all"
        not in page(client, "/?q=model-&rows=some&c=none").partition('class="toolbar"')[2].partition("CSV")[0]
    )


def test_published_figures_alone_are_ranked_and_the_lede_says_what_they_are(client: Client, db: None) -> None:
    for name, score in (("one", 10.0), ("two", 20.0)):
        publish(make_model(name), "eq-bench-v2", score)
    html = board(client)
    assert "No answers behind these scores are stored" in html
    assert [row[1:5] for row in models(html)] == [
        ["1", "≈1", "", "published two"],
        ["2", "≈2", "", "published one"],
    ]


def test_published_and_measured_scores_share_one_order(client: Client, bank: ItemBank) -> None:
    for name, score in (("run", 60.0), ("weak run", 10.0)):
        finished(bank, score, name=name)
    publish(make_model("paper"), "scenes", 90.0)
    publish(make_model("middling paper"), "scenes", 50.0)
    html = board(client)
    assert "4 models ranked on Own scenes</h1>" in html
    assert [(row[RANK], row[MODEL]) for row in models(html)] == [
        ("1", "published paper"),
        ("2", "measured run"),
        ("3", "published middling paper"),
        ("4", "measured weak run"),
    ]
    assert [row[RANK] for row in models(page(client, "/?origin=measured"))] == ["2", "4"]


def test_with_stored_answers_only_the_rows_keep_their_ranks_of_the_whole_table(client: Client, bank: ItemBank) -> None:
    for name, score in (("run", 60.0), ("weak run", 10.0)):
        finished(bank, score, name=name)
    finished(bank, 30.0, name=f"{CONSTANT_NAME} 3", origin=Origin.BASELINE)
    publish(make_model("paper"), "scenes", 90.0)
    publish(make_model("middling paper"), "scenes", 50.0)
    html = board(client, "/?answers=1")
    assert [(row[RANK], row[MODEL]) for row in models(html)] == [("2", "measured run"), ("4", "measured weak run")]
    assert "4 models ranked on Own scenes</h1>" in html
    assert "2 of 5 rows match" in html
    stored = client.get("/rankings/scenes.csv?answers=1").text
    assert "weak run" in stored
    assert "paper" not in stored


def test_a_perfect_run_says_that_no_error_can_be_computed(client: Client, bank: ItemBank) -> None:
    perfect = finished(bank, 100.0, name="perfect", standard_error=0.0)
    finished(bank, 60.0, name="other", standard_error=2.0)
    html = board(client)
    words = "no error can be computed"
    assert html.count(f'<small title="All items have the same score, so {words}">±?') == 1
    assert "±0.0" not in html
    assert f"all items have the same score, so {words}" in page(client, f"/models/{perfect.model.slug}/")
    assert words not in page(client, f"/models/{LanguageModel.objects.get(name='other').slug}/")


def test_a_baseline_stands_where_its_score_puts_it_and_draws_the_dotted_line(client: Client, bank: ItemBank) -> None:
    for name, score in (("above", 60.0), ("below", 20.0)):
        finished(bank, score, name=name)
    finished(bank, 40.0, name=f"{CONSTANT_NAME} 3", origin=Origin.BASELINE)
    finished(bank, 50.0, name="noise", origin=Origin.BASELINE)
    html = board(client)
    assert [(row[RANK], row[MODEL]) for row in models(html)] == [
        ("1", "measured above"),
        ("–", "baseline noise baseline"),
        ("–", f"baseline {CONSTANT_NAME} 3 baseline"),
        ("2", "measured below"),
    ]
    assert [row for row in table(html) if len(row) == 1] == [], "no heading: the row itself says that it is a baseline"
    assert html.count('class="outside line"') == html.count("</bdi>baseline</span>") == 2
    assert html.count('<line class="b-constant" x1="45.40%"') == 4  # 9 + 0.91 * 40, in each row


def test_a_baseline_says_what_it_knows_and_how_far_one_run_of_it_scatters(client: Client, bank: ItemBank) -> None:
    finished(bank, 60.0, name="model")
    random = {"baseline": "random", "sd_of_one_run": 3.385}
    finished(bank, 1.4, name="Random answers (expected)", origin=Origin.BASELINE, settings=random)
    finished(bank, 43.4, name=f"{CONSTANT_NAME} 4, 5, 2, 3", origin=Origin.BASELINE, settings={"baseline": "position"})
    html = board(client)
    assert ">baseline: ignores the dialogue; SD of one run 3.4</span>" in html
    assert ">baseline: ignores the dialogue</span>" in html
    assert f"<bdi>{CONSTANT_NAME} 4, 5, 2, 3</bdi>: the best constant answer." in html


def test_without_a_baseline_there_is_no_dotted_line(client: Client, bank: ItemBank) -> None:
    finished(bank, 60.0)
    assert "b-constant" not in board(client)


def test_where_only_demonstrations_have_answered_a_sentence_leads_to_them(client: Client, bank: ItemBank) -> None:
    run = finished(bank, 97.0, name="demo/scripted", origin=Origin.DEMO)
    sentence = "1 demonstration run answered these items. They come from scripted endpoints, not from models."
    assert sentence in board(client, f"/rankings/{bank.slug}/")
    assert sentence not in page(client, f"/rankings/{bank.slug}/?demo=1")
    finished(run.bank, 60.0, name="maker/real")
    assert sentence not in board(client, f"/rankings/{bank.slug}/")


def test_demonstrations_are_hidden_until_asked_for(client: Client, bank: ItemBank) -> None:
    finished(bank, 60.0, name="real")
    finished(bank, 99.0, name="scripted", origin=Origin.DEMO)
    html = board(client)
    assert names(html) == ["real"]
    assert 'href="?demo=1"' in html
    assert names(page(client, "/?demo=1")) == ["scripted", "real"]


def test_without_ranges_the_plain_rank_stands_alone(client: Client, bank: ItemBank) -> None:
    finished(bank, 60.0)
    html = board(client)
    assert "r-block" not in html
    assert "ranks left open" not in html


def with_ranges(*columns: tuple[str, int, int, int]) -> None:
    """Gives the stored rows these ranges and groups: name, best rank, worst rank, group."""
    refresh_standings()
    for name, low, high, group in columns:
        Standing.objects.filter(model__name=name).update(
            rank_low=low, rank_high=high, tie_group=group, tied_with=high - low, rank_low_all=low, rank_high_all=high
        )


def test_with_ranges_the_table_marks_those_tied_with_the_leader_and_has_no_groups(
    client: Client, bank: ItemBank
) -> None:
    for name, score in (("a", 60.0), ("b", 50.0), ("c", 40.0), ("d", 30.0)):
        finished(bank, score, name=name)
    with_ranges(("a", 1, 2, 1), ("b", 1, 3, 1), ("c", 2, 3, 2), ("d", 4, 4, 3))
    html = page(client, "/")
    assert "a leads; 1 model is statistically tied with it</h1>" in html
    assert [row[1:3] for row in models(html)] == [["1", "1–2"], ["2", "1–3"], ["3", "2–3"], ["4", "4"]]
    assert 'class="group"' not in html
    assert html.count('<tr class="tied">') == 2
    # The second row: ranks 1 to 3 of 4, dot in the middle of the second cell; the block covers the ranks of the ties.
    assert (
        '<rect class="r-block" x="0.00%" width="50.00%" height="100%"/>'
        '<rect class="r-span" x="0.00%" width="75.00%" y="50%" height="7" rx="3.5"/>'
        '<circle class="r-dot" cx="37.50%" cy="50%" r="2.3"/>'
    ) in html


def test_a_tab_leads_to_each_ranking_that_has_rows_and_to_no_other(client: Client, bank: ItemBank) -> None:
    other = make_bank(slug="other", title="Other scenes")
    make_bank(slug="empty", title="Nothing yet")
    finished(bank, 60.0)
    finished(bank, 61.0)
    finished(other, 62.0, name="elsewhere")
    html = board(client)
    assert re.findall(r'<a href="(/rankings/[^".]*)"', html) == ["/rankings/scenes/", "/rankings/other/"]
    assert names(page(client, "/rankings/other/")) == ["elsewhere"]


def test_another_scoring_rule_has_its_own_address(client: Client, bank: ItemBank) -> None:
    finished(bank, 60.0, name="code", benchmark="eq-bench-v2-code")
    assert names(board(client, "/rankings/scenes--eq-bench-v2-code/")) == ["code"]


def test_a_loaded_bank_without_rows_has_an_empty_page_and_an_unknown_ranking_none(
    client: Client, bank: ItemBank
) -> None:
    html = board(client, "/rankings/scenes/")
    assert "No model is ranked on Own scenes yet</h1>" in html
    assert "Nothing to rank yet" in html
    assert client.get("/rankings/unknown/").status_code == 404


def test_an_empty_site_says_what_fills_it(client: Client) -> None:
    html = page(client, "/")
    assert "No scores yet</h1>" in html
    assert "manage.py load_bank" in html


def test_the_number_of_queries_does_not_grow_with_the_rows(client: Client, bank: ItemBank) -> None:
    counts = []
    for number in (5, 45):
        for _ in range(number):
            publish(finished(bank, 50.0).model, "mmlu", 50.0)
        refresh_standings()
        with CaptureQueriesContext(connection) as captured:
            assert len(models(page(client, "/"))) >= number
        counts.append(len(captured))
    assert counts[0] == counts[1] <= 15


def test_a_run_of_the_last_fourteen_days_is_marked_as_new(client: Client, bank: ItemBank) -> None:
    now = datetime.now(UTC)
    finished(bank, 60.0, name="fresh", finished_at=now - timedelta(days=13))
    finished(bank, 50.0, name="stale", finished_at=now - timedelta(days=14, hours=1))
    fresh, stale = models(board(client))
    assert fresh[MODEL] == "measured fresh new"
    assert stale[MODEL] == "measured stale"


def test_the_name_of_a_model_leads_to_its_page(client: Client, bank: ItemBank) -> None:
    model = finished(bank, 60.0, name="one").model
    assert f'<a href="/models/{model.slug}/"><bdi>one</bdi></a>' in board(client)


def test_published_scores_are_marked_as_approximate(client: Client, db: None) -> None:
    for name, score in (("one", 60.0), ("two", 58.0), ("three", 20.0)):
        publish(make_model(name), "eq-bench-v2", score)
    html = board(client)
    rows = models(html)
    assert [row[2] for row in rows] == ["≈1–2", "≈1–2", "≈3"]
    # 1.959964 x (3.957 - 0.0282 x 60) is 4.4: weaker scores have larger errors.
    assert [row[6] for row in rows] == ["60.00 ≈4.4", "58.00 ≈4.5", "20.00 ≈6.7"]
    assert html.count("is-approximate") == 5  # three rows, the key, and the picture
    assert "intervals, possible ranks and ties are estimates (≈)" in html


def test_the_opening_figure_draws_scores_and_names_ranges(client: Client, bank: ItemBank) -> None:
    for name, score in (("a", 60.0), ("b", 50.0), ("c", 40.0), ("d", 30.0)):
        finished(bank, score, name=name)
    with_ranges(("a", 1, 2, 1), ("b", 1, 3, 1), ("c", 2, 3, 2), ("d", 4, 4, 3))
    html = page(client, "/")
    assert 'class="k-dots tied" d="M12.50' in html
    assert "2 of them are the leader and those tied with it" in html
    assert ", ranks 1–2" in html


def test_without_ranges_the_opening_figure_draws_scores(client: Client, bank: ItemBank) -> None:
    for score in (60.0, 50.0, 40.0):
        finished(bank, score)
    assert "Scores of 3 models, best at the left" in board(client)


def test_a_page_that_a_reader_has_is_not_sent_again_until_a_result_changes(client: Client, bank: ItemBank) -> None:
    finished(bank, 60.0, name="one")
    refresh_standings()
    first = client.get("/")
    assert client.get("/", headers={"if-none-match": first["ETag"]}).status_code == 304
    finished(bank, 70.0, name="two")
    refresh_standings()
    second = client.get("/", headers={"if-none-match": first["ETag"]})
    assert second.status_code == 200
    assert names(content_of(second)) == ["two", "one"]


def test_a_run_without_score_that_is_hidden_is_gone_at_once(client: Client, bank: ItemBank) -> None:
    finished(bank, 60.0, name="one")
    unread(bank, "mute")
    assert names(board(client)) == ["one", "mute"]
    Run.objects.filter(model__name="mute").update(published=False)
    assert names(page(client, "/")) == ["one"]


def test_a_reader_who_takes_gzip_gets_the_same_page_compressed(client: Client, bank: ItemBank) -> None:
    finished(bank, 60.0, name="one")
    plain = board(client)
    packed = client.get("/", headers={"accept-encoding": "gzip, br"})
    assert packed["Content-Encoding"] == "gzip"
    assert flat(gzip.decompress(packed.content).decode()) == plain
    refused = client.get("/", headers={"accept-encoding": "gzip;q=0"})
    assert "Content-Encoding" not in refused


def test_two_hundred_rows_weigh_less_than_a_hundred_kilobytes_with_sheets_and_scripts(
    client: Client, bank: ItemBank
) -> None:
    for at in range(200):
        facts = {"organisation": f"Maker {at % 7}", "params_billion": 1.5 * at + 1, "open_weights": at % 2 == 0}
        publish(finished(bank, 80.0 - at / 3, facts=facts, standard_error=2.0).model, "mmlu", 60 + at / 9)
    refresh_standings()
    Standing.objects.update(rank_low=3, rank_high=F("rank") + 10, tie_group=F("rank") / 9 + 1)
    html = client.get("/?rows=all", headers={"accept-encoding": "gzip"})
    assert len(models(gzip.decompress(html.content).decode())) == 200
    linked = re.findall(r'(?:href|src)="/static/((?:css|js)/[^"]+)"', gzip.decompress(html.content).decode())
    assert {"css/site.css", "css/rankings.css", "js/htmx.min.js"} <= set(linked)
    sheets = sum(len(gzip.compress((settings.BASE_DIR / "static" / name).read_bytes())) for name in linked)
    assert len(html.content) + sheets < 100_000


def test_a_page_that_only_reads_refuses_to_be_posted_to(client: Client) -> None:
    assert client.post("/").status_code == 405
