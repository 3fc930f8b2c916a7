"""One model under two spellings: every way in asks, names the known one, and takes a new one only when told to."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation import CannotEvaluate, evaluate
from evaluation.demo.server import make_app
from evaluation.importers.names import other_spelling
from evaluation.models import FormerName, LanguageModel, ReferenceScore, Run
from evaluation.runs.wanted import Refused, Wanted
from tests.evaluation.peer_files import LM_EVAL, edit_json, results_of, unpacked
from tests.factories import make_bank, make_endpoint, make_model, make_run, official_run
from tests.fakes import serve
from tests.processes import manage

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]
NOWHERE = "http://127.0.0.1:9/v1"

SPELLINGS = [
    ("bugs/soon", "BUGS/Soon"),
    ("maker/Model-7B-Chat", "maker/model_7b_chat"),
    ("maker/Model-7B", "maker/Model 7B"),
    ("Qwen/Qwen2.5-7B", "Qwen/Qwen2-5-7B"),
    ("gpt-4o", "gpt-4O"),
    ("gpt-oss-20b", "gpt-oss:20b"),
    ("maker/Model-7B", "maker/Model-7B/"),
    ("maker/model", "rnaker/model"),
    ("maker/Model", "maker/M\u043edel"),
    ("caf\u00e9/model", "cafe/model"),
]
OTHERS = ["maker/model-8b", "other/model-7b", "model-7b", "maker/model-7b-chat"]


@pytest.mark.parametrize(("known", "typed"), SPELLINGS)
def test_another_spelling_is_known_for_one(known: str, typed: str) -> None:
    make_model(known)
    assert other_spelling(typed) == known


@pytest.mark.parametrize("typed", ["maker/model-7b", *OTHERS])
def test_the_name_itself_and_other_models_are_not(typed: str) -> None:
    make_model("maker/model-7b")
    assert other_spelling(typed) == ""


def test_a_former_name_means_the_model_and_its_other_spelling_names_the_present_name() -> None:
    model = make_model("maker/second-name")
    FormerName.objects.create(model=model, name="maker/First-Name", slug="first")
    assert other_spelling("maker/First-Name") == ""
    assert other_spelling("maker/first_name") == "maker/second-name"


def test_what_a_stranger_submitted_counts_once_it_is_public() -> None:
    submitted = make_endpoint(model=make_model("bugs/soon"), owner="192.0.2.0/24").model
    assert other_spelling("BUGS/Soon") == ""
    run = make_run(model=submitted, published=True)
    assert other_spelling("BUGS/Soon") == "bugs/soon"
    run.delete()
    ReferenceScore.objects.create(model=submitted, benchmark="mmlu", value=1.0, source="a page")
    assert other_spelling("BUGS/Soon") == "bugs/soon"


@pytest.mark.parametrize(("known", "typed"), SPELLINGS)
def test_the_command_asks(known: str, typed: str) -> None:
    make_bank(3, slug="eq-bench-v2")
    make_model(known)
    with pytest.raises(CommandError, match=f"--model: the board knows a model as {known}.*--new-model"):
        call_command("evaluate", model=typed, base_url=NOWHERE)
    assert (LanguageModel.objects.count(), Run.objects.count()) == (1, 0)


@pytest.mark.parametrize("typed", ["maker/demo", " maker/demo", "maker/demo\n"])
def test_white_space_around_a_name_makes_no_other_model(typed: str) -> None:
    make_bank(3, slug="eq-bench-v2")
    make_model("maker/demo")
    assert Wanted(model=typed, base_url=NOWHERE).request().model == "maker/demo"


def test_a_new_model_is_one_only_when_it_is_said_to_be() -> None:
    make_bank(3, slug="eq-bench-v2")
    make_model("bugs/soon")
    with pytest.raises(Refused):
        Wanted(model="BUGS/Soon", base_url=NOWHERE).request()
    assert Wanted(model="BUGS/Soon", base_url=NOWHERE, new_model=True).request().model == "BUGS/Soon"


@pytest.mark.processes
def test_the_command_in_a_process_of_its_own() -> None:
    make_bank(3, slug="eq-bench-v2")
    make_model("bugs/soon")
    with serve(make_app(persona="random")) as address:
        words = ("evaluate", "--model", "BUGS/Soon", "--base-url", address)
        asked, done = manage(*words), manage(*words, "--new-model")
    assert (asked.returncode, done.returncode) == (1, 0), done.stderr
    assert "the board knows a model as bugs/soon" in asked.stderr
    assert Run.objects.get().model.name == "BUGS/Soon"


@pytest.mark.parametrize(("known", "typed"), SPELLINGS[:3])
def test_the_python_call_asks(known: str, typed: str) -> None:
    make_bank(3, slug="eq-bench-v2")
    make_model(known)
    with serve(make_app(persona="random")) as address:
        with pytest.raises(CannotEvaluate, match=f"the board knows a model as {known}.*new_model=True"):
            evaluate(address, typed)
        assert evaluate(address, typed, new_model=True).model == typed
        assert evaluate(address, known).model == known
    assert LanguageModel.objects.count() == 2


def official_file(folder: Path, name: str) -> Path:
    make_bank(6, slug="eq-bench-v2")
    path = folder / "run.json"
    path.write_text(json.dumps({**official_run(), "model_path": name}), encoding="utf-8")
    return path


@pytest.mark.parametrize(("known", "named"), SPELLINGS)
def test_the_import_of_an_official_file_asks(tmp_path: Path, known: str, named: str) -> None:
    path = official_file(tmp_path, named)
    make_model(known)
    with pytest.raises(CommandError, match=f"looks like {known}, a known model.*--new-model"):
        call_command("import_results", str(path))
    assert not Run.objects.exists()
    call_command("import_results", str(path), new_model=True)
    assert Run.objects.get().model.name == named


@pytest.mark.parametrize("spelled", [str.upper, str.lower, lambda name: name.replace("-", "_")])
def test_the_import_of_a_peers_run_asks(tmp_path: Path, spelled: Any) -> None:
    call_command("load_bank", "eq-open-v1", verbosity=0)
    folder = unpacked(LM_EVAL, "mixed", tmp_path)
    named = json.loads(results_of(folder).read_bytes())["model_name"]
    known = spelled(named) if spelled(named) != named else f"{named}-"
    make_model(known)
    with pytest.raises(CommandError, match="a known model"):
        call_command("import_results", str(folder))
    edit_json(results_of(folder), lambda data: data.update(model_name=known))
    call_command("import_results", str(folder))
    assert LanguageModel.objects.count() == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"api_model": "x" * 201}, "api_model: a name of at most 200 characters"),
        ({"system_prompt": "Be \ud83d kind"}, "half of a character"),
        ({"system_prompt": "Be\0kind"}, "NUL"),
    ],
)
def test_what_no_database_takes_is_refused_before_a_request(options: dict[str, str], words: str) -> None:
    make_bank()
    with pytest.raises(Refused, match=words):
        Wanted(model="maker/model", base_url=NOWHERE, **options).request()  # type: ignore[arg-type]
