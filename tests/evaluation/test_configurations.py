"""A model in another configuration is a row of its own, whichever way it comes in."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from evaluation import CannotEvaluate, evaluate
from evaluation.demo.server import make_app
from evaluation.importers.configurations import checked_configuration, configured, split_name
from evaluation.importers.names import model_named
from evaluation.models import LanguageModel, Run
from leaderboard.models import Standing, UploadedResults
from leaderboard.standings import refresh_standings
from tests.evaluation.test_two_spellings import official_file
from tests.factories import make_bank, make_model
from tests.fakes import serve
from tests.leaderboard.sending import filled, no_turns_taken, offered_bank, sent
from tests.leaderboard.staff import root
from tests.leaderboard.test_upload_results import IMPORT, file_of
from tests.processes import manage

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("", "maker/model-7b"),
        ("  ", "maker/model-7b"),
        ("Q4_K_M", "maker/model-7b@Q4_K_M"),
        ("thinking off", "maker/model-7b@thinking-off"),
        ("effort=high, Q8_0", "maker/model-7b@effort=high-Q8_0"),
    ],
)
def test_the_configuration_is_written_behind_the_name(typed: str, name: str) -> None:
    assert configured("maker/model-7b", typed) == name
    assert split_name(name) == ("maker/model-7b", checked_configuration(typed))


@pytest.mark.parametrize("typed", ["@high", "höher", "a\u200bb", "x" * 41, "<b>", "-", "high@low"])
def test_what_no_name_may_hold_is_refused(typed: str) -> None:
    with pytest.raises(ValueError, match=r"configuration"):
        configured("maker/model-7b", typed)


def test_a_second_configuration_is_refused() -> None:
    with pytest.raises(ValueError, match="ends with a configuration already"):
        configured("maker/model-7b@high", "low")


def test_it_takes_the_facts_of_its_model_and_is_shown_in_brackets() -> None:
    LanguageModel.objects.create(
        name="maker/model-7b", slug="m", display_name="Model 7B", organisation="Maker Ltd", params_billion=7.0
    )
    made = model_named("maker/model-7b@Q4_K_M")
    assert (made.display_name, made.slug) == ("model-7b (Q4_K_M)", "maker-model-7b-q4_k_m")
    assert (made.organisation, made.params_billion) == ("Maker Ltd", 7.0)
    assert model_named("maker/model-7b@Q4_K_M") == made
    assert model_named("other/model@high").organisation == "other"


def test_runs_of_two_configurations_are_two_rows_of_the_ranking() -> None:
    make_bank(3, slug="eq-bench-v2")
    with serve(make_app(persona="random")) as address:
        evaluate(address, "maker/demo", api_model="demo")
        evaluate(address, "maker/demo", api_model="demo", configuration="thinking off")
        done = manage("evaluate", "--model", "maker/demo", "--configuration", "Q4_K_M", "--base-url", address, "--json")
    assert json.loads(done.stdout)["model"] == "maker/demo@Q4_K_M", done.stderr
    refresh_standings()
    assert set(Standing.objects.values_list("model__name", flat=True)) == {
        "maker/demo", "maker/demo@thinking-off", "maker/demo@Q4_K_M"
    }  # fmt: skip
    assert set(Run.objects.values_list("endpoint__api_model", flat=True)) == {"demo", "maker/demo"}


def test_the_command_and_the_call_name_the_option() -> None:
    make_bank(3, slug="eq-bench-v2")
    with pytest.raises(CannotEvaluate, match="configuration: Write the configuration with Latin letters"):
        evaluate("http://127.0.0.1:9/v1", "maker/demo", configuration="höher")
    with pytest.raises(CommandError, match="--configuration: Write the configuration"):
        call_command("evaluate", model="maker/demo", configuration="höher", base_url="http://127.0.0.1:9/v1")


def test_the_import_takes_it(tmp_path: Path) -> None:
    path = official_file(tmp_path, "maker/model-7b")
    make_model("maker/model-7b")
    with pytest.raises(CommandError, match="configuration"):
        call_command("import_results", str(path), configuration="<b>")
    call_command("import_results", str(path), configuration="Q4_K_M")
    assert Run.objects.get().model.name == "maker/model-7b@Q4_K_M"


def test_the_upload_takes_it(tmp_path: Path) -> None:
    path = official_file(tmp_path, "maker/model-7b")
    client = root()
    upload = {"files": [file_of(path.read_bytes())], "configuration": "Q4_K_M"}
    html = client.post(IMPORT, upload).content.decode()
    assert "maker/model-7b@Q4_K_M" in html
    assert '<input type="hidden" name="configuration" value="Q4_K_M">' in html
    client.post(f"{IMPORT}confirmed/", {"upload": [str(UploadedResults.objects.get().pk)], "configuration": "Q4_K_M"})
    assert Run.objects.get().model.name == "maker/model-7b@Q4_K_M"


def test_the_form_takes_it_and_names_the_field_that_is_wrong() -> None:
    offered_bank()
    no_turns_taken()
    submission = sent(Client(), name="maker/model-7b", configuration="thinking off")
    assert submission.endpoint is not None
    assert submission.endpoint.model.name == "maker/model-7b@thinking-off"
    for wrong, words in (("höher", "Latin letters"), ("x" * 41, "longer than 40")):
        response = Client().post("/submit/", filled(configuration=wrong))
        assert response.status_code == 422
        assert words in response.content.decode()
