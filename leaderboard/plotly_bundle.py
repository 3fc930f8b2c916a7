"""Plotly's script as a static file, straight from the installed plotly package: one version, nothing copied."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import BaseFinder
from django.core.checks import CheckMessage, Error
from django.core.files.storage import FileSystemStorage

PREFIX = "plotly"
BUNDLE = "plotly.min.js"
STATIC_NAME = f"{PREFIX}/{BUNDLE}"
GUARD = re.compile(r'getElementById\("([0-9a-f]{64})"\)')


def package_data() -> Path:
    """The folder of the installed package that holds its bundle. Raises ModuleNotFoundError without the package."""
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("the package plotly is not installed")
    return Path(spec.origin).parent / "package_data"


@dataclass(frozen=True, slots=True)
class Bundle:
    """What a page needs to load Plotly: the static name, and the ids of elements that must be there before it loads.

    The bundle writes the style sheet of its maps into the page unless an element of a known id is there. The policy of
    the site refuses that sheet, and no chart here is a map, so the page puts an empty element in its place.
    """

    static_name: str
    guards: tuple[str, ...]


@lru_cache(maxsize=1)
def bundle() -> Bundle:
    text = (package_data() / BUNDLE).read_text(encoding="utf-8")
    return Bundle(STATIC_NAME, tuple(dict.fromkeys(GUARD.findall(text))))


class PackageStorage(FileSystemStorage):
    """The package's folder; collectstatic puts its files under the prefix."""

    prefix = PREFIX


class PlotlyFinder(BaseFinder):
    """Finds `plotly/plotly.min.js` and nothing else; STATICFILES_FINDERS names it."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        self.storage = PackageStorage(location=package_data())

    def check(self, **kwargs: Any) -> list[CheckMessage]:
        if self.storage.exists(BUNDLE):
            return []
        return [Error(f"plotly has no {BUNDLE} in {self.storage.location}.", id="leaderboard.E001")]

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:
        """The file's path, or a list of it; an empty list for any other name."""
        if path != STATIC_NAME:
            return []
        found = self.storage.path(BUNDLE)
        return [found] if find_all or kwargs.get("all") else found

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, FileSystemStorage]]:
        yield BUNDLE, self.storage
