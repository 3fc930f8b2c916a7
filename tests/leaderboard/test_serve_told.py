"""`manage.py serve` that is told to stop at a moment at which Python cannot raise anything."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.leaderboard.serving import environment
from tests.processes import ROOT

# A signal within `__del__`: what its handler raises is dropped there. The board's children are stood in for.
WATCHING = """
import os, signal, sys, time
import django
django.setup()
from leaderboard.management.commands import serve

class Cleared:
    def __del__(self):
        os.kill(os.getpid(), signal.{signal})
        time.sleep(0)

class Board:
    def ended(self):
        return None

serve._heed_signals()
Cleared()
try:
    serve.Command()._watch(Board(), None)
except serve.Stopped:
    print("Stopped.")
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_that_comes_while_an_object_is_cleared_up_stops_the_board_all_the_same(
    tmp_path: Path, name: str
) -> None:
    own = environment(tmp_path, DJANGO_SETTINGS_MODULE="leaderboard.settings")
    done = subprocess.run(
        [sys.executable, "-c", WATCHING.format(signal=name)], cwd=ROOT, env=own, capture_output=True, text=True,
        check=False, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "Stopped.\n", "")
