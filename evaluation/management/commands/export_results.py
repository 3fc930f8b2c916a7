"""`manage.py export_results`: runs as files that `import_results` takes."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from evaluation.management.base import BaseCommand
from evaluation.models import Run
from evaluation.runs.official_form import NotExportable, file_name, official_file
from evaluation.runs.questionnaire_form import is_of_questionnaires, table_name, table_of


class Command(BaseCommand):
    help = (
        "Write runs as official EQ-Bench run files, and runs of EmotionBench as tables of answers. import_results "
        "reads them back with the same answers and score; the formats do not say which parser read an answer, or in "
        "which order words were shown. A run that does not fit never stops the others."
    )

    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("runs", metavar="RUN", nargs="+", type=int, help="number of a run that has ended")
        parser.add_argument("--to", required=True, type=Path, metavar="DIR", help="folder; created if missing")
        parser.add_argument("--without-replies", action="store_true", help="answers and scores alone")

    def handle(self, *, runs: list[int], to: Path, without_replies: bool, **options: Any) -> None:
        try:
            to.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CommandError(f"--to: {to} cannot be made a folder ({error.strerror}). Name another one.") from error
        refused = []
        for run_id in dict.fromkeys(runs):
            try:
                path = write(run_id, to, replies=not without_replies)
                self.stdout.write(f"Run {run_id}: {path}")
            except NotExportable as error:
                refused.append(str(error))
        if refused:
            raise CommandError("\n".join(refused))


def write(run_id: int, folder: Path, *, replies: bool) -> Path:
    """The path of the run's new file. A file that is there already is never overwritten. Raises NotExportable."""
    run = Run.objects.select_related("model", "bank").filter(pk=run_id).first()
    if run is None:
        raise NotExportable(f"There is no run {run_id}.")
    table = is_of_questionnaires(run)
    content = table_of(run) if table else official_file(run, replies=replies)
    path = folder / (table_name(run) if table else file_name(run))
    try:
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        raise NotExportable(f"Run {run_id}: {path} already exists and was not changed.") from None
    return path
