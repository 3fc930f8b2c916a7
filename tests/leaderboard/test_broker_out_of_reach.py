"""A broker that is not there, or accepts and never answers, holds no page up: the doorbell is rung once, briefly."""

import socket
import time
from collections.abc import Iterator

import pytest
from celery import Celery
from django.conf import settings
from kombu.exceptions import OperationalError


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that accepts every connection and never says a word."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(16)
        yield server.getsockname()[1]


@pytest.fixture
def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def seconds_of_a_call(port: int) -> float:
    """How long a page waits for a call that cannot be made, with the product's own settings."""
    app = Celery("calling", broker=f"redis://127.0.0.1:{port}/0", set_as_current=False)
    app.conf.broker_transport_options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    began = time.monotonic()
    with pytest.raises(OperationalError):
        app.send_task("evaluation.tasks.evaluate_run", args=(1,), retry=False)
    taken = time.monotonic() - began
    app.close()
    return taken


def test_a_broker_that_refuses_is_given_up_at_once(closed_port: int) -> None:
    assert seconds_of_a_call(closed_port) < 4, "less than the five seconds of a broker that is silent"


@pytest.mark.thorough
def test_a_broker_that_accepts_and_never_answers_is_given_up_in_seconds(silent_port: int) -> None:
    assert 1 < seconds_of_a_call(silent_port) < 7


def test_a_host_that_swallows_packets_is_given_up_in_seconds() -> None:
    assert settings.CELERY_BROKER_TRANSPORT_OPTIONS["socket_connect_timeout"] <= 5
