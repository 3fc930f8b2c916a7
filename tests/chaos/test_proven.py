"""The part of the proof that runs other tests: a process of its own, in which nobody has set Django up."""

import os
import subprocess
import sys

from tests.processes import ROOT


def test_the_part_of_other_tests_starts() -> None:
    words = [sys.executable, "-m", "tests.chaos", "--on", "other-tests", "--only", "no such part"]
    bare = {name: value for name, value in os.environ.items() if not name.startswith("DJANGO")}
    done = subprocess.run(words, cwd=ROOT, env=bare, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "=== proven by other tests" in done.stdout
