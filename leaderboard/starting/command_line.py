"""Django's command line. Ctrl-C, missing settings and a failing database or disk end it with a sentence, and never in a
traceback."""

import signal
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import ManagementUtility
from django.core.management.base import BaseCommand

from evaluation.database_faults import sentence
from leaderboard.garbage import look_rarely
from leaderboard.operations.logs import scrubbed

STOPPED = 130


class Utility(ManagementUtility):
    def fetch_command(self, subcommand: str) -> BaseCommand:
        """From here on the command may have to put something in order, so Ctrl-C raises KeyboardInterrupt in it, and
        garbage is looked for, though rarely.
        """
        command = super().fetch_command(subcommand)
        look_rarely()
        if callable(signal.getsignal(signal.SIGINT)):  # not where it is ignored, as behind nohup
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return command


def run_command(words: list[str]) -> None:
    """Runs the command. Exits with 130 after Ctrl-C and with 1 after a sentence; `--traceback` shows all instead."""
    while_loading = signal.getsignal(signal.SIGINT)
    try:
        Utility(words).execute()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        sys.exit(STOPPED)
    except Exception as error:
        said = str(error) if isinstance(error, ImproperlyConfigured) else scrubbed(sentence(error))
        if not said or "--traceback" in words:
            raise
        sys.exit(said)
    finally:
        signal.signal(signal.SIGINT, while_loading)  # the process ends, and nothing is left to put in order
