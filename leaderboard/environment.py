"""The environment, read strictly: a variable that cannot be what it is for stops the start, and the sentence names it.

django-environ alone takes "10s" for 10, an unknown word for false, a value that begins with "$" for the name of another
variable, and "+" in the path of a file for a blank; what it cannot read at all is a traceback without a name.
"""

import logging
from collections.abc import Callable, Mapping
from ipaddress import ip_network
from math import isfinite
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

TRUE, FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
SQLITE, POSTGRESQL = "django.db.backends.sqlite3", "django.db.backends.postgresql"
BROKERS = ("redis", "rediss", "redis+socket", "sentinel")
CODED = "Signs such as / : @ in a password are written in percent code."


class Environment(environ.Env):  # type: ignore[misc]
    """An empty variable counts as one that is not set, but for lists, where it is the empty one."""

    def get_value(self, var: Any, cast: Any = None, default: Any = None, parse_default: bool = False) -> Any:
        cast = [str] if cast is list else cast
        text = self.ENVIRON.get(var)
        if text is None or not (text or isinstance(cast, list)):
            return default
        try:
            value = self.parse_value(text, cast)
        except ValueError:
            raise ImproperlyConfigured(f"{var} is {text!r}, and should be {_WANTED[_one(cast)]}.") from None
        for ending, unit, most in _SPANS:
            if var.endswith(ending) and any(each > most for each in (value if isinstance(value, list) else [value])):
                raise ImproperlyConfigured(f"{var} is {text!r}, and should be at most {most:,} {unit} (100 years).")
        return value

    @classmethod
    def parse_value(cls, value: str, cast: Any) -> Any:
        if isinstance(cast, list):
            return [cls.parse_value(part, cast[0]) for part in value.split(",") if part.strip()]
        return _READ[cast](value)

    def read_file(self, path: Path) -> None:
        """What a `.env` sets, unless a real variable does. Where there is none, or it may not be read, nothing."""
        try:
            self.read_env(path, encoding="utf-8-sig")  # Windows begins a file with a mark of three bytes
        except UnicodeDecodeError:
            raise ImproperlyConfigured(f"{path} is no text in UTF-8. Save it in that encoding.") from None

    def networks(self, name: str, default: list[str]) -> list[str]:
        try:
            return [str(ip_network(text.strip())) for text in self.list(name, default=default)]
        except ValueError as error:
            raise ImproperlyConfigured(f"{name}: {error}.") from None

    def waits(self, name: str, default: list[float]) -> list[float]:
        """Seconds of one wait or more."""
        found: list[float] = self.list(name, cast=float, default=default)
        if not found:
            raise ImproperlyConfigured(f"{name} is empty, and should be one number of seconds or more: 300,900.")
        return found

    def level(self, name: str, default: str) -> str:
        """A level of the log, in capitals."""
        level: str = self.str(name, default=default).upper()
        if level not in logging.getLevelNamesMapping():
            raise ImproperlyConfigured(f"{name} is {level!r}, and should be DEBUG, INFO, WARNING, ERROR or CRITICAL.")
        return level


def _whole(text: str) -> int:
    if (number := int(text)) < 0:
        raise ValueError
    return number


def _number(text: str) -> float:
    number = float(text)
    if not isfinite(number) or number < 0:
        raise ValueError
    return number


def _switch(text: str) -> bool:
    if (word := text.strip().lower()) not in (*TRUE, *FALSE):
        raise ValueError
    return word in TRUE


def _one(cast: Any) -> Any:
    return cast[0] if isinstance(cast, list) else cast


_READ: Mapping[Any, Callable[[str], Any]] = {str: str, int: _whole, float: _number, bool: _switch}
# Longer than this no moment can be reckoned from now on.
_SPANS = (("_DAYS", "days", 36_525), ("_SECONDS", "seconds", 36_525 * 86_400))
_WANTED = {int: "a whole number, not below 0", float: "a number, not below 0", bool: "true or false"}


def database_at(url: str) -> dict[str, Any]:
    """Django's form of DATABASE_URL. No error quotes the address, which may hold a password."""
    try:
        parts = urlsplit(url)
        engine = environ.Env.DB_SCHEMES.get(parts.scheme)
        is_file = engine == SQLITE
        # What follows two slashes is a host, which would be passed over; without a path each process had its own.
        if engine in (SQLITE, POSTGRESQL) and not (is_file and (parts.netloc or parts.path in ("", "/"))):
            return dict(environ.Env.db_url_config(url.replace("+", "%2B") if is_file else url))
    except ValueError:
        pass
    raise ImproperlyConfigured(
        "DATABASE_URL is no address of a database that the board can use: postgres://user:password@host:5432/name, or "
        f"sqlite:////an/absolute/file with four slashes. {CODED}"
    )


def mail_at(url: str) -> dict[str, Any]:
    """Django's settings for mail from EMAIL_URL."""
    try:
        return dict(environ.Env.email_url_config(url))
    except (ValueError, ImproperlyConfigured):
        raise ImproperlyConfigured(
            f"EMAIL_URL is no address of a mail server: smtp+tls://user:password@host:587. {CODED}"
        ) from None


def check_broker(url: str) -> None:
    """Raises ImproperlyConfigured. Of several addresses with semicolons between them, each is checked."""
    for one in filter(None, url.split(";")):
        try:
            parts = urlsplit(one)
            known = parts.scheme in BROKERS and (parts.port or 0) >= 0
        except ValueError:
            known = False
        if not known or (parts.scheme in BROKERS[:2] and not (parts.path.strip("/") or "0").isdecimal()):
            raise ImproperlyConfigured(
                "REDIS_URL is no address of a Redis: redis://:password@host:6379/0, rediss:// over TLS, or "
                f"redis+socket:///an/absolute/socket. {CODED}"
            )
