"""One spelling for every way of writing an address, and a sentence for what is none."""

import pytest

from evaluation.endpoints.address import normalise_base_url, other_base_url


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("https://api.example.com", "https://api.example.com/v1"),
        ("https://api.example.com/", "https://api.example.com/v1"),
        ("https://API.Example.com/v1", "https://api.example.com/v1"),
        ("  https://api.example.com/v1/\n", "https://api.example.com/v1"),
        ("https://api.example.com/v1/chat/completions", "https://api.example.com/v1"),
        ("https://api.example.com/v1/chat/completions/", "https://api.example.com/v1"),
        ("https://api.example.com/v1/v1", "https://api.example.com/v1"),
        ("https://api.example.com:443/v1", "https://api.example.com/v1"),
        ("https://api.example.com:8443/v1", "https://api.example.com:8443/v1"),
        ("https://router.example/api", "https://router.example/api"),
        ("https://host.example/openai/deployments/x", "https://host.example/openai/deployments/x"),
        ("https://bücher.example/v1", "https://xn--bcher-kva.example/v1"),
        ("http://ⓛocalhost", "http://localhost/v1"),
        ("http://[::1]:8000", "http://[::1]:8000/v1"),
    ],
)
def test_an_address_is_stored_in_one_spelling(written: str, stored: str) -> None:
    assert normalise_base_url(written) == stored
    assert normalise_base_url(stored) == stored


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("", "Enter the address of the endpoint."),
        ("api.example.com/v1", "The address must begin with http:// or https://."),
        ("ftp://api.example.com", "The address must begin with http:// or https://."),
        ("file:///etc/passwd", "The address must begin with http:// or https://."),
        ("https://user:pass@api.example.com/v1", "user name or password"),
        ("https://@api.example.com", "user name or password"),
        ("http://good.example@127.0.0.1/", "user name or password"),
        ("https://api.example.com/v1?key=1", "query or a fragment"),
        ("https://api.example.com/v1?", "query or a fragment"),
        ("http://127.0.0.1#@good.example/", "query or a fragment"),
        ("http://good.example\\@127.0.0.1/", "backslashes"),
        ("https://api.example.com/v 1", "spaces"),
        ("https://api.example.com/\r\nX: 1", "control characters"),
        ("https://api.exa%6Dple.com", "cannot be read"),
        ("http://[fe80::1%25eth0]/", "cannot be read"),
        ("http://[::1/", "cannot be read"),
        ("http://host:99999", "cannot be read"),
        ("http://host:port", "cannot be read"),
        ("http:///v1", "cannot be read"),
        ("http://a..example", "cannot be read"),
        (f"http://{'a' * 64}.example", "cannot be read"),
        ("https://" + "a" * 300 + ".example", "cannot be read"),
        ("https://api.example.com/" + "a" * 2048, "longer than 2,048 characters"),
    ],
)
def test_what_is_no_address_is_refused_with_a_sentence(written: str, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        normalise_base_url(written)
    assert sentence in str(caught.value)
    assert caught.value.__cause__ is None


def test_the_other_guess_takes_v1_off_or_puts_it_on() -> None:
    assert other_base_url("https://h/v1") == "https://h"
    assert other_base_url("https://h/api") == "https://h/api/v1"
