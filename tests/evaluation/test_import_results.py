"""Official run files: the 60 at hand give the printed scores, and what is stored of a file."""

import csv
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from evaluation.models import ItemBank, ItemResult, LanguageModel, Reply, Run
from evaluation.states import FaultKind, ItemState, Origin, Status
from tests.factories import (
    make_bank,
    make_model,
    official_iteration,
    official_run,
    scene_labels,
    scene_reference,
    scene_reply,
)

pytestmark = [pytest.mark.django_db, pytest.mark.database]
N_ITEMS = 6
Spoil = Callable[[dict[str, Any]], None]
FileMaker = Callable[..., Path]


@pytest.fixture
def bank() -> ItemBank:
    return make_bank(N_ITEMS, slug="eq-bench-v2")


@pytest.fixture
def written(tmp_path: Path, bank: ItemBank) -> FileMaker:
    def write(spoil: Spoil | None = None, name: str = "run.json") -> Path:
        data = official_run(N_ITEMS)
        if spoil:
            spoil(data)
        path = tmp_path / name
        path.write_text(json.dumps(data, indent=1), encoding="utf-8")
        return path

    return write


def answers_of(data: dict[str, Any]) -> dict[str, Any]:
    answers: dict[str, Any] = data["raw_results"]["1"]["respondent_answers"]
    return answers


def import_files(*paths: Path, **options: Any) -> None:
    call_command("import_results", *map(str, paths), **options)


def test_all_official_files_give_the_printed_score_and_import_once(
    shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("load_bank", "eq-bench-v2", "--from", str(shared_data / "eqbench/eq_bench_v2_questions_171.json"))
    capsys.readouterr()
    folder = shared_data / "eqbench/official_runs"
    import_files(folder, as_json=True)
    rows = json.loads(capsys.readouterr().out)
    assert [row["file"] for row in rows] == sorted(path.name for path in folder.glob("*.json"))
    assert len(rows) == 60
    assert [row["file"] for row in rows if f"{row['score']:.2f}" != f"{row['published_score']:.2f}"] == []
    assert_runs_equal_the_table(shared_data)
    import_files(folder, as_json=True)
    assert {row["created"] for row in rows} == {True}
    assert json.loads(capsys.readouterr().out) == [{**row, "created": False} for row in rows]
    assert Run.objects.count() == 60


def assert_runs_equal_the_table(shared_data: Path) -> None:
    """Score, standard error, counted pass and count of every run, to the 4 decimals of the collected table."""
    with (shared_data / "published/official_runs.csv").open(newline="") as file:
        table = {row["file"]: row for row in csv.DictReader(file)}
    for run in Run.objects.select_related("model"):
        row = table[run.source]
        assert f"{run.score:.4f}" == row["recomputed_readme_rule"]
        assert f"{run.standard_error:.4f}" == row["standard_error"]
        assert (run.counted_part, run.n_scored) == (row["counted_pass"], int(row["n_counted"]))
        assert (run.status, run.figures["strict_score"]["value"]) == (Status.FINISHED, run.score)
        assert run.model.name == (row["page_model"] or row["model_path"])


def test_a_run_row_says_where_it_comes_from(written: FileMaker, bank: ItemBank) -> None:
    path = written()
    import_files(path)
    run = Run.objects.get()
    assert (run.origin, run.status, run.published, run.bank) == (Origin.IMPORTED, Status.FINISHED, True, bank)
    assert (run.benchmark, run.source, run.published_score, run.score) == ("eq-bench-v2", "run.json", 100.0, 100.0)
    assert run.finished_at == datetime(2024, 1, 29, 3, 28, 14, tzinfo=UTC)
    assert run.settings["engine"] == "ooba"
    assert (run.settings["template"], run.settings["quant"]) == ("ChatML", "8bit")
    assert (run.settings["iterations"], run.settings["revision"]) == (1, False)
    manifest = run.manifest or {}
    assert manifest["sha256"] == run.source_sha256
    assert (manifest["file"], manifest["bank_sha256"]) == ("run.json", bank.sha256)
    assert manifest["scorer_version"] == run.scorer_version != ""


def test_answers_are_stored_in_label_order_with_their_replies(written: FileMaker) -> None:
    import_files(written())
    result = ItemResult.objects.get(item__item_id="2")
    assert result.answer == [float(value) for value in scene_reference(2)]
    assert (result.reading, result.score, result.state) == ("official", 10.0, ItemState.READ)
    assert result.reply.text == scene_reply(2)


def test_the_answer_counts_and_the_reply_is_not_read_anew(written: FileMaker) -> None:
    def other_reply(data: dict[str, Any]) -> None:
        data["raw_results"]["1"]["raw_inference"]["1"] = scene_reply(1, (0, 9, 9, 0))

    import_files(written(other_reply))
    assert Run.objects.get().score == 100.0


def test_importing_again_creates_nothing_also_under_another_name(
    written: FileMaker, capsys: pytest.CaptureFixture[str]
) -> None:
    import_files(written())
    import_files(written(name="copy.json"))
    assert Run.objects.count() == 1
    assert "copy.json: is already run" in capsys.readouterr().out


def test_a_known_model_gets_the_run_and_an_unknown_one_is_created(written: FileMaker) -> None:
    def of_another_model(data: dict[str, Any]) -> None:
        data["model_path"] = "other/Model.v2"

    known = make_model("maker/Model-7B")
    import_files(written(), written(of_another_model, "b.json"))
    assert known.runs.count() == 1
    created = LanguageModel.objects.get(name="other/Model.v2")
    assert (created.slug, created.display_name, created.organisation) == ("other-model-v2", "Model.v2", "other")


OFFICIAL_FILE, OFFICIAL_PATH = "TheBloke__Yi-34B-Chat-GGUF_eqbench_v2_results.json", "TheBloke/Yi-34B-Chat-GGUF"


@pytest.mark.parametrize(
    ("path", "adapter", "name"),
    [
        (OFFICIAL_PATH, "", "01-ai/Yi-34B-Chat"),
        (OFFICIAL_PATH, "mine/adapter", f"{OFFICIAL_PATH} + mine/adapter"),
        ("maker/Model-7B", "", "maker/Model-7B"),
    ],
)
def test_an_official_file_joins_the_model_of_the_page_where_it_holds_that_model(
    written: FileMaker, path: str, adapter: str, name: str
) -> None:
    def of_model(data: dict[str, Any]) -> None:
        data["model_path"], data["lora_path"] = path, adapter

    import_files(written(of_model, name=OFFICIAL_FILE))
    assert Run.objects.get().model.name == name


def test_two_files_of_one_model_are_two_runs(written: FileMaker) -> None:
    def later(data: dict[str, Any]) -> None:
        data["run_completed"] = "2024-02-03 10:00:00"

    import_files(written(), written(later, "later.json"))
    assert LanguageModel.objects.get().runs.count() == 2
    assert Run.objects.get(source="later.json").finished_at == datetime(2024, 2, 3, 10, tzinfo=UTC)


def test_a_revision_counts_by_the_official_rule(written: FileMaker) -> None:
    def revised(data: dict[str, Any]) -> None:
        for number in range(1, N_ITEMS + 1):
            answers = answers_of(data)[str(number)]
            answers["revised"] = answers["first_pass"]
            answers["first_pass"] = dict.fromkeys(answers["revised"], "5")

    import_files(written(revised))
    run = Run.objects.get()
    assert (run.counted_part, run.score, run.settings["revision"]) == ("revised", 100.0, True)
    row = ItemResult.objects.get(item__item_id="1")
    assert (row.part, row.answer) == ("revised", [7.0, 1.0, 0.0, 3.0])
    assert (row.other_parts or {})["first_pass"]["answer"] == [5.0, 5.0, 5.0, 5.0]


def test_iterations_become_repeats(written: FileMaker) -> None:
    def twice(data: dict[str, Any]) -> None:
        data["raw_results"]["2"] = official_iteration(N_ITEMS)
        data["raw_results"]["2"]["respondent_answers"]["1"]["first_pass"] = dict.fromkeys(scene_labels(1), 5)

    import_files(written(twice))
    run = Run.objects.get()
    assert (run.repeats, run.results.count()) == (2, 2 * N_ITEMS)
    assert run.repeat_scores[0] == 100.0
    assert run.score == pytest.approx(sum(run.repeat_scores) / 2)


def test_items_that_the_file_lacks_are_missing(written: FileMaker) -> None:
    def without_an_item(data: dict[str, Any]) -> None:
        for part in data["raw_results"]["1"].values():
            del part["6"]

    import_files(written(without_an_item))
    run = Run.objects.get()
    assert (run.n_items, run.n_scored, run.score) == (6, 5, 100.0)


def test_a_misspelt_name_makes_the_item_missing_and_keeps_its_reply(written: FileMaker) -> None:
    def misspelt(data: dict[str, Any]) -> None:
        answers = answers_of(data)["1"]["first_pass"]
        answers["Amussed"] = answers.pop("Amused")

    import_files(written(misspelt))
    run = Run.objects.get()
    row = ItemResult.objects.get(item__item_id="1")
    assert (row.state, row.reason, row.score, row.answer) == (ItemState.UNREAD, "Amused missing", None, None)
    assert row.reply.text == scene_reply(1)
    assert (run.n_scored, run.score) == (5, 100.0)


def test_a_fifth_name_makes_the_answer_void(written: FileMaker) -> None:
    def five_names(data: dict[str, Any]) -> None:
        answers_of(data)["1"]["first_pass"]["Confidence"] = "9"

    import_files(written(five_names))
    assert ItemResult.objects.get(item__item_id="1").reason == "other names beside the item's"
    assert Run.objects.get().n_scored == 5


def test_zeros_and_values_above_ten_count_as_the_file_counted_them(written: FileMaker) -> None:
    def odd_values(data: dict[str, Any]) -> None:
        answers_of(data)["1"]["first_pass"] = dict.fromkeys(scene_labels(1), "0")
        answers_of(data)["2"]["first_pass"] = dict(zip(scene_labels(2), ("8", "0", "100", "0"), strict=True))

    import_files(written(odd_values))
    zeros, large = ItemResult.objects.filter(item__item_id__in=["1", "2"]).order_by("item__number")
    # 10 - 0.7477 (s(7) + s(1) + s(0) + s(3)) = 10 - 0.7477 (7 + 0.172880 + 0 + 1.504589)
    assert zeros.score == pytest.approx(3.51186, abs=1e-4)
    assert large.score == pytest.approx(10 - 0.7477 * 93)
    assert (large.flags, zeros.flags) == ("above 10", "")
    assert Run.objects.get().n_scored == N_ITEMS


def test_too_few_answers_end_as_failed_with_the_replies_kept(written: FileMaker) -> None:
    def half(data: dict[str, Any]) -> None:
        for item_id in ("1", "2", "3"):
            answers_of(data)[item_id] = {"first_pass": {}, "revised": {}}

    import_files(written(half))
    run = Run.objects.get()
    assert (run.status, run.failure_kind, run.score) == (Status.FAILED, FaultKind.PARSE, None)
    assert run.failure_message.startswith("not enough readable items")
    assert Reply.objects.count() == N_ITEMS


def test_texts_that_no_database_takes_are_cleaned(written: FileMaker) -> None:
    def dirty(data: dict[str, Any]) -> None:
        data["raw_results"]["1"]["raw_inference"]["1"] = "Amused\x00: 7 \ud800"

    import_files(written(dirty))
    assert Reply.objects.get(result__item__item_id="1").text == "Amused: 7 "


@pytest.mark.parametrize(
    ("fields", "benchmark"),
    [({"eqbench_version": "v1"}, "eq-bench-v1"), ({"language": "de"}, "eq-bench-v2-de")],
)
def test_version_and_language_of_a_file_choose_the_bank(
    written: FileMaker, fields: dict[str, str], benchmark: str
) -> None:
    bank = make_bank(N_ITEMS, slug=benchmark, benchmark=benchmark)
    import_files(written(lambda data: data.update(fields)))
    run = Run.objects.get()
    assert (run.benchmark, run.bank, run.n_scored) == (benchmark, bank, N_ITEMS)
