"""The site without WhiteNoise, which warns of a missing folder of collected files and scans all for each client."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test import override_settings


@pytest.fixture(autouse=True)
def _no_whitenoise() -> Iterator[None]:
    without = [name for name in settings.MIDDLEWARE if not name.startswith("whitenoise.")]
    with override_settings(MIDDLEWARE=without):
        yield
