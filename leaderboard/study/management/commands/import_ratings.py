"""`manage.py import_ratings`: a file of ratings or counts into a study."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from evaluation.importers.study_files import CODINGS, MAX_BYTES, Coding, StudyFileError
from evaluation.importers.study_ratings import MOST_WAVES
from evaluation.management.base import BaseCommand
from leaderboard.study.importing import Report, import_file
from leaderboard.study.models import Study
from leaderboard.study.results import refresh_results

UNKNOWN = "-"


class Command(BaseCommand):
    help = (
        "Imports ratings (item_id, responder, rater, value; or one line per prompt with rating_X and annotator_X) or "
        "counts (scope, responder, good with n or with bad and okay) into a study, and computes its results. All of a "
        "file or nothing; the same file twice changes nothing. Codes of raters are stored as hashes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="CSV in UTF-8")
        parser.add_argument("--study", default="", metavar="SLUG", help="its address; not needed where there is one")
        parser.add_argument("--coding", default="words", choices=list(CODINGS), help="how ratings are written")
        parser.add_argument(
            "--wave", default=1, type=int, metavar="N", help="if the file has no wave column (default: 1)"
        )
        parser.add_argument("--dry-run", action="store_true", help="say what would happen, and write nothing")

    def handle(self, *args: Any, file: Path, study: str, **options: Any) -> None:
        if not 1 <= options["wave"] <= MOST_WAVES:
            raise CommandError(f"--wave: {options['wave']} is no number of a wave. Fix: write 1 to {MOST_WAVES}.")
        found = _study(study)
        coding: Coding = options["coding"]
        try:
            with file.open("rb") as opened:
                content = opened.read(MAX_BYTES + 1)
            report = import_file(
                found, file.name, content, coding=coding, wave=options["wave"], dry_run=options["dry_run"]
            )
        except OSError as error:
            raise CommandError(f"{file} cannot be read ({error.strerror}).") from error
        except StudyFileError as error:
            raise CommandError(f"{error}\nNothing was imported.") from error
        for line in _lines(report):
            self.stdout.write(line)
        self.stdout.write(_end(report, found, dry_run=options["dry_run"]))
        if not options["dry_run"] and not report.was_before:
            refresh_results(found)


def _study(slug: str) -> Study:
    studies = list(Study.objects.filter(slug=slug) if slug else Study.objects.all()[:2])
    if len(studies) == 1:
        return studies[0]
    known = ", ".join(Study.objects.values_list("slug", flat=True)) or "none yet"
    what = f"There is no study {slug}" if slug else "Name the study"
    raise CommandError(f"{what}. Fix: choose one with --study SLUG, of: {known}.")


def _lines(report: Report) -> list[str]:
    lines = [f"{'responder':<30} {'ratings':>8} {'Bad':>7} {'Okay':>7} {'Good':>7} {'raters':>7}"]
    for line in report.lines:
        numbers = (line.ratings, line.bad, line.okay, line.good, line.raters)
        cells = [UNKNOWN if number is None else str(number) for number in numbers]
        lines.append(f"{line.responder:<30} {cells[0]:>8} {cells[1]:>7} {cells[2]:>7} {cells[3]:>7} {cells[4]:>7}")
    if report.skipped:
        lines.append(f"Not read: {', '.join(report.skipped)}. Texts come with the prompts and replies of the study.")
    return lines


def _end(report: Report, study: Study, *, dry_run: bool) -> str:
    what = f"{report.rows} {'ratings' if report.kind == 'ratings' else 'cells of counts'}"
    if report.was_before:
        return f"This file was imported into {study.slug} before, so nothing changed."
    if dry_run:
        return f"Dry run: {what} would be imported into {study.slug}. Nothing was written."
    return f"{what} imported into {study.slug}."
