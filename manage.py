#!/usr/bin/env python
"""Django's command line for EQ Leaderboard."""

import gc
import os
import signal
import sys


def stop_at_once(*_: object) -> None:
    """Ctrl-C while modules are loaded. An exception would print a traceback, or be swallowed within an import."""
    os.write(2, b"Stopped.\n")
    os._exit(130)


if __name__ == "__main__":
    # Where the signal is ignored, as behind nohup, it stays so. The Makefile has it ignored while Python itself starts.
    if os.environ.pop("HEED_CTRL_C", "") or signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, stop_at_once)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    gc.disable()  # while modules are loaded, which is much that stays: looking for garbage in it takes 40 ms

    from leaderboard.starting.command_line import run_command
    from leaderboard.starting.terminal import checked_arguments, write_to_any_terminal

    write_to_any_terminal()
    run_command(checked_arguments(sys.argv))
