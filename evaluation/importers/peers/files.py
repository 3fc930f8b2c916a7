"""What a peer's files hold, whichever peer it is, in frozen rows; and how a file is opened. No database."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from evaluation.benchmarks.base import JsonValue
from evaluation.importers.eqbench_files import MAX_FILE_BYTES, file_name
from evaluation.importers.refusals import FileError, Refusal


@dataclass(frozen=True, slots=True)
class ResultFile:
    """One file as it came. `path` names it in messages and tells what lies beside it."""

    path: Path
    content: bytes = field(repr=False)

    @property
    def name(self) -> str:
        return file_name(self.path)


@dataclass(frozen=True, slots=True)
class PeerSample:
    """One reply of a peer's run, with what the peer made of it.

    `place` names the sample for a reader ("line 3 (doc_id 2)"). `reference` is the peer's own reference by emotion,
    None where its file has none. `score` is in points of the whole (100 for full marks) and None where the peer read
    nothing, whatever figure it counted instead: `counted` is that, None where the sample was left out of the mean.
    `reasoning` is thinking that the peer filed apart from the reply: kept, never scored.
    """

    place: str
    prompt: str
    reply: str
    reference: Mapping[str, float] | None
    score: float | None
    counted: float | None
    repeat: int = 1
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class PeerRun:
    """One run of a peer. `n_asked` is how many items it asked, answered or not; `sha256` is of all files it came from.

    `published_score` is in points, None where the peer gave none.
    """

    peer: str
    version: str
    model: str
    samples: tuple[PeerSample, ...]
    n_asked: int
    published_score: float | None
    settings: Mapping[str, JsonValue]
    source: str
    sha256: str
    finished_at: datetime | None


def read_file(path: Path) -> ResultFile:
    """The file, up to just over the largest size that is taken, so that a reader can refuse it.

    Raises:
        FileError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return ResultFile(path, file.read(MAX_FILE_BYTES + 1))
    except OSError as error:
        raise FileError(f"cannot be read ({error.strerror})", Refusal.OTHER) from error


def check_size(file: ResultFile) -> None:
    if len(file.content) > MAX_FILE_BYTES:
        raise FileError(f"{file.name} is larger than {MAX_FILE_BYTES // (1024 * 1024)} MB", Refusal.TOO_LARGE)


def hash_of(files: Sequence[ResultFile]) -> str:
    """One hash of several files: of their own hashes in the given order."""
    return hashlib.sha256("".join(hashlib.sha256(file.content).hexdigest() for file in files).encode()).hexdigest()
