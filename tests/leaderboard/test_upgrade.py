"""An upgrade from an older schema keeps every score, and so does a backup that the first release could have made."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Model

from tests.older_schemas import FIRST, SCORES, as_it_was
from tests.processes import ROOT, environment, manage
from tests.scratch import manage_elsewhere, scratch_database

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.thorough]


def older(database: str, *words: str) -> dict[str, list[dict[str, str]]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.older_schemas", *words], cwd=ROOT,
        env=environment("", DATABASE_URL=database), capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, list[dict[str, str]]] = json.loads(done.stdout)
    return found


RUN, RESULT, REPLY, SUBMISSION = (
    "evaluation.Run", "evaluation.ItemResult", "evaluation.Reply", "leaderboard.Submission",
)  # fmt: skip

# The pages read columns that the old schema had not.
VISIT = (
    "import json; from django.test import Client; paths = ['/', '/models/one/', '/submissions/' + 't' * 22 + '/', "
    "'/runs/1/', '/runs/4/', '/runs/7/']; client = Client(SERVER_NAME='localhost'); "
    "print(json.dumps({path: client.get(path).status_code for path in paths}))"
)


@pytest.mark.parametrize("schema", ["first", "previous"])
def test_migrations_from_an_older_schema_keep_every_value_of_every_row(tmp_path: Path, schema: str) -> None:
    with scratch_database(tmp_path) as database:
        before = older(database, "fill", schema)
        pending = manage("migrate", "--check", DATABASE_URL=database).returncode
        manage_elsewhere(database, "migrate", "--verbosity", "0")
        after = older(database, "rows", schema)
        checked = manage_elsewhere(database, "migrate", "--check")
        rescored = manage_elsewhere(database, "rescore", after[RUN][-1]["id"])
        answers = json.loads(manage_elsewhere(database, "shell", "--no-imports", "-c", VISIT))
    assert pending == 1, "there was something to bring up to date"
    assert after == before
    assert {label: len(before[label]) for label in (RUN, RESULT, REPLY, SUBMISSION)} == {
        RUN: 7, RESULT: 12, REPLY: 12, SUBMISSION: 1,
    }  # fmt: skip
    assert [row["score"] for row in after[RUN]] == [*map(repr, SCORES), "None", "None", "None", "100.0"]
    assert "2026, 1, 2, 3, 4, 5, 678901" in after[RUN][0]["finished_at"]
    assert checked == ""
    assert answers == {
        "/": 200, "/models/one/": 200, f"/submissions/{'t' * 22}/": 200,
        "/runs/1/": 200, "/runs/4/": 404, "/runs/7/": 200,
    }  # fmt: skip
    assert rescored == f"run {after[RUN][-1]['id']}: 100.00, unchanged\n0 of 1 runs changed.\n"


def test_a_backup_of_an_older_schema_restores_into_a_database_without_tables(tmp_path: Path) -> None:
    path = str(tmp_path / "old.zip")
    with scratch_database(tmp_path) as old, scratch_database(tmp_path) as new:
        before = older(old, "fill", "first")
        manage_elsewhere(old, "migrate", "--verbosity", "0")
        manage_elsewhere(old, "backup", path, "--with-keys")
        as_first_release_made_it(Path(path))
        manage_elsewhere(new, "restore", path)
        after = older(new, "rows", "first")
    before.pop("leaderboard.Standing")
    after.pop("leaderboard.Standing")  # computed anew
    assert after == before


def as_first_release_made_it(path: Path) -> None:
    """Takes out of the backup what the first schema had no word for."""
    apps = (
        MigrationExecutor(connection)
        .loader.project_state([*FIRST, ("auth", "0012_alter_user_first_name_max_length")])
        .apps
    )
    ours = [model for app in dict(FIRST) for model in apps.get_app_config(app).get_models(include_auto_created=True)]
    known = {model._meta.label: model for model in (*ours, apps.get_model("auth.User"))}
    with ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        names = [table["name"] for table in manifest["tables"] if table["name"] in known]
        texts = {name: cut_down(archive.read(f"{name}.jsonl"), known[name]) for name in names}
    manifest["form"], manifest["migrations"] = 1, dict(FIRST)
    manifest["tables"] = [
        {"name": name, "rows": text.count(b"\n") - 1, "sha256": hashlib.sha256(text).hexdigest()}
        for name, text in texts.items()
    ]
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(f"{name}.jsonl", text)
        archive.writestr("manifest.json", json.dumps(manifest))


def cut_down(text: bytes, model: type[Model]) -> bytes:
    """The lines with the model's columns alone."""
    names, *lines = map(json.loads, text.splitlines())
    kept = [field.attname for field in model._meta.concrete_fields]
    rows = [as_it_was(model._meta.label, dict(zip(names, line, strict=True))) for line in lines]
    cut = [kept, *([row[name] for name in kept] for row in rows)]
    return b"".join(json.dumps(line).encode() + b"\n" for line in cut)
