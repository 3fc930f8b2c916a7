"""`manage.py`: Django's commands, with a sentence in place of a traceback where the database or the disk fails."""

import sys
from collections.abc import Sequence

from django.core.management import execute_from_command_line

from evaluation.database_faults import sentence
from leaderboard.operations.logs import scrubbed


def execute(words: Sequence[str]) -> None:
    """Ends with status 1 after the sentence. `--traceback` shows all, as it does for Django's own errors."""
    try:
        execute_from_command_line(list(words))
    except Exception as error:
        told = scrubbed(sentence(error))
        if not told or "--traceback" in words:
            raise
        sys.exit(told)
