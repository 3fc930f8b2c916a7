"""The lines of the web server, in the form of all others: gunicorn takes the class by its option `--logger-class`.

The process that keeps the web processes makes them too, and it must not load the site's code: the processes that a
reload starts would find the old code in it. So the form comes from the environment, and no settings are read here.
"""

import logging
import os
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from gunicorn.glogging import Logger  # type: ignore[import-untyped]

from leaderboard.operations.logs import JsonFormatter, PlainFormatter


def as_json() -> bool:
    return os.environ.get("LOG_FORMAT") == "json"


class WebLines(Logger):  # type: ignore[misc]
    """Its own doings and, where `--access-logfile` asks for it, each request, without the tokens in addresses."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        shape(self.error_log, PlainFormatter(self.error_fmt, self.datefmt))
        shape(self.access_log, PlainFormatter(self.access_fmt))

    def access(self, resp: Any, req: Any, environ: Mapping[str, Any], request_time: timedelta) -> None:
        """Under JSON the request's facts are fields, and the visitor's address and program are left to the proxy."""
        if not as_json():
            super().access(resp, req, environ, request_time)
        elif self.access_log_enabled:
            told = request_facts(self.atoms(resp, req, environ, request_time), str(environ["RAW_URI"]))
            self.access_log.info("%(method)s %(path)s %(status)s", told, extra={"facts": told})


def shape(log: logging.Logger, plain: logging.Formatter) -> None:
    for handler in log.handlers:
        handler.setFormatter(JsonFormatter() if as_json() else plain)


def request_facts(atoms: Mapping[str, Any], path: str) -> dict[str, str | int]:
    return {
        "method": str(atoms["m"]),
        "path": path,
        "status": int(atoms["s"]),
        "milliseconds": int(atoms["M"]),
        "bytes": int(atoms["B"] or 0),
    }
