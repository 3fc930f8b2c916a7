"""A configuration of gunicorn for the bench: names below .example take a minute to be found unknown, as where their
name server never answers."""

import socket
import time
from typing import Any

HANG_SECONDS = 60
_real = socket.getaddrinfo


def hanging(host: Any, *args: Any, **kwargs: Any) -> Any:
    if str(host).endswith((".example", ".example.")):
        time.sleep(HANG_SECONDS)
        raise socket.gaierror("no name server answers")
    return _real(host, *args, **kwargs)


def post_worker_init(worker: object) -> None:
    socket.getaddrinfo = hanging
