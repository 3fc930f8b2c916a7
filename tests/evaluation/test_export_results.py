"""`manage.py export_results`: what is written in the official form comes back the same, to the last digit."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation.benchmarks import BENCHMARKS
from evaluation.demo.server import make_app
from evaluation.models import Driver, ItemBank, Run
from evaluation.runs import runner
from evaluation.runs.opening import RunRequest, open_run
from evaluation.states import ItemState, Origin, Status
from tests.factories import make_bank, make_endpoint, make_model, make_result, make_run, scene_reply
from tests.fakes import serve
from tests.scratch import manage_elsewhere, scratch_database

pytestmark = [pytest.mark.database]


def facts() -> dict[str, Any]:
    """What must be the same in another database: each run's numbers, each item's answers and scores."""
    runs = Run.objects.select_related("model").order_by("pk")
    return {run.source: _facts(run) for run in runs}


def _facts(run: Run) -> dict[str, Any]:
    columns = ("item__item_id", "repeat", "part", "answer", "score", "other_parts", "flags")
    rows = [
        [*row[:5], _other_answers(row[5]), row[6]]
        for row in run.results.order_by("item__number", "repeat").values_list(*columns)
    ]
    numbers = (repr(run.score), repr(run.figures), repr(run.standard_error), run.n_scored, run.counted_part)
    return {"model": run.model.name, "numbers": numbers, "status": run.status, "items": rows}


def _other_answers(other_parts: dict[str, Any] | None) -> dict[str, Any]:
    """Answer and score of each other part; the form has no word for one that came and was not read."""
    parts = other_parts or {}
    return {name: [part["answer"], part["score"]] for name, part in parts.items() if part["answer"] is not None}


def exported(folder: Path, *runs: Run, **options: Any) -> list[Path]:
    call_command("export_results", *(str(run.pk) for run in runs), to=folder, **options)
    return sorted(folder.iterdir())


def came_back(run: Run, path: Path) -> Run:
    """The run of the file, imported into the same database as one more run."""
    known = set(Run.objects.values_list("pk", flat=True))
    call_command("import_results", str(path))
    return Run.objects.exclude(pk__in=known).get()


def answers(run: Run) -> list[Any]:
    columns = ("item__item_id", "repeat", "part", "answer", "score", "other_parts__first_pass__answer")
    return list(run.results.order_by("item__number", "repeat").values_list(*columns))


@pytest.mark.django_db
@pytest.mark.thorough
def test_each_of_the_sixty_official_runs_comes_back_the_same_in_another_database(
    shared_data: Path, tmp_path: Path
) -> None:
    questions = str(shared_data / "eqbench/eq_bench_v2_questions_171.json")
    call_command("load_bank", "eq-bench-v2", "--from", questions)
    call_command("import_results", str(shared_data / "eqbench/official_runs"))
    folder = tmp_path / "out"
    assert len(exported(folder, *Run.objects.all())) == 60
    with scratch_database(tmp_path) as address:
        manage_elsewhere(address, "migrate", "--verbosity", "0")
        manage_elsewhere(address, "load_bank", "eq-bench-v2", "--from", questions)
        manage_elsewhere(address, "import_results", str(folder))
        script = "import json; from tests.evaluation.test_export_results import facts; print(json.dumps(facts()))"
        there = json.loads(manage_elsewhere(address, "shell", "--no-imports", "-c", script))
    here = json.loads(json.dumps(facts()))
    assert len(here) == 60
    assert there.keys() == here.keys()
    assert [name for name in here if there[name] != here[name]] == []


@pytest.fixture
def bank() -> ItemBank:
    return make_bank(6, slug="eq-bench-v2")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("persona", "revision"), [("noisy", False), ("markdown", False), ("noisy", True)])
def test_a_measured_run_comes_back_with_the_same_score_and_answers(
    tmp_path: Path, bank: ItemBank, persona: str, revision: bool
) -> None:
    with serve(make_app(persona=persona)) as address:
        request = RunRequest(
            model="maker/demo", base_url=f"{address}/v1", api_model=persona, benchmark=BENCHMARKS["eq-bench-v2"],
            bank=bank, repeats=2, limit=None, concurrency=4, max_tokens=800, timeout_seconds=60,
            switched=frozenset({"revision"} if revision else ()), driver=Driver.COMMAND,
        )  # fmt: skip
        run, _ = open_run(request)
        lease = runner.claim(run.pk, Driver.COMMAND)
        assert lease is not None
        run = runner.carry(lease, stop=threading.Event())
    assert run.status == Status.FINISHED
    (path,) = exported(tmp_path / "out", run)
    again = came_back(run, path)
    assert (repr(again.score), again.n_scored, again.repeats) == (repr(run.score), run.n_scored, 2)
    assert answers(again) == answers(run)
    assert (again.model, again.origin, again.finished_at) == (run.model, Origin.IMPORTED, run.finished_at)
    texts = [result.reply.text for result in run.results.order_by("item__number", "repeat")]
    assert [result.reply.text for result in again.results.order_by("item__number", "repeat")] == texts


@pytest.mark.django_db
def test_what_was_not_read_or_not_answered_stays_so(tmp_path: Path, bank: ItemBank) -> None:
    run = make_run(bank=bank, status=Status.FINISHED)
    for item_id in ("1", "2", "3", "4", "5"):
        make_result(run, item_id, reply=scene_reply(int(item_id)))
    make_result(run, "6", state=ItemState.FAULT, reading="none", answer=None, score=None)
    run.results.filter(item__item_id="2").update(answer=[0.5, 3.0, 10.0, 0.0], reading="tolerant", score=1.25)
    (path,) = exported(tmp_path / "out", run)
    data = json.loads(path.read_text())["raw_results"]["1"]
    assert data["respondent_answers"]["6"] == {"first_pass": {}, "revised": {}}
    assert "6" not in data["raw_inference"]
    assert list(data["respondent_answers"]["2"]["first_pass"].values()) == ["0.5", "3", "10", "0"]
    again = came_back(run, path)
    assert again.n_scored == 5
    assert again.results.get(item__item_id="2").answer == [0.5, 3.0, 10.0, 0.0]


@pytest.mark.django_db
def test_replies_may_stay_at_home(tmp_path: Path, bank: ItemBank) -> None:
    run = make_run(bank=bank, status=Status.FINISHED)
    make_result(run, "1", reply="a text that stays at home")
    (path,) = exported(tmp_path / "out", run, without_replies=True)
    assert "stays at home" not in path.read_text()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"status": Status.QUEUED}, "only a run that has ended"),
        ({"benchmark": "eq-bench-v2-code"}, "no name"),
        ({"limit": 3}, "whole runs"),
        ({}, "no result in repeat 1"),
    ],
)
def test_a_run_that_does_not_fit_is_refused_with_a_sentence(
    tmp_path: Path, bank: ItemBank, fields: dict[str, Any], says: str
) -> None:
    run = make_run(bank=bank, endpoint=make_endpoint(), **{"status": Status.FINISHED, **fields})
    with pytest.raises(CommandError, match=says):
        exported(tmp_path / "out", run)
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.django_db
def test_a_private_bank_stays_at_home(tmp_path: Path) -> None:
    run = make_run(bank=make_bank(slug="mine", access="private"), status=Status.FINISHED)
    make_result(run)
    with pytest.raises(CommandError, match="the official form is for eq-bench-v2 alone"):
        exported(tmp_path / "out", run)


@pytest.mark.django_db
def test_a_file_that_is_there_is_not_touched_and_the_others_are_written(tmp_path: Path, bank: ItemBank) -> None:
    first, second = (make_run(bank=bank, model=make_model(), status=Status.FINISHED) for _ in range(2))
    for run in (first, second):
        make_result(run)
    (path,) = exported(tmp_path / "out", first)
    path.write_text("mine")
    with pytest.raises(CommandError, match="already exists"):
        exported(tmp_path / "out", first, second)
    assert path.read_text() == "mine"
    assert len(list((tmp_path / "out").iterdir())) == 2


@pytest.mark.django_db
def test_a_folder_that_cannot_be_made_is_refused_in_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "taken"
    file.write_text("")
    with pytest.raises(CommandError, match=r"--to: .*taken cannot be made a folder \(File exists\)"):
        call_command("export_results", "1", to=file)
