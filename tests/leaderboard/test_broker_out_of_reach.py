"""A broker that is not there, or accepts and never answers, holds no page up: the doorbell is rung once, briefly."""

import socket

import pytest
from celery import Celery
from django.conf import settings
from kombu.exceptions import OperationalError

from tests.fakes import Handler, serve_raw, silent


def tries_of_a_call(handler: Handler) -> int:
    """How often a page that calls a worker connects to such a broker, with the product's own settings."""
    tries: list[int] = []

    def count(connection: socket.socket) -> None:
        tries.append(1)
        handler(connection)

    with serve_raw(count) as address:
        app = Celery("calling", broker=address.replace("http", "redis"), set_as_current=False)
        app.conf.broker_transport_options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
        with pytest.raises(OperationalError):
            app.send_task("evaluation.tasks.evaluate_run", args=(1,), retry=False)
        app.close()
    return len(tries)


def hang_up(connection: socket.socket) -> None:
    connection.close()


def test_a_broker_that_hangs_up_is_tried_once() -> None:
    assert tries_of_a_call(hang_up) == 1


def test_a_broker_that_refuses_is_given_up() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"redis://127.0.0.1:{probe.getsockname()[1]}/0"
    app = Celery("calling", broker=address, set_as_current=False)
    app.conf.broker_transport_options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    with pytest.raises(OperationalError):
        app.send_task("evaluation.tasks.evaluate_run", args=(1,), retry=False)
    app.close()


@pytest.mark.thorough
def test_a_broker_that_accepts_and_never_answers_is_tried_once() -> None:
    """The server stays silent for as long as it is asked: without an end of its own the call never came back."""
    assert tries_of_a_call(silent) == 1


def test_a_host_that_swallows_packets_is_given_up_in_seconds() -> None:
    assert settings.CELERY_BROKER_TRANSPORT_OPTIONS["socket_connect_timeout"] <= 5
    assert settings.CELERY_BROKER_TRANSPORT_OPTIONS["socket_timeout"] <= 5
