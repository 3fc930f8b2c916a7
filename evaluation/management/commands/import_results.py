"""Imports results that were made elsewhere. A bad file never stops the others."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.announcing import announce_here
from evaluation.importers.eqbench_files import FileError
from evaluation.importers.eqbench_runs import Imported, import_official_file

FORMATS = {"eq-bench": import_official_file}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file: the imported run, or why it was refused."""

    file: Path
    imported: Imported | None
    error: str = ""

    def as_json(self) -> dict[str, Any]:
        if self.imported is None:
            return {"file": self.file.name, "error": self.error}
        run = self.imported.run
        return {"file": self.file.name, "run": run.pk, "score": run.score, "published_score": run.published_score}

    def __str__(self) -> str:
        if self.imported is None:
            return f"{self.file.name}: refused"
        run = self.imported.run
        score = "no score" if run.score is None else f"{run.score:.2f}"
        verb = "imported as" if self.imported.created else "is already"
        return f"{self.file.name}: {verb} run {run.pk} of {run.model.name}, {score}"


class Command(BaseCommand):
    help = "Import official run files. All or nothing for each file; importing again creates nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="a file, or a folder of .json files")
        parser.add_argument("--format", choices=sorted(FORMATS), default="eq-bench")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON array, an entry a file")

    def handle(self, *args: Any, paths: list[Path], format: str, as_json: bool, **options: Any) -> None:
        outcomes = []
        for file in _files(paths):
            outcomes.append(_outcome(file, format))
            if not as_json:
                self.stdout.write(str(outcomes[-1]))
        if as_json:
            self.stdout.write(json.dumps([outcome.as_json() for outcome in outcomes], indent=2))
        if any(outcome.imported and outcome.imported.created for outcome in outcomes):
            announce_here()
        _complain(outcomes)


def _files(paths: Sequence[Path]) -> list[Path]:
    files = [file for path in paths for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])]
    if not files:
        raise CommandError("There is no .json file to import.")
    return files


def _outcome(file: Path, name: str) -> Outcome:
    try:
        return Outcome(file, FORMATS[name](file))
    except FileError as error:
        return Outcome(file, None, str(error))


def _complain(outcomes: Sequence[Outcome]) -> None:
    refused = [f"{outcome.file.name}: {outcome.error}" for outcome in outcomes if outcome.imported is None]
    if refused:
        count = f"{len(refused)} of {len(outcomes)} files were refused" if len(outcomes) > 1 else "The file was refused"
        raise CommandError(f"{count}.\n" + "\n".join(refused))
