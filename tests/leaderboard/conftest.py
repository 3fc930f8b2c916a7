"""The site without WhiteNoise, which warns of a missing folder of collected files and scans all for each client, and
with the state of the queue at hand."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import override_settings


@pytest.fixture(autouse=True)
def _no_whitenoise() -> Iterator[None]:
    without = [name for name in settings.MIDDLEWARE if not name.startswith("whitenoise.")]
    with override_settings(MIDDLEWARE=without):
        yield


@pytest.fixture(autouse=True)
def _queue_looked_up() -> None:
    """The line on every page is looked up every 15 seconds; counts of queries must not depend on when that was."""
    cache.set("stalled-line", "", 600)
