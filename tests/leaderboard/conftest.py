"""The site without WhiteNoise, which warns of a missing folder of collected files and scans all for each client, and
with the state of the queue at hand."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.test import override_settings
from pytest_django.plugin import DjangoDbBlocker

from tests.leaderboard.sending import no_turns_taken, offered_bank
from tests.leaderboard.serving import board
from tests.processes import free_port


@pytest.fixture(autouse=True)
def _no_whitenoise() -> Iterator[None]:
    without = [name for name in settings.MIDDLEWARE if not name.startswith("whitenoise.")]
    with override_settings(MIDDLEWARE=without):
        yield


@pytest.fixture(autouse=True)
def _queue_looked_up() -> None:
    """The line on every page is looked up every 15 seconds; counts of queries must not depend on when that was."""
    cache.set("stalled-line", "", 600)


@pytest.fixture
def bank_on_offer() -> Iterator[None]:
    """A bank that the form offers, and nobody has taken a turn yet."""
    offered_bank()
    no_turns_taken()
    yield
    no_turns_taken()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """Django asks the database once a process whether it knows JSON: here, so that no test counts these queries."""
    with django_db_blocker.unblock():
        assert connection.features.supports_json_field


@pytest.fixture(scope="session")
def first_start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a board that was started and stopped once: what fills a board is most of a first start."""
    folder = tmp_path_factory.mktemp("first-start")
    with board(folder, free_port()):
        pass
    (folder / "board.log").unlink()
    return folder


@pytest.fixture
def filled(tmp_path: Path, first_start: Path) -> Path:
    """A folder with such a board, whose demo runs are still to be done."""
    return shutil.copytree(first_start, tmp_path, dirs_exist_ok=True)
