"""Commands of manage.py in the form in which this process was called, so that a reader can paste them as printed."""

import shlex
import sys
from pathlib import Path

from django.conf import settings


def command_line(*words: object) -> str:
    """The line of a shell that calls `manage.py` with these words, for example ".venv/bin/python manage.py migrate".

    Words in capitals stand for what the reader has to fill in. MANAGE_COMMAND replaces the interpreter and the file
    where manage.py runs behind another program, as by deploy/manage or in a container.
    """
    program = shlex.split(settings.MANAGE_COMMAND) or [_from_here(Path(sys.executable)), _manage_py()]
    return shlex.join([*program, *map(str, words)])


def _manage_py() -> str:
    """As it was called; a script, a notebook or a worker gets the file of this checkout."""
    called = sys.argv[0] if sys.argv else ""
    return called if Path(called).name == "manage.py" else _from_here(settings.BASE_DIR / "manage.py")


def _from_here(path: Path) -> str:
    """Relative to the current folder where the path lies below it."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
