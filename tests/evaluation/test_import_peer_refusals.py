"""Files of peers that must be refused: with file, line, field and what helps, and nothing stored."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from evaluation.importers.peers.files import ResultFile
from evaluation.importers.peers.lm_eval import read_lm_eval
from evaluation.importers.refusals import FileError
from evaluation.models import ItemResult, LanguageModel, Run
from tests.evaluation.peer_files import (
    EVALSCOPE,
    EVALSCOPE_CUTTING,
    LM_EVAL,
    Rows,
    edit_json,
    edit_rows,
    only,
    report_of,
    results_of,
    reviews_of,
    rows_of,
    samples_of,
    unpacked,
    write_rows,
)

pytestmark = [pytest.mark.django_db, pytest.mark.database]
Spoil = Callable[[Rows], object]


@pytest.fixture
def lm_eval(tmp_path: Path) -> Path:
    """The folder of a whole run of lm-eval, with its bank loaded."""
    call_command("load_bank", "eq-open-v1", verbosity=0)
    return unpacked(LM_EVAL, "random", tmp_path)


@pytest.fixture
def evalscope(tmp_path: Path) -> Path:
    call_command("load_bank", "eq-open-v1", verbosity=0)
    return unpacked(EVALSCOPE, "random", tmp_path)


def refusal_of(path: Path) -> str:
    with pytest.raises(CommandError) as refusal:
        call_command("import_results", str(path))
    assert not Run.objects.exists()
    assert not ItemResult.objects.exists()
    assert not LanguageModel.objects.exists()
    return str(refusal.value)


def put(path: str, value: Any, line: int = 2) -> Spoil:
    """Sets a field of a line, counted from 0, by its dotted path."""

    def spoil(rows: Rows) -> None:
        *way, last = path.split(".")
        entry = rows[line]
        for key in way:
            entry = entry[key]
        entry[last] = value

    return spoil


def drop(path: str, line: int = 2) -> Spoil:
    def spoil(rows: Rows) -> None:
        *way, last = path.split(".")
        entry = rows[line]
        for key in way:
            entry = entry[key]
        del entry[last]

    return spoil


def double_the_third(rows: Rows) -> None:
    rows.append(rows[2])


def same_item_under_another_number(rows: Rows) -> None:
    rows[5] = {**rows[2], "doc_id": rows[5]["doc_id"], "index": rows[5].get("index")}


def another_prompt(rows: Rows) -> None:
    rows[2]["doc"]["prompt"] = "How does the ferryman feel?"


def another_reference(rows: Rows) -> None:
    key = "reference_answer_fullscale"
    rows[2]["doc"][key] = rows[2]["doc"][key].replace("_score': ", "_score': 1", 1)


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda rows: rows.pop(2), "holds 59 samples, among them not doc_id 2; results_"),
        (double_the_third, "line 61: doc_id 2 stands in line 3 already"),
        (put("eqbench", float("nan")), "line 3 holds NaN, which is not a finite number"),
        (put("eqbench", float("-inf")), "line 3 holds -Infinity"),
        (put("eqbench", "12"), "line 3: eqbench is no number"),
        (put("eqbench", 50.0), "its samples have a mean of"),
        (drop("eqbench"), "line 3: eqbench missing. Only samples of the task eq_bench"),
        (drop("percent_parseable"), "line 3: percent_parseable missing"),
        (drop("doc.prompt"), "line 3: doc.prompt missing"),
        (put("doc.prompt", 7), "line 3: doc.prompt is no text"),
        (put("doc_id", -1), "line 3: doc_id is no whole number"),
        (put("filtered_resps", []), "line 3: filtered_resps holds no text"),
        (
            put("doc.reference_answer_fullscale", "__import__('os')"),
            "reference_answer_fullscale is no reference answer",
        ),
        (put("doc.reference_answer_fullscale", "[" * 5000), "reference_answer_fullscale is no reference answer"),
        (put("doc.reference_answer_fullscale", {"emotion1": "Sad"}), "does not hold four emotions"),
        (another_reference, "line 3 (doc_id 2): reference_answer_fullscale is not the reference of item 3"),
        (another_prompt, "line 3 (doc_id 2): the prompt is none of the item bank eq-open-v1"),
    ],
)
def test_doubtful_samples_are_refused_with_line_and_field(lm_eval: Path, spoil: Spoil, complaint: str) -> None:
    edit_rows(samples_of(lm_eval), spoil)
    refusal = refusal_of(lm_eval)
    assert complaint in refusal
    assert refusal.startswith(f"The file was refused.\n{samples_of(lm_eval).name}: ")


def test_an_item_that_stands_twice_is_refused_with_both_places(lm_eval: Path) -> None:
    edit_rows(samples_of(lm_eval), same_item_under_another_number)
    rows = rows_of(samples_of(lm_eval))
    mean = sum(row["eqbench"] for row in rows) / len(rows)
    edit_json(results_of(lm_eval), lambda data: data["results"]["eq_bench"].update({"eqbench,none": mean}))
    assert "line 6 (doc_id 5): item 3 stands in line 3 (doc_id 2) already" in refusal_of(lm_eval)


def test_a_truncated_file_is_refused_with_the_line(lm_eval: Path) -> None:
    path = samples_of(lm_eval)
    path.write_bytes(path.read_bytes()[:-200])
    refusal = refusal_of(lm_eval)
    assert "broken JSON at line 60" in refusal
    assert "Is the file cut off? Copy it again" in refusal


def test_a_file_cut_within_its_first_line_is_refused_and_not_passed_over(lm_eval: Path) -> None:
    path = samples_of(lm_eval)
    path.write_bytes(path.read_bytes()[:300])
    assert "line 1 is no whole JSON object. Is the file cut off?" in refusal_of(lm_eval)


def test_a_doubled_key_in_a_line_is_refused(lm_eval: Path) -> None:
    path = samples_of(lm_eval)
    first, rest = path.read_text().split("\n", 1)
    path.write_text(first.replace('"doc_id": 0,', '"doc_id": 0, "doc_id": 0,') + "\n" + rest)
    assert "listed twice (doubled JSON key): doc_id" in refusal_of(path)


def test_results_of_another_model_are_refused(lm_eval: Path, tmp_path: Path) -> None:
    other = results_of(unpacked(LM_EVAL, "mixed", tmp_path / "other"))
    shutil.copy(other, results_of(lm_eval))
    assert "The two are of different runs or models: bring the results file" in refusal_of(lm_eval)


def test_samples_of_two_runs_without_their_names_are_refused(lm_eval: Path, tmp_path: Path) -> None:
    other = results_of(unpacked(LM_EVAL, "mixed", tmp_path / "other"))
    shutil.copy(other, results_of(lm_eval).with_name("results.json"))
    results_of(lm_eval).rename(results_of(lm_eval).with_name("results_of_the_run.json"))
    assert "There are 2 files, of which one must be the results" in refusal_of(lm_eval)


def test_samples_without_results_name_what_is_needed(lm_eval: Path) -> None:
    results_of(lm_eval).unlink()
    assert "There is no results_….json that lm-eval wrote with these samples" in refusal_of(lm_eval)


def test_results_without_samples_name_what_is_needed(lm_eval: Path) -> None:
    samples_of(lm_eval).unlink()
    for path in (lm_eval, results_of(lm_eval)):
        assert "results alone hold no answers" in refusal_of(path)
        assert "--log_samples" in refusal_of(path)


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda data: data.pop("n-samples"), "There is no results_….json"),
        (lambda data: data["n-samples"].pop("eq_bench"), "n-samples.eq_bench missing"),
        (lambda data: data["n-samples"]["eq_bench"].update(effective=10**15), "says 1000000000000000"),
        (lambda data: data.update(results={"arc_easy": {"acc,none": 0.5}}), "results of arc_easy and none of eq_bench"),
        (lambda data: data.pop("model_name"), "model_name missing"),
        (lambda data: data.update(model_name=""), "the model's name is not a printable text"),
        (lambda data: data.update(model_name="m" * 121), "the model's name is not a printable text of at most 120"),
    ],
)
def test_doubtful_results_are_refused(lm_eval: Path, spoil: Callable[[dict[str, Any]], object], complaint: str) -> None:
    edit_json(results_of(lm_eval), spoil)
    assert complaint in refusal_of(lm_eval)


def test_samples_of_another_task_are_refused(lm_eval: Path) -> None:
    path = samples_of(lm_eval)
    write_rows(path, [{"doc_id": 0, "resps": [["A"]], "filtered_resps": ["A"], "acc": 1.0}])
    assert "samples of another benchmark. Only eq_bench can be imported" in refusal_of(path)


@pytest.mark.parametrize(("archive", "run"), [(LM_EVAL, "limit"), (EVALSCOPE, "limit")])
def test_without_its_bank_a_run_is_refused_with_the_commands_that_load_it(
    tmp_path: Path, archive: str, run: str
) -> None:
    refusal = refusal_of(unpacked(archive, run, tmp_path))
    assert "no loaded item bank holds any of the prompts" in refusal
    assert "manage.py load_bank eq-bench-v2 or " in refusal
    assert "manage.py load_bank eq-open-v1" in refusal


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda rows: rows.pop(2), "counts 60 scored samples, the reviews hold 59"),
        (double_the_third, "line 61: index 3 stands in line 3 already"),
        (put("sample_score.score.value.eq_bench_score", float("nan")), "line 3 holds NaN"),
        (put("sample_score.score.value.eq_bench_score", 0.99), "the reviews have a mean of"),
        (put("sample_score.score.main_score_name", "acc"), "line 3: main_score_name is not eq_bench_score"),
        (drop("sample_score.score"), "line 3: sample_score.score missing"),
        (drop("sample_score.score.prediction"), "line 3: prediction missing"),
        (put("sample_score.generation_index", 10**9), "generation_index 1000000000 is not below 1000"),
        (put("messages", []), "line 3: messages hold no text of the user"),
        (drop("index"), "line 3: index missing"),
    ],
)
def test_doubtful_reviews_are_refused_with_line_and_field(evalscope: Path, spoil: Spoil, complaint: str) -> None:
    edit_rows(reviews_of(evalscope), spoil)
    refusal = refusal_of(evalscope)
    assert complaint in refusal
    assert refusal.startswith("The file was refused.\nRandom-1B/eq_bench_default.jsonl: ")


def test_truncated_reviews_are_refused_with_the_line(evalscope: Path) -> None:
    path = reviews_of(evalscope)
    path.write_bytes(path.read_bytes()[:-100])
    assert "Random-1B/eq_bench_default.jsonl: broken JSON at line 60" in refusal_of(path)


def test_reviews_of_two_models_in_one_file_are_refused(evalscope: Path) -> None:
    edit_rows(reviews_of(evalscope), lambda rows: rows[7]["messages"][-1].update(model="maker/Other-2B"))
    refusal = refusal_of(evalscope)
    assert "line 8: of model maker/Other-2B, while the first line is of maker/Random-1B" in refusal


def test_a_report_of_another_model_is_refused(evalscope: Path) -> None:
    edit_json(report_of(evalscope), lambda data: data.update(model_name="Other-2B"))
    assert "of model Other-2B, while the reviews are of maker/Random-1B" in refusal_of(evalscope)


def test_a_report_of_another_run_is_refused(evalscope: Path, tmp_path: Path) -> None:
    other = report_of(unpacked(EVALSCOPE_CUTTING, "random", tmp_path / "other"))
    shutil.copy(other, report_of(evalscope))
    assert "says 26.81, the reviews have a mean of 12.42" in refusal_of(evalscope)


def test_a_report_of_another_benchmark_is_refused(evalscope: Path) -> None:
    edit_json(report_of(evalscope), lambda data: data.update(dataset_name="gsm8k", name="gsm8k"))
    report = report_of(evalscope)
    report.write_text(report.read_text().replace("eq_bench_score", "acc"))
    assert "eq_bench.json: a report of gsm8k. Only eq_bench can be imported" in refusal_of(evalscope)


def test_reviews_of_which_a_file_is_missing_are_refused(evalscope: Path) -> None:
    path = reviews_of(evalscope)
    write_rows(path, rows_of(path)[:20])
    assert "counts 60 scored samples, the reviews hold 20. Bring all reviews of the run" in refusal_of(evalscope)


def test_what_holds_no_answers_is_refused_with_what_does(evalscope: Path, tmp_path: Path) -> None:
    predictions = only(unpacked(EVALSCOPE, "limit", tmp_path / "other"), "predictions/*/*.jsonl")
    assert "predictions hold no scores. Give the run's reviews" in refusal_of(predictions)
    reviews_of(evalscope).unlink()
    assert "a report alone holds no answers. Give the run's reviews" in refusal_of(report_of(evalscope))


def test_reviews_without_a_report_name_what_is_needed(evalscope: Path) -> None:
    report_of(evalscope).unlink()
    assert "There is no report eq_bench.json of the run. Put it, and no other, into reports/Random-1B/" in refusal_of(
        evalscope
    )


def test_a_bad_run_does_not_stop_the_others(lm_eval: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unpacked(EVALSCOPE, "random", tmp_path / "good")
    edit_rows(samples_of(lm_eval), drop("doc.prompt"))
    capsys.readouterr()
    with pytest.raises(CommandError, match="1 of 2 files were refused"):
        call_command("import_results", str(tmp_path), as_json=True)
    good, bad = json.loads(capsys.readouterr().out)
    assert (good["run"], good["file"]) == (Run.objects.get().pk, "Random-1B/eq_bench_default.jsonl")
    assert bad["error"] == "line 3: doc.prompt missing"


def test_a_file_beyond_twenty_megabytes_is_refused() -> None:
    large = ResultFile(Path("samples.jsonl"), b" " * (20 * 1024 * 1024 + 1))
    with pytest.raises(FileError, match=r"samples\.jsonl is larger than 20 MB"):
        read_lm_eval(large, large)
