"""No test asserts how long a thing took: it fails on a busy machine, and passes on a fast one whatever the code does.

Count calls, queries, bytes or tries instead (tests/counting.py), or measure it in tests/bench. To wait for a condition
until a deadline is no such assertion (tests/processes.py: `wait_for`).
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.processes import ROOT

CLOCKS = {"perf_counter", "perf_counter_ns", "process_time", "process_time_ns", "monotonic", "monotonic_ns"}
CLOCKS |= {"time_ns", "thread_time", "thread_time_ns", "getrusage", "default_timer"}
TELLING = {"latency_ms", "elapsed"}
"""Attributes that hold a measured time."""

TESTS = sorted(ROOT.glob("tests/**/test_*.py"))


def reads_clock(node: ast.AST) -> bool:
    """Whether a call of a clock stands in the node; `loop.time()` is the virtual clock of tests/virtual_time.py."""
    for each in ast.walk(node):
        if isinstance(each, ast.Call):
            name = getattr(each.func, "attr", getattr(each.func, "id", ""))
            owner = getattr(getattr(each.func, "value", None), "id", "")
            if name in CLOCKS or (owner == "time" and name == "time"):
                return True
    return False


def names_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def assigned(tree: ast.AST) -> Iterator[tuple[set[str], ast.expr]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            yield {name for target in node.targets for name in names_in(target)}, node.value
        elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.NamedExpr) and node.value:
            yield names_in(node.target), node.value


def timing_names(tree: ast.AST) -> set[str]:
    """Variables that hold a time of a clock, and functions that return one, also by way of each other."""
    found: set[str] = {"wait_for"}
    while True:
        before = len(found)
        for names, value in assigned(tree):
            if reads_clock(value) or names_in(value) & found:
                found |= names
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name not in found:
                returned = [each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value]
                if any(reads_clock(value) or names_in(value) & found for value in returned):
                    found.add(node.name)
        if len(found) == before:
            return found


def timed_assertions(source: str) -> list[int]:
    """The lines of assertions that rest on a clock."""
    tree = ast.parse(source)
    found = timing_names(tree)

    def is_timed(node: ast.Assert) -> bool:
        told = {each.attr for each in ast.walk(node.test) if isinstance(each, ast.Attribute)} & TELLING
        return bool(reads_clock(node.test) or names_in(node.test) & found or told)

    return [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Assert) and is_timed(node)]


@pytest.mark.parametrize("path", TESTS, ids=lambda path: str(path.relative_to(ROOT / "tests")))
def test_no_assertion_rests_on_a_clock(path: Path) -> None:
    assert timed_assertions(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "began = time.monotonic()\nassert time.monotonic() - began < 2",
        "began = perf_counter()\nwork()\ntook = perf_counter() - began\nratio = took / other\nassert ratio < 2",
        (
            "def seconds(work):\n    start = time.process_time()\n    return time.process_time() - start\n"
            "def quick(work):\n    return seconds(work) < 0.1\nassert quick(work)"
        ),
        "assert wait_for(ended, seconds=9, what='the end') < 5",
        "assert min(reply.latency_ms for reply in replies) >= 1000",
        "assert time.time() < until",
    ],
)
def test_an_assertion_that_rests_on_a_clock_is_seen(source: str) -> None:
    assert timed_assertions(source)


def test_no_property_test_has_a_time_limit_an_example() -> None:
    assert settings.default is not None
    assert settings.default.deadline is None


def test_a_wait_until_a_deadline_is_none() -> None:
    assert timed_assertions("wait_for(ended, seconds=9, what='the end')\nassert count(loop.time) == 3") == []
