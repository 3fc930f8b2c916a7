"""One result is one run: what a file says counts, not its bytes; and doubles of older releases are found."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from evaluation.models import ItemBank, ItemResult, Reply, Run
from evaluation.runs.rescoring import rescore_run
from tests.evaluation.peer_files import (
    EVALSCOPE,
    LM_EVAL,
    edit_json,
    edit_rows,
    report_of,
    results_of,
    reviews_of,
    samples_of,
    unpacked,
)
from tests.factories import make_bank, official_iteration, official_run, scene_labels

pytestmark = [pytest.mark.django_db, pytest.mark.database]
BOM = b"\xef\xbb\xbf"
N_ITEMS = 6
Spoil = Callable[[dict[str, Any]], object]


@pytest.fixture
def official(tmp_path: Path) -> Path:
    make_bank(N_ITEMS, slug="eq-bench-v2")
    data = official_run(N_ITEMS)
    data["raw_results"]["2"] = official_iteration(N_ITEMS)
    data["raw_results"]["2"]["respondent_answers"]["1"]["first_pass"] = dict.fromkeys(scene_labels(1), 5)
    path = tmp_path / "run.json"
    path.write_text(json.dumps(data, indent=1), encoding="utf-8")
    return path


@pytest.fixture
def open_bank() -> ItemBank:
    call_command("load_bank", "eq-open-v1", verbosity=0)
    return ItemBank.objects.get(slug="eq-open-v1")


def import_path(path: Path) -> None:
    call_command("import_results", str(path))


def turned_about(value: Any) -> Any:
    """The same JSON with the keys of each object in the opposite order."""
    if isinstance(value, dict):
        return {key: turned_about(value[key]) for key in reversed(value)}
    return value


def other_bytes(content: bytes, how: str) -> bytes:
    data = json.loads(content)
    return {
        "BOM": BOM + content,
        "CRLF": content.replace(b"\n", b"\r\n"),
        "indented": json.dumps(data, indent=4).encode(),
        "one line": json.dumps(data, separators=(",", ":")).encode() + b"\n\n",
        "keys turned about": json.dumps(turned_about(data)).encode(),
        "keys sorted": json.dumps(data, sort_keys=True).encode(),
        "escapes": json.dumps(data, ensure_ascii=False).encode(),
        "all of it": BOM + json.dumps(turned_about(data), indent=2).replace("\n", "\r\n").encode(),
    }[how]


@pytest.mark.parametrize(
    "how", ["BOM", "CRLF", "indented", "one line", "keys turned about", "keys sorted", "escapes", "all of it"]
)
def test_an_official_file_in_other_bytes_and_under_another_name_is_the_same_run(
    official: Path, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    import_path(official)
    first = Run.objects.get()
    content = other_bytes(official.read_bytes(), how)
    copy = official.with_name("Another_2025.json")
    copy.write_bytes(content)
    capsys.readouterr()
    call_command("import_results", str(copy), as_json=True)
    (entry,) = json.loads(capsys.readouterr().out)
    assert (entry["run"], entry["created"], entry["score"]) == (first.pk, False, first.score)
    assert (Run.objects.count(), ItemResult.objects.count(), Reply.objects.count()) == (1, 2 * N_ITEMS, 2 * N_ITEMS)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.update(note="copied"),
        lambda data: data.update(benchmark_score=99.9),
        lambda data: data.update(inference_engine="transformers"),
        lambda data: data["raw_results"]["1"].update(individual_scores={}),
        lambda data: data.update(run_completed="2024-01-29T03:28:14+00:00"),
        lambda data: data["raw_results"]["1"]["respondent_answers"]["2"]["first_pass"].update(Bored=0.0),
    ],
)
def test_keys_that_do_not_say_what_was_answered_make_no_other_run(official: Path, change: Spoil) -> None:
    import_path(official)
    edit_json(official, change)
    import_path(official)
    assert Run.objects.count() == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.update(run_completed=1706498895),
        lambda data: data.update(model_path="maker/Model-13B"),
        lambda data: data.update(lora_path="maker/adapter"),
        lambda data: data.update(bitsandbytes_quant="4bit"),
        lambda data: data.update(instruction_template="Alpaca"),
        lambda data: data["raw_results"].pop("2"),
        lambda data: data["raw_results"]["1"]["raw_inference"].update({"3": "Curious: 1"}),
        lambda data: data["raw_results"]["1"]["respondent_answers"]["2"]["first_pass"].update(Bored=1),
    ],
)
def test_another_model_time_setting_or_answer_is_another_run(official: Path, change: Spoil) -> None:
    import_path(official)
    edit_json(official, change)
    import_path(official)
    assert Run.objects.count() == 2


def test_a_file_that_the_official_page_knows_by_its_name_is_the_same_run_under_another_one(official: Path) -> None:
    edit_json(official, lambda data: data.update(model_path="TheBloke/Yi-34B-Chat-GGUF"))
    known = official.rename(official.with_name("TheBloke__Yi-34B-Chat-GGUF_eqbench_v2_results.json"))
    import_path(known)
    copy = known.with_name("copy.json")
    copy.write_bytes(BOM + known.read_bytes())
    import_path(copy)
    assert Run.objects.get().model.name == "01-ai/Yi-34B-Chat"


def test_a_run_that_was_rescored_or_lost_its_replies_is_still_known(official: Path) -> None:
    import_path(official)
    run = Run.objects.get()
    rescore_run(run.pk)
    official.write_bytes(BOM + official.read_bytes())
    import_path(official)
    Reply.objects.all().delete()
    Run.objects.update(replies_erased_at=run.finished_at)
    official.write_bytes(official.read_bytes() + b"\n")
    import_path(official)
    assert Run.objects.count() == 1


def turn_keys_about(answers: Path, whole: Path) -> None:
    edit_rows(answers, lambda rows: rows.__setitem__(slice(None), [turned_about(row) for row in rows]))
    whole.write_text(json.dumps(turned_about(json.loads(whole.read_bytes()))), encoding="utf-8")


def add_keys(answers: Path, whole: Path) -> None:
    edit_rows(answers, lambda rows: [row.update(note="copied") for row in rows])
    edit_json(whole, lambda data: data.update(git_hash="0000000", note=1))


PEER_CHANGES: dict[str, Callable[[Path, Path], object]] = {
    "BOM": lambda answers, whole: [path.write_bytes(BOM + path.read_bytes()) for path in (answers, whole)],
    "CRLF": lambda answers, whole: [
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n")) for path in (answers, whole)
    ],
    "indented": lambda _, whole: whole.write_text(json.dumps(json.loads(whole.read_bytes()), indent=7)),
    "keys turned about": turn_keys_about,
    "lines turned about": lambda answers, _: edit_rows(answers, lambda rows: rows.reverse()),
    "blank lines": lambda answers, _: answers.write_bytes(answers.read_bytes().replace(b"\n", b"\n\n")),
    "keys that nobody reads": add_keys,
}


@pytest.mark.parametrize("change", PEER_CHANGES.values(), ids=PEER_CHANGES.keys())
@pytest.mark.parametrize("archive", [LM_EVAL, EVALSCOPE])
@pytest.mark.usefixtures("open_bank")
def test_a_peers_run_in_other_bytes_is_the_same_run(
    tmp_path: Path, archive: str, change: Callable[[Path, Path], object], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = unpacked(archive, "mixed", tmp_path)
    import_path(folder)
    of_lm_eval = archive == LM_EVAL
    answers, whole = (samples_of(folder), results_of(folder)) if of_lm_eval else (reviews_of(folder), report_of(folder))
    change(answers, whole)
    import_path(folder)
    assert f"is already run {Run.objects.get().pk}" in capsys.readouterr().out


@pytest.mark.usefixtures("open_bank")
def test_another_stamp_in_the_names_of_lm_eval_makes_no_other_run(tmp_path: Path) -> None:
    folder = unpacked(LM_EVAL, "mixed", tmp_path)
    import_path(folder)
    samples, results = samples_of(folder), results_of(folder)
    samples.write_bytes(samples.read_bytes() + b"\n")
    stamp = results.stem.removeprefix("results_")
    for path in (samples, results):
        path.rename(path.with_name(path.name.replace(stamp, "2031-01-01T00-00-00.000001")))
    import_path(folder)
    assert Run.objects.count() == 1


@pytest.mark.usefixtures("open_bank")
def test_another_folder_and_no_configuration_of_evalscope_make_no_other_run(tmp_path: Path) -> None:
    folder = unpacked(EVALSCOPE, "mixed", tmp_path)
    import_path(folder)
    (stamped,) = folder.iterdir()
    for config in stamped.rglob("task_config.yaml"):
        config.unlink()
    reviews = reviews_of(folder)
    reviews.write_bytes(BOM + reviews.read_bytes())
    stamped.rename(folder / "20310101_000000")
    import_path(folder)
    assert Run.objects.count() == 1


@pytest.mark.usefixtures("open_bank")
def test_one_other_reply_or_another_time_of_lm_eval_is_another_run(tmp_path: Path) -> None:
    folder = unpacked(LM_EVAL, "mixed", tmp_path)
    import_path(folder)
    edit_rows(samples_of(folder), lambda rows: rows[0].update(filtered_resps=[rows[0]["filtered_resps"][0] + " "]))
    import_path(folder)
    edit_json(results_of(folder), lambda data: data.update(date=data["date"] + 3600))
    import_path(folder)
    assert Run.objects.count() == 3


def stored_again(run: Run, name: str) -> Run:
    """A second row of the run with all its results, as older releases stored a file that had other bytes."""
    results = list(run.results.select_related("reply"))
    copy = Run.objects.get(pk=run.pk)
    copy.pk, copy.source, copy.source_sha256 = None, name, f"{name:0>64}"
    copy.save()
    for result in results:
        text = result.reply.text
        result.pk, result.run = None, copy
        result.save()
        Reply.objects.create(result=result, text=text)
    return copy


def test_doubles_are_listed_and_nothing_is_changed(official: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import_path(official)
    run = Run.objects.get()
    copy = stored_again(run, "crlf.json")
    edit_json(official, lambda data: data.update(run_completed=1706498895))
    import_path(official)
    capsys.readouterr()
    call_command("double_imports")
    out = capsys.readouterr().out
    assert f"run {copy.pk} (crlf.json) is the same as run {run.pk} (run.json) of maker/Model-7B" in out
    assert "1 double. Nothing was changed" in out
    assert Run.objects.count() == 3


def test_doubles_are_removed_on_request_and_the_published_one_stays(
    official: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import_path(official)
    hidden = Run.objects.get()
    published, third = stored_again(hidden, "bom.json"), stored_again(hidden, "other.json")
    Run.objects.filter(pk=hidden.pk).update(published=False)
    capsys.readouterr()
    call_command("double_imports", remove=True, as_json=True)
    entries = json.loads(capsys.readouterr().out)
    assert {entry["run"] for entry in entries} == {hidden.pk, third.pk}
    assert {entry["same_as"] for entry in entries} == {published.pk}
    assert Run.objects.get().pk == published.pk
    call_command("double_imports", remove=True)
    assert "0 doubles removed." in capsys.readouterr().out
