#!/usr/bin/env python
"""Django's command line for EQ Leaderboard."""

import os
import sys

from leaderboard.starting.command_line import execute

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    execute(sys.argv)
