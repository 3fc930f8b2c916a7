"""Results by upload: what would happen is said first and done only after the confirmation, once."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from evaluation.models import LanguageModel, Run
from leaderboard.models import Standing, UploadedResults
from tests.factories import make_bank, make_model, official_run
from tests.leaderboard.pages import content_of
from tests.leaderboard.staff import looker, root

pytestmark = [pytest.mark.django_db, pytest.mark.database]
IMPORT = "/admin/import/"


@pytest.fixture(autouse=True)
def _bank() -> None:
    make_bank(6, slug="eq-bench-v2", benchmark="eq-bench-v2", title="EQ-Bench v2")


def file_of(content: Any = None, name: str = "run.json") -> SimpleUploadedFile:
    text = json.dumps(official_run() if content is None else content) if not isinstance(content, bytes) else content
    return SimpleUploadedFile(name, text if isinstance(text, bytes) else text.encode(), "application/json")


def look(client: Client, *files: SimpleUploadedFile) -> str:
    response = client.post(IMPORT, {"files": list(files)})
    assert response.status_code == 200
    return content_of(response).replace("&#x27;", "'").replace("&quot;", '"')


def confirm(client: Client) -> str:
    ids = [str(pk) for pk in UploadedResults.objects.values_list("pk", flat=True)]
    return content_of(client.post(f"{IMPORT}confirmed/", {"upload": ids}, follow=True))


def test_the_preview_says_what_would_be_made_and_makes_nothing() -> None:
    html = look(root(), file_of())
    for words in ("created", "maker/Model-7B, a new model", "6 of 6 items", "100.00 points; the file says 100.00"):
        assert words in html
    assert (Run.objects.count(), LanguageModel.objects.count(), UploadedResults.objects.count()) == (0, 0, 1)


def test_the_confirmation_imports_it_moves_the_standings_and_is_on_record() -> None:
    client = root()
    look(client, file_of())
    html = confirm(client)
    run = Run.objects.get()
    assert f"Imported as run {run.pk} of maker/Model-7B" in html
    assert (run.score, run.origin, run.source) == (100.0, "imported", "run.json")
    assert Standing.objects.get().model == run.model
    assert LogEntry.objects.get().change_message == "Imported by upload."
    assert not UploadedResults.objects.exists()


def test_confirming_twice_imports_once() -> None:
    client = root()
    look(client, file_of())
    upload = UploadedResults.objects.get()
    confirm(client)
    again = content_of(client.post(f"{IMPORT}confirmed/", {"upload": [str(upload.pk)]}, follow=True))
    assert "nothing left to import" in again
    assert Run.objects.count() == 1


def test_the_same_file_again_is_skipped() -> None:
    client = root()
    look(client, file_of())
    confirm(client)
    assert f"imported before, as run {Run.objects.get().pk}" in look(client, file_of())
    assert not UploadedResults.objects.exists()


def doubled() -> bytes:
    return json.dumps(official_run()).replace('"model_path"', '"lora_path": "", "model_path"').encode()


def with_rating(value: Any) -> dict[str, Any]:
    run = official_run()
    ratings = run["raw_results"]["1"]["respondent_answers"]["2"]["first_pass"]
    ratings[next(iter(ratings))] = value
    return run


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"a": 1,\n "b": ]', "Broken JSON at line 2"),
        (b"\xff\xfe", "Not UTF-8"),
        (b"[]", "the JSON is no object"),
        ({key: value for key, value in official_run().items() if key != "model_path"}, "model_path missing"),
        ({**official_run(), "eqbench_version": "v9"}, "eqbench_version v9"),
        (official_run(7), "lacks item 7"),
        (with_rating("many"), "Item 2: a rating is not a number"),
        (with_rating("NaN"), "Item 2, line 1"),
        (doubled(), "lora_path"),
    ],
)
def test_a_bad_file_is_refused_with_line_or_field_and_what_to_do(content: Any, words: str) -> None:
    html = look(root(), file_of(content))
    assert words in html
    assert "What to do:" in html
    assert not UploadedResults.objects.exists()


def test_a_bad_file_does_not_stop_a_good_one() -> None:
    client = root()
    html = look(client, file_of(b"[", "bad.json"), file_of(name="good.json"))
    assert ("refused" in html, "created" in html) == (True, True)
    confirm(client)
    assert Run.objects.get().source == "good.json"


def test_a_file_that_is_too_large_is_refused() -> None:
    html = look(root(), file_of(b" " * (20 * 1024 * 1024 + 1)))
    assert "Larger than 20 MB" in html


@pytest.mark.parametrize("n", [0, 21])
def test_one_to_twenty_files_are_taken_at_once(n: int) -> None:
    assert "Choose one to 20 files" in look(root(), *(file_of(name=f"{number}.json") for number in range(n)))


def test_what_nobody_confirmed_goes_after_a_day() -> None:
    client = root()
    look(client, file_of())
    UploadedResults.objects.update(uploaded_at=timezone.now() - timedelta(hours=25))
    look(client, file_of(b"["))
    assert not UploadedResults.objects.exists()


def test_nobody_confirms_what_another_uploaded() -> None:
    look(root(), file_of())
    other = root()
    user = UploadedResults.objects.get().uploaded_by
    other.logout()
    user.pk, user.username = None, "second"
    user.save()
    other.force_login(user)
    assert "nothing left to import" in confirm(other)
    assert not Run.objects.exists()


@pytest.mark.parametrize("path", [IMPORT, f"{IMPORT}confirmed/"])
def test_uploading_needs_the_right_and_the_token(client: Client, path: str) -> None:
    look(root(), file_of())
    form = {"upload": [str(UploadedResults.objects.get().pk)]}
    assert client.post(path, form).status_code == 302
    assert looker().post(path, form).status_code == 403
    assert root(enforce_csrf_checks=True).post(path, form).status_code == 403
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + json.dumps(official_run()).encode(),
        json.dumps(official_run(), indent=3).replace("\n", "\r\n").encode(),
        json.dumps({**official_run(), "note": "copied"}, sort_keys=True).encode(),
    ],
)
def test_the_same_result_in_other_bytes_is_skipped(content: bytes) -> None:
    client = root()
    look(client, file_of())
    confirm(client)
    assert f"imported before, as run {Run.objects.get().pk}" in look(client, file_of(content, "copy.json"))
    assert not UploadedResults.objects.exists()


def test_the_same_result_twice_in_one_upload_is_imported_once() -> None:
    client = root()
    look(client, file_of(), file_of(json.dumps(official_run(), indent=3).encode(), "copy.json"))
    confirm(client)
    assert Run.objects.count() == 1


def test_a_name_that_looks_like_a_known_one_is_refused_unless_the_box_is_ticked() -> None:
    make_model("Maker/model_7b")
    client = root()
    html = look(client, file_of())
    assert "maker/Model-7B, which looks like Maker/model_7b, a known model" in html
    assert "upload it again with the box ticked" in html
    assert not UploadedResults.objects.exists()
    client.post(IMPORT, {"files": [file_of()], "new_model": "on"})
    confirm(client)
    assert Run.objects.get().model.name == "maker/Model-7B"
