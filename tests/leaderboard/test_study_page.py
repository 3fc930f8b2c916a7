"""The page of the published study: its figures, what it does not invent, its sentences and its files."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from evaluation.statistics.emotion_labels import VALENCE
from evaluation.statistics.normal import Interval
from evaluation.statistics.responders import study_statistics
from evaluation.statistics.study_figures import Cell, Scope
from leaderboard.study.drawing import share_bar
from leaderboard.study.models import AggregateCount
from leaderboard.study.published import COUNTS, RATERS, RESPONDERS
from leaderboard.study.result_models import StudyResult
from leaderboard.study.rows import omnibus
from leaderboard.study.wording import finding, p_words, standing
from tests.leaderboard.pages import content_of, page
from tests.leaderboard.studies import published_study
from tests.statistics.study_data import rows_of

PATH = "/studies/welivita-pu-2024/"
LABELS = {name: responder.label for name, responder in RESPONDERS.items()}

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture(autouse=True)
def _study(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    published_study(monkeypatch)


def section(html: str, name: str) -> str:
    return html.partition(f'id="{name}"')[2].partition("</section>")[0]


def rows(html: str) -> dict[str, list[str]]:
    """First cell -> the other cells' text."""
    found = {}
    for row in re.findall(r"<tr[^>]*>(.*?)</tr>", html, re.DOTALL):
        cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        texts = [" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in cells]
        found[texts[0]] = texts[1:]
    return found


def test_the_table_has_the_published_figures_and_letters(client: Client) -> None:
    found = rows(section(page(client, PATH), "numbers"))
    assert found["Human counted"][:4] == ["d", "2,000", "200", "49.30 %"]
    assert found["GPT-4 counted"][5:9] == ["+31.3 %", "+15.45", "96.77", "&lt; .001"]
    assert [found[f"{LABELS[name]} recovered"][0] for name in list(RESPONDERS)[2:]] == ["b", "b", "c"]
    assert found["Gemini-1.0-Pro recovered"][5:10] == ["+9.6 %", "+4.75", "8.85", ".003", ".009 **"]


def test_where_the_split_is_unknown_the_rest_is_hatched_and_no_number_is_invented(client: Client) -> None:
    html = section(page(client, PATH), "ratings")
    found = rows(html.partition("Data table")[2])
    assert found["Human"] == ["986", "672", "342", "2,000"]
    assert found["Gemini-1.0-Pro"] == ["1,081", "–", "–", "2,000"]
    bars = re.findall(r'<svg class="plot" height="36".*?</svg>', html)
    kinds = [re.findall(r'class="(sh-\w+)" x', bar) for bar in bars]
    assert [("sh-open" in own, "sh-bad" in own) for own in kinds] == [(False, True)] * 2 + [(True, False)] * 3
    assert 'aria-label="LLaMA-2-70B-Chat: Good 60.95 %, Okay or Bad 39.05 %, split not known"' in html
    assert 'aria-label="Human: Good 49.30 %, Okay 33.60 %, Bad 17.10 %"' in html


def test_only_where_raters_are_known_something_is_said_by_rater(client: Client) -> None:
    found = rows(section(page(client, PATH), "numbers"))
    assert found["GPT-4 counted"][10] == "&lt; .001"
    assert found["GPT-4 counted"][4].endswith(" †")
    assert found["Gemini-1.0-Pro recovered"][10] == "–"
    assert (
        "Other intervals are Wilson’s. The p by rater is from Welch’s test on the raters’ shares of Good."
        in " ".join(page(client, PATH).split())
    )
    positive = page(client, f"{PATH}?scope=positive")
    assert (
        "Intervals are Wilson’s. There is no p by rater: it takes 30 ratings on both sides, from raters who are"
        in " ".join(positive.split())
    )
    assert "†" not in section(positive, "numbers")


def test_the_raters_that_we_ship_add_up_to_the_counts(shared_data: Path) -> None:
    content = StudyResult.objects.get().content["statistics"]
    groups = {group["responder"]: group for group in content["groups"]}
    assert groups["gpt-4"]["icc"] == pytest.approx(0.1015, abs=5e-5)
    assert groups["human"]["design_effect"] == pytest.approx(1.163, abs=5e-4)
    with RATERS.open(encoding="utf-8", newline="") as file:
        ours = [(row["responder"], row["good"], row["raters"]) for row in csv.DictReader(file)]
    theirs = [
        (row["responder"], row["good_out_of_10"], row["raters"])
        for row in rows_of(shared_data, "rater_good_histogram.csv")
        if row["responder"] in {"human", "gpt-4"} and row["raters"] != "0"
    ]
    assert ours == theirs
    for responder, good in (("human", 986), ("gpt-4", 1295)):
        assert sum(int(number) * int(raters) for name, number, raters in ours if name == responder) == good


def test_the_pairs_say_which_are_tied(client: Client) -> None:
    found = rows(section(page(client, PATH), "pairs"))
    assert found["Mixtral-8x7B-Instruct"][:3] == ["&lt; .001", ".004", ".401 tied"]
    assert found["Gemini-1.0-Pro"][0] == ".009"
    negative = rows(section(page(client, f"{PATH}?scope=negative"), "pairs"))
    assert negative["LLaMA-2-70B-Chat"][1] == ".377 tied"


def test_the_emotions_are_by_valence_with_adjusted_p(client: Client) -> None:
    html = section(page(client, PATH), "emotions")
    assert "Positive: 14 emotions, 7 significant after correction" in html
    assert "Negative: 18 emotions, 3 significant after correction" in html
    found = rows(html)
    assert [name for name in found if name in VALENCE][:3] == ["surprised", "impressed", "grateful"], (
        "largest lead first"
    )
    assert found["apprehensive"][-2:] == ["&lt; .001", "&lt; .001"]
    assert found["sad"] == ["61", "57.4 %", "57.4 %", "+0.0 %", "1.000", "1.000"]
    positive = section(page(client, f"{PATH}?scope=positive"), "emotions")
    assert ("Positive: 14" in positive, "Negative:" in positive) == (True, False)


def test_of_a_model_with_single_cells_the_others_are_not_drawn(client: Client) -> None:
    html = section(page(client, f"{PATH}?model=gemini-1.0-pro"), "emotions")
    assert "Negative: 2 of 18 emotions known, none significant after correction" in html
    assert html.count('class="dot-accent"') == 1 + 2, "the key and two emotions"
    assert html.count("Gemini-1.0-Pro not known") == 30
    assert "Only 2 of 32 figures of Gemini-1.0-Pro are known" in html
    assert "figures of GPT-4 are known" not in page(client, PATH)


@pytest.mark.parametrize(
    "query", ["scope=everything", "model=human", "scope=&model=", f"scope={'x' * 3000}", "scope=%00"]
)
def test_an_unknown_choice_shows_the_first_one(client: Client, query: str) -> None:
    assert section(page(client, f"{PATH}?{query}"), "numbers") == section(page(client, PATH), "numbers")


def test_a_choice_stays_when_the_other_one_is_changed(client: Client) -> None:
    html = page(client, f"{PATH}?scope=negative&model=gemini-1.0-pro")
    assert f'href="{PATH}?model=gemini-1.0-pro">All, 2,000 ratings each' in html
    assert f'href="{PATH}?scope=negative#emotions">GPT-4' in html
    assert html.count('aria-current="page"') == html.count('aria-current="true"') == 1


def test_the_studies_page_and_the_foot_lead_to_the_study(client: Client) -> None:
    html = page(client, "/studies/")
    assert f'<a href="{PATH}">GPT-4’s replies are rated “Good” more often than people’s: 65 against 49 %</a>' in html
    assert 'href="/studies/"' in page(client, "/about/").partition("<footer")[2]


def test_the_page_says_where_its_figures_come_from_and_what_they_are_not(client: Client) -> None:
    html = section(page(client, PATH), "methods")
    for words in ("arXiv 2406.05063", "1.2 for Human and 1.9 for GPT-4", "Welch’s t 8.1", "CC BY-NC 4.0", "therapy"):
        assert words in html


def test_the_csv_has_a_line_for_each_cell(client: Client) -> None:
    response = client.get(f"{PATH[:-1]}.csv")
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    found = list(csv.DictReader(io.StringIO(content_of(response))))
    assert len(found) == 86
    model = next(row for row in found if (row["scope"], row["responder"]) == ("all", "gemini-1.0-pro"))
    assert (model["bad"], model["okay"], model["good"], model["basis"]) == ("", "", "1081", "recovered")
    assert float(model["chi_square_plain"]) == pytest.approx(9.03514, rel=1e-4)
    assert float(model["chi_square_yates"]) == pytest.approx(8.84593, rel=1e-4)


def test_the_json_has_the_figures_of_the_command(client: Client) -> None:
    own: dict[str, Any] = json.loads(client.get(f"{PATH[:-1]}.json").content, parse_constant=pytest.fail)
    out = io.StringIO()
    call_command("study_statistics", str(COUNTS), "--json", stdout=out)
    command = json.loads(out.getvalue())
    assert own["emotions"] == command["emotions"]
    assert own["scopes"][1:] == command["scopes"][1:]
    assert [pair["good"] for pair in own["scopes"][0]["pairs"]] == [
        pair["good"] for pair in command["scopes"][0]["pairs"]
    ]
    assert "arXiv 2406.05063" in own["source"]


def test_a_reader_who_has_the_page_gets_no_second_copy(client: Client) -> None:
    etag = client.get(PATH)["ETag"]
    assert client.get(PATH, headers={"If-None-Match": etag}).status_code == 304


def scope_of(**good: int) -> Scope:
    cells = [Cell(name.replace("_", "-"), 400, number) for name, number in good.items()]
    return study_statistics({"all": cells}, reference="human", draws=1).scopes[0]


def sentence(scope: Scope) -> str:
    return finding(scope, {line.responder: line.responder for line in scope.lines}, frozenset())


def test_the_headline_follows_the_figures() -> None:
    assert sentence(scope_of(human=200, a=300)) == (
        "a’s replies are rated “Good” more often than people’s: 75 against 50 %"
    )
    assert sentence(scope_of(human=200, a=205)) == (
        "No model’s replies are clearly called Good more often than people’s: a has 51 against 50 %"
    )
    assert sentence(scope_of(human=300, a=200)) == (
        "No model’s replies are called Good as often as people’s: a has 50 against 75 %"
    )


@pytest.mark.parametrize(
    ("human", "model", "words"),
    [
        ((2000, 986), (2000, 1295), "χ² 96.77 with Yates’ correction, df 1, p < .001, V 0.156"),
        ((40, 39), (40, 32), "Fisher's exact test, p .029, V 0.277"),
    ],
)
def test_the_test_of_all_at_once_names_the_test_that_its_p_comes_from(
    human: tuple[int, int], model: tuple[int, int], words: str
) -> None:
    cells = [Cell("human", *human), Cell("model", *model)]
    scope = study_statistics({"all": cells}, reference="human", draws=1).scopes[0]
    assert omnibus(scope) == f"All at once (Good against the rest): {words}."


@pytest.mark.parametrize(
    ("human", "models", "words"),
    [
        ((1000, 500), {"few": (40, 24), "many": (1000, 590)},
         "many’s replies are rated “Good” more often than people’s: 59 against 50 %"),
        ((1000, 500), {"many": (1000, 440), "few": (40, 17)},
         "No model’s replies are clearly called Good more often than people’s: many has 44 against 50 %"),
        ((1000, 500), {"many": (1000, 440), "more": (1000, 430)},
         "No model’s replies are called Good as often as people’s: many has 44 against 50 %"),
    ],
)  # fmt: skip
def test_the_headline_is_true_of_all_models_where_they_have_unequal_numbers_of_ratings(
    human: tuple[int, int], models: dict[str, tuple[int, int]], words: str
) -> None:
    """60 % of 40 ratings is tied with 50 % of people, while 59 % of 1,000 is ahead of it."""
    cells = [Cell("human", *human), *(Cell(name, *counts) for name, counts in models.items())]
    scope = study_statistics({"all": cells}, reference="human", draws=1).scopes[0]
    assert finding(scope, {cell.responder: cell.responder for cell in cells}, frozenset()) == words


@pytest.mark.parametrize(
    ("good", "words"),
    [
        ({"human": 200, "a": 300, "b": 310}, "Every model is ahead of Human"),
        ({"human": 200, "a": 300, "b": 205}, "1 of 2 models are ahead of Human; b is tied with it"),
        (
            {"human": 200, "a": 300, "b": 205, "c": 204, "d": 100},
            "1 of 4 models are ahead of Human; b and c are tied with it; d is behind it",
        ),
    ],
)
def test_the_sentence_about_all_models_follows_the_figures(good: dict[str, int], words: str) -> None:
    scope = scope_of(**good)
    against = [pair for pair in scope.pairs if pair.second == "human"]
    assert standing(against, {name: name for name in good}) == words


def test_p_values_have_three_decimals() -> None:
    assert [p_words(p) for p in (None, 0.0, 0.00099, 0.001, 0.0088, 0.4, 1.0)] == [
        "–", "< .001", "< .001", ".001", ".009", ".400", "1.000",
    ]  # fmt: skip


def test_the_parts_of_a_bar_fill_it() -> None:
    bar = share_bar(50, 100, 40, 10, Interval(0.4, 0.6))
    assert [(part.kind, part.x, part.width) for part in bar.parts] == [
        ("good", "0.00%", "50.00%"),
        ("okay", "50.00%", "40.00%"),
        ("bad", "90.00%", "10.00%"),
    ]
    assert (bar.interval_x, bar.interval_width) == ("40.00%", "20.00%")
    small = share_bar(96, 100, 4, 0, Interval(0.9, 1.0)).parts
    assert [(part.kind, part.label) for part in small] == [("good", "96.0 %"), ("okay", "")]
    assert [part.kind for part in share_bar(96, 100, None, None, Interval(0.9, 1.0)).parts] == ["good", "open"]


def test_the_counts_are_rows_that_say_which_were_recovered_and_loading_twice_changes_nothing() -> None:
    assert AggregateCount.objects.count() == 86
    recovered = AggregateCount.objects.filter(basis="recovered")
    assert set(recovered.values_list("responder__key", flat=True)) == set(list(RESPONDERS)[2:])
    assert not recovered.filter(bad__isnull=False).exists()
    out = io.StringIO()
    call_command("load_study", stdout=out)
    assert out.getvalue() == "The published study is there already.\n"
    assert (AggregateCount.objects.count(), StudyResult.objects.count()) == (86, 1)


def test_the_page_reads_no_file_and_computes_no_statistics(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shown comes from the stored results."""
    monkeypatch.setattr("leaderboard.study.results.study_statistics", pytest.fail)
    monkeypatch.setattr("leaderboard.study.published.read_study", pytest.fail)
    assert "96.77" in page(client, PATH)
