"""The key of an endpoint from the form to the call: sealed at once, opened just before use, its audit written.

Erasing stands in `erasing.py`. The plain key is only ever a local value: no model, no message, no log holds it.
"""

from datetime import date
from typing import NamedTuple

from django.db import transaction

from evaluation.keys.sealing import KeyUnreadable, resealed, seal, unseal
from evaluation.models import Driver, Endpoint, KeyEvent, Run

ERASED = "The key of this endpoint was erased, so nothing was asked. Submit the key again to go on."


class KeyErased(Exception):
    """The endpoint had a key once, and it is needed again."""

    def __init__(self) -> None:
        super().__init__(ERASED)


class Rotation(NamedTuple):
    """How many keys were re-encrypted, were under the newest key already, or cannot be read by any."""

    changed: int
    current: int
    unreadable: int


@transaction.atomic
def store_key(endpoint: Endpoint, key: str, *, kept_until: date | None = None) -> None:
    """Seals the key into the endpoint's row, in place of any that is there.

    Raises:
        ValueError: with a sentence, for what can be no key.
    """
    sealed = seal(key)
    Endpoint.objects.filter(pk=endpoint.pk).update(sealed_key=sealed, key_kept_until=kept_until, key_erased_at=None)
    KeyEvent.objects.create(endpoint=endpoint, kind=KeyEvent.Kind.SEALED)


def needs_key(endpoint: Endpoint) -> bool:
    """Whether the endpoint had a key that is erased: its next run will fail unless it is given again."""
    return not endpoint.sealed_key and endpoint.key_erased_at is not None


def key_for_call(run: Run, endpoint: Endpoint) -> str:
    """The plain key for a slice of a worker's run, noted as used; empty where the endpoint needs none.

    Runs of the `evaluate` command bring their own key, which is never stored.

    Raises:
        KeyErased, KeyUnreadable
    """
    if run.driver != Driver.WORKER:
        return ""
    if needs_key(endpoint):
        raise KeyErased
    if not endpoint.sealed_key:
        return ""
    key = unseal(endpoint.sealed_key)
    KeyEvent.objects.create(endpoint=endpoint, run=run, kind=KeyEvent.Kind.USED)
    return key


def rotate_keys() -> Rotation:
    """Seals every stored key under the first of ENDPOINT_KEYS. Doing it twice is doing it once.

    A key that is replaced or erased meanwhile is left as it then is.
    """
    changed = current = unreadable = 0
    for pk, sealed in Endpoint.objects.exclude(sealed_key="").values_list("pk", "sealed_key"):
        try:
            new = resealed(sealed)
        except KeyUnreadable:
            unreadable += 1
            continue
        if new == sealed:
            current += 1
        else:
            changed += Endpoint.objects.filter(pk=pk, sealed_key=sealed).update(sealed_key=new)
    return Rotation(changed, current, unreadable)
