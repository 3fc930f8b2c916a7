#!/usr/bin/env python
"""Django's command line for EQ Leaderboard. Ctrl-C and missing settings end it with a sentence, not a traceback."""

import os
import signal
import sys

INTERRUPTED = 130


def stop_at_once(*_: object) -> None:
    """For the time in which modules load: nothing is begun yet, and an exception could surface anywhere."""
    os.write(2, b"Stopped.\n")
    os._exit(INTERRUPTED)


def main() -> None:
    # Imported here, so that an interrupt meanwhile is heeded as well.
    from django.core.exceptions import ImproperlyConfigured  # noqa: PLC0415
    from django.core.management import BaseCommand, ManagementUtility  # noqa: PLC0415

    class CommandLine(ManagementUtility):
        def fetch_command(self, subcommand: str) -> BaseCommand:
            command = super().fetch_command(subcommand)
            if signal.getsignal(signal.SIGINT) is stop_at_once:
                signal.signal(signal.SIGINT, signal.default_int_handler)
            return command

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    try:
        CommandLine(sys.argv).execute()
    except ImproperlyConfigured as error:
        if "--traceback" in sys.argv:
            raise
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    # Elsewhere an ignored signal stays ignored, as behind an `&`; our Makefile has it ignored while Python starts.
    if os.environ.pop("HEED_CTRL_C", "") or signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, stop_at_once)
    main()
