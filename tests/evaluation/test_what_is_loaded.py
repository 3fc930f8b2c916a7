"""What a finished command, a script and a worker have imported: only what they need. No clock is read."""

import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from evaluation.demo.server import make_app
from evaluation.models import Pulse, Run, Status
from evaluation.runs import pulses
from tests.factories import make_bank
from tests.fakes import serve
from tests.instruments import Loaded, lists_what_it_loads, loaded
from tests.processes import ROOT, environment, manage

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.processes]

PAGES_AND_QUEUE = ("scipy", "pandas", "pyarrow", "plotly", "ninja", "pydantic", "celery", "kombu", "redis", "gunicorn")
SITE = ("leaderboard.urls", "leaderboard.pages", "leaderboard.api", "leaderboard.administration",
        "leaderboard.charts", "leaderboard.tasks", "leaderboard.forms")  # fmt: skip


def pages_of(found: Loaded) -> set[str]:
    """Modules of the site and of any admin; `django.contrib.admin` itself is an installed application."""
    admins = {name for name in found.modules if name.endswith(".admin")} - {"django.contrib.admin"}
    return admins | {name for name in found.modules if name.startswith(SITE)}


def ticking() -> None:
    pulses.note(pulses.REAPER)


def long_silent() -> None:
    Pulse.objects.create(name=pulses.REAPER, at=timezone.now() - timedelta(minutes=5), count=9)


def evaluated(folder: Path, persona: str, *more: str) -> tuple[Run, Loaded]:
    make_bank(6, slug="eq-bench-v2")
    with serve(make_app(persona=persona)) as address:
        words = ("--model", "maker/demo", "--base-url", address)
        done = manage("evaluate", *words, *more, RUN_REAPER_SECONDS="15", **lists_what_it_loads(folder))
    assert done.returncode in (0, 1), done.stderr
    return Run.objects.get(), loaded(folder)


@pytest.mark.parametrize("persona", ["random", "refusing"])
@pytest.mark.parametrize(
    ("workers", "more", "numpy_too"),
    [(ticking, (), False), (long_silent, (), True), (long_silent, ("--unlisted",), False)],
    ids=["a worker lives", "none lives", "none lives, unlisted"],
)
def test_a_finished_evaluate_has_loaded_no_page_and_nothing_of_the_queue(
    tmp_path: Path, persona: str, workers: Callable[[], None], more: tuple[str, ...], numpy_too: bool
) -> None:
    workers()
    run, found = evaluated(tmp_path, persona, *more)
    assert run.status == (Status.FINISHED if persona == "random" else Status.FAILED)
    assert found.of_packages(*PAGES_AND_QUEUE) == set()
    assert pages_of(found) == set()
    assert found.engines == (), "no template was rendered"
    assert ("numpy" in found.modules) is (numpy_too and run.status == Status.FINISHED)
    assert "numpy.ma" not in found.modules, "masked arrays, which some of numpy's functions load: 2 MB"
    assert "aiohttp" in found.modules, "the list is that of the process that asked"


def in_a_process(folder: Path, code: str, **changes: str) -> Loaded:
    own = {name: value for name, value in environment("").items() if name != "DJANGO_SETTINGS_MODULE"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={**own, **lists_what_it_loads(folder), **changes},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return loaded(folder)


def test_import_evaluation_loads_neither_django_nor_a_client(tmp_path: Path) -> None:
    found = in_a_process(tmp_path, "import evaluation")
    assert found.of_packages(*PAGES_AND_QUEUE, "django", "numpy", "aiohttp", "cryptography") == set()


@pytest.mark.parametrize(("ending", "pandas"), [("print(run.score)", set()), ("print(run.items)", {"pandas"})])
def test_a_script_loads_pandas_only_once_it_asks_for_the_items(tmp_path: Path, ending: str, pandas: set[str]) -> None:
    make_bank(6, slug="eq-bench-v2")
    ticking()
    with serve(make_app(persona="random")) as address:
        code = f'from evaluation import evaluate\nrun = evaluate("{address}/v1", "maker/demo")\n{ending}'
        found = in_a_process(tmp_path, code, RUN_REAPER_SECONDS="15")
    assert found.of_packages("scipy", "pandas", "plotly", "ninja", "celery", "redis") == pandas
    assert pages_of(found) == set()
    assert found.engines == ()


def test_a_worker_loads_no_view_no_admin_and_nothing_that_only_pages_need(tmp_path: Path) -> None:
    code = (
        "from leaderboard.celery import app\napp.loader.import_default_modules()\n"
        "assert 'leaderboard.tasks.refresh_standings' in app.tasks"
    )
    found = in_a_process(tmp_path, code)
    assert found.of_packages("pandas", "plotly", "ninja", "pydantic", "whitenoise", "gunicorn") == set()
    assert {name for name in found.modules if name.startswith(("leaderboard.urls", "leaderboard.api"))} == set()
    assert {name for name in found.modules if name.startswith("leaderboard.pages") and name.endswith(".views")} == set()
    assert {name for name in found.modules if name.endswith(".admin")} == {"django.contrib.admin"}
    assert "leaderboard.standings" in found.modules
