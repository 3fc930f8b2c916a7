"""Programs that a test needs and README does not name. Without them the test is skipped; .ci/run has all of them."""

import shutil

import pytest

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


def needs(*programs: str) -> None:
    """Skips the test that calls it on a machine that lacks one of these."""
    if missing := [name for name in programs if shutil.which(name) is None]:
        pytest.skip(f"not on the PATH: {', '.join(missing)}")


def chromium_path() -> str | None:
    return next(filter(None, map(shutil.which, CHROMIUM)), None)
