"""The submitter's key: what may be one, and how it is kept out of every text that is stored."""

import base64
import json
import re
from urllib.parse import quote, quote_plus

MAX_KEY_LENGTH = 512
RUN_LENGTH = 12
REPLACEMENT = "[key removed]"

# A shorter key ("x", "none") guards nothing, and removing it would change replies.
_SHORTEST_SCRUBBED = 4
_SHORTEST_INSIDE_WORDS = 8
_SEED_LENGTH = RUN_LENGTH // 2


def checked_key(text: str) -> str:
    """The key without outer white space; empty where there is none.

    Raises:
        ValueError: with a sentence that does not quote the key, for anything but at most 512 printable ASCII signs.
    """
    key = text.strip()
    if len(key) > MAX_KEY_LENGTH:
        raise ValueError(f"The key is longer than {MAX_KEY_LENGTH} characters.")
    if not re.fullmatch(r"[\x21-\x7e]*", key):
        raise ValueError("The key may contain only printable ASCII characters, without spaces or line breaks.")
    return key


def scrub(text: str, key: str) -> str:
    """`text` with the key taken out; see `Scrubber`, which is cheaper for many texts."""
    return Scrubber(key).scrub(text)


class Scrubber:
    """Takes one key out of texts: plain, URL-encoded, JSON-escaped, base64, hexadecimal, and any run of at least 12 of
    the characters of one of these forms. Keys of 4 to 7 characters go only where they stand alone, shorter ones not.
    """

    def __init__(self, key: str) -> None:
        forms = _forms(key) if len(key) >= _SHORTEST_SCRUBBED else set()
        long_forms = {form for form in forms if len(form) >= RUN_LENGTH}
        self._grams = {gram for form in long_forms for gram in _windows(form)}
        # Every run of 12 holds one whole block of 6 from the form's own grid: no block, no run, no slow search.
        self._seeds = {
            form[start : start + _SEED_LENGTH]
            for form in long_forms
            for start in range(0, len(form) - _SEED_LENGTH + 1, _SEED_LENGTH)
        }
        self._short = _short_pattern(forms - long_forms)

    def scrub(self, text: str) -> str:
        """`text` with "[key removed]" in place of each trace of the key."""
        if self._short is not None:
            text = self._short.sub(REPLACEMENT, text)
        if not any(seed in text for seed in self._seeds):
            return text
        return _without(text, _covered(text, self._grams))


def _forms(key: str) -> set[str]:
    raw = key.encode()
    escaped = json.dumps(key)[1:-1]
    return {
        key,
        quote(key, safe=""),
        quote_plus(key),
        escaped,
        escaped.replace("/", "\\/"),
        raw.hex(),
        raw.hex().upper(),
        *(form for shift in range(3) for form in _base64_forms(raw, shift)),
    }


def _base64_forms(raw: bytes, shift: int) -> set[str]:
    """The signs that the key alone decides when `shift` other bytes come before it, in both alphabets."""
    encoded = base64.b64encode(b"\0" * shift + raw).decode().rstrip("=")
    sure = encoded[(0, 2, 3)[shift] : len(encoded) - (1 if (shift + len(raw)) % 3 else 0)]
    return {sure, sure.replace("+", "-").replace("/", "_")}


def _short_pattern(forms: set[str]) -> re.Pattern[str] | None:
    if not forms:
        return None
    ordered = sorted(forms, key=lambda form: (-len(form), form))
    return re.compile("|".join(_bounded(form) for form in ordered))


def _bounded(form: str) -> str:
    escaped = re.escape(form)
    return escaped if len(form) >= _SHORTEST_INSIDE_WORDS else rf"(?<![A-Za-z0-9]){escaped}(?![A-Za-z0-9])"


def _windows(text: str) -> list[str]:
    return [text[start : start + RUN_LENGTH] for start in range(len(text) - RUN_LENGTH + 1)]


def _covered(text: str, grams: set[str]) -> list[tuple[int, int]]:
    """Spans (start, end) of text made of overlapping or touching grams, in order."""
    spans: list[tuple[int, int]] = []
    for start in range(len(text) - RUN_LENGTH + 1):
        if text[start : start + RUN_LENGTH] not in grams:
            continue
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], start + RUN_LENGTH)
        else:
            spans.append((start, start + RUN_LENGTH))
    return spans


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    kept, position = [], 0
    for start, end in spans:
        kept += [text[position:start], REPLACEMENT]
        position = end
    return "".join([*kept, text[position:]])
