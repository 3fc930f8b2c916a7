"""Uploaded files laid out in a folder, as the importers expect them. A zip is unpacked within limits."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path, PurePosixPath
from shutil import rmtree
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from django.core.files.uploadedfile import UploadedFile

from evaluation.importers.eqbench_files import MAX_FILE_BYTES
from evaluation.importers.refusals import FileError, Refusal

SUFFIXES = (".json", ".jsonl", ".csv")
CONFIG = "task_config.yaml"  # of evalscope: the only other file that is read
LONGEST_PART = 200  # of a path, in bytes
MOST_PARTS = 12
MOST_ENTRIES = 2_000
MOST_UNPACKED_BYTES = 5 * MAX_FILE_BYTES
MEGABYTE = 1024 * 1024
ENCRYPTED = 0x1


@dataclass
class Received:
    """What an upload was. `refused` pairs a file with the reason; `n_bytes` counts what was written."""

    refused: list[tuple[str, FileError]] = field(default_factory=list)
    n_bytes: int = 0


def lay_out(files: Sequence["UploadedFile[bytes]"], folder: Path) -> Received:
    """Writes the files below the folder: those that came alone side by side, each zip in a folder of its own.

    A file that is refused leaves the others alone.
    """
    received = Received()
    for number, file in enumerate(files, 1):
        name = PurePosixPath((file.name or "results.json").replace("\0", "")).name
        try:
            _lay_out_one(name, file, folder, number, received)
        except FileError as error:
            received.refused.append((name, error))
    return received


def _lay_out_one(name: str, file: "UploadedFile[bytes]", folder: Path, number: int, received: Received) -> None:
    if file.size is None or file.size > MAX_FILE_BYTES:
        raise FileError(f"larger than {MAX_FILE_BYTES // MEGABYTE} MB", Refusal.TOO_LARGE)
    if name.lower().endswith(".zip"):
        _unpack_whole(file.read(), folder / f"zip-{number}" / _folder_of(name), received)
    elif _is_wanted(name):
        _write(folder / "upload" / _lower_suffix(_shortened(name)), file.read(), received)
    else:
        raise FileError("the name ends neither in .json nor in .jsonl, .csv or .zip", Refusal.WRONG_ENDING)


def _folder_of(name: str) -> str:
    """A name for the folder of a zip's files, never one that leads elsewhere: "...zip" would be its parent."""
    stem = _shortened(name[:-4])
    return "zip" if stem.strip(".") == "" else stem


def _unpack_whole(content: bytes, folder: Path, received: Received) -> None:
    """Of a zip that is refused nothing stays. Raises: FileError."""
    try:
        _unpack(content, folder, received)
    except FileError:
        rmtree(folder, ignore_errors=True)
        raise


def unpack_kept(content: bytes, folder: Path) -> None:
    """The files of one run as they were kept between preview and confirmation. Raises: FileError."""
    _unpack(content, folder, Received())


def _unpack(content: bytes, folder: Path, received: Received) -> None:
    """The JSON files of a zip, each within its limits; what a zip says of its sizes is not believed."""
    try:
        with ZipFile(BytesIO(content)) as archive:
            wanted = _wanted_entries(archive)
            for info in wanted:
                _write(folder / _safe_path(info), _content(archive, info), received)
    except FileError:
        raise
    except (BadZipFile, EOFError, zlib.error, NotImplementedError, ValueError):
        # A ValueError comes of a zip whose beginning is cut off, and of a name that is no UTF-8 though it says so.
        raise FileError("a broken zip, or none at all", Refusal.BROKEN_ZIP) from None
    if not wanted:
        raise FileError("a zip without a .json, .jsonl or .csv file", Refusal.EMPTY_ZIP)


def _wanted_entries(archive: ZipFile) -> list[ZipInfo]:
    entries = archive.infolist()
    if len(entries) > MOST_ENTRIES:
        raise FileError(f"a zip of {len(entries)} files, more than {MOST_ENTRIES}", Refusal.CROWDED_ZIP)
    # A damaged zip may name a file by nothing at all, of which `is_dir` would take the last letter.
    named = [info for info in entries if info.filename and not info.is_dir()]
    return [info for info in named if _is_wanted(PurePosixPath(info.filename).name)]


def _is_wanted(name: str) -> bool:
    """Whether a file of that name is looked into; hidden ones are what other systems add to a zip."""
    return not name.startswith(".") and (name.lower().endswith(SUFFIXES) or name == CONFIG)


def _safe_path(info: ZipInfo) -> PurePosixPath:
    """Where a file goes below its folder. Raises: FileError for a path that leads out of it or that no disk takes."""
    path = PurePosixPath(info.filename.replace("\\", "/"))
    shown = info.filename[:80].encode("ascii", "backslashreplace").decode("ascii")
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        raise FileError(f"the zip names the path {shown}, which leads out of it", Refusal.PATH_OUTSIDE)
    if len(path.parts) > MOST_PARTS or any(len(part.encode()) > LONGEST_PART for part in path.parts):
        raise FileError(f"the zip names the path {shown}, which is too long", Refusal.PATH_TOO_LONG)
    return path.with_name(_lower_suffix(path.name))


def _content(archive: ZipFile, info: ZipInfo) -> bytes:
    name = PurePosixPath(info.filename).name
    if info.flag_bits & ENCRYPTED:
        raise FileError(f"{name} in the zip is encrypted", Refusal.ENCRYPTED)
    if info.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
        raise FileError(f"{name} in the zip is compressed in a way that is not read here", Refusal.ODD_COMPRESSION)
    with archive.open(info) as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise FileError(f"{name} in the zip is larger than {MAX_FILE_BYTES // MEGABYTE} MB", Refusal.TOO_LARGE)
    return content


def _write(path: Path, content: bytes, received: Received) -> None:
    received.n_bytes += len(content)
    if received.n_bytes > MOST_UNPACKED_BYTES:
        raise FileError(
            f"the files of the upload are larger than {MOST_UNPACKED_BYTES // MEGABYTE} MB together", Refusal.TOO_LARGE
        )
    if path.is_file():
        raise FileError(f"{path.name} stands twice in this upload", Refusal.TWICE_IN_UPLOAD)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except (FileExistsError, IsADirectoryError, NotADirectoryError):
        raise FileError(
            f"{path.name} stands in a path that is a file and a folder at once", Refusal.FILE_AND_FOLDER
        ) from None


def _shortened(name: str) -> str:
    """At most so many bytes, of a long name the end."""
    return name.encode()[-LONGEST_PART:].decode(errors="ignore")


def _lower_suffix(name: str) -> str:
    stem, _, suffix = name.rpartition(".")
    return f"{stem}.{suffix.lower()}"
