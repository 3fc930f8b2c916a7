"""What each kind of page of the board costs while it is made anew, and as it is kept: for a field that is there.

A page shows a bounded part of the field, so it must not cost more where the field is larger. A list sends all of it
(exports, the points of a figure): its work is measured a row.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path

from tests.processes import ROOT

TIMES = 20
NEWEST_RUN = "/runs/newest/"
RANKING = "/rankings/scale/"
PAGES = {
    "rankings": RANKING,
    "rankings, second page": f"{RANKING}?page=2",
    "rankings, sorted by name": f"{RANKING}?sort=model",
    "rankings, sorted by MMLU": f"{RANKING}?sort=-mmlu",
    "rankings, filtered and searched": f"{RANKING}?weights=open&q=model",
    "model": "/models/scale-0001/",
    "run": NEWEST_RUN,
    "compare, 4 models": "/compare/?m=scale-0000&m=scale-0001&m=scale-0002&m=scale-0003",
    "items": "/items/scale/",
    "one item": "/items/scale/3/",
    "charts": "/charts/scale/",
    "chart of all items": "/charts/scale/items.json",
    "statistics": "/statistics/",
    **{
        f"statistics, {section}": f"/statistics/{section}/"
        for section in ("scores", "items", "emotions", "correlation", "repeatability", "sensitivity")
    },
    "API, rankings": "/api/v1/rankings/scale",
    "API, models": "/api/v1/models",
}
LISTS = {
    "rankings as CSV": f"{RANKING.rstrip('/')}.csv",
    "rankings as JSON": f"{RANKING.rstrip('/')}.json",
    "figure of scores": "/charts/scale/scores.json",
    "figure of sizes": "/charts/scale/size.json",
    "figure of MMLU": "/charts/scale/mmlu.json",
    "CSV of sizes": "/charts/scale/size.csv",
}


def run_page() -> str:
    from evaluation.models import Run, Status

    ended = Run.objects.filter(status=Status.FINISHED).order_by("-pk")
    return f"/runs/{ended.values_list('pk', flat=True)[0]}/"


@dataclass(frozen=True, slots=True)
class Answered:
    """What one request took, in seconds of work, and how it ended."""

    status: int
    seconds: float


class Board:
    """A process over one database that answers one request at a time, with an empty cache or with what is kept."""

    def __init__(self, url: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.board_pages"], cwd=ROOT, env={**os.environ, "DATABASE_URL": url},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    def ask(self, path: str, *, anew: bool) -> Answered:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([path, anew]) + "\n")
        self._process.stdin.flush()
        return Answered(*json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        self._process.communicate()


def page_figures(small: Board, large: Board, models: tuple[int, int]) -> Iterator[tuple[str, float, float]]:
    """Name, and what it costs on the small and on the large board: milliseconds a page, microseconds a model a list.

    The fastest of several requests, asked of both boards in turn: other work on the machine can only add to it, and
    adds to both alike. A page that does not answer 200 is infinitely slow.
    """
    for name, path in PAGES.items():
        for how, anew in (("made anew", True), ("kept", False)):
            first, second = fastest(small, large, path, anew=anew)
            yield f"page {name} {how}, ms", 1e3 * first, 1e3 * second
    for name, path in LISTS.items():
        first, second = fastest(small, large, path, anew=True)
        yield f"list {name}, µs a model", 1e6 * first / models[0], 1e6 * second / models[1]


def fastest(small: Board, large: Board, path: str, *, anew: bool) -> tuple[float, float]:
    """Seconds on each board; the first request is not counted."""
    small.ask(path, anew=anew)
    large.ask(path, anew=anew)
    rounds = [(small.ask(path, anew=anew), large.ask(path, anew=anew)) for _ in range(TIMES)]
    return least(first for first, _ in rounds), least(second for _, second in rounds)


def least(answers: Iterable[Answered]) -> float:
    return min(answer.seconds if answer.status == 200 else inf for answer in answers)


def answer_requests() -> None:
    """The process of a board: a line in, a path and whether the cache is emptied before; a line out."""
    from django.core.cache import cache
    from django.test import Client

    client, newest = Client(), run_page()
    for line in sys.stdin:
        path, anew = json.loads(line)
        if anew:
            cache.clear()
        began = work_seconds()
        status = client.get(path.replace(NEWEST_RUN, newest)).status_code
        sys.stdout.write(json.dumps([status, work_seconds() - began]) + "\n")
        sys.stdout.flush()


def work_seconds() -> float:
    """What this process and its backend in the database have worked, so that other work on the machine does not
    count."""
    from django.db import connection

    nanoseconds = 0
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            (backend,) = cursor.fetchone()
        nanoseconds = int(Path(f"/proc/{backend}/schedstat").read_text().split()[0])
    return time.process_time() + 1e-9 * nanoseconds


def set_up() -> None:
    """Django for the database of the environment, with answers as in production but for HTTPS."""
    os.environ |= {"DJANGO_SETTINGS_MODULE": "leaderboard.settings", "DEBUG": "true", "SECRET_KEY": "scale"}
    os.environ.setdefault("LOG_LEVEL", "ERROR")
    import django
    from django.conf import settings

    django.setup()
    settings.DEBUG = False  # with it Django keeps every query in memory
    settings.ALLOWED_HOSTS = ["testserver"]
    settings.SECURE_SSL_REDIRECT = False


if __name__ == "__main__":
    set_up()
    answer_requests()
