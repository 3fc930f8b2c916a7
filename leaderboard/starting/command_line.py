"""Django's command line. Ctrl-C, missing settings and a failing database or disk end it with a sentence, and never in a
traceback. Where nobody reads its output any more, as behind `| head`, it ends without a word."""

import os
import select
import signal
import sys
from types import FrameType

from django.core.exceptions import ImproperlyConfigured
from django.core.management import ManagementUtility
from django.core.management.base import BaseCommand

from evaluation.database_faults import sentence
from leaderboard.garbage import look_rarely
from leaderboard.operations.logs import scrubbed

STOPPED = 130
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, the word of a service manager, and a terminal that is closed."""

UNREAD = 141  # what a shell gives for a program that SIGPIPE ended


class Utility(ManagementUtility):
    def fetch_command(self, subcommand: str) -> BaseCommand:
        """From here on the command may have to put something in order, so each of STOPPING raises KeyboardInterrupt in
        it, and garbage is looked for, though rarely.
        """
        command = super().fetch_command(subcommand)
        look_rarely()
        for number in STOPPING:
            if signal.getsignal(number) != signal.SIG_IGN:  # as behind nohup
                signal.signal(number, signal.default_int_handler if number == signal.SIGINT else _stop)
        return command


_told: list[int] = []
"""The signal other than Ctrl-C that has stopped the command."""


def _stop(number: int, _frame: FrameType | None) -> None:
    _told.append(number)
    raise KeyboardInterrupt


def run_command(words: list[str]) -> None:
    """Runs the command. Exits with 130 after Ctrl-C, by the signal itself after another one of STOPPING, with 141 where
    the reader of its output has closed the pipe, and with 1 after a sentence; `--traceback` shows all instead.
    """
    while_loading = {number: signal.getsignal(number) for number in STOPPING}
    try:
        _run_and_flush(words)
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        sys.stderr.flush()
        for number in _told:  # a service manager takes this for the end that it asked for
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        sys.exit(STOPPED)
    except Exception as error:
        if isinstance(error, BrokenPipeError) and _drop_unread_output():
            sys.exit(UNREAD)
        said = str(error) if isinstance(error, ImproperlyConfigured) else scrubbed(sentence(error))
        if not said or "--traceback" in words:
            raise
        sys.exit(said)
    finally:
        for number, handler in while_loading.items():
            signal.signal(number, handler)  # the process ends, and nothing is left to put in order


def _run_and_flush(words: list[str]) -> None:
    try:
        Utility(words).execute()
    finally:
        if sys.stdout:  # there is none behind >&-
            sys.stdout.flush()  # where Python itself does it at the end, a closed pipe prints a warning


def _drop_unread_output() -> bool:
    """Whether the pipe behind the output is closed. If so, what is left to write goes nowhere.

    The error alone does not say so: a database that has gone away raises the same one.
    """
    closed = [stream for stream in (sys.stdout, sys.stderr) if stream and _is_closed(stream.fileno())]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in closed:
        os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
    return bool(closed)


def _is_closed(descriptor: int) -> bool:
    """Whether it is a pipe whose other end is closed."""
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))
