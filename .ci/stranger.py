#!/usr/bin/env python3
"""What a person does with README's commands, on a terminal. Run by .ci/bare in a clone; standard library alone.

stranger.py start             `make run`, a look at the first page, Ctrl-C, and the same again
stranger.py skipped REPORT    the ids of the tests that a JUnit report says were skipped, one a line
"""

import json
import os
import pty
import random
import select
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from html import unescape
from http.client import HTTPException
from pathlib import Path
from xml.etree import ElementTree as ET

FIRST_START_SECONDS = 1500  # it downloads and installs; on a busy machine too
START_SECONDS = 900  # these two as well
STOP_SECONDS = 180
TRIES = 3
INSTALLED = Path(".venv/.run")
# Every module of the product: one that imports a package of the tests fails before these are installed.
IMPORT_ALL = """
import importlib, pkgutil, django
django.setup()
for top in ("evaluation", "leaderboard"):
    for module in pkgutil.walk_packages(importlib.import_module(top).__path__, f"{top}."):
        importlib.import_module(module.name)
"""


class Failed(Exception):
    """What a stranger would complain of."""


class Terminal:
    """A command on a terminal of its own, and what it wrote there."""

    def __init__(self, *words: str) -> None:
        self.text = ""
        self.status: int | None = None
        self.process, self.screen = pty.fork()
        if self.process == 0:
            os.execvp(words[0], words)

    def read(self, seconds: float) -> None:
        """Waits for words for so long; notes the command's end."""
        with suppress(OSError):  # what a terminal answers once nobody writes to it
            if select.select([self.screen], [], [], seconds)[0]:
                self.text += os.read(self.screen, 65536).decode(errors="replace")
                return
        if self.status is None and (ended := os.waitpid(self.process, os.WNOHANG))[0]:
            self.status = os.waitstatus_to_exitcode(ended[1])

    def press_ctrl_c(self) -> None:
        os.write(self.screen, b"\x03")

    def close(self) -> None:
        if self.status is None:
            os.killpg(self.process, signal.SIGKILL)
        os.close(self.screen)


def wait_for(terminal: Terminal, seconds: float, what: str, holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        if terminal.status is not None:
            raise Failed(f"make run ended with {terminal.status} before {what}")
        if time.monotonic() > deadline:
            raise Failed(f"{seconds:.0f} s have passed, and not yet: {what}")
        terminal.read(0.5)


def page(port: int, path: str) -> str:
    """The page's text; empty while none answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
            return unescape(answer.read().decode())
    except (OSError, HTTPException):
        return ""


def rows(port: int, path: str) -> list[dict[str, object]]:
    text = page(port, f"/api/v1/{path}")
    found: list[dict[str, object]] = json.loads(text)["results"] if text else []
    return found


def shows_published_models(port: int) -> bool:
    """The first page names the best models of the published ranking."""
    best = rows(port, "rankings/eq-bench-v2?limit=10")
    first = page(port, "/") if len(best) == 10 else ""
    return bool(first) and all(str(row["model_name"]) in first for row in best)


def has_a_finished_demonstration(port: int) -> bool:
    runs = rows(port, "runs?limit=50")
    return any(run["origin"] == "demo" and run["status"] == "finished" and run["score"] is not None for run in runs)


def free_port() -> int:
    """Of those that the kernel gives to nobody by itself: minutes may pass before the board listens there."""
    while True:
        port = random.SystemRandom().randrange(10_000, 32_768)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def left_behind() -> list[str]:
    """The commands of this user's other processes."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if folder.stat().st_uid == os.getuid() and int(folder.name) != os.getpid():
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return found


def start_and_stop(seconds: float) -> None:
    """Raises Failed, with what stood on the terminal."""
    port, began = free_port(), time.monotonic()
    terminal = Terminal("make", "run", f"PORT={port}")
    try:
        wait_for(terminal, seconds, "the first page shows the published models", lambda: shows_published_models(port))
        print(f"         the first page after {time.monotonic() - began:.0f} s", flush=True)
        wait_for(terminal, START_SECONDS, "a demonstration has finished", lambda: has_a_finished_demonstration(port))
        print(f"         a finished demonstration after {time.monotonic() - began:.0f} s", flush=True)
        stop(terminal)
    except Failed as error:
        raise Failed(f"{error}\n{terminal.text}") from None
    finally:
        terminal.close()


def stop(terminal: Terminal) -> None:
    terminal.press_ctrl_c()
    deadline = time.monotonic() + STOP_SECONDS
    while terminal.status is None:
        terminal.read(0.2)
        if time.monotonic() > deadline:
            raise Failed(f"Ctrl-C did not stop it within {STOP_SECONDS} s")
    if "Traceback" in terminal.text:
        raise Failed("there is a traceback on the terminal")
    if "Stopped." not in terminal.text:
        raise Failed("it did not say that it stopped")
    # What has ended stays to be seen until process 1 has heard of it.
    while (left := left_behind()) and time.monotonic() < deadline:
        time.sleep(0.2)
    if left:
        raise Failed("processes are left behind: " + "; ".join(left))


def start() -> None:
    """A first start whose downloads failed is tried again, as a person would; any other fault is one."""
    for tried in range(1, TRIES + 1):
        try:
            start_and_stop(FIRST_START_SECONDS)
            break
        except Failed as error:
            if INSTALLED.exists() or tried == TRIES:
                raise
            print(f"The packages could not be installed, try {tried}:\n{error}", flush=True)
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "leaderboard.settings"}
    if subprocess.run([".venv/bin/python", "-c", IMPORT_ALL], env=environment, check=False).returncode:
        raise Failed("a module cannot be imported with the packages of requirements.txt")
    print("         again", flush=True)
    start_and_stop(START_SECONDS)


def skipped(report: Path) -> None:
    for case in ET.parse(report).iter("testcase"):
        if case.find("skipped") is not None:
            module, name = case.get("classname", ""), case.get("name", "")
            whole_file = not module  # skipped while it was read
            print(_file(name) if whole_file else f"{_file(module)}::{name}")


def _file(module: str) -> str:
    return module.replace(".", "/") + ".py"


if __name__ == "__main__":
    try:
        start() if sys.argv[1] == "start" else skipped(Path(sys.argv[2]))
    except Failed as failure:
        sys.exit(f"{failure}")
