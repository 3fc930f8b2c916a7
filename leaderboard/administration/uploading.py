"""Results by upload: what the files would do, said before it is done, and the files kept between the two.

The preview runs the import itself and takes it back, so what it says is what the confirmation does. Files of one run,
which a peer writes as several, are kept together as one zip.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile

from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from evaluation.command_line import command_line
from evaluation.disclosure import may_see
from evaluation.importers.eqbench_runs import Imported
from evaluation.importers.peers.bundles import SUFFIXES, Bundle, bundles_of, files_of, import_bundle
from evaluation.importers.refusals import FileError, Refusal
from evaluation.models import LanguageModel, Run
from leaderboard.administration.purging import drop_old_uploads
from leaderboard.administration.unpacking import lay_out, unpack_kept
from leaderboard.administration.upload_words import FIXES, differences, refusal, sentence_of
from leaderboard.calling import call_refresh
from leaderboard.models import UploadedResults
from leaderboard.rounding import counted
from leaderboard.standings import refresh_standings

MOST_FILES = 20
MOST_RUNS = 20  # of one upload: each is imported, and taken back, while somebody waits
NAME_LENGTH = 200
NAMED_FILES = 8


@dataclass(frozen=True, slots=True)
class Preview:
    """What a run's files would do. `verdict` is created, skipped, passed over or refused.

    `upload` is the kept upload of one to create; `details` say where a peer's scoring parts from ours.
    """

    file_name: str
    verdict: str
    sentence: str
    fix: str = ""
    upload: int | None = None
    details: tuple[str, ...] = ()


def previews(
    files: Sequence["UploadedFile[bytes]"], user: User, *, configuration: str = "", new_model: bool = False
) -> list[Preview]:
    """One line a refused file, one a run, and one for all that is passed over.

    What would be created is kept for a day. `configuration` says how the models of all files were set. `new_model` says
    that a name which looks like a known model's is another's.
    """
    drop_old_uploads()
    with TemporaryDirectory() as name:
        folder = Path(name)
        received = lay_out(files, folder)
        lines = [refused(file_name, error) for file_name, error in received.refused]
        bundles = bundles_of(folder)
        if len(bundles) > MOST_RUNS:
            return [*lines, too_many(len(bundles))]
        tried = (_preview(bundle, folder, user, configuration=configuration, new_model=new_model) for bundle in bundles)
        return [*lines, *tried, *_passed_over(bundles, folder)]


def refused(name: str, error: FileError) -> Preview:
    return Preview(name[:NAME_LENGTH], "refused", refusal(error), FIXES[error.refusal])


def too_many(n: int) -> Preview:
    sentence = f"The upload holds {counted(n, 'run')}, more than {MOST_RUNS}."
    return Preview(
        "All files",
        "refused",
        sentence,
        f"Upload them in parts, or on the server: {command_line('import_results', 'FOLDER')}",
    )


def _preview(bundle: Bundle, folder: Path, user: User, *, configuration: str, new_model: bool) -> Preview:
    name = bundle.name[:NAME_LENGTH]
    try:
        imported, sentence = _tried(bundle, user, configuration=configuration, new_model=new_model)
        content, name = _kept(bundle, folder)
    except FileError as error:
        return refused(name, error)
    if not imported.created:
        return Preview(name, "skipped", before(imported.run))
    kept = UploadedResults.objects.create(file_name=name, content=content, uploaded_by=user)
    return Preview(name, "created", sentence, upload=kept.pk, details=differences(imported.run))


def before(run: Run) -> str:
    return f"The same results were imported before, as run {run.pk}."


def _tried(bundle: Bundle, user: User, *, configuration: str, new_model: bool) -> tuple[Imported, str]:
    """What importing gives, taken back, and the same in a sentence. Raises: FileError."""
    newest = LanguageModel.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    with transaction.atomic():
        imported = import_bundle(
            bundle, configuration=configuration, new_model=new_model, may_see=partial(may_see, user)
        )
        check_right(imported.run, user)
        sentence = sentence_of(imported.run, new_model=imported.run.model_id > newest)
        transaction.set_rollback(True)
    return imported, sentence


def check_right(run: Run, user: User) -> None:
    """What importing gives is a score of any answers that somebody cares to write: of a private bank it is for those
    alone who may see its items.

    Raises: FileError.
    """
    if not may_see(user, run.bank):
        raise FileError("these are results on a private bank, which takes the right to view items", Refusal.OTHER)


def _kept(bundle: Bundle, folder: Path) -> tuple[bytes, str]:
    """The run's files as a zip that keeps how they lie, and their names for a reader. Raises: FileError."""
    packed = BytesIO()
    main, *others = files_of(bundle)
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for file in (main, *others):
            archive.writestr(file.path.relative_to(folder).as_posix(), file.content)
    beside = f" with {', '.join(file.name for file in others)}" if others else ""
    return packed.getvalue(), f"{bundle.name}{beside}"[:NAME_LENGTH]


def _passed_over(bundles: Sequence[Bundle], folder: Path) -> list[Preview]:
    """A line that names the files which belong to no run: those of other benchmarks, and what goes with them."""
    used = {bundle.path for bundle in bundles}
    for bundle in bundles:
        used |= _beside(bundle)
    left = sorted(
        {path.name for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file() and path not in used}
    )
    if not left:
        return []
    rest = f" and {len(left) - NAMED_FILES} more" if len(left) > NAMED_FILES else ""
    names = f"{', '.join(left[:NAMED_FILES])}{rest}"
    sentence = "No run needs this: results of other benchmarks, or a copy of what the run holds already."
    return [Preview(names[: 2 * NAME_LENGTH], "passed over", sentence)]


def _beside(bundle: Bundle) -> set[Path]:
    """All files of a run; of one that is refused for a file that it lacks, none."""
    try:
        return {file.path for file in files_of(bundle)}
    except FileError:
        return set()


def confirm(upload_ids: Sequence[int], user: User, *, configuration: str = "") -> list[Preview]:
    """Imports the runs whose files this user uploaded, and forgets these; a second time finds nothing to do."""
    uploads = UploadedResults.objects.filter(pk__in=upload_ids, uploaded_by=user).order_by("pk")
    names = list(uploads.values_list("pk", "file_name"))
    done = [line for pk, name in names if (line := _import(pk, name, user, configuration))]
    if any(line.verdict == "created" for line in done):
        call_refresh()
    return done


def _import(pk: int, name: str, user: User, configuration: str) -> Preview | None:
    """The run of a kept upload. None where another press of the button was faster: the lock lets one only through."""
    try:
        with transaction.atomic():
            upload = UploadedResults.objects.select_for_update().filter(pk=pk).first()
            if upload is None:
                return None
            imported = _imported(bytes(upload.content), configuration, user)
            check_right(imported.run, user)
            upload.delete()
    except FileError as error:
        return refused(name, error)
    run = imported.run
    if not imported.created:
        return Preview(name, "skipped", before(run))
    refresh_standings(run.pk)
    return Preview(name, "created", f"Imported as run {run.pk} of {run.model.name}.", upload=run.pk)


def _imported(content: bytes, configuration: str, user: User) -> Imported:
    """Raises: FileError."""
    with TemporaryDirectory() as name:
        unpack_kept(content, Path(name))
        # The preview has asked about the model's name, and whoever confirms has seen its sentence.
        (bundle, *_), seen = bundles_of(Path(name)), partial(may_see, user)
        return import_bundle(bundle, configuration=configuration, new_model=True, may_see=seen)
