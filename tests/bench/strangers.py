"""How long /healthz takes while strangers try to make web threads wait: `python -m tests.bench.strangers`.

The crowd posts as fast as it gets answers. The site runs as the Procfile starts it, two processes of four threads.
Three crowds, one after another: 40 clients that post addresses which may not be called and 20 that post names which
never resolve; four dry runs at endpoints that accept and never answer, each from a network of its own; all of these.
"""

import http.client
import itertools
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from urllib.parse import urlencode

from tests.bench.figure import Figure
from tests.bench.scratch import scratch

LIMIT_SECONDS = 0.2
BAD_ADDRESSES, BAD_NAMES, DRY_RUNS = 40, 20, 4
STARTING_SECONDS = 3.0
SECONDS = 8.0
PAUSE_SECONDS = 0.05  # between two looks at /healthz
ROOT = Path(__file__).resolve().parent.parent.parent
FORM = {
    "name": "maker/new-model", "api_model": "new-model", "keep": "erase", "weights": "", "banks": "eq-bench-v2",
    "repeats": "1", "max_tokens": "60", "concurrency": "2",
}  # fmt: skip


def stranger_figures() -> Iterator[Figure]:
    from tests.fakes import serve_raw, silent  # it reads Django's settings, which the bench sets first

    with site() as port, ExitStack() as stack:
        silence = [stack.enter_context(serve_raw(silent)) for _ in range(DRY_RUNS)]
        # One host each: 127.0.0.1, 127.0.0.2 and so on all lead to this machine.
        hosts = [url.replace("127.0.0.1", f"127.0.0.{1 + at}") for at, url in enumerate(silence)]
        posts = f"{BAD_ADDRESSES} post bad addresses, {BAD_NAMES} bad names"
        yield seconds_figure(f"while {posts}", usual_worst(port, BAD_ADDRESSES, BAD_NAMES, []))
        yield seconds_figure(f"while {DRY_RUNS} dry runs hang", usual_worst(port, 0, 0, hosts))
        yield seconds_figure("while all of these", usual_worst(port, BAD_ADDRESSES, BAD_NAMES, hosts))


def seconds_figure(name: str, seconds: float) -> Figure:
    return Figure(f"/healthz, 19 of 20, {name}", seconds, LIMIT_SECONDS, "s", of_work=True)


def usual_worst(port: int, addresses: int, names: int, hosts: list[str]) -> float:
    """Seconds within which 19 of 20 answers of /healthz come while the crowd is at it.

    The crowd is a process of its own: else its threads and this one would wait for each other.
    """
    process = get_context("spawn").Process(target=crowd, args=(port, addresses, names, hosts), daemon=True)
    process.start()
    time.sleep(STARTING_SECONDS)
    taken, until = [], time.perf_counter() + SECONDS
    while time.perf_counter() < until:
        taken.append(healthz(port))
        time.sleep(PAUSE_SECONDS)
    process.kill()
    process.join()
    return sorted(taken)[len(taken) * 19 // 20]


def crowd(port: int, addresses: int, names: int, hosts: list[str]) -> None:
    clients = [posting(port, "203.0.113.1", lambda _: "http://10.0.0.5/v1") for _ in range(addresses)]
    clients += [posting(port, "203.0.113.2", lambda n: f"https://n{n}.example/v1") for _ in range(names)]
    clients += [trying(port, f"198.51.100.{at}", host) for at, host in enumerate(hosts)]
    threads = [threading.Thread(target=client, daemon=True) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def healthz(port: int) -> float:
    began = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/healthz")
    assert connection.getresponse().status == 200
    connection.close()
    return time.perf_counter() - began


def posting(port: int, network: str, address: Callable[[int], str]) -> Callable[[], None]:
    """A client that posts the submission form again and again, with another address each time."""
    return lambda: post_for_ever(port, "/submit/", network, address)


def trying(port: int, network: str, address: str) -> Callable[[], None]:
    return lambda: post_for_ever(port, "/submit/dry-run/", network, lambda _: address)


def post_for_ever(port: int, path: str, network: str, address: Callable[[int], str]) -> None:
    cookie, token = csrf(port)
    headers = {
        "Cookie": cookie,
        "Content-Type": "application/x-www-form-urlencoded",
        "X-Forwarded-For": network,
        "HX-Request": "true",
    }
    for number in itertools.count():
        with suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            body = urlencode(FORM | {"base_url": address(number), "csrfmiddlewaretoken": token})
            connection.request("POST", path, body, headers)
            connection.getresponse().read()
            connection.close()


def csrf(port: int) -> tuple[str, str]:
    """The cookie and the token of the form."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/submit/")
    response = connection.getresponse()
    html = response.read().decode()
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', html)
    assert found, "the form has a token"
    return response.headers["Set-Cookie"].partition(";")[0], found[1]


@contextmanager
def site() -> Iterator[int]:
    """The web server as the Procfile starts it, behind one trusted proxy, where names of strangers never resolve."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = ("--bind", f"127.0.0.1:{port}", "--workers", "2", "--threads", "4", "--log-level", "error")
    process = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "leaderboard.wsgi", "--config", "tests/bench/hanging_names.py", *words],
        cwd=ROOT,
        env=os.environ | {"TRUSTED_PROXIES": "1"},
        stderr=subprocess.DEVNULL,  # a line for each refusal
    )
    try:
        while not answers(port):
            time.sleep(0.1)
        yield port
    finally:
        process.kill()  # threads that wait for a name would hold up its end
        process.wait()


def answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return healthz(port) < 60
    except OSError:
        return False


if __name__ == "__main__":
    with scratch():
        for one in stranger_figures():
            sys.stdout.write(f"{one}\n")
            sys.stdout.flush()
