"""Shared fixtures: the official files where they are at hand."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# A shell ignores Ctrl-C for what it starts in the background, and what a test starts would then ignore it as well.
signal.signal(signal.SIGINT, signal.default_int_handler)

# By default an example may take 200 ms, and ten drawn ones a second, which a busy machine exceeds without any fault.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of official files, or a skip: the product's own tests do not need it."""
    if not SHARED.is_dir():
        pytest.skip("the official EQ-Bench files are not beside this checkout (../shared/data)")
    return SHARED


@pytest.fixture(scope="session")
def v2_questions(shared_data: Path) -> dict[str, Any]:
    questions: dict[str, Any] = json.loads((shared_data / "eqbench/eq_bench_v2_questions_171.json").read_text())
    return questions
