"""Which code made a number or a page: the release, and a mark of the text of the code as it stood when this process
began. Nobody has to remember it, and neither git nor a build is needed.
"""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from evaluation import __version__

PACKAGE = Path(__file__).resolve().parent


def fingerprint(folders: Iterable[Path], suffixes: frozenset[str]) -> str:
    """12 hexadecimal digits that differ when a file with one of these suffixes, or its path, differs.

    Each folder counts by its own name, so that two checkouts of one commit have one mark wherever they stand.
    """
    mark = sha256()
    for folder in folders:
        for path in sorted(path for path in folder.rglob("*") if path.suffix in suffixes and path.is_file()):
            name = path.relative_to(folder.parent).as_posix()
            mark.update(f"{name} {sha256(path.read_bytes()).hexdigest()}\n".encode())
    return mark.hexdigest()[:12]


CODE_VERSION = f"{__version__}+{fingerprint([PACKAGE], frozenset({'.py'}))}"
"""Of the engine: what asks, reads and scores. It stands in the manifest of each run."""
