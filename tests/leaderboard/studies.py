"""The published study in a test's database. Its results are computed once a session."""

from typing import Any

import pytest

from leaderboard.study import results
from leaderboard.study.counting import Counts
from leaderboard.study.models import Study
from leaderboard.study.published import SLUG, load_published_study

_computed = results.computed
_known: dict[str, dict[str, Any]] = {}


def _once(counts: Counts) -> dict[str, Any]:
    key = results.version_of(counts)
    if key not in _known:
        _known[key] = _computed(counts)
    return _known[key]


def published_study(monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.setattr(results, "computed", _once)
    assert load_published_study()
    return Study.objects.get(slug=SLUG)
