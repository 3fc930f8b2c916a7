"""What a process does about garbage once its modules are loaded, and what it need not load."""

import gc
import subprocess
import sys

from leaderboard.garbage import NEW_OBJECTS, look_rarely
from tests.processes import ROOT, environment


def test_nothing_that_is_loaded_is_looked_at_again() -> None:
    before = gc.get_threshold()
    gc.disable()
    try:
        look_rarely()
        assert gc.isenabled()
        assert gc.get_threshold()[0] == NEW_OBJECTS
        assert gc.get_freeze_count() > NEW_OBJECTS, "all modules of the tests"
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
        gc.enable()


def test_pages_and_workers_do_without_the_distributions_of_scipy() -> None:
    """They are 45 MB in each process, and the plain functions of `scipy.special` give the same."""
    imports = "import django, sys; django.setup(); import leaderboard.urls, leaderboard.tasks"
    code = f"{imports}; print('scipy.stats' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment(""), capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_numpy_starts_no_threads_in_a_process_of_the_board() -> None:
    code = "import os, django; django.setup(); print(os.environ['OPENBLAS_NUM_THREADS'])"
    own = {name: value for name, value in environment("").items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=own, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
