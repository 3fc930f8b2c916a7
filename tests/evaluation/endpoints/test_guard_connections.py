"""The guard at the connection, on the real client: what is refused opens no socket, whatever a form said before."""

import asyncio
import re
import socket
from collections.abc import Sequence
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from evaluation.endpoints.client import ChatClient, Target
from evaluation.endpoints.errors import Cause, EndpointError, Kind
from evaluation.endpoints.guard import REFUSAL, Policy, check_url
from evaluation.endpoints.passage import Guard, Passage, plain_socket
from tests.evaluation.endpoints.hostile import PASSING, POLICY, REFUSED, look_up, stream_sockets
from tests.evaluation.endpoints.servers import OK, REQUEST, Answer, answering, chat
from tests.fakes import ON_LOOPBACK, serve

Places = list[tuple[str, int]]


class Door:
    """Stands where sockets are opened and notes each address; it opens a socket only where it is told to."""

    def __init__(self, *, opens: bool = False) -> None:
        self.seen: Places = []
        self._opens = opens

    def __call__(self, info: aiohttp.AddrInfoType) -> socket.socket:
        self.seen.append((str(info[4][0]), int(info[4][1])))
        if not self._opens:
            raise OSError("no socket is opened in this test")
        return plain_socket(info)


def ask(url: str, guard: Guard, *, times: int = 1, api_key: str = "") -> list[str | EndpointError]:
    """What one client got, request by request: a text or an error."""

    async def run() -> list[str | EndpointError]:
        target = Target(url, "m", api_key=api_key, timeout_seconds=60)
        async with ChatClient(target, max_connections=4, guard=guard) as client:
            return [await outcome(client) for _ in range(times)]

    async def outcome(client: ChatClient) -> str | EndpointError:
        try:
            return (await client.complete(REQUEST)).text
        except EndpointError as error:
            return error

    return asyncio.run(run())


def only_error(url: str, guard: Guard, *, api_key: str = "") -> EndpointError:
    (error,) = ask(url, guard, api_key=api_key)
    assert isinstance(error, EndpointError)
    return error


@pytest.mark.parametrize("text", REFUSED, ids=ascii)
def test_a_hostile_address_is_refused_by_the_client_and_no_socket_opens(text: str) -> None:
    door = Door()
    with stream_sockets() as opened:
        try:
            error = only_error(text, Guard(POLICY, look_up, door))
        except ValueError:
            error = None  # what cannot be read as an address cannot even be asked
    assert (opened, door.seen) == ([], [])
    if error is not None and error.code == "unreachable":
        assert "unknown" in text or "no-address" in text
    elif error is not None:
        assert (error.kind, error.cause, error.code) == (Kind.CONFIG, Cause.ENDPOINT, "address-refused")
        assert error.message == REFUSAL


def test_a_client_that_was_given_no_guard_calls_the_public_internet_only() -> None:
    async def run(url: str) -> str:
        async with ChatClient(Target(url, "m"), max_connections=1) as client:
            with pytest.raises(EndpointError) as caught:
                await client.complete(REQUEST)
            return caught.value.code

    with answering(chat()) as server, stream_sockets() as opened:
        assert asyncio.run(run(server.url)) == "address-refused"
    assert (server.requests, opened) == ([], [])


@pytest.mark.parametrize(("text", "_", "address", "port"), PASSING)
def test_an_ordinary_address_is_called_where_it_stands(text: str, _: str, address: str, port: int) -> None:
    door = Door()
    error = only_error(text, Guard(POLICY, look_up, door), api_key="sk-1")
    assert error.code == "unreachable"
    assert (address, port) in door.seen
    assert {seen for _, seen in door.seen} == {port}


def test_a_key_over_http_is_refused_and_goes_nowhere() -> None:
    door = Door()
    guard = Guard(POLICY, look_up, door)
    assert only_error("http://api.example.com/v1", guard, api_key="sk-1").code == "address-refused"
    assert door.seen == []
    assert only_error("http://api.example.com/v1", guard).code == "unreachable"


def changing(*answers: Sequence[str]) -> "tuple[Guard, list[str]]":
    """A guard whose name server gives these answers in turn, and the list of what it was asked."""
    script, asked = list(answers), []

    def answer(name: str) -> Sequence[str]:
        asked.append(name)
        return script.pop(0) if len(script) > 1 else script[0]

    return Guard(Policy.of(["127.0.0.1/32"]), answer), asked


def test_a_name_that_changes_between_form_and_worker_is_refused_at_the_worker() -> None:
    guard, asked = changing(["93.184.216.34"], ["169.254.169.254"])
    url = check_url("http://rebinding.example/v1", has_key=False, policy=guard.policy, lookup=guard.lookup).base_url
    with stream_sockets() as opened:
        assert only_error(url, guard).code == "address-refused"
    assert (len(asked), opened) == (2, [])


def closing_server() -> web.Application:
    """Answers, and closes each connection, so that the next request must open another."""

    async def handle(_: web.Request) -> web.Response:
        return web.json_response(chat(), headers={"Connection": "close"})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handle)
    return app


def test_a_name_that_changes_between_item_one_and_item_two_is_refused_at_item_two() -> None:
    guard, asked = changing(["127.0.0.1"], ["169.254.169.254"])
    with serve(closing_server()) as url:
        port = url.rpartition(":")[2]
        first, second = ask(f"http://rebinding.example:{port}/v1", guard, times=2)
    assert first == OK
    assert isinstance(second, EndpointError)
    assert second.code == "address-refused"
    assert len(asked) == 2


def test_a_kept_connection_needs_no_second_lookup_and_requests_at_once_share_one() -> None:
    guard, asked = changing(["127.0.0.1"])

    async def together(url: str) -> None:
        async with ChatClient(Target(url, "m"), max_connections=8, guard=guard) as client:
            await asyncio.gather(*(client.complete(REQUEST) for _ in range(8)))

    with answering(chat()) as server:
        port = server.url.rpartition(":")[2]
        assert ask(f"http://kept.example:{port}/v1", guard, times=3) == [OK] * 3
        assert len(asked) == 1
        asyncio.run(together(f"http://kept.example:{port}/v1"))
    assert len(asked) == 2


def test_every_answer_for_a_name_counts_also_those_that_would_not_be_tried() -> None:
    door = Door()
    many = [f"93.184.216.{last}" for last in range(1, 9)]
    guard = Guard(POLICY, lambda _: [*many, "10.0.0.1"], door)
    assert only_error("http://many.example/v1", guard).code == "address-refused"
    guard = Guard(POLICY, lambda _: many, door)
    assert only_error("http://many.example/v1", guard).code == "unreachable"
    assert set(door.seen) == {("93.184.216.1", 80), ("93.184.216.2", 80)}


@pytest.mark.parametrize("text", REFUSED, ids=ascii)
def test_a_redirect_to_a_hostile_address_is_not_followed(text: str) -> None:
    location = text.replace("\r\n", "%0d%0a")
    door = Door(opens=True)
    with answering(Answer("", 302, {"Location": location})) as server:
        error = only_error(server.url, Guard(ON_LOOPBACK.policy, look_up, door))
    assert (error.kind, error.code) == (Kind.CONFIG, "redirected")
    assert len(server.requests) == 1
    assert door.seen == [("127.0.0.1", int(server.url.rpartition(":")[2]))]


class Diverted(socket.socket):
    """A socket that connects elsewhere than it is told, as a library might one day."""

    def __init__(self, family: int, kind: int, elsewhere: int) -> None:
        super().__init__(family, kind)
        self._elsewhere = elsewhere

    def connect(self, _: object) -> None:
        super().connect(("127.0.0.1", self._elsewhere))


def test_a_connection_that_ends_at_another_address_is_dropped_before_the_request_leaves() -> None:
    with answering(chat()) as server:
        port = int(server.url.rpartition(":")[2])
        guard = Guard(POLICY, look_up, lambda info: Diverted(info[0], info[1], port))
        error = only_error("http://good.example:8000/v1", guard)
        assert error.code == "address-refused"
        assert server.requests == []


def test_a_passage_opens_sockets_for_its_own_host_and_port_only() -> None:
    door = Door()

    async def resolved(passage: Passage, host: str) -> int:
        return len(await passage.resolve(host, 80))

    def refuses(passage: Passage, address: str, port: int) -> bool:
        try:
            passage.open_socket((socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)))
        except OSError as error:
            return str(error) == REFUSAL
        return False

    passage = Passage(Guard(POLICY, look_up, door), "http://good.example/v1", has_key=False)
    assert refuses(passage, "93.184.216.34", 80), "nothing was looked up yet"
    assert asyncio.run(resolved(passage, "good.example")) == 1
    assert not refuses(passage, "93.184.216.34", 80)
    assert refuses(passage, "93.184.216.34", 6379)
    assert refuses(passage, "93.184.216.35", 80)
    with pytest.raises(OSError, match="cannot be called"):
        asyncio.run(resolved(passage, "api.example.com"))


def test_only_the_guarded_transport_opens_sessions() -> None:
    """E26: a second way out, or another library, would go round the guard."""
    root = Path(__file__).resolve().parents[3]
    sources = [path for app in ("evaluation", "leaderboard") for path in (root / app).rglob("*.py")]
    ways_out = re.compile(
        r"ClientSession\(|TCPConnector\)|urlopen|(?:import|from) (?:httpx|requests|urllib3)\b|http\.client"
        r"|create_connection"
    )
    found = {str(path.relative_to(root)) for path in sources if ways_out.search(path.read_text())}
    # The importers fetch banks from addresses that stand in our own files.
    assert found == {
        "evaluation/endpoints/transport.py",
        "evaluation/endpoints/passage.py",
        "evaluation/importers/fetching.py",
    }
