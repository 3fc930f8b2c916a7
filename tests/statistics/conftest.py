"""What the tests of the statistics share: the official runs and published figures, or a skip where they are absent."""

from pathlib import Path

import pytest

from tests.statistics.official import OfficialRuns, official_runs
from tests.statistics.published import Published, published


@pytest.fixture(scope="session")
def runs(shared_data: Path) -> OfficialRuns:
    return official_runs(shared_data)


@pytest.fixture(scope="session")
def figures(shared_data: Path) -> Published:
    return published(shared_data)
