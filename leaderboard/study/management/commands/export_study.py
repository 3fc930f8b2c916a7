"""`manage.py export_study SLUG FILE`: the ratings of a study, with new random codes for its raters."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from evaluation.management.base import BaseCommand
from leaderboard.study.exporting import export
from leaderboard.study.models import Study


class Command(BaseCommand):
    help = (
        "Writes the ratings of a study into a zip file. Each rater gets a new random code, so that the file leads to "
        "nobody; who withdrew is not in it."
    )

    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("file", type=Path)

    def handle(self, *, slug: str, file: Path, **options: Any) -> None:
        study = Study.objects.filter(slug=slug).first()
        if study is None:
            known = ", ".join(Study.objects.values_list("slug", flat=True)) or "none"
            raise CommandError(f"There is no study {slug}. Studies: {known}.")
        content = export(study)
        try:
            with file.open("xb") as target:
                file.chmod(0o600)
                target.write(content)
        except FileExistsError:
            raise CommandError(f"{file} exists already and was not touched.") from None
        except OSError as error:
            raise CommandError(f"{file} cannot be written ({error.strerror}).") from None
        self.stdout.write(f"{file}: the ratings of {study.slug}")
