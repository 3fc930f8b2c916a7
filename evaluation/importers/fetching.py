"""The bytes of a question file, from a path or an https address, for commands that an operator starts."""

import http.client
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Protocol

MAX_BANK_BYTES = 5 * 1024 * 1024
FETCH_TIMEOUT_SECONDS = 30.0


class FetchError(ValueError):
    """A file that cannot be had; the text says which and why."""


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class _HttpsOnly(urllib.request.HTTPRedirectHandler):
    """Follows a redirect only to another https address."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        if not newurl.startswith("https://"):
            raise FetchError(f"{req.full_url} redirects to an address that is not https")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def content_of(location: str) -> bytes:
    """The bytes at a path or an https address, at most 5 MB.

    Raises:
        FetchError: not readable, larger, not https, or no answer within 30 seconds.
    """
    if "://" in location:
        return _fetch(location)
    try:
        with Path(location).open("rb") as file:
            return read_capped(file, location)
    except OSError as error:
        raise FetchError(f"{location} cannot be read ({error.strerror})") from error


def folder_contents(location: str, names: Sequence[str]) -> dict[str, bytes]:
    """File name -> bytes, of these files in a folder; each may have 5 MB. A file that is not there is left out.

    Raises:
        FetchError: there is no such folder, or a file cannot be read or is larger.
    """
    folder = Path(location)
    if not folder.is_dir():
        raise FetchError(f"{location} is no folder")
    return {name: content_of(str(folder / name)) for name in names if (folder / name).exists()}


def _fetch(url: str) -> bytes:
    if not url.startswith("https://"):
        raise FetchError(f"{url} is not an https address")
    opener = urllib.request.build_opener(_HttpsOnly)
    try:
        with opener.open(url, timeout=FETCH_TIMEOUT_SECONDS) as response:
            return read_capped(response, url)
    except (OSError, http.client.HTTPException, ValueError) as error:  # ValueError: an address that is none
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise FetchError(f"{url} cannot be fetched ({reason})") from error


def read_capped(stream: _Readable, name: str, limit: int = MAX_BANK_BYTES) -> bytes:
    """All bytes of a stream. Raises FetchError when there are more than `limit`, without reading on."""
    content = stream.read(limit + 1)
    if len(content) > limit:
        raise FetchError(f"{name} is larger than {limit // (1024 * 1024)} MB")
    return content
