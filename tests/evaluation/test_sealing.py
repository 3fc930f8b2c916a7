"""Sealing a key for the database: what is stored, who can open it, and what happens when nobody can."""

import base64
import os
import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation.keys.endpoint_keys import Rotation, rotate_keys, store_key
from evaluation.keys.sealing import KeyUnreadable, key_id, resealed, seal, unseal
from evaluation.models import Endpoint
from tests.factories import make_endpoint

KEY = "sk-own-Example/Key+0123456789="


def new_key() -> str:
    return base64.urlsafe_b64encode(os.urandom(32)).decode()


@pytest.fixture
def keys(settings: Any) -> list[str]:
    """Two sealing keys, the older of which is the only one in use."""
    newer, older = new_key(), new_key()
    settings.ENDPOINT_KEYS = [older]
    return [newer, older]


def test_a_sealed_key_says_which_key_sealed_it_and_opens_again(keys: list[str]) -> None:
    text = seal(f"  {KEY}\n")
    version, sealed_by, token = text.split(":")
    assert (version, sealed_by) == ("v1", key_id(keys[1]))
    assert re.fullmatch("[0-9a-f]{8}", sealed_by)
    assert token.isascii()
    assert unseal(text) == KEY
    assert KEY not in text
    assert base64.urlsafe_b64decode(token).find(KEY.encode()) == -1


def test_the_same_key_is_never_sealed_into_the_same_text(keys: list[str]) -> None:
    assert seal(KEY) != seal(KEY)


@pytest.mark.parametrize("text", ["", "  ", "a\nb", "ключ", "x" * 513])
def test_what_can_be_no_key_is_not_sealed_and_not_quoted(text: str) -> None:
    with pytest.raises(ValueError) as caught:
        seal(text)
    assert "ключ" not in str(caught.value)
    assert "xxx" not in str(caught.value)


def test_the_first_key_writes_and_all_read(settings: Any, keys: list[str]) -> None:
    old_text = seal(KEY)
    settings.ENDPOINT_KEYS = keys
    new_text = seal(KEY)
    assert new_text.startswith(f"v1:{key_id(keys[0])}:")
    assert unseal(old_text) == unseal(new_text) == KEY


def test_a_wrong_key_fails_closed_with_a_sentence_and_hands_nothing_back(settings: Any, keys: list[str]) -> None:
    text = seal(KEY)
    settings.ENDPOINT_KEYS = [keys[0]]
    with pytest.raises(KeyUnreadable, match="submit the key again") as caught:
        unseal(text)
    assert text not in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[:-4] + "AAA=",
        lambda text: text.replace("v1:", "v2:"),
        lambda text: text.rpartition(":")[2],
        lambda text: text.rpartition(":")[0],
        lambda _: KEY,
        lambda _: "",
    ],
)
def test_a_text_that_was_changed_is_not_opened(keys: list[str], spoil: Any) -> None:
    with pytest.raises(KeyUnreadable):
        unseal(spoil(seal(KEY)))


def test_a_text_under_the_newest_key_is_sealed_anew_into_itself(settings: Any, keys: list[str]) -> None:
    old = seal(KEY)
    settings.ENDPOINT_KEYS = keys
    new = resealed(old)
    assert new.startswith(f"v1:{key_id(keys[0])}:")
    assert resealed(new) == new
    assert unseal(new) == KEY


def sealed_texts() -> list[str]:
    return list(Endpoint.objects.order_by("pk").values_list("sealed_key", flat=True))


@pytest.mark.django_db
@pytest.mark.database
def test_rotating_twice_is_rotating_once_and_then_the_old_key_may_go(settings: Any, keys: list[str]) -> None:
    for number in range(3):
        store_key(make_endpoint(), f"{KEY}{number}")
    make_endpoint()
    settings.ENDPOINT_KEYS = keys
    assert rotate_keys() == Rotation(changed=3, current=0, unreadable=0)
    once = sealed_texts()
    assert rotate_keys() == Rotation(changed=0, current=3, unreadable=0)
    assert sealed_texts() == once
    settings.ENDPOINT_KEYS = [keys[0]]
    assert [unseal(text) for text in once[:3]] == [f"{KEY}{number}" for number in range(3)]
    assert once[3] == ""


@pytest.mark.django_db
@pytest.mark.database
def test_rotating_adds_nothing_to_the_audit_and_does_not_lengthen_the_time_that_a_key_is_kept(
    settings: Any, keys: list[str]
) -> None:
    endpoint = make_endpoint()
    store_key(endpoint, KEY)
    settings.ENDPOINT_KEYS = keys
    rotate_keys()
    assert endpoint.key_events.count() == 1


@pytest.mark.django_db
@pytest.mark.database
def test_the_command_says_what_it_did_and_fails_for_what_it_could_not_read(settings: Any, keys: list[str]) -> None:
    stranger = make_endpoint(sealed_key=f"v1:00000000:{seal(KEY).rpartition(':')[2]}")
    store_key(make_endpoint(), KEY)
    settings.ENDPOINT_KEYS = keys
    out = StringIO()
    with pytest.raises(CommandError, match="1 cannot be decrypted") as caught:
        call_command("rotate_keys", stdout=out)
    assert out.getvalue() == "1 re-encrypted, 0 under the newest key already.\n"
    assert KEY not in str(caught.value)
    stranger.refresh_from_db()
    assert stranger.sealed_key.startswith("v1:00000000:"), "what cannot be read stays as it is"
