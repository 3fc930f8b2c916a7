"""Which addresses may be called: the rules on texts, names and addresses, without any connection."""

import asyncio
import socket
import threading
import time
from collections.abc import Sequence
from ipaddress import ip_address, ip_network

import pytest

from evaluation.endpoints.address import locate, normalise_base_url
from evaluation.endpoints.guard import REFUSAL, Policy, admits, check_text, check_url
from evaluation.endpoints.ranges import SPECIAL, inner_addresses, is_public
from evaluation.endpoints.resolving import THREADS, NoAnswer, addresses_of, addresses_of_async, system_lookup
from evaluation.endpoints.sockets import has_address
from tests.evaluation.endpoints.hostile import PASSING, POLICY, REFUSED, look_up, stream_sockets

LOOPBACK = Policy.of(["127.0.0.0/8", "::1/128"])
INNER = Policy.of(["10.20.0.0/16"])


def refusal(text: str, policy: Policy = POLICY, *, has_key: bool = False) -> str:
    with pytest.raises(ValueError) as caught:
        check_url(text, has_key=has_key, policy=policy, lookup=look_up, refusal_seconds=0)
    return str(caught.value)


def passes(text: str, policy: Policy = POLICY, *, has_key: bool = False) -> str:
    return check_url(text, has_key=has_key, policy=policy, lookup=look_up, refusal_seconds=0).base_url


def readable(text: str) -> bool:
    try:
        normalise_base_url(text)
    except ValueError:
        return False
    return True


def test_the_corpus_is_large_and_holds_no_case_twice() -> None:
    assert len(REFUSED) == len(set(REFUSED)) >= 80


@pytest.mark.parametrize("text", REFUSED, ids=ascii)
def test_a_hostile_address_is_refused_in_the_form_and_no_socket_opens(text: str) -> None:
    with stream_sockets() as opened:
        sentence = refusal(text)
    assert opened == []
    assert text not in sentence


def test_every_refusal_of_a_readable_address_has_the_same_wording() -> None:
    readable_ones = [text for text in REFUSED if readable(text)]
    assert len(readable_ones) > 80
    assert {refusal(text) for text in readable_ones} == {REFUSAL}


@pytest.mark.parametrize(("text", "stored", "_", "port"), PASSING)
def test_an_ordinary_address_passes_and_is_given_as_it_is_stored(text: str, stored: str, _: str, port: int) -> None:
    checked = check_url(text, has_key=True, policy=POLICY, lookup=look_up)
    assert (checked.base_url, checked.location.port) == (stored, port)


def test_what_was_changed_in_an_address_is_told() -> None:
    def remarks(text: str) -> tuple[str, ...]:
        return check_url(text, has_key=False, policy=POLICY, lookup=look_up).remarks

    assert remarks("https://api.example.com/v1/") == ()
    assert remarks("https://api.example.com") == ("The path /v1 was added to the address.",)
    assert remarks("https://münchen.example/v1") == (
        "The host is called by its name in ASCII: xn--mnchen-3ya.example.",
    )


def test_refused_names_are_held_up_whatever_the_reason_and_nothing_else_is() -> None:
    held: list[float] = []

    def ask(text: str) -> None:
        check_url(text, has_key=False, policy=POLICY, lookup=look_up, refusal_seconds=3600, pause=held.append)

    for text in ("https://unknown.example/", "https://metadata.example/", "https://two-faced.example/"):
        with pytest.raises(ValueError, match=REFUSAL):
            ask(text)
    assert [round(seconds / 3600) for seconds in held] == [1, 1, 1]
    for by_its_text in ("http://10.0.0.1/v1", "http://good.example:22/"):
        with pytest.raises(ValueError, match=REFUSAL):
            ask(by_its_text)
    ask("https://api.example.com/v1")
    assert len(held) == 3


def test_a_host_that_is_an_address_is_judged_without_a_look_up() -> None:
    addresses = [text for text in REFUSED if readable(text) and locate(normalise_base_url(text)).address]
    assert len(addresses) > 40
    for text in addresses:
        with pytest.raises(ValueError, match="This address cannot be called"):
            check_text(text, has_key=False, policy=POLICY)
    assert (
        check_text("https://two-faced.example", has_key=True, policy=POLICY).base_url == "https://two-faced.example/v1"
    )


def test_a_key_goes_over_https_only() -> None:
    assert passes("http://api.example.com/v1")
    assert refusal("http://api.example.com/v1", has_key=True) == REFUSAL
    assert passes("https://api.example.com/v1", has_key=True)


@pytest.mark.parametrize("text", ["http://127.0.0.1:9/v1", "http://localhost:4000/v1", "http://[::1]:22/v1"])
def test_an_address_in_an_allowed_network_is_free_of_the_rules_on_ports_names_and_https(text: str) -> None:
    assert passes(text, LOOPBACK, has_key=True) == text
    assert refusal(text, POLICY, has_key=True) == REFUSAL


@pytest.mark.parametrize(
    "text",
    ["http://127.1/v1", "http://2130706433/v1", "http://10.0.0.1/v1", "http://[::ffff:127.0.0.1]/v1", "http://gpu/v1",
     "http://good.example:6379/v1", "http://vault/v1", "http://two-families.example:6379/v1"],
)  # fmt: skip
def test_an_allowed_network_opens_nothing_else(text: str) -> None:
    assert refusal(text, LOOPBACK) == REFUSAL


def test_a_single_label_may_lead_into_an_allowed_network() -> None:
    assert passes("http://gpu:9000/v1", INNER, has_key=True) == "http://gpu:9000/v1"


def test_a_name_is_looked_up_with_its_final_dot_so_that_no_search_domain_is_tried() -> None:
    asked = []

    def note(name: str) -> Sequence[str]:
        asked.append(name)
        return look_up(name)

    for text in ("https://api.example.com/v1", "https://api.example.com./v1"):
        check_url(text, has_key=False, policy=POLICY, lookup=note)
    check_url("http://gpu/v1", has_key=False, policy=INNER, lookup=note)
    assert asked == ["api.example.com.", "api.example.com.", "gpu"]


def test_what_no_answer_could_make_callable_is_not_looked_up() -> None:
    def never(name: str) -> Sequence[str]:
        pytest.fail(f"{name} was looked up")

    for text in ("http://localhost/v1", "http://good.example:22/v1", "http://board.example/v1", "http://127.1/v1"):
        with pytest.raises(ValueError):
            check_url(text, has_key=False, policy=POLICY, lookup=never, refusal_seconds=0)


def test_an_address_of_this_machine_is_refused_though_it_be_public() -> None:
    mine = ip_address("93.184.216.34")
    policy = Policy(is_own=lambda address: address == mine)
    location = locate("https://api.example.com/v1")
    assert not admits(location, [mine], has_key=False, policy=policy)
    assert admits(location, [ip_address("93.184.216.35")], has_key=False, policy=policy)


def test_the_kernel_knows_the_addresses_of_this_machine() -> None:
    assert has_address(ip_address("127.0.0.1"))
    assert not has_address(ip_address("93.184.216.34"))
    assert not has_address(ip_address("2606:4700::1111"))


@pytest.mark.parametrize("network", SPECIAL, ids=str)
def test_a_special_purpose_network_is_not_public_from_its_first_address_to_its_last(network: object) -> None:
    block = ip_network(str(network))
    assert not is_public(block[0])
    assert not is_public(block[-1])


@pytest.mark.parametrize(
    "text",
    ["8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
     "168.63.129.15", "168.63.129.17", "172.15.255.255", "172.32.0.0", "192.0.1.0", "198.17.255.255", "198.20.0.0",
     "223.255.255.255", "2606:4700::1111", "2001:200::1", "2620:4f:8001::1", "64:ff9b::808:808", "3ffe:ffff::1"],
)  # fmt: skip
def test_the_neighbours_of_special_networks_are_public(text: str) -> None:
    assert is_public(ip_address(text))


@pytest.mark.parametrize(
    ("wrapped", "inner"),
    [
        ("::ffff:127.0.0.1", ["127.0.0.1"]),
        ("::127.0.0.1", ["127.0.0.1"]),
        ("::ffff:0:127.0.0.1", ["127.0.0.1"]),
        ("64:ff9b::a9fe:a9fe", ["169.254.169.254"]),
        ("2002:a9fe:a9fe::", ["169.254.169.254"]),
        # The example of RFC 4380: server 65.54.227.120, client 192.0.2.45.
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", ["65.54.227.120", "192.0.2.45"]),
        ("2606:4700::1111", []),
        ("8.8.8.8", []),
    ],
)
def test_wrapped_addresses_are_taken_out(wrapped: str, inner: list[str]) -> None:
    assert [str(address) for address in inner_addresses(ip_address(wrapped))] == inner


def test_a_lookup_that_hangs_is_given_up_while_it_hangs_in_a_thread_and_in_a_loop() -> None:
    release = threading.Event()

    def hang(_: str) -> Sequence[str]:
        assert release.wait(timeout=60)
        return ["93.184.216.34"]

    try:
        with pytest.raises(NoAnswer):
            addresses_of("slow.example", hang, seconds=0.2)
        with pytest.raises(NoAnswer):
            asyncio.run(addresses_of_async("slow.example", hang, seconds=0.2))
    finally:
        release.set()


def test_many_lookups_at_once_use_few_threads_and_all_are_answered() -> None:
    at_once: set[str] = set()

    def slow(_: str) -> Sequence[str]:
        at_once.add(threading.current_thread().name)
        time.sleep(0.02)
        return ["93.184.216.34"]

    async def run() -> int:
        found = await asyncio.gather(*(addresses_of_async("many.example", slow) for _ in range(40)))
        return sum(map(len, found))

    assert asyncio.run(run()) == 40
    assert len(at_once) <= THREADS


def test_the_systems_lookup_knows_this_machine_and_gives_each_address_once() -> None:
    found = system_lookup("localhost")
    assert "127.0.0.1" in found or "::1" in found
    assert len(found) == len(set(found))


def test_an_unknown_name_and_one_that_cannot_be_encoded_have_no_answer() -> None:
    def unknown(_: str) -> Sequence[str]:
        raise socket.gaierror("unknown")

    def impossible(_: str) -> Sequence[str]:
        raise UnicodeError("label too long")

    def empty(_: str) -> Sequence[str]:
        return []

    for lookup in (unknown, impossible, empty):
        with pytest.raises(NoAnswer):
            addresses_of("x.example", lookup)
