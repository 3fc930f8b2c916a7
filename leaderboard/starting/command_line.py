"""Django's command line, ended by Ctrl-C in one word and never in a traceback."""

import signal
import sys

from django.core.management import ManagementUtility
from django.core.management.base import BaseCommand

STOPPED = 130


class Utility(ManagementUtility):
    def fetch_command(self, subcommand: str) -> BaseCommand:
        """From here on the command may have to put something in order, so Ctrl-C raises KeyboardInterrupt in it."""
        command = super().fetch_command(subcommand)
        if callable(signal.getsignal(signal.SIGINT)):  # not where it is ignored, as behind nohup
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return command


def run_command(words: list[str]) -> None:
    while_loading = signal.getsignal(signal.SIGINT)
    try:
        Utility(words).execute()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        sys.exit(STOPPED)
    finally:
        signal.signal(signal.SIGINT, while_loading)  # the process ends, and nothing is left to put in order
