"""Results by upload: what a file would do, said before it is done, and the file kept between the two.

The preview runs the import itself and takes it back, so what it says is what the confirmation does.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone

from evaluation.importers.eqbench_files import MAX_FILE_BYTES, FileError
from evaluation.importers.eqbench_runs import Imported, import_official
from evaluation.models import LanguageModel, Run
from leaderboard.models import UploadedResults
from leaderboard.rounding import points
from leaderboard.standings import refresh_standings

MOST_FILES = 10
KEPT = timedelta(days=1)
NAME_LENGTH = 200

# What to do about a refusal, by words of its sentence; the first that fits counts.
FIXES = (
    ("larger than", "Upload only the result file that the official script wrote, without anything added to it."),
    ("broken JSON", "The file was cut or edited at that line. Upload it again as the official script wrote it."),
    ("not UTF-8", "Save the file as UTF-8."),
    ("listed twice", "Two entries stand under one key. Take out the one that does not belong to this run."),
    ("not a finite number", "Leave the rating out instead: a missing rating makes its item not read."),
    ("is not a number", "A rating must be a number from 0 to 10 or left out."),
    ("is not loaded", "Load the item bank on the server, then upload the file again."),
    ("lacks item", "Look at eqbench_version and language: they name the bank that the items are sought in."),
    ("another item bank", "Look at eqbench_version and language: the answers name emotions of another bank."),
    ("eqbench_version", "Only v1 and v2 in English, and v2 in German, can be imported."),
    ("missing", "Add the field that is named, or upload the whole file that the official script wrote."),
    ("run_completed", "Write the end of the run as epoch seconds or as 2024-01-29T12:00:00."),
)
ELSE_FIX = "Correct what the sentence names, and upload the file again."


@dataclass(frozen=True, slots=True)
class Preview:
    """What one file would do. `verdict` is created, skipped or refused; `upload` is the kept file of one to create."""

    file_name: str
    verdict: str
    sentence: str
    fix: str = ""
    upload: int | None = None


def previews(files: Sequence["UploadedFile[bytes]"], user: User) -> list[Preview]:
    """One line a file, in their order. Files that would be created are kept for a day."""
    UploadedResults.objects.filter(uploaded_at__lt=timezone.now() - KEPT).delete()
    return [_preview(file, user) for file in files]


def _preview(file: "UploadedFile[bytes]", user: User) -> Preview:
    name = (file.name or "results.json")[:NAME_LENGTH]
    try:
        content = _content(file)
        imported, sentence = _tried(name, content)
    except FileError as error:
        return refused(name, error)
    if not imported.created:
        return Preview(name, "skipped", f"The same file was imported before, as run {imported.run.pk}.")
    kept = UploadedResults.objects.create(file_name=name, content=zlib.compress(content), uploaded_by=user)
    return Preview(name, "created", sentence, upload=kept.pk)


def refused(name: str, error: FileError) -> Preview:
    text = str(error)
    fix = next((fix for words, fix in FIXES if words in text), ELSE_FIX)
    begins_with_a_field = "_" in text.partition(" ")[0]
    return Preview(name, "refused", f"{text if begins_with_a_field else text[:1].upper() + text[1:]}.", fix)


def _content(file: "UploadedFile[bytes]") -> bytes:
    """Raises: FileError, before a file that is too large is read."""
    if file.size is None or file.size > MAX_FILE_BYTES:
        raise FileError(f"larger than {MAX_FILE_BYTES // (1024 * 1024)} MB")
    return bytes(file.read())


def _tried(name: str, content: bytes) -> tuple[Imported, str]:
    """What importing gives, taken back, and the same in a sentence. Raises: FileError."""
    newest = LanguageModel.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    with transaction.atomic():
        imported = import_official(name, content)
        sentence = _sentence(imported.run, new_model=imported.run.model_id > newest)
        transaction.set_rollback(True)
    return imported, sentence


def _sentence(run: Run, *, new_model: bool) -> str:
    score = "no score, since too little could be read" if run.score is None else f"{points(run.score)} points"
    claim = "" if run.published_score is None else f"; the file says {points(run.published_score)}"
    passes = f", {run.repeats} passes" if run.repeats > 1 else ""
    whose = f"{run.model.name}{', a new model' if new_model else ''}"
    return f"A run of {whose} on {run.bank.title}: {run.n_scored} of {run.n_items} items{passes}, {score}{claim}."


def confirm(upload_ids: Sequence[int], user: User) -> list[Preview]:
    """Imports the files that this user uploaded, and forgets them; a second time finds nothing to do."""
    uploads = UploadedResults.objects.filter(pk__in=upload_ids, uploaded_by=user).order_by("pk")
    return [_import(upload) for upload in uploads]


def _import(upload: UploadedResults) -> Preview:
    try:
        with transaction.atomic():
            imported = import_official(upload.file_name, zlib.decompress(bytes(upload.content)))
            upload.delete()
    except FileError as error:
        return refused(upload.file_name, error)
    run = imported.run
    if not imported.created:
        return Preview(upload.file_name, "skipped", f"The same file was imported before, as run {run.pk}.")
    refresh_standings(run.pk)
    return Preview(upload.file_name, "created", f"Imported as run {run.pk} of {run.model.name}.", upload=run.pk)
