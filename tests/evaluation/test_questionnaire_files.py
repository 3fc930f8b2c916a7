"""Tables of questionnaires, the authors' released answers among them: in, out, and what they recompute."""

import csv
import json
from collections import Counter
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation.benchmarks.emotionbench.table import rows
from evaluation.models import ItemBank, ItemResult, Origin, Run, Status
from evaluation.runs.rescoring import rescore_run
from tests.evaluation.benchmarks.emotion_files import FACTORS, POSITIVE, emotion_files
from tests.kinds.test_emotionbench_runs import load

pytestmark = [pytest.mark.django_db, pytest.mark.database]
COLUMNS = ["model", "condition", "used_index", "run", "answers", "positive", "negative"]


def line(model: str, condition: str, index: str, run: int, answers: str) -> dict[str, object]:
    sums = [
        sum(int(digit) for at, digit in enumerate(answers) if (at in POSITIVE) is wanted) for wanted in (True, False)
    ]
    positive, negative = sums if answers else ("", "")
    return dict(zip(COLUMNS, [model, condition, index, run, answers, positive, negative], strict=True))


def table(model: str = "maker/calm", plan: tuple[int, int] = (10, 1)) -> list[dict[str, object]]:
    """A table of the small bank: moods that differ by run and by factor."""
    default = [line(model, "default", "", run, "3" * 19 + str(1 + run % 5)) for run in range(plan[0])]
    return default + [
        line(model, factor, str(index), run, str(1 + (index + number) % 5) * 10 + str(1 + run % 5) * 10)
        for number, (factor, n) in enumerate(FACTORS.items())
        for index in range(n)
        for run in range(plan[1])
    ]


def written(folder: Path, found: list[dict[str, Any]], name: str = "answers.csv") -> Path:
    out = StringIO()
    writer = csv.DictWriter(out, list(found[0]))
    writer.writeheader()
    writer.writerows(found)
    path = folder / name
    path.write_text(out.getvalue())
    return path


def imported(path: Path, **options: Any) -> list[dict[str, Any]]:
    out = StringIO()
    call_command("import_results", str(path), as_json=True, stdout=out, **options)
    found: list[dict[str, Any]] = json.loads(out.getvalue())
    return found


@pytest.fixture
def bank() -> ItemBank:
    return load(emotion_files())


def test_each_model_of_a_table_is_a_run_of_its_plan(bank: ItemBank, tmp_path: Path) -> None:
    path = written(tmp_path, [*table("maker/calm", (10, 1)), *table("maker/other", (50, 10))])
    assert [entry["created"] for entry in imported(path)] == [True, True]
    calm, other = Run.objects.order_by("pk")
    assert (calm.variant, calm.n_asks, calm.results.count()) == ("quick", 17, 17)
    assert (other.variant, other.n_asks, other.results.count()) == ("full", 120, 120)
    for run in (calm, other):
        assert (run.origin, run.status, run.published, run.ranks) == (Origin.IMPORTED, Status.FINISHED, True, True)
        assert run.score is not None
        assert set(run.results.values_list("shown", flat=True)) == {None}
        assert not rescore_run(run.pk).changed
    assert [entry["created"] for entry in imported(path)] == [False, False]
    assert Run.objects.count() == 2


def test_blanks_around_a_name_make_no_other_model_and_no_second_run(bank: ItemBank, tmp_path: Path) -> None:
    first = imported(written(tmp_path, table()))[0]
    rows = [{**row, "model": f" {row['model']}" if number % 2 else row["model"]} for number, row in enumerate(table())]
    again = imported(written(tmp_path, rows, "blanks.csv"))
    assert [(each["run"], each["created"]) for each in again] == [(first["run"], False)]
    assert Run.objects.count() == 1


def test_a_table_out_and_in_again_is_the_same_run(bank: ItemBank, tmp_path: Path) -> None:
    found = table()
    found[3] = {**found[3], "answers": "", "positive": "", "negative": ""}
    run = Run.objects.get(pk=imported(written(tmp_path, found))[0]["run"])
    call_command("export_results", str(run.pk), to=tmp_path / "out", stdout=StringIO())
    (path,) = (tmp_path / "out").iterdir()
    assert path.name == f"{run.model.slug}_run{run.pk}_quick_questionnaires.csv"
    again = imported(path)[0]
    assert (again["run"], again["created"]) == (run.pk, False)
    assert run.results.get(answer__isnull=True).reason == "not in the file"
    before = (run.score, run.figures)
    Run.objects.all().delete()
    run = Run.objects.get(pk=imported(path)[0]["run"])
    assert (run.score, run.figures) == before


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"answers": "3" * 19}, "line 2: answers are no 20 digits from 1 to 5"),
        ({"answers": "3" * 19 + "6"}, "line 2: answers are no 20 digits from 1 to 5"),
        ({"answers": "٣" * 20}, "line 2: answers are no 20 digits from 1 to 5"),
        ({"positive": "11"}, "line 2: the sums are not those of the answers"),
        ({"positive": "many"}, "line 2: positive and negative are no two numbers"),
        ({"run": "-1"}, "line 2: run is no whole number"),
        ({"run": "1"}, "line 3: default, run 1 stands in line 2 already"),
        ({"run": "77"}, "holds 78 runs without a situation and 1 runs a situation, which no plan has"),
        ({"condition": "Sun-0", "used_index": "0"}, "line 2: the bank has no situation Sun-0#0"),
        ({"condition": "Rain-0", "used_index": "9"}, "line 2: the bank has no situation Rain-0#9"),
        ({"model": " "}, "model is not a printable name"),
        ({"reason": "bored"}, "line 2: reason is none of provider error"),
    ],
)  # fmt: skip
def test_a_faulty_row_is_refused_by_its_line(
    bank: ItemBank, tmp_path: Path, change: Mapping[str, str], sentence: str
) -> None:
    found = [{**row, "reason": ""} for row in table()]
    found[0] = {**found[0], **change}
    with pytest.raises(CommandError, match=sentence):
        imported(written(tmp_path, found))
    assert not ItemResult.objects.filter(run__model__name="maker/calm").exists() or change == {"model": " "}


@pytest.mark.parametrize("sign", ["\u200b", "\u202e", "\x07", "\u3164", "e" + "\u0301" * 9])
def test_a_model_of_a_table_whose_name_hides_something_is_refused(bank: ItemBank, tmp_path: Path, sign: str) -> None:
    with pytest.raises(CommandError, match=r"holds a character that cannot be seen|is not a printable name"):
        imported(written(tmp_path, table(f"OpenAI/gpt{sign}-4")))
    assert not Run.objects.exists()


def test_a_table_of_something_else_is_refused_alone_and_passed_over_in_a_folder(bank: ItemBank, tmp_path: Path) -> None:
    other = written(tmp_path, [{"a": 1, "b": 2}], "other.csv")
    with pytest.raises(CommandError, match="no table of questionnaires: its columns have to be model, condition"):
        imported(other)
    written(tmp_path, table())
    assert [entry["file"] for entry in imported(tmp_path)] == ["answers.csv (maker/calm)"]


def test_without_the_bank_the_refusal_says_how_to_load_it(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"the item bank emotionbench is not loaded\. Load it first: "):
        imported(written(tmp_path, table()))


# The authors' released answers


@pytest.fixture
def released(shared_data: Path) -> dict[str, Run]:
    """The seven runs by the name that the file gives to their models."""
    folder = shared_data / "emotionbench"
    call_command("load_bank", "emotionbench", location=str(folder), verbosity=0, stdout=StringIO())
    imported(folder / "llm_runs_panas.csv", new_model=True)
    return {run.manifest["model_path"]: run for run in Run.objects.select_related("model") if run.manifest}


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_released_answers_recompute_what_the_paper_prints(released: dict[str, Run], shared_data: Path) -> None:
    folder = shared_data / "emotionbench"
    assert Counter(run.variant for run in released.values()) == {"full": 7}
    agreed = Counter[str]()
    details = {name: run.detail for name, run in released.items() if run.detail is not None}
    assert details.keys() == released.keys()
    by_run = {name: {row.name: row for row in rows(detail)} for name, detail in details.items()}
    for printed in read_csv(folder / "published_panas.csv"):
        if printed["system"] == "human":
            continue
        name, ours = printed["system"], by_run[printed["system"]]
        for affect, key in enumerate(("pos", "neg")):
            default = details[name]["default"][affect]
            if printed["row"] == "Overall:avg":
                agreed["default means"] += abs(default["mean"] - float(printed[f"{key}_default_mean"])) <= 0.0501
                agreed["default SDs"] += abs(default["sd"] - float(printed[f"{key}_default_sd"])) <= 0.0501
            test = ours[printed["row"]].tests[affect]
            assert test is not None
            agreed["changes"] += abs(test.change - float(printed[f"{key}_change"])) <= 0.0501
            agreed["arrows"] += test.arrow == printed[f"{key}_arrow"]
    assert agreed == {"changes": 604, "arrows": 625, "default means": 14, "default SDs": 14}


def test_the_released_answers_give_the_alignment_to_its_digits(released: dict[str, Run], shared_data: Path) -> None:
    expected = read_csv(shared_data / "emotionbench" / "alignment_scores_ours.csv")
    ours = {row["system"]: row for row in expected if row["source"] == "released runs"}
    checked = 0
    names = {"alignment": "alignment", "level": "level", "change": "change", "pattern": "pattern",
             "mean_gap_level": "gap", "mean_gap_change": "gap_change", "pos_default": "default_p",
             "neg_default": "default_n"}  # fmt: skip
    for name, run in released.items():
        for column, key in names.items():
            assert run.figures[key]["value"] == pytest.approx(float(ours[name][column]), abs=6e-5), (name, column)
            checked += 1
    assert checked == 7 * 8
