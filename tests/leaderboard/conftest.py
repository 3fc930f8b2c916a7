"""The site without WhiteNoise, which warns of a missing folder of collected files and scans all for each client, and
with the state of the queue at hand."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.test import override_settings
from pytest_django.plugin import DjangoDbBlocker

from tests.leaderboard.sending import no_turns_taken, offered_bank


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
