"""HOST and PORT of a board on one machine: what can be used, and the sentence for what cannot."""

import errno
import socket

import pytest

from leaderboard.management.commands.serve import allowed_hosts, opened
from leaderboard.starting.listening import (
    FAR_AWAY,
    Address,
    CannotListen,
    _reason,
    check_free,
    checked_address,
    own_names,
)


@pytest.mark.parametrize("port", ["abc", "99999", "65536", "0", "-1", "", "8000.5", "٣", "1" * 5000])
def test_a_wrong_port_gets_a_sentence(port: str) -> None:
    with pytest.raises(
        CannotListen, match=r"is no port. Choose a number from 1024 to 65535, as in: make run PORT=8001$"
    ):
        checked_address("127.0.0.1", port)


@pytest.mark.parametrize(
    ("host", "port", "bound", "url"),
    [
        ("127.0.0.1", "8000", "127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("0.0.0.0", "8001", "0.0.0.0:8001", "http://127.0.0.1:8001"),  # noqa: S104
        ("::", "8000", "[::]:8000", "http://[::1]:8000"),
        ("[::1]", "8000", "[::1]:8000", "http://[::1]:8000"),
        ("192.168.1.5", "80", "192.168.1.5:80", "http://192.168.1.5:80"),
    ],
)
def test_where_it_listens_and_how_it_is_opened_on_this_machine(host: str, port: str, bound: str, url: str) -> None:
    address = checked_address(host, port)
    assert (str(address), address.url) == (bound, url)


@pytest.mark.parametrize("host", ["", "no host", "a..b"])
def test_a_wrong_host_gets_a_sentence(host: str) -> None:
    with pytest.raises(CannotListen, match=r"is no address of this machine. Use HOST=0\.0\.0\.0"):
        checked_address(host, "8000")


def test_an_address_of_another_machine_gets_a_sentence() -> None:
    with pytest.raises(CannotListen, match=r"^192\.0\.2\.1 is no address of this machine"):
        check_free(Address("192.0.2.1", 8000))


def test_a_taken_port_gets_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(CannotListen, match=f"^Port {port} is taken. Choose another: make run PORT={port + 1}"):
            check_free(Address("127.0.0.1", port))


def test_a_port_of_root_gets_a_sentence() -> None:
    said = _reason(Address("127.0.0.1", 80), OSError(errno.EACCES, "Permission denied"))
    assert said == "Port 80 is for root alone, as all below 1024 are. Choose another: make run PORT=8080"


def test_on_loopback_nothing_more_is_allowed_and_nothing_is_said() -> None:
    address = Address("127.0.0.1", 8000)
    assert (own_names(address), opened(address)) == ([], "")


# A look at the route to an address for documentation, where nothing is sent to.
@pytest.mark.allow_hosts(list(FAR_AWAY.values()))
def test_an_open_board_answers_to_the_names_of_its_machine_and_says_what_it_opens() -> None:
    address = Address("0.0.0.0", 8000)  # noqa: S104
    assert socket.gethostname().lower() in allowed_hosts(address)
    assert "*" not in allowed_hosts(address)
    said = opened(address)
    assert "Every machine that reaches this one can open it" in said
    assert socket.gethostname().lower() in said
    assert "ALLOWED_HOSTS" in said


def test_an_address_of_its_own_is_the_one_name_that_is_added() -> None:
    assert own_names(Address("192.168.1.5", 8000)) == ["192.168.1.5"]
    assert own_names(Address("fd00::5", 8000)) == ["[fd00::5]"]
