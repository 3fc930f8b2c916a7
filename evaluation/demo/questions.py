"""What a demo model sees in an EQ-Bench prompt: the names to rate, and whether a revision is asked for."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

# A line of the answer format: a name and one word in angle brackets ("<score>"); the critique and the revised lines
# have more than one word there. The request for ratings is where the forms of a prompt begin to differ.
_FORMAT_LINE = re.compile(r"^([^:\n<>]{1,60}): <\w+>$", re.MULTILINE)
_REVISED_LINE = re.compile(r"^[^:\n<>]{1,60}: <\w+ [^>\n]{1,60}>", re.MULTILINE)
_GERMAN_REQUEST = "\nGeben Sie jeder dieser möglichen"
_REQUEST = re.compile(rf"\nGive each of these possible|{_GERMAN_REQUEST}")

Ratings = Mapping[str, float]
References = Callable[["Question"], Ratings | None]


@dataclass(frozen=True, slots=True)
class Question:
    """`key` is the same for every form in which a bank's prompt is sent (with and without the revision part)."""

    key: str
    names: tuple[str, ...]
    revision: bool
    german: bool


def read_question(prompt: str) -> Question:
    """The question in a prompt; without names where the prompt is of another sort."""
    names = tuple(dict.fromkeys(_FORMAT_LINE.findall(prompt)))
    return Question(
        key=_key(prompt, names),
        names=names,
        revision=_REVISED_LINE.search(prompt) is not None,
        german=_GERMAN_REQUEST in prompt,
    )


def _key(prompt: str, names: tuple[str, ...]) -> str:
    """A hash of all up to the request for ratings; what follows is edited when no revision is asked for."""
    request = _REQUEST.search(prompt)
    story = (prompt[: request.start()] if request else prompt).strip()  # some clients strip what they send
    return sha256("\0".join((story, *names)).encode("utf-8", "replace")).hexdigest()


def no_references(_: Question) -> None:
    """Knows no answers: demo models then rate around a hash of the question."""


def references_from(answers: Iterable[tuple[str, Ratings]]) -> References:
    """References looked up by question, from pairs (stored prompt, rating by name); of equal questions the first."""
    known: dict[str, Ratings] = {}
    for prompt, ratings in answers:
        known.setdefault(read_question(prompt).key, ratings)
    return lambda question: known.get(question.key)


def references_from_file(content: bytes) -> References:
    """References of an official EQ-Bench question file, on the full scale (0 to 10 each).

    Raises:
        ValueError: for anything else.
    """
    try:
        return references_from([_answer(entry) for entry in json.loads(content.decode("utf-8-sig")).values()])
    except (ValueError, AttributeError, KeyError, TypeError):
        pass
    raise ValueError("This is not an EQ-Bench question file.")


def _answer(entry: Mapping[str, object]) -> tuple[str, Ratings]:
    reference = entry["reference_answer_fullscale"]
    if not isinstance(reference, dict):
        raise TypeError("a reference is an object")
    numbers = range(1, 5)
    return str(entry["prompt"]), {reference[f"emotion{n}"]: float(reference[f"emotion{n}_score"]) for n in numbers}
