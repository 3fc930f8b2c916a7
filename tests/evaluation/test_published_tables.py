"""Tables of others: the shipped files hold the sources' figures, and the names in them mean models of the board."""

import csv
import json
from itertools import pairwise
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from evaluation.importers.published import SHIPPED_FOLDER
from evaluation.importers.published_tables import TABLE_FILES, read_all, read_tables
from evaluation.models import LanguageModel, PublishedName, ReferenceScore
from evaluation.published_tables import PUBLISHED
from evaluation.statistics.correlation import correlate
from tests.factories import make_model

pytestmark = [pytest.mark.django_db, pytest.mark.database]

LINES = {line for table in PUBLISHED.values() for line in table.lines}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as lines:
        return list(csv.DictReader(lines))


def shipped(name: str) -> dict[str, dict[str, str]]:
    return {row["model"]: row for row in rows_of(SHIPPED_FOLDER / name)}


def figures_of(table: str) -> dict[str, ReferenceScore]:
    return {row.matched_name: row for row in ReferenceScore.objects.filter(benchmark=table).select_related("model")}


def test_eq_bench_3_is_the_published_table(shared_data: Path) -> None:
    ours = shipped("eqbench3.csv")
    theirs = rows_of(shared_data / "published/eqbench3.csv")
    names = {
        "elo": "elo_norm", "elo_low": "ci_low_norm", "elo_high": "ci_high_norm", "rubric": "rubric_0_100",
        "model": "model_name",
    }  # fmt: skip
    assert len(theirs) == len(ours) == 79
    for row in theirs:
        mine = ours[row["model_name"].removeprefix("*")]
        for column, value in mine.items():
            assert row[names.get(column, column)].removeprefix("*") == value


def test_eq_bench_3_has_the_facts_of_its_specification() -> None:
    call_command("load_published")
    rows = sorted(figures_of("eq-bench-3").values(), key=lambda row: -row.value)
    assert (rows[0].matched_name, rows[0].value) == ("claude-fable-5", 2049.7)
    assert (rows[-1].matched_name, rows[-1].value) == ("meta-llama/llama-3.2-1b-instruct", 200.0)
    assert figures_of("eq-bench-3")["o3"].value == 1500.0
    rubric = [row.figures["rubric"] for row in rows if row.figures is not None]
    assert len(rubric) == len(rows)
    found = correlate([row.value for row in rows], rubric, draws=10)
    assert found is not None
    assert round(found.pearson.value, 4) == 0.9511
    overlapping = [(below.high or 0.0) >= (above.low or 0.0) for above, below in pairwise(rows)]
    assert (len(overlapping), sum(overlapping)) == (78, 70)


def test_seceu_has_fifteen_scored_models_in_twenty_five_runs_and_three_that_failed(shared_data: Path) -> None:
    found = json.loads((shared_data / "seceu/published_results.json").read_text())["results"]
    ours = {name: row for name, row in shipped("seceu_table_1.csv").items() if name not in LINES}
    columns = {
        "eq": "eq", "distance": "seceu_score", "percent_worse": "eq_percent", "pattern_r": "pattern_r",
        "pattern_percent": "pattern_percent",
    }  # fmt: skip
    table_1 = {row["model"]: row for row in found if row["table"] == "1"}
    assert set(ours) == set(table_1)
    for name, row in table_1.items():
        assert {ours[name][mine] for mine in columns if row[columns[mine]] is None} <= {""}
        assert all(float(ours[name][mine]) == row[of] for mine, of in columns.items() if row[of] is not None)
    assert [name for name, row in ours.items() if not row["eq"]] == ["LLaMA", "Fastchat", "RWKV-v4"]
    strategies = {
        "direct": "eq_direct", "zero_shot": "eq_zero_shot", "zero_shot_step_by_step": "eq_zero_shot_step",
        "two_shot_cot": "eq_two_shot", "two_shot_cot_step_by_step": "eq_two_shot_step",
    }  # fmt: skip
    runs = {(row["model"], row["prompt_strategy"]): row["eq"] for row in found if row["status"] == "completed"}
    assert {pair: float(ours[pair[0]][strategies[pair[1]]]) for pair in runs} == runs
    assert len(runs) == 25 == sum(bool(row[column]) for row in ours.values() for column in strategies.values())


def test_emotionbench_has_the_published_means_and_our_alignment(shared_data: Path) -> None:
    folder = shared_data / "emotionbench"
    ours = {name: row for name, row in shipped("emotionbench_2026.csv").items() if name not in LINES}
    overall = {r["model"]: r for r in rows_of(folder / "authors_leaderboard_2026.csv") if r["row"] == "Overall:avg"}
    scores = {row["system"]: row for row in rows_of(folder / "alignment_scores_ours.csv")}
    assert set(ours) - set(overall) == {"LLaMA-3.1-8B"}
    assert len(ours) == 23
    moods = {
        "default_p": "pos_default", "default_n": "neg_default", "evoked_p": "pos_evoked", "evoked_n": "neg_evoked",
    }  # fmt: skip
    parts = {
        "alignment": "alignment", "level": "level", "change": "change", "pattern": "pattern",
        "gap": "mean_gap_level", "gap_change": "mean_gap_change",
    }  # fmt: skip
    for name, row in ours.items():
        score = scores.get(name) or scores["llama3.1-8b"]
        assert {mine: row[mine] for mine in parts} == {mine: score[of] for mine, of in parts.items()}
        assert name not in overall or all(row[mine] == overall[name][of] for mine, of in moods.items())


def test_people_have_the_means_of_their_answers(shared_data: Path) -> None:
    people = next(r for r in rows_of(shared_data / "emotionbench/human_reference.csv") if r["row"] == "Overall:avg")
    row = shipped("emotionbench_2026.csv")["One half of the people"]
    assert [row[name] for name in ("default_p", "default_n", "evoked_p", "evoked_n")] == [
        people[name] for name in ("pos_default_mean", "neg_default_mean", "pos_evoked_mean", "neg_evoked_mean")
    ]


def test_every_column_of_a_file_is_a_measure_of_its_table() -> None:
    assert {table.key for table in TABLE_FILES} == set(PUBLISHED)
    for file in TABLE_FILES:
        first, *others = PUBLISHED[file.key].measures
        assert file.ranks[0] == first.key
        assert list(file.figures) == [measure.key for measure in others] or set(file.figures) == {
            measure.key for measure in others
        }
        assert (file.interval is not None) == PUBLISHED[file.key].has_intervals
        assert {*PUBLISHED[file.key].heat} <= {*file.figures}


def test_the_failed_models_named_below_the_table_are_those_of_the_file() -> None:
    failed = {name: row["nulls_direct"] for name, row in shipped("seceu_table_1.csv").items() if not row["eq"]}
    below = " ".join(PUBLISHED["seceu-table-1"].below)
    assert failed == {"LLaMA": "40", "Fastchat": "31", "RWKV-v4": "31"}
    assert all(name in below and f" {n}" in below for name, n in failed.items())


def test_a_table_and_the_page_of_v2_share_models_by_name() -> None:
    call_command("load_published")
    page = ReferenceScore.objects.filter(benchmark="eq-bench-v2").values("model")
    shared = ReferenceScore.objects.filter(benchmark="eq-bench-3", model__in=page)
    assert set(shared.values_list("model__name", flat=True)) == {
        "gpt-4-0314", "google/gemma-2-9b-it", "meta-llama/Llama-3.2-1B-Instruct", "Qwen/Qwen2.5-72B-Instruct",
        "meta-llama/Meta-Llama-3.1-405B-Instruct",
    }  # fmt: skip
    assert LanguageModel.objects.get(name="zai-org/GLM-5").organisation == "Z.ai"
    assert not LanguageModel.objects.filter(name__startswith="*").exists()


def test_a_name_without_a_snapshot_says_so() -> None:
    call_command("load_published")
    figure = figures_of("seceu-table-1")["GPT-4"]
    assert (figure.model.name, figure.match) == ("gpt-4-0314", "approx: the snapshot is not named")
    assert figure.setting == "best of its conditions: direct prompt"
    assert figure.figures is not None
    assert figure.figures["eq_direct"] == 117


def test_a_name_that_staff_corrected_keeps_its_model() -> None:
    call_command("load_published")
    other = make_model(name="gpt-4-of-that-day")
    name = PublishedName.objects.get(table="seceu-table-1", name="GPT-4")
    name.model, name.match, name.by_hand = other, "alias: by the paper's appendix", True
    name.save()
    call_command("load_published")
    figure = figures_of("seceu-table-1")["GPT-4"]
    assert (figure.model, figure.match, figure.preferred) == (other, "alias: by the paper's appendix", True)
    assert ReferenceScore.objects.filter(benchmark="seceu-table-1").count() == 17
    before = list(ReferenceScore.objects.order_by("pk").values())
    call_command("load_published")
    assert list(ReferenceScore.objects.order_by("pk").values()) == before


def test_two_names_of_a_table_that_mean_one_model_leave_one_figure_preferred() -> None:
    call_command("load_published")
    name = PublishedName.objects.get(table="emotionbench-2026", name="GPT-4")
    name.model = PublishedName.objects.get(table="emotionbench-2026", name="GPT-4o").model
    name.by_hand = True
    name.save()
    call_command("load_published")
    rows = ReferenceScore.objects.filter(benchmark="emotionbench-2026", model=name.model)
    assert {row.matched_name: row.preferred for row in rows} == {"GPT-4o": True, "GPT-4": False}


@pytest.mark.parametrize("handed_back", [True, False], ids=["handed back", "the table follows"])
def test_a_figure_that_staff_gave_to_another_model_does_not_stop_later_loadings(handed_back: bool) -> None:
    call_command("load_published")
    figure, other = figures_of("eq-bench-3")["o3"], make_model(name="maker/o3-of-that-day")
    usual = figure.model
    ReferenceScore.objects.filter(pk=figure.pk).update(model=other, by_hand=True)
    call_command("load_published")  # the table still says the first model, so that one has a figure again
    if handed_back:
        ReferenceScore.objects.filter(pk=figure.pk).update(by_hand=False)
    else:
        PublishedName.objects.filter(table="eq-bench-3", name="o3").update(model=other, by_hand=True)
    call_command("load_published")
    (left,) = ReferenceScore.objects.filter(benchmark="eq-bench-3", matched_name="o3")
    assert (left.model, left.preferred) == (usual if handed_back else other, True)
    before = list(ReferenceScore.objects.order_by("pk").values())
    call_command("load_published")
    assert list(ReferenceScore.objects.order_by("pk").values()) == before


def test_names_are_loaded_once() -> None:
    call_command("load_published")
    before = list(PublishedName.objects.order_by("pk").values())
    assert len(before) == len(read_all(SHIPPED_FOLDER).names)
    call_command("load_published")
    assert list(PublishedName.objects.order_by("pk").values()) == before


@pytest.mark.parametrize(
    ("file", "old", "new", "refusal"),
    [
        ("eqbench3.csv", "2049.7,1977.1", "2049.7,2077.1", "eqbench3.csv, line 2, elo_low: 2049.7 is not between"),
        (
            "eqbench3.csv",
            "claude-opus-4-8",
            "claude-fable-5",
            'eqbench3.csv, line 3, model: "claude-fable-5" has a row',
        ),
        ("seceu_table_1.csv", "Koala,direct", "Koala,guessed", '"guessed" is not one of'),
        ("emotionbench_2026.csv", "GPT-4o,75.0639", "GPT-4x,75.0639", '"GPT-4x" is not in table_names.csv'),
        ("table_names.csv", "eq-bench-3,o3,", "eq-bench-9,o3,", '"eq-bench-9" is not one of'),
    ],
)
def test_a_wrong_cell_is_refused_by_file_and_line(tmp_path: Path, file: str, old: str, new: str, refusal: str) -> None:
    for path in SHIPPED_FOLDER.glob("*.csv"):
        text = path.read_text()
        (tmp_path / path.name).write_text(text.replace(old, new, 1) if path.name == file else text)
    with pytest.raises(CommandError, match="Nothing was loaded") as error:
        call_command("load_published", "--from", str(tmp_path))
    assert refusal in str(error.value)
    assert not ReferenceScore.objects.exists()


def test_a_name_that_stands_in_no_table_makes_no_model(tmp_path: Path) -> None:
    for path in SHIPPED_FOLDER.glob("*.csv"):
        more = "seceu-table-1,Nobody,maker/nobody,exact,,,,,\n" if path.name == "table_names.csv" else ""
        (tmp_path / path.name).write_text(path.read_text() + more)
    call_command("load_published", "--from", str(tmp_path))
    assert not LanguageModel.objects.filter(name="maker/nobody").exists()
    assert figures_of("seceu-table-1")


def test_a_folder_of_the_older_form_has_no_tables(tmp_path: Path) -> None:
    assert read_tables(tmp_path).figures == ()
