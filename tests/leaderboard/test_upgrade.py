"""An upgrade from the first release keeps every score, and so does a backup that the first release could have made."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Model

from tests.first_release import FIRST, SCORES
from tests.processes import ROOT, environment
from tests.scratch import manage_elsewhere, scratch_database

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.thorough]


def first_release(database: str, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.first_release", *words], cwd=ROOT,
        env=environment("", DATABASE_URL=database), capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def kept(database: str) -> dict[str, Any]:
    rows: dict[str, Any] = json.loads(first_release(database, "--scores"))
    return rows


def test_migrations_from_the_first_release_keep_every_score(tmp_path: Path) -> None:
    with scratch_database(tmp_path) as database:
        first_release(database)
        manage_elsewhere(database, "migrate", "--verbosity", "0")
        rows = kept(database)
        checked = manage_elsewhere(database, "migrate", "--check")
    assert [row.split(", ")[1] for row in rows["runs"]] == [*map(repr, SCORES), "None"]
    assert "2026, 1, 2, 3, 4, 5, 678901" in rows["runs"][0]
    assert rows["results"] == [repr(([0.1, 2.0], score / 10, "official")) for score in SCORES]
    assert rows["replies"] == ["A: 0\nB: 2"] * 3
    assert rows["submissions"] == [["t" * 22, SCORES[-1]]]
    assert checked == ""


def test_a_backup_of_an_older_schema_restores_into_a_database_without_tables(tmp_path: Path) -> None:
    path = str(tmp_path / "old.zip")
    with scratch_database(tmp_path) as old, scratch_database(tmp_path) as new:
        first_release(old)
        manage_elsewhere(old, "migrate", "--verbosity", "0")
        newest = kept(old)
        manage_elsewhere(old, "backup", path)
        as_first_release_made_it(Path(path))
        manage_elsewhere(new, "restore", path)
        assert kept(new) == newest


def as_first_release_made_it(path: Path) -> None:
    """Takes out of the backup what the first schema had no word for."""
    apps = (
        MigrationExecutor(connection)
        .loader.project_state([*FIRST, ("auth", "0012_alter_user_first_name_max_length")])
        .apps
    )
    known = {model._meta.label: model for model in apps.get_models(include_auto_created=True)}
    with ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        names = [table["name"] for table in manifest["tables"] if table["name"] in known]
        texts = {name: cut_down(archive.read(f"{name}.jsonl"), known[name]) for name in names}
    manifest["migrations"] = dict(FIRST)
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
    names, *rows = map(json.loads, text.splitlines())
    kept_at = [names.index(field.attname) for field in model._meta.concrete_fields]
    return b"".join(json.dumps([row[at] for at in kept_at]).encode() + b"\n" for row in (names, *rows))
