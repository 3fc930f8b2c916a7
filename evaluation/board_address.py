"""The address of the board that runs in VAR_DIR, told by the process that serves it to the commands beside it.

It stands in a file that the serving process keeps locked. The system drops the lock when that process ends, however it
ends, so an address that nobody holds is stale and never used; a process id could belong to another process by then.
"""

import fcntl
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TextIO

from django.conf import settings
from django.db import connection

FILE_NAME = "address"


@contextmanager
def announced(url: str) -> Iterator[None]:
    """Lets the commands beside this process know the address until the block ends. Where a board of this folder runs
    already, or the folder cannot be written, nobody is told: an address is a courtesy, and no reason not to start."""
    file = _taken(url)
    try:
        yield
    finally:
        if file:
            with suppress(OSError):
                address_file().unlink(missing_ok=True)
            file.close()


def running_address() -> str:
    """For example "http://127.0.0.1:8071"; "" where no board runs, or one that has another database."""
    try:
        with address_file().open() as file:
            if not _is_held(file.fileno()):
                return ""
            told = json.load(file)
            return str(told["url"]) if told["database"] == database() else ""
    except (OSError, ValueError, TypeError, KeyError):  # also between the making and the writing of it
        return ""


def address_file() -> Path:
    return Path(settings.VAR_DIR) / FILE_NAME


def database() -> str:
    """Which database this process uses, without user and password."""
    values = connection.settings_dict
    return " ".join(str(values[name]) for name in ("ENGINE", "HOST", "PORT", "NAME"))


def _taken(url: str) -> TextIO | None:
    """The file with the address in it, locked; None where it cannot be had."""
    with ExitStack() as stack, suppress(OSError):
        file = stack.enter_context(address_file().open("a+"))
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.truncate(0)
        file.write(json.dumps({"url": url, "database": database()}))
        file.flush()
        stack.pop_all()
        return file
    return None


def _is_held(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False
