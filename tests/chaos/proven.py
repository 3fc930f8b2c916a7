"""What other tests prove: run by their names, counted, and named in the table."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from tests.chaos.figures import Figure
from tests.processes import ROOT
from tests.tools import chromium_path


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A rule, what stands for it, and the tests (files or node ids) with what `-k` picks of them."""

    rule: str
    what: str
    tests: tuple[str, ...]
    pick: str = ""
    browser: bool = False


DEADLINES = "tests/evaluation/endpoints/test_deadline_and_size.py"
HOSTILE = "tests/evaluation/benchmarks/test_eqbench_hostile.py"
GUARD = ("tests/evaluation/endpoints/test_guard.py", "tests/evaluation/endpoints/test_guard_connections.py")
FORM = "tests/leaderboard/test_submit.py"
PAGES = "tests/browser/test_every_page.py"
QUICK = (
    Elsewhere("R7", "faults of section 4 in the dry run", ("tests/leaderboard/test_dry_run.py",)),
    Elsewhere("R8", "deadline and memory (+20 MB) against hostile servers", (DEADLINES,)),
    Elsewhere("R9", "200 hostile megabytes within 0.1 s each, growth up to 2.5 ×", (HOSTILE,)),
    Elsewhere("R10", "SSRF corpus at form, client and run: no connect", (*GUARD, FORM), "address or guard or socket"),
    Elsewhere("R10", "canary key: no hit", ("tests/evaluation/test_canary.py", FORM), "canary"),
    Elsewhere("R15", "CSP violations of every page, hostile names included: none", (PAGES,), "policy", browser=True),
)
FAIRNESS = Elsewhere("R13", "the order of a queue of 1,000", ("tests/evaluation/test_queueing.py",))
LONG = (Elsewhere("R15", "CSP violations in all browser tests: none", ("tests/browser",), browser=True),)


def proven(rows: tuple[Elsewhere, ...]) -> Iterator[Figure]:
    for row in rows:
        yield from _figures(row)


def _figures(row: Elsewhere) -> Iterator[Figure]:
    missing = [test for test in row.tests if not (ROOT / test.partition("::")[0]).exists()]
    if missing:
        yield Figure(row.rule, row.what, skipped=f"{', '.join(missing)} is not there")
        return
    if row.browser and chromium_path() is None:
        yield Figure(row.rule, row.what, skipped="no Chromium on the PATH")
        return
    passed, failed = _run(row)
    named = ", ".join(row.tests) + (f" -k '{row.pick}'" if row.pick else "")
    yield Figure(row.rule, f"{row.what}: tests that hold", passed, 1, at_least=True, note=named)
    yield Figure(row.rule, f"{row.what}: tests that fail", failed, 0)


def _run(row: Elsewhere) -> tuple[int, int]:
    """How many passed, and how many failed or broke, in a pytest of their own on its own database."""
    words = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", *row.tests]
    words += ["-k", row.pick] if row.pick else []
    # The table's own database is this process's; the tests make one beside it.
    own = {name: value for name, value in os.environ.items() if name not in {"DJANGO_SETTINGS_MODULE", "LOG_LEVEL"}}
    done = subprocess.run(words, cwd=ROOT, env=own, capture_output=True, text=True, check=False)
    last = done.stdout.strip().rpartition("\n")[2]
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error)", last)}
    broken = counts.get("failed", 0) + counts.get("error", 0)
    return counts.get("passed", 0), broken or int(done.returncode not in (0, 5))
