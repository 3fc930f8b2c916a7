"""Statistics of a study, read back from the JSON object that `dataclasses.asdict` made of them. Pure."""

from collections.abc import Mapping
from typing import Any

from evaluation.statistics.contingency import TableTest
from evaluation.statistics.normal import Interval
from evaluation.statistics.raters import Welch
from evaluation.statistics.study_figures import ByRater, Emotion, Group, Line, Omnibus, Pair, Scope, Study

Stored = Mapping[str, Any]


def statistics_of(stored: Stored) -> Study:
    return Study(
        reference=stored["reference"],
        groups=tuple(Group(**group) for group in stored["groups"]),
        scopes=tuple(_scope(scope) for scope in stored["scopes"]),
        emotions=tuple(_emotion(emotion) for emotion in stored["emotions"]),
        n_tests=stored["n_tests"],
        without_reference=tuple(stored["without_reference"]),
    )


def _scope(stored: Stored) -> Scope:
    return Scope(
        name=stored["name"],
        lines=tuple(_line(line) for line in stored["lines"]),
        omnibus=_omnibus(stored["omnibus"]),
        pairs=tuple(_pair(pair) for pair in stored["pairs"]),
    )


def _emotion(stored: Stored) -> Emotion:
    return Emotion(
        name=stored["name"],
        valence=stored["valence"],
        lines=tuple(_line(line) for line in stored["lines"]),
        against_reference=tuple(_pair(pair) for pair in stored["against_reference"]),
    )


def _line(stored: Stored) -> Line:
    changed = {name: _interval(stored[name]) for name in ("interval", "wilson", "gain_interval", "points_interval")}
    return Line(**{**stored, **changed, "letters": tuple(stored["letters"])})


def _pair(stored: Stored) -> Pair:
    by_rater = stored["by_rater"]
    changed = {
        "good": _test(stored["good"]),
        "three_levels": _test(stored["three_levels"]),
        "by_rater": ByRater(_welch(by_rater["welch"]), by_rater["permutation_p"]) if by_rater else None,
    }
    return Pair(**{**stored, **changed})


def _omnibus(stored: Stored) -> Omnibus:
    changed = {
        "responders": tuple(stored["responders"]),
        "left_out": tuple(stored["left_out"]),
        "test": _test(stored["test"]),
    }
    return Omnibus(**{**stored, **changed})


def _interval(stored: Stored | None) -> Interval | None:
    return Interval(**stored) if stored else None


def _test(stored: Stored | None) -> TableTest | None:
    return TableTest(**stored) if stored else None


def _welch(stored: Stored | None) -> Welch | None:
    return Welch(**stored) if stored else None
