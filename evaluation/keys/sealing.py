"""Sealing a submitter's key for the database, under the keys of ENDPOINT_KEYS: the first writes, all read.

A sealed text is `v1:<key id>:<token>`. The id is a short hash of the sealing key, so that a text says which of the keys
it needs. Nothing is ever handed back unopened: a text that cannot be read is an error.
"""

from hashlib import sha256
from importlib import import_module
from typing import TYPE_CHECKING, Any

from django.conf import settings

from evaluation.endpoints.keys import checked_key

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

VERSION = "v1"
UNREADABLE = (
    "The stored key can't be read any more, so nothing was asked. This is our fault, not yours: submit the key again."
)


class KeyUnreadable(Exception):
    """The sealed text was changed, or none of ENDPOINT_KEYS made it. The message never quotes it."""

    def __init__(self) -> None:
        super().__init__(UNREADABLE)


def seal(key: str) -> str:
    """The key as the database keeps it. Raises ValueError, with a sentence, for what can be no key or is empty."""
    checked = checked_key(key)
    if not checked:
        raise ValueError("There is no key to seal.")
    return _sealed(_all().encrypt(checked.encode()))


def unseal(text: str) -> str:
    """The key in plain. Raises KeyUnreadable."""
    try:
        return _all().decrypt(_token(text)).decode()
    except _fernet().InvalidToken:
        pass
    raise KeyUnreadable


def resealed(text: str) -> str:
    """The same key under the first of ENDPOINT_KEYS; what is under it already comes back unchanged.

    Raises KeyUnreadable, also for an unchanged text that could not be opened.
    """
    if text.startswith(f"{VERSION}:{_writing_id()}:"):
        unseal(text)
        return text
    try:
        return _sealed(_all().rotate(_token(text)))
    except _fernet().InvalidToken:
        pass
    raise KeyUnreadable


def key_id(sealing_key: str) -> str:
    """Eight hexadecimal digits that name a sealing key and tell nothing of it."""
    return sha256(sealing_key.encode()).hexdigest()[:8]


def _fernet() -> Any:
    """Loaded when a key is sealed or opened: 7 MB that a run without a stored key does not need."""
    return import_module("cryptography.fernet")


def _all() -> "MultiFernet":
    fernet = _fernet()
    together: MultiFernet = fernet.MultiFernet([fernet.Fernet(key) for key in settings.ENDPOINT_KEYS])
    return together


def _writing_id() -> str:
    return key_id(settings.ENDPOINT_KEYS[0])


def _sealed(token: bytes) -> str:
    return f"{VERSION}:{_writing_id()}:{token.decode()}"


def _token(text: str) -> str:
    version, _, rest = text.partition(":")
    sealed_by, _, token = rest.partition(":")
    if version != VERSION or sealed_by not in map(key_id, settings.ENDPOINT_KEYS):
        raise KeyUnreadable
    return token
