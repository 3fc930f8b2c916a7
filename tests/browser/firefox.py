"""Firefox by WebDriver BiDi, which it speaks by itself: as much of the protocol as the tests need.

Playwright drives only a Firefox that it has built; this is the one from the PATH. The socket is read in a thread.
"""

import asyncio
import json
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp

from tests.processes import wait_for

NAMES = ("firefox-esr", "firefox")
START_SECONDS = 120  # on a busy machine; alone it takes some three
ANSWER_SECONDS = 120
LISTENING = re.compile(r"WebDriver BiDi listening on (\S+)\n")
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "ArrowRight": "\ue014", "Tab": "\ue004"}
# Violations of the content security policy reach the console.
WATCH = "() => document.addEventListener('securitypolicyviolation', e => console.error('CSP ' + e.violatedDirective))"


class Firefox:
    """One tab. `faults` collects errors and warnings of its console. Raises: AssertionError where a command fails."""

    def __init__(self, address: str) -> None:
        self.faults: list[str] = []
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._in_thread(self._connect(f"{address}/session"))
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=["log.entryAdded"])
        self.send("script.addPreloadScript", functionDeclaration=WATCH)
        self._tab = self.send("browsingContext.getTree")["contexts"][0]["context"]

    def _in_thread(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(ANSWER_SECONDS)

    async def _connect(self, address: str) -> None:
        self._session = aiohttp.ClientSession()
        self._socket = await self._session.ws_connect(address, max_msg_size=0)
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for message in self._socket:
            told = json.loads(message.data)
            if told.get("method") == "log.entryAdded" and told["params"]["level"] in {"error", "warn"}:
                self.faults.append(str(told["params"]["text"]))
            elif told.get("id") in self._answers:
                self._answers.pop(told["id"]).set_result(told)

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        answer: dict[str, Any] = self._in_thread(self._ask(method, params))
        assert answer["type"] == "success", f"{method}: {answer}"
        result: dict[str, Any] = answer["result"]
        return result

    async def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        number = self._number = getattr(self, "_number", 0) + 1
        self._answers[number] = self._loop.create_future()
        await self._socket.send_json({"id": number, "method": method, "params": params})
        return await self._answers[number]

    def close(self) -> None:
        for each in (self._socket, self._session):
            self._in_thread(each.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def open(self, address: str, width: int = 1280, height: int = 900) -> None:
        self.send("browsingContext.setViewport", context=self._tab, viewport={"width": width, "height": height})
        self.send("browsingContext.navigate", context=self._tab, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, by way of JSON."""
        found = self._run(f"Promise.resolve({expression}).then(value => JSON.stringify(value ?? null))")
        return json.loads(found["value"])

    def _run(self, expression: str) -> dict[str, Any]:
        target = {"context": self._tab}
        answer = self.send("script.evaluate", expression=expression, target=target, awaitPromise=True)
        assert answer["type"] == "success", f"{expression}: {answer.get('exceptionDetails', {}).get('text')}"
        result: dict[str, Any] = answer["result"]
        return result

    def expect(self, expression: str) -> None:
        """Waits until the expression is true. One that fails is not true yet: a page may just give way to the next."""

        def holds() -> bool:
            with suppress(AssertionError):
                return bool(self.evaluate(expression))
            return False

        wait_for(holds, seconds=ANSWER_SECONDS, what=expression)

    def click(self, selector: str) -> None:
        """A press of the mouse on the middle of the first element that the selector finds."""
        query = f"document.querySelector({json.dumps(selector)})"
        self.expect(f"!!{query}")
        self._run(f"{query}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        origin = {"type": "element", "element": {"sharedId": self._run(query)["sharedId"]}}
        press = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self._act("pointer", [{"type": "pointerMove", "x": 0, "y": 0, "origin": origin}, *press])

    def keys(self, *pressed: str) -> None:
        """Keys by their names, or texts sign by sign."""
        signs = [sign for each in pressed for sign in ([KEYS[each]] if each in KEYS else each)]
        self._act("key", [{"type": kind, "value": sign} for sign in signs for kind in ("keyDown", "keyUp")])

    def _act(self, device: str, actions: list[dict[str, Any]]) -> None:
        source = {"type": device, "id": device, "actions": actions}
        self.send("input.performActions", context=self._tab, actions=[source])


@contextmanager
def firefox(program: str, folder: Path) -> Iterator[Firefox]:
    """A headless Firefox with a profile of its own in the folder."""
    log = folder / "firefox.log"
    command = [program, "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port", "0"]
    with log.open("w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out)
    try:
        wait_for(lambda: bool(LISTENING.search(log.read_text())), seconds=START_SECONDS, what="Firefox listens")
        found = Firefox(LISTENING.findall(log.read_text())[0])
        yield found
        found.close()
    finally:
        process.terminate()
        process.wait(timeout=START_SECONDS)
