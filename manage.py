#!/usr/bin/env python
"""Django's command line for EQ Leaderboard."""

import os
import sys

from django.core.management import execute_from_command_line

from leaderboard.starting.terminal import checked_arguments, write_to_any_terminal

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    write_to_any_terminal()
    execute_from_command_line(checked_arguments(sys.argv))
