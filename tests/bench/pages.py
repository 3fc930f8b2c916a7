"""The board's pages over 2,000 models with 5 runs of 171 items: server time, requests a second, weight, and paint.

The server is the one that `serve` starts, under production settings, with the static files collected. On SQLite, and
on the empty database that BENCH_DATABASE_URL names as well.
"""

import gzip
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from tests.bench.figure import Figure
from tests.bench.loading import Kept, requests_per_second

ROOT = Path(__file__).resolve().parent.parent.parent
RANKINGS = "/rankings/scale/"
WARM_MS, AFTER_MS, MOST_QUERIES = 60, 300, 12
WEIGHT_KB, PAINT_SECONDS, RATIO = 100, 1.0, 0.3
ASSET = re.compile(r'(?:href|src)="(/static/[^"]+\.(?:css|js))"')
LOADED_LATER = "plotly"  # asked for when a chart is in view


def page_figures(folder: Path) -> Iterator[Figure]:
    urls = {"SQLite": f"sqlite:///{folder / 'scale.sqlite3'}"}
    if url := os.environ.get("BENCH_DATABASE_URL"):
        urls["PostgreSQL"] = url
    for name, url in urls.items():
        environment = production(folder, url)
        command(environment, "collectstatic", "--noinput", "--clear")
        command(environment, "migrate")
        command(environment, "seed_scale")
        yield from server_times(name, environment)
    yield from served(folder, production(folder, urls["SQLite"]))


def production(folder: Path, url: str) -> dict[str, str]:
    """What an operator sets, but for the redirect to HTTPS."""
    return {
        **os.environ,
        "DATABASE_URL": url,
        "REDIS_URL": "redis://127.0.0.1:1/0",  # no page here calls a worker
        "DEBUG": "false",
        "SECRET_KEY": "bench",
        "ENDPOINT_KEYS": "YmVuY2gtYmVuY2gtYmVuY2gtYmVuY2gtYmVuY2gtLS0=",
        "ALLOWED_HOSTS": "127.0.0.1",
        "SECURE_SSL_REDIRECT": "false",
        "STATIC_ROOT": str(folder / "static"),
        "VAR_DIR": str(folder),
        "LOG_LEVEL": "ERROR",
    }


def command(environment: Mapping[str, str], *words: str) -> None:
    subprocess.run([sys.executable, "manage.py", *words], cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE)


def server_times(database: str, environment: Mapping[str, str]) -> Iterator[Figure]:
    """The slowest page, warm and after a new result, and each page that misses; every page on the error stream."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.server_times"],
        cwd=ROOT,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
    )
    found: dict[str, dict[str, float]] = json.loads(done.stdout)
    for page, own in found.items():
        sys.stderr.write(f"  {database}, {page}: {own['warm']:.1f} ms warm, {own['after']:.1f} ms after a result\n")
    for kind, words, target, unit in (
        ("warm", "server time warm", WARM_MS, "ms"),
        ("after", "server time after a new result", AFTER_MS, "ms"),
        ("queries", "queries", MOST_QUERIES, ""),
    ):
        page = max(found, key=lambda name, kind=kind: found[name][kind])  # type: ignore[misc]
        named = f"{database}: {words}, at most ({page})"
        yield Figure(named, found[page][kind], target, unit, of_work=unit == "ms")


def served(folder: Path, environment: Mapping[str, str]) -> Iterator[Figure]:
    with gunicorn(environment, folder, ()) as port:
        page = gzip.decompress(Kept(port).get(RANKINGS).body)
    same_size = folder / "same-size"
    same_size.mkdir()
    (same_size / "same-size.html").write_bytes(page)
    with gunicorn(environment, folder, (same_size,)) as port:
        yield Figure("rankings: HTML, CSS and JS compressed, without Plotly", weight_kb(port), WEIGHT_KB, "KB")
        static = requests_per_second(port, "/static/same-size.html")
        dynamic = requests_per_second(port, RANKINGS)
        sys.stderr.write(f"  {dynamic:.0f} requests of the rankings and {static:.0f} of the file a second\n")
        yield Figure(
            "rankings: requests a second against a file of its size", dynamic / static, RATIO, "×", at_least=True
        )
        yield Figure("rankings: largest contentful paint", largest_paint(port), PAINT_SECONDS, "s", of_work=True)


@contextmanager
def gunicorn(environment: Mapping[str, str], folder: Path, more: tuple[Path, ...]) -> Iterator[int]:
    """The web server of `serve` on a free port, with what is in the folders `more` among the static files."""
    from leaderboard.management.commands.serve import web_command
    from leaderboard.starting.listening import Address

    for each in more:
        for path in each.iterdir():
            (folder / "static" / path.name).write_bytes(path.read_bytes())
            (folder / "static" / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(web_command(Address("127.0.0.1", port)), cwd=ROOT, env=environment)
    try:
        wait_for_port(port)
        yield port
    finally:
        process.terminate()
        process.wait()


def wait_for_port(port: int) -> None:
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError("the web server did not start")


def weight_kb(port: int) -> float:
    """Compressed bytes of the page and of every sheet and script that it loads at once."""
    connection = Kept(port)
    page = connection.get(RANKINGS)
    assets = dict.fromkeys(ASSET.findall(gzip.decompress(page.body).decode()))
    bodies = [connection.get(urlsplit(path).path).body for path in assets if LOADED_LATER not in path.split("/")]
    connection.close()
    return (len(page.body) + sum(map(len, bodies))) / 1000


def largest_paint(port: int) -> float:
    """Seconds from the request to the largest contentful paint, in a browser that has kept nothing."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import FLAGS
    from tests.tools import chromium_path

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(f"http://127.0.0.1:{port}{RANKINGS}")
        milliseconds: float = page.evaluate(
            "new Promise(done => new PerformanceObserver(list => done(list.getEntries().at(-1).startTime))"
            ".observe({type: 'largest-contentful-paint', buffered: true}))"
        )
        browser.close()
    return milliseconds / 1000
