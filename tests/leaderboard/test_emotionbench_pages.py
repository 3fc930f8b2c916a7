"""EmotionBench's pages: what they show of moods, and that no text of a situation or of the questionnaire is on one."""

import csv
import io
import json
import random
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.emotionbench.scoring import Sample
from evaluation.disclosure import manifest_of
from evaluation.models import FormerName, ItemBank, LanguageModel, PublishedName, Run
from leaderboard.administration.uploading import confirm, previews
from leaderboard.kinds.emotionbench import words
from leaderboard.kinds.emotionbench.drawings import arrow, step_of, strip, strip_heads
from leaderboard.kinds.emotionbench.figures import Cell, MoodRow, People, moods_of, people_rows, rules_of
from leaderboard.models import AheadTable, Standing
from leaderboard.pages.emotionbench.compare import headline_of
from leaderboard.standings.refreshing import refresh_standings
from leaderboard.statistics.refreshing import refresh_statistics
from tests.evaluation.benchmarks.emotion_files import FACTORS, POSITIVE, SYSTEM, WORDS, emotion_files
from tests.evaluation.test_questionnaire_files import imported, line, written
from tests.factories import make_bank, make_model
from tests.kinds.test_emotionbench_runs import load
from tests.leaderboard.pages import finished, page

pytestmark = [pytest.mark.django_db, pytest.mark.database]
KEY = "emotionbench--full"
TEXTS = (*(f">{word}<" for word in WORDS), "You stand in the", SYSTEM)


def answers(chance: random.Random, pleasant: int, unpleasant: int) -> str:
    """Twenty ratings around a level for pleasant words and one for unpleasant words."""
    levels = [pleasant if at in POSITIVE else unpleasant for at in range(20)]
    return "".join(str(min(5, max(1, level + chance.choice((-1, 0, 0, 1))))) for level in levels)


def rows_of(
    model: str, seed: int, after: tuple[int, int], default: int = 50, evoked: int = 10
) -> list[dict[str, object]]:
    chance = random.Random(seed)
    found = [line(model, "default", "", run, answers(chance, 3, 2)) for run in range(default)]
    for number, (factor, n) in enumerate(FACTORS.items()):
        for index in range(n):
            moods = (answers(chance, after[0] - number % 2, after[1] + number % 3) for _ in range(evoked))
            found += [line(model, factor, str(index), run, mood) for run, mood in enumerate(moods)]
    return found


@pytest.fixture
def board(tmp_path: Path) -> ItemBank:
    """Two models with full runs and one with a quick one, on a bank of our own making."""
    bank = load(emotion_files())
    table = [
        *rows_of("maker/calm", 1, (3, 2)),
        *rows_of("maker/shaken", 2, (2, 4)),
        *rows_of("maker/hasty", 3, (2, 3), 10, 1),
    ]
    imported(written(tmp_path, table))
    call_command("load_baselines", verbosity=0)
    refresh_standings()
    refresh_statistics()
    return bank


ADDRESSES = (
    "/", f"/rankings/{KEY}/", "/rankings/emotionbench--quick/", "/models/maker-calm/", "/models/maker-hasty/",
    f"/emotionbench/{KEY}/factors/", f"/emotionbench/{KEY}/compare/", "/emotionbench/emotionbench/people/",
    "/methodology/", "/items/", "/submit/", "/statistics/", f"/statistics/?ranking={KEY}", f"/compare/?ranking={KEY}",
    f"/compare/?ranking={KEY}&m=maker-calm&m=maker-shaken", f"/charts/{KEY}/", "/about/", "/sitemap.xml",
    f"/rankings/{KEY}.csv", f"/rankings/{KEY}.json",
)  # fmt: skip


def test_no_page_shows_a_text_of_the_bank(client: Client, board: ItemBank) -> None:
    run = Run.objects.get(model__name="maker/calm")
    own = (f"/runs/{run.pk}/", f"/runs/{run.pk}/items/", f"/runs/{run.pk}/items.csv", f"/runs/{run.pk}/manifest.json")
    for address in (*ADDRESSES, *own):
        response = client.get(address, follow=True)
        assert response.status_code == 200, address
        text = response.content.decode()
        assert not [found for found in TEXTS if found in text], address


@pytest.mark.parametrize(
    "address", ["/items/emotionbench/", "/items/emotionbench/default/", "/items/emotionbench.json"]
)
def test_its_items_have_no_pages_since_none_is_good_or_bad(client: Client, board: ItemBank, address: str) -> None:
    make_bank(3)
    assert client.get(address).status_code == 404


def test_plans_are_rankings_of_their_own_and_a_select_leads_from_one_to_the_other(
    client: Client, board: ItemBank
) -> None:
    models: dict[str, set[str]] = {key: set() for key in (KEY, "emotionbench--quick", "emotionbench")}
    for key, name in Standing.objects.filter(origin="imported").values_list("ranking", "model__name"):
        models[key].add(name)
    assert models == {
        KEY: {"maker/calm", "maker/shaken"}, "emotionbench--quick": {"maker/hasty"}, "emotionbench": set(),
    }  # fmt: skip
    text = page(client, f"/rankings/{KEY}/")
    assert '<option value="full" selected>Full plan, 1,800 requests</option>' in text
    assert '<option value="quick">' in text
    assert '<option value="standard">' not in text, "a plan without a model has no ranking"
    response = client.get("/emotionbench/emotionbench/plan/?plan=quick")
    assert response["Location"] == "/rankings/emotionbench--quick/"
    assert client.get("/emotionbench/emotionbench/plan/?plan=huge").status_code == 404


def test_each_ranking_has_the_five_rules_as_rows_and_people_as_a_line(client: Client, board: ItemBank) -> None:
    baselines = Standing.objects.filter(origin="baseline").values_list("ranking", flat=True)
    assert sorted(baselines) == [KEY] * 5 + ["emotionbench--quick"] * 5
    text = page(client, f"/rankings/{KEY}/")
    assert "One half of the people, against the other half" in text
    assert "80.3" in text
    assert rules_of(board)[0].alignment == 80.3


def test_files_and_the_api_have_the_line_of_people(client: Client, board: ItemBank) -> None:
    content = client.get(f"/rankings/{KEY}.json").json()
    half, everybody = content["lines"]
    assert half["name"] == "One half of the people"
    assert half["figures"] == {"level": 89.2, "change": 89.2, "pattern": 62.4, "alignment": 80.3}
    rows = people_rows(board)
    assert everybody["name"] == f"People, n = {rows[0].n:,}"
    assert everybody["figures"]["evoked_n"] == rows[0].affects[1].evoked
    assert set(everybody["figures"]) <= content["rows"][0].keys(), "under the names of the columns"
    table = pq.read_table(io.BytesIO(client.get(f"/rankings/{KEY}.parquet").content))
    assert json.loads(table.schema.metadata[b"ranking"])["lines"] == content["lines"]
    assert client.get(f"/api/v1/rankings/{KEY}").json()["lines"] == content["lines"]
    note = "People are in JSON and Parquet, under <code>lines</code>; CSV holds the rows alone."
    assert note in page(client, f"/rankings/{KEY}/")
    assert half["name"] not in client.get(f"/rankings/{KEY}.csv").content.decode()
    people = client.get("/emotionbench/emotionbench/people.csv")
    lines = list(csv.DictReader(io.StringIO(people.content.decode())))
    assert [line["row"] for line in lines] == [row.key for row in rows]
    assert float(lines[0]["evoked_n"]) == rows[0].affects[1].evoked
    assert "/emotionbench/emotionbench/people.csv" in page(client, "/emotionbench/emotionbench/people/")
    assert "Half of the people, compared with the other half, reach 80.3" in " ".join(
        page(client, "/methodology/").split()
    )


def test_other_rankings_have_no_such_lines(client: Client) -> None:
    finished(make_bank(3, slug="scenes"), 50.0, name="maker/one")
    refresh_standings()
    assert "lines" not in client.get("/rankings/scenes.json").json()
    assert "under <code>lines</code>" not in page(client, "/rankings/scenes/")
    assert client.get("/api/v1/rankings/scenes").json()["lines"] == []


def test_models_are_not_compared_by_situation_and_the_page_says_why(client: Client, board: ItemBank) -> None:
    html = " ".join(page(client, f"/compare/?ranking={KEY}&m=maker-calm&m=maker-shaken").split())
    assert "EmotionBench, full, side by side</h1>" in html
    assert "A single situation of EmotionBench has a mood, which is neither good nor bad" in html
    assert f'href="/emotionbench/{KEY}/compare/?m=maker-calm&amp;m=maker-shaken"' in html
    assert "Better on" not in html
    assert "Item by item" not in html
    assert "share" not in html.partition("<main")[2].partition("Side by side")[0]
    assert client.get(f"/emotionbench/{KEY}/compare/?m=maker-calm&m=maker-shaken").status_code == 200


def test_the_names_of_the_authors_files_join_the_models_of_their_table(client: Client, tmp_path: Path) -> None:
    call_command("load_published", verbosity=0)
    load(emotion_files())
    other = make_model("maker/corrected")
    PublishedName.objects.filter(table="emotionbench-2026", name="LLaMA-2-7B").update(model=other, by_hand=True)
    table = [
        row
        for seed, name in enumerate(("gpt-4", "llama2-13b", "llama2-7b", "gpt-9-unknown"))
        for row in rows_of(name, seed, (2, 4))
    ]
    imported(written(tmp_path, table))
    refresh_standings()
    found = Run.objects.filter(benchmark="emotionbench").select_related("model")
    runs = {manifest_of(run)["model_path"]: run for run in found}
    assert {name: run.model.name for name, run in runs.items()} == {
        "gpt-4": "gpt-4-0613",
        "llama2-13b": "meta-llama/Llama-2-13b-chat-hf",
        "llama2-7b": "maker/corrected",
        "gpt-9-unknown": "gpt-9-unknown",
    }
    ranking = " ".join(page(client, "/rankings/emotionbench-2026/").split())
    also = ranking.partition("Also with runs here</dt>")[2].partition("</dd>")[0]
    assert f'href="/models/{runs["gpt-4"].model.slug}/?ranking={KEY}"' in also
    assert "(EmotionBench, full, imported: " in also
    assert "gpt-9" not in also
    own = " ".join(page(client, f"/models/{runs['gpt-4'].model.slug}/?ranking=emotionbench-2026").split())
    assert f'<a href="?ranking={KEY}">EmotionBench, full</a>' in own.partition("Scores of runs here</h2>")[2]
    slug = LanguageModel.objects.get(name="gpt-4o").slug
    assert "Scores of runs here</h2>" not in page(client, f"/models/{slug}/?ranking=emotionbench-2026")


def test_a_models_page_has_its_moods_its_table_and_what_it_misjudges(client: Client, board: ItemBank) -> None:
    text = page(client, "/models/maker-shaken/")
    for found in (
        "Mood, before and after", "Which situations it misjudges", "Its moods move least like people’s in",
        "Standing in Snow-0", "All 3 factors, with arrows and people", "All 120 questionnaires were answered.",
    ):  # fmt: skip
        assert found in text, found
    assert "What the paper prints" not in text, "it is no model of the paper"
    assert text.count('class="fac-row"') == 3
    assert text.count('class="emo-row"') == 3


def test_a_private_bank_tells_nothing_by_factor(board: ItemBank) -> None:
    run = Run.objects.select_related("bank").get(model__name="maker/calm")
    assert len(moods_of(run)) == 6
    run.bank.access = "private"
    assert moods_of(run) == ()
    assert rules_of(run.bank) == ()


def test_rows_are_over_all_first_then_each_emotion_with_its_factors(board: ItemBank) -> None:
    assert [row.key for row in people_rows(board)] == [
        "Overall:avg",
        "Rain:avg",
        "Rain-0",
        "Rain-1",
        "Snow:avg",
        "Snow-0",
    ]


def test_models_beside_each_other_by_factor(client: Client, board: ItemBank) -> None:
    text = page(client, f"/emotionbench/{KEY}/compare/?m=maker-shaken&m=maker-calm&m=nobody")
    better = Standing.objects.filter(ranking=KEY, rank=1).get().model
    assert f"{better} is ahead" in text
    assert text.count("Standing in") == 3
    assert client.get("/emotionbench/no-such/compare/").status_code == 404


@pytest.mark.parametrize("path", ["/runs/{}/", "/runs/{}/items/", "/models/maker-calm/?run={}"])
def test_a_value_that_is_neither_good_nor_bad_is_called_by_its_name_and_each_repeat_is_told(
    client: Client, board: ItemBank, path: str
) -> None:
    run = Run.objects.get(model__name="maker/calm")
    text = page(client, path.format(run.pk))
    rows = text.partition('class="plain middle items"')[2].partition("</table>")[0]
    assert "Positive affect</th>" in rows
    assert "Score</th>" not in rows
    assert "repeat " in rows, "one situation is asked ten times"
    assert "Worst and best" not in text


def test_a_comparison_by_factor_under_an_old_slug_leads_to_the_same_under_the_present_one(
    client: Client, board: ItemBank
) -> None:
    FormerName.objects.create(model=LanguageModel.objects.get(slug="maker-calm"), name="calm", slug="calm")
    response = client.get(f"/emotionbench/{KEY}/compare/?m=maker-shaken&m=calm")
    assert response.status_code == 301
    assert response["Location"] == f"/emotionbench/{KEY}/compare/?m=maker-shaken&m=maker-calm"


def test_models_that_the_ranking_ties_are_tied_beside_each_other_too(client: Client, board: ItemBank) -> None:
    """The ranking decides who is ahead: everywhere on the site."""
    table = AheadTable.objects.get(ranking=KEY)
    assert "is ahead" in page(client, f"/emotionbench/{KEY}/compare/")
    table.packed = np.packbits(np.zeros(len(table.model_ids) ** 2, dtype=bool)).tobytes()
    table.save()
    cache.clear()
    text = page(client, f"/emotionbench/{KEY}/compare/")
    assert re.search(r"<h1>\S+ and \S+ are tied</h1>", text)
    assert "is ahead" not in text


def test_the_heat_map_has_a_row_a_model_and_mood(client: Client, board: ItemBank) -> None:
    text = page(client, f"/emotionbench/{KEY}/factors/")
    assert text.count('class="heat-strip"') == 4
    assert "The same as numbers" in text


# Sentences and drawings


@pytest.mark.parametrize(
    ("alignment", "sentence"),
    [
        (74.8, "No model’s mood moves like people’s: the best scores 75; people, compared with each other, 80"),
        (80.2, "No model’s mood moves like people’s: the best scores 80.2; people, compared with each other, 80.3"),
        (85.0, "best scores 85; people, compared with each other, score 80"),
    ],
)
def test_the_headline_follows_the_best_model(alignment: float, sentence: str) -> None:
    assert words.headline("best", alignment) == sentence


def mood(before: float, after: float, people_before: float, people_after: float) -> Cell:
    people = People(people_before, people_after, people_after - people_before, "-", 1.0, 1.0, 1.0)
    return Cell(Sample(10, before, 1.0), Sample(10, after, 1.0), "-", people)


@pytest.mark.parametrize(
    ("pleasant", "unpleasant", "of_pleasant", "of_unpleasant"),
    [
        (20.0, 25.0, "drops by 10.0 points, people’s by 5.1.", "rises by 5.0 points, people’s by 10.4."),
        (32.5, 18.0, "rises by 2.5 points, people’s drops by 5.1.", "drops by 2.0 points, people’s rises by 10.4."),
        (30.0, 19.99, "does not move, people’s drops by 5.1.", "does not move, people’s rises by 10.4."),
    ],
)
def test_a_mood_that_does_not_go_the_way_of_peoples_is_told_with_both_ways(
    pleasant: float, unpleasant: float, of_pleasant: str, of_unpleasant: str
) -> None:
    cells = mood(30.0, pleasant, 28.0, 22.9), mood(20.0, unpleasant, 13.6, 24.0)
    sentence = words.mood_sentence(MoodRow("Overall:avg", "All eight", "Overall", "all", 10, False, cells))
    assert sentence == f"Its pleasant mood {of_pleasant} Its unpleasant mood {of_unpleasant}"


@pytest.mark.parametrize(
    ("beyond", "step"),
    [(0.0, "d0"), (2.0, "d0"), (2.1, "more1"), (-6.0, "less1"), (-6.1, "less2"), (12.5, "more3"), (-20.1, "less4")],
)
def test_steps_of_the_heat_map(beyond: float, step: str) -> None:
    assert step_of(beyond) == step


def test_strips_leave_a_gap_before_each_emotion_and_no_cell_for_what_is_not_known() -> None:
    drawn = strip([3.0, None, -9.0], [True, False, True])
    assert drawn.width == "3.6"
    assert dict(drawn.paths) == {"more1": "M0 0h.94v1h-.94z", "less2": "M2.6 0h.94v1h-.94z"}
    assert [depth for depth, _ in drawn.dashes] == ["dash"]
    assert [head.text for head in strip_heads(["Anger", "Anger", "Fear"])] == ["Anger", "Fear"]


def test_an_arrow_points_where_the_mood_goes_and_a_mood_that_stays_has_none() -> None:
    assert arrow(10, 50).tip.startswith("M2 0")
    assert arrow(50, 10).tip.startswith("M-2 0")
    assert arrow(20, 20.3).tip == ""
    assert (arrow(10, 50).start, arrow(10, 50).end) == ("1.50%", "98.50%")


def test_the_paper_beside_the_released_answers(client: Client, shared_data: Path) -> None:
    folder = shared_data / "emotionbench"
    call_command("load_bank", "emotionbench", location=str(folder), verbosity=0)
    imported(folder / "llm_runs_panas.csv", new_model=True)
    refresh_standings()
    text = page(client, "/models/mixtral-8x22b/")
    assert "The paper prints 90 changes of this model; 71 are what its answers give here." in text
    assert "subtracted the mood without a situation of LLaMA-3.1-8B" in text
    assert "It starts happier than people and falls five times as far" in page(client, "/models/gpt-4/")
    assert "No model’s mood moves like people’s: the best scores 75" in page(client, f"/rankings/{KEY}/")
    assert "998 of them live in the United Kingdom" in page(client, "/emotionbench/emotionbench/people/")
    assert BENCHMARKS["emotionbench"].title in text


def test_a_table_of_several_models_is_uploaded_as_a_run_each(tmp_path: Path, admin_user: User) -> None:
    load(emotion_files())
    table = [*rows_of("maker/calm", 1, (3, 2)), *rows_of("maker/hasty", 3, (2, 3), 10, 1)]
    file = SimpleUploadedFile("answers.csv", written(tmp_path, table).read_bytes())
    found = previews([file], admin_user)
    assert [line.verdict for line in found] == ["created", "created"]
    assert "A run of maker/calm, a new model, on EmotionBench" in found[0].sentence
    assert ", alignment " in found[0].sentence
    assert not Run.objects.exists(), "a preview stores no run"
    uploads = [line.upload for line in found if line.upload]
    assert [line.verdict for line in confirm(uploads, admin_user)] == ["created", "created"]
    assert sorted(Run.objects.values_list("model__name", "variant")) == [
        ("maker/calm", "full"),
        ("maker/hasty", "quick"),
    ]


@pytest.mark.parametrize(
    ("column", "text", "says"),
    [
        ("run", "1000", "run is no whole number"),
        ("run", "000000000" + "9" * 9, "run is no whole number"),
        ("used_index", "0" * 5_000, "used_index is no whole number"),
        ("answers", "6" * 20, "answers are no 20 digits"),
        ("positive", "many", "positive and negative are no two numbers"),
        ("condition", "Sun-0", "the bank has no situation Sun-0"),
    ],
)
def test_a_line_of_a_table_that_is_refused_is_not_given_the_advice_on_ratings_of_scenes(
    column: str, text: str, says: str, tmp_path: Path, admin_user: User
) -> None:
    load(emotion_files())
    table = [{**line("maker/calm", "Rain-0", "0", 0, "3" * 20), column: text}]
    (found,) = previews([SimpleUploadedFile("answers.csv", written(tmp_path, table).read_bytes())], admin_user)
    assert says in found.sentence
    assert found.fix == "Correct what the sentence names, and upload the file again."


@pytest.mark.parametrize(
    ("wins", "losses", "says"),
    [(5, 1, ""), (1, 5, ", which is nearer to people in more factors"), (2, 2, "")],
)
def test_factors_in_which_two_models_are_equal_count_for_neither(wins: int, losses: int, says: str) -> None:
    def model(name: str, score: float, gaps: list[float]) -> Any:
        factors = {str(at): SimpleNamespace(gap=gap) for at, gap in enumerate(gaps)}
        return SimpleNamespace(name=name, standing=SimpleNamespace(score=score), factors=factors)

    n = 36 - wins - losses
    one = model("A", 61.0, [1.0] * wins + [2.0] * losses + [3.0] * n)
    other = model("B", 60.0, [2.0] * wins + [1.0] * losses + [3.0] * n)
    assert headline_of([other, one]) == f"A is ahead of B{says}"
