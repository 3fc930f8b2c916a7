"""A board of three SECEU models: what each page showed wrong while all pages were EQ-Bench's, and shows now."""

import csv
import io
import json
import re

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from evaluation.benchmarks.seceu.reading import REASONS
from evaluation.disclosure import plain_reason
from evaluation.models import FaultKind, ItemBank, Run, Status
from leaderboard.models import Standing
from leaderboard.standings import refresh_standings
from leaderboard.statistics.refreshing import refresh_statistics
from tests.evaluation.benchmarks.seceu_files import OPTIONS
from tests.leaderboard.pages import models, page, table
from tests.leaderboard.seceu_board import answers_with, seceu_bank, seceu_run, three

pytestmark = [pytest.mark.django_db, pytest.mark.database]
LICENCE = "their licence does not allow it"


@pytest.fixture
def bank() -> ItemBank:
    return seceu_bank()


@pytest.fixture
def runs(bank: ItemBank) -> dict[str, Run]:
    found = three(bank)
    call_command("load_baselines", verbosity=0)
    refresh_standings()
    return found


def text(html: str) -> str:
    """The words of a page, without its markup and drawings."""
    found = re.sub(r"<(script|style|svg).*?</\1>", " ", html, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", found).split())


def test_the_three_have_the_figures_that_they_should(runs: dict[str, Run]) -> None:
    assert [round(run.score or 0, 1) for run in runs.values()] == [141.7, 112.2, 107.4]
    assert list(Standing.objects.filter(rank__isnull=False).order_by("rank").values_list("model__slug", flat=True)) == [
        "amber", "birch", "cedar",
    ]  # fmt: skip


def test_no_page_of_stories_speaks_of_dialogues(client: Client, runs: dict[str, Run]) -> None:
    for path in ("/rankings/seceu/", "/charts/seceu/", "/models/amber/"):
        assert "dialogue" not in text(page(client, path).partition("<main")[2].partition("</main>")[0]), path
    assert "(the best fixed answer)" in page(client, "/charts/seceu/")


def test_bars_of_the_ranking_go_left_or_right_from_100(client: Client, runs: dict[str, Run], bank: ItemBank) -> None:
    seceu_run(bank, answers_with(bank, 80.0), name="dune")
    refresh_standings()
    html = page(client, "/rankings/seceu/")
    rows = {name: html.partition(f"/models/{name}/")[2].partition("</tr>")[0] for name in ("amber", "cedar", "dune")}
    fills = {name: re.search(r'class="b-fill" x="([\d.]+)%" width="([\d.]+)%"', row) for name, row in rows.items()}
    at_100 = 9 + 91 * 100 / 151
    ends = {name: (float(found[1]), float(found[1]) + float(found[2])) for name, found in fills.items() if found}
    assert ends["amber"] == pytest.approx((at_100, 9 + 91 * 141.7 / 151), abs=0.02)
    assert ends["cedar"][0] == pytest.approx(at_100, abs=0.02)
    assert ends["dune"] == pytest.approx((9 + 91 * 80 / 151, at_100), abs=0.02)
    assert len(set(ends.values())) == 3, "they do not all end at the edge"


def test_the_ranking_names_its_figures_and_says_what_they_mean(client: Client, runs: dict[str, Run]) -> None:
    html = page(client, "/rankings/seceu/")
    words = text(html)
    cells = next(row for row in models(html) if any("amber" in cell for cell in row))
    assert "expert" in cells
    assert any(cell.startswith("142") for cell in cells)
    assert "Of 541 people the mean EQ is 100" in words
    assert "100 matches the references" not in words
    assert "below 0 is possible" not in words
    assert "low is good" in words
    assert "MAGI" not in words.partition("What the columns mean")[0]


def test_the_ranking_shows_people_and_warns_of_a_fixed_answer(client: Client, runs: dict[str, Run]) -> None:
    html = page(client, "/rankings/seceu/")
    words = text(html)
    assert html.index("kind-opening") < html.index("<table")
    rule = r"A rule that ignores the stories beats about \d+ %"
    assert re.search(rf"amber is better than about \d+ % of people\. {rule}\.", words)
    assert "Answering 4, 3, 2, 1 to every item gets EQ" in words
    assert 'class="hist"' in html
    assert words.count("Each prompt has its own ranking") == 1


def test_without_a_model_the_rule_is_set_beside_people_all_the_same(client: Client, bank: ItemBank) -> None:
    words = text(page(client, "/rankings/seceu/"))
    assert re.search(r"A rule that ignores the stories beats about \d+ % of people\. Zero", words)


def test_different_mechanism_stands_in_a_word(client: Client, bank: ItemBank) -> None:
    run = seceu_run(bank, answers_with(bank, 104.0), name="alpaca")
    for r, shown in ((-0.12, "−0.12 different"), (0.41, "0.41 **"), (0.2, "0.20")):
        run.figures["pattern_r"] = {"value": r, "error": None, "n": 40}
        run.save()
        refresh_standings()
        assert shown in {" ".join(cell.split()) for row in models(page(client, "/rankings/seceu/")) for cell in row}


def test_conditions_have_rankings_of_their_own_and_link_to_each_other(
    client: Client, runs: dict[str, Run], bank: ItemBank
) -> None:
    seceu_run(bank, answers_with(bank, 130.0), name="ember", benchmark="seceu-shuffled")
    seceu_run(bank, answers_with(bank, 120.0), name="fern", benchmark="seceu-direct")
    refresh_standings()
    html = page(client, "/rankings/seceu/")
    assert "ember" not in html
    for key in ("seceu--seceu-shuffled", "seceu--seceu-direct"):
        assert f'href="/rankings/{key}/"' in html
    shuffled = page(client, "/rankings/seceu--seceu-shuffled/")
    assert "ember" in shuffled
    assert "The options of each item stand in an order that was drawn for it" in shuffled
    assert "amber" not in shuffled
    assert "always 4, 3, 2, 1" not in shuffled, "it holds for the printed order"
    assert "A rule that ignores" not in shuffled


def test_failed_runs_stand_last_with_their_count(client: Client, runs: dict[str, Run], bank: ItemBank) -> None:
    failed = seceu_run(bank, answers_with(bank, 120.0), name="gorse", unread=[str(number) for number in range(1, 24)])
    assert (failed.status, failed.failure_kind, failed.score) == (Status.FAILED, FaultKind.PARSE, None)
    assert failed.figures["nulls"]["value"] == 23
    html = page(client, "/rankings/seceu/")
    rows = models(html)
    assert any("gorse" in cell for cell in rows[-1])
    assert "23 of 40" in text(html)


def test_a_run_with_half_of_its_answers_has_a_score_with_nulls(bank: ItemBank) -> None:
    run = seceu_run(bank, answers_with(bank, 120.0), unread=[str(number) for number in range(1, 21)])
    assert (run.status, run.figures["nulls"]["value"]) == (Status.FINISHED, 20)
    assert run.score is not None
    assert run.score < 120


def test_methodology_has_its_own_rule_and_guesses(client: Client, runs: dict[str, Run]) -> None:
    html = page(client, "/methodology/")
    section = text(html.partition('id="seceu"')[2].partition("</section>")[0])
    assert "EQ is 100 + 15 × (2.79 − distance) / 0.822" in section
    assert "0, 0, 0, 0" in section
    assert "A run with more than 20 of 40 items unanswered has failed" in section
    assert "Always answers 2.5 each" in section
    bank_words = text(html.partition('id="bank-seceu"')[2].partition("</article>")[0])
    assert "a score needs 34" not in bank_words
    assert 'href="#seceu"' in html
    guesses = text(html.partition('id="guessing"')[2].partition("</section>")[0])
    assert "SECEU" not in guesses


def test_methodology_says_nothing_of_a_kind_without_a_bank(client: Client) -> None:
    assert "SECEU" not in page(client, "/methodology/")


def test_items_are_in_their_own_unit_and_hold_no_text_and_no_standard(
    client: Client, runs: dict[str, Run], bank: ItemBank
) -> None:
    html = page(client, "/items/seceu/")
    words = text(html)
    assert "full marks" not in words
    assert "How it ends" not in words
    assert "lower is better" in words
    assert LICENCE in words
    assert "mean distance" in html
    hold_no_secret(html)


def test_the_item_page_shows_numbers_and_says_why(client: Client, runs: dict[str, Run]) -> None:
    html = page(client, "/items/seceu/2/")
    words = text(html)
    assert LICENCE in words
    assert "Mean distance" in words
    assert "10 is best" not in words
    assert "Option 1" in words
    assert "rounded to whole points" in words
    assert "Ring: the reference" not in words
    best = words.partition("Best on this item")[2]
    assert best.index("amber") < best.index("birch") < best.index("cedar")
    hold_no_secret(html)


def hold_no_secret(html: str) -> None:
    """No option, and no standard: neither as a number nor as the place of a ring."""
    for option in (*OPTIONS[0], *OPTIONS[1]):
        assert not re.search(rf">\s*{option}\b", html), option
    assert "birds on the roof" not in html
    assert "mini-ring" not in html
    assert "2.51" not in html  # a standard that no answer has


def test_no_page_and_no_file_of_a_run_holds_a_standard(client: Client, runs: dict[str, Run]) -> None:
    run = runs["amber"]
    for address in (
        f"/runs/{run.pk}/",
        f"/runs/{run.pk}/items/",
        "/models/amber/",
        "/compare/?m=amber&m=birch",
        "/items/seceu/2/replies/",
    ):
        hold_no_secret(page(client, address))
    rows = list(csv.DictReader(io.StringIO(client.get(f"/runs/{run.pk}/items.csv").content.decode())))
    assert {row["reference"] for row in rows} == {""}
    assert {row["labels"] for row in rows} == {""}
    answers = client.get(f"/api/v1/runs/{run.pk}/items").json()["results"]
    assert {str(answer["reference"]) for answer in answers} == {"None"}


def test_the_run_page_speaks_of_seceu(client: Client, runs: dict[str, Run]) -> None:
    words = text(page(client, f"/runs/{runs['amber'].pk}/"))
    assert "EQ 142, 40 of 40 items scored" in words
    for wrong in ("83.33", "official reading", "Strict score", "One track per emotion"):
        assert wrong not in words
    assert "One track per option, 0 at the bottom, 10 at the top" in words
    assert "with more than half of the items unread, a run has failed" in words
    assert "Better than" in words
    assert "Pattern r" in words
    assert "its height is the distance, and lower is better" in words


def test_the_model_page_shows_people_items_and_pattern(client: Client, runs: dict[str, Run], bank: ItemBank) -> None:
    seceu_run(bank, answers_with(bank, 120.0), benchmark="seceu-shuffled", model=runs["amber"].model)
    refresh_standings()
    html = page(client, "/models/amber/?ranking=seceu")
    words = text(html)
    assert html.count('class="ring" cx=') == 41, "a ring an item, and the one of the key"
    assert "Nearer than people on" in words
    assert "Among people" in words
    assert "Order of the options" in words
    effect = re.search(r"It does better with the options as printed : ([\d.]+) EQ", words.replace(":", " :"))
    assert effect, words.partition("Order of the options")[2][:400]
    assert float(effect[1]) == pytest.approx(21.7, abs=0.05)
    assert "paired over 40 items" in words


def test_figures_of_one_run_beside_the_mean_of_several_say_whose_they_are(
    client: Client, runs: dict[str, Run], bank: ItemBank
) -> None:
    newest = seceu_run(bank, answers_with(bank, 100.0), model=runs["amber"].model)
    refresh_standings()
    words = text(page(client, "/models/amber/?ranking=seceu"))
    assert "SECEU, score 121 95 % interval" in words
    assert "EQ 100 95 % interval" in words
    assert f"These are the figures of run {newest.pk} , the newest that counts." in words
    assert "The score at the top is the mean of all runs that count." in words


def test_a_model_asked_in_one_order_says_so(client: Client, runs: dict[str, Run]) -> None:
    assert "It has not been asked both ways with the same" in text(page(client, "/models/birch/?ranking=seceu"))


def test_compare_is_on_the_axis_of_the_measure(client: Client, runs: dict[str, Run]) -> None:
    html = page(client, "/compare/?m=amber&m=cedar&ranking=seceu")
    words = text(html)
    assert "beyond the axes" not in words
    assert "By 34.30 EQ over 40 shared items" in words
    assert "Better on 40 items, worse on 0" in words
    assert "10 is best" not in words
    assert "Distance: 0 is no difference to what people gave, and lower is better" in words
    assert words.index("amber is ahead of cedar") < words.index("Item by item")
    assert len(re.findall(r"Item \d+ distances 0\.\d\d · ", words)) == 5


def test_the_values_of_an_item_are_called_distances(client: Client, runs: dict[str, Run]) -> None:
    words = text(page(client, "/items/seceu/7/"))
    assert "By the distance on this item" in words
    assert words.count("Distance amber") + words.count("Distance cedar") == 2
    words = text(page(client, "/items/seceu/7/replies/"))
    assert "The best distance comes first." in words
    assert "Right: the distance, 0 is no difference to what people gave" in words


def test_the_scores_on_an_item_lead_to_its_rows_in_the_run(client: Client, runs: dict[str, Run]) -> None:
    href = re.search(rf'href="(/runs/{runs["amber"].pk}/items/[^"]*)#(item-7)"', page(client, "/items/seceu/7/"))
    assert href
    assert f'<tr id="{href[2]}">' in page(client, href[1])


def test_statistics_have_only_the_sections_that_apply(client: Client, runs: dict[str, Run]) -> None:
    refresh_statistics()
    words = text(page(client, "/statistics/?ranking=seceu"))
    assert "Scores and ranks" in words
    for wrong in ("seen too strongly", "Which feelings", "Scoring rule", "Choices"):
        assert wrong not in words
    assert client.get("/statistics/emotions/?ranking=seceu").status_code == 404
    assert client.get("/statistics/scores/?ranking=seceu").status_code == 200
    assert not [path for path in ("/items/seceu/", "/items/seceu/1/") if "/statistics/items/" in page(client, path)]


def test_statistics_speak_of_eq_and_never_of_points(client: Client, runs: dict[str, Run], bank: ItemBank) -> None:
    """The points of an answer are another thing: how strongly a feeling is felt."""
    amber = runs["amber"]
    seceu_run(bank, answers_with(bank, 139.0), model=amber.model)
    refresh_standings()
    refresh_statistics()
    for section in ("scores", "repeatability"):
        words = text(page(client, f"/statistics/{section}/?ranking=seceu"))
        assert not re.findall(r".{30}\bpoints\b.{10}", words), section
    assert "one column per item in the unit of the score" in page(client, "/statistics/files/?ranking=seceu")
    html = page(client, "/statistics/scores/?ranking=seceu")
    assert "EQ is usually a tie" in page(client, "/statistics/?ranking=seceu")
    assert "standard error, EQ" in html
    assert "spread by" in (spread := page(client, "/statistics/repeatability/?ranking=seceu"))
    assert "EQ (median SD)" in spread
    assert re.search(r"less than [\d.]+ EQ apart is usually a tie", text(page(client, "/rankings/seceu/")))
    assert "unit of the score; lower end" in client.get("/api/v1/openapi.json").content.decode()


def test_files_api_badge_feed_and_citation_speak_its_unit(client: Client, runs: dict[str, Run]) -> None:
    run = runs["amber"]
    rows = list(csv.DictReader(io.StringIO(client.get("/rankings/seceu.csv").content.decode())))
    top = next(row for row in rows if row["slug"] == "amber")
    assert float(top["eq"]) == pytest.approx(run.score)
    assert float(top["distance"]) == pytest.approx(run.figures["distance"]["value"])
    assert top["band"] == "expert"
    found = client.get(f"/api/v1/runs/{run.pk}").json()
    assert found["figures"]["pattern_r"]["value"] == pytest.approx(run.figures["pattern_r"]["value"])
    exported = json.loads(client.get(f"/runs/{run.pk}/items.json").content)
    assert exported["figures"]["eq"] == pytest.approx(run.score)
    assert exported["items"][0]["values"] == [exported["items"][0]["score"]]
    assert exported["items"][0]["shown"] is None
    assert client.get(f"/runs/{run.pk}/items.parquet").status_code == 200
    assert "SECEU: 142</text>" in client.get("/models/amber/badge.svg?ranking=seceu").content.decode()
    assert "amber: 142 on SECEU" in client.get("/feed.atom").content.decode()
    assert "142 EQ" in page(client, "/models/amber/?ranking=seceu"), "its citation"
    assert client.get("/charts/seceu/").status_code == 200


def test_runs_news_and_past_orders_speak_its_unit_too(client: Client, runs: dict[str, Run]) -> None:
    run = f"/runs/{runs['amber'].pk}/"
    assert "note = {142 EQ; scorer seceu/" in page(client, run)
    for path in (run, "/rankings/seceu/"):
        (alt,) = re.findall(r'property="og:image:alt" content="([^"]+)"', page(client, path))
        assert "142 ± 1.6" in alt
    html = page(client, "/new/")
    assert "<b>142</b>" in html
    assert "141.70" not in html
    assert [row[3] for row in table(page(client, "/rankings/seceu/?at=2099-01-01"))[1:4]] == [
        "142 ±1.6", "112 ±6.9", "107 ±7.7",
    ]  # fmt: skip


def test_a_correction_of_a_run_is_told_in_its_decimals(client: Client, runs: dict[str, Run]) -> None:
    history = [{"score": 140.2, "scorer_version": "seceu/0", "replaced_at": timezone.now().isoformat()}]
    Run.objects.filter(pk=runs["amber"].pk).update(score_history=history)
    assert "on SECEU, from 140 to 142." in page(client, "/new/")


def test_what_was_shown_stands_in_files_and_the_api(client: Client, bank: ItemBank) -> None:
    run = seceu_run(bank, answers_with(bank, 110.0), name="holly", benchmark="seceu-shuffled")
    run.results.update(shown={"attempt": 1, "order": [2, 0, 1, 3]})
    exported = json.loads(client.get(f"/runs/{run.pk}/items.json").content)
    assert exported["items"][0]["shown"] == {"attempt": 1, "order": [2, 0, 1, 3]}
    rows = list(csv.DictReader(io.StringIO(client.get(f"/runs/{run.pk}/items.csv").content.decode())))
    assert json.loads(rows[0]["shown"]) == {"attempt": 1, "order": [2, 0, 1, 3]}
    answers = client.get(f"/api/v1/runs/{run.pk}/items").json()["results"]
    assert answers[0]["shown"] == {"attempt": 1, "order": [2, 0, 1, 3]}


def test_every_reason_of_seceu_may_be_shown_of_a_closed_bank() -> None:
    assert {plain_reason(reason) for reason in REASONS} == REASONS


def test_baselines_are_its_own(runs: dict[str, Run], bank: ItemBank) -> None:
    names = set(Run.objects.filter(bank=bank, origin="baseline").values_list("model__name", flat=True))
    assert names == {
        "Always answers 2.5 each", "Always answers 4, 3, 2, 1", "Always answers 1, 2, 3, 4", "Random answers",
    }  # fmt: skip


@pytest.mark.parametrize("key", ["eq", "distance", "percent_worse", "pattern_r", "pattern_percent"])
@pytest.mark.parametrize("sign", ["", "-"])
def test_its_figures_sort_the_page_and_its_files_alike(
    client: Client, runs: dict[str, Run], key: str, sign: str
) -> None:
    rows = list(csv.DictReader(io.StringIO(client.get(f"/rankings/seceu.csv?sort={sign}{key}").content.decode())))
    values = [float(row[key]) for row in rows]
    assert values == sorted(values, reverse=sign == "-")
    assert len(set(values)) > 3
    html = page(client, f"/rankings/seceu/?sort={sign}{key}")
    places = [html.index(f'href="/models/{row["slug"]}/') for row in rows]
    assert places == sorted(places)
