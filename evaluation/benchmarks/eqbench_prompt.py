"""The EQ-Bench prompt as it is sent. Pure.

Source: EQ-bench/EQ-Bench lib/run_bench_helper_functions.py at d28c60c (`remove_revision_instructions`).
"""

from dataclasses import dataclass
from typing import Literal

Language = Literal["en", "de"]
REVISION = "revision"
"""The switch that asks for a critique and revised scores as well."""


@dataclass(frozen=True, slots=True)
class _Wording:
    """The parts of a stored prompt that ask for a critique and revised scores, and what stands in their place."""

    request: str
    request_without: str
    first_heading: str
    critique: str
    end: str
    invitation: str


_WORDINGS: dict[Language, _Wording] = {
    "en": _Wording(
        request=" Then critique your answer by thinking it through step by step. Finally, give your revised scores.",
        request_without="",
        first_heading="First pass scores:\n",
        critique="Critique: <your critique here>",
        end="[End of answer]",
        invitation="\nYour answer:\n",
    ),
    "de": _Wording(
        request="Geben Sie jeder dieser möglichen Emotionen",
        request_without=(
            "Geben Sie jeder dieser möglichen Emotionen eine Punktzahl von 0-10 für die relative Intensität, "
            "die sie wahrscheinlich fühlen werden."
        ),
        first_heading="Erste Bewertung:\n",
        critique="Kritik: <Ihre Kritik hier>",
        end="[Ende der Antwort]",
        invitation="\nIhre Antwort:\n",
    ),
}


def without_revision(prompt: str, language: Language) -> str:
    """The stored prompt without critique and revised scores, as the pipeline has sent it since v2.1."""
    wording = _WORDINGS[language]
    asked = _drop_request(prompt, wording, language).replace(wording.first_heading, "")
    return _drop_critique(asked, wording) + wording.invitation


def _drop_request(prompt: str, wording: _Wording, language: Language) -> str:
    """The English sentences are the same in every item; the German ones vary, so there the whole line is put anew."""
    if language == "en":
        return prompt.replace(wording.request, wording.request_without)
    lines = prompt.split("\n")
    return "\n".join(wording.request_without if line.startswith(wording.request) else line for line in lines)


def _drop_critique(prompt: str, wording: _Wording) -> str:
    start = prompt.find(wording.critique)
    end = prompt.find(wording.end, start)
    if start < 0 or end < 0:
        return prompt
    return prompt[:start] + "\n" + prompt[end:]


def other_language_in(prompt: str, language: Language) -> bool:
    """Whether the prompt asks in the other language's words, so that the file belongs to another bank."""
    return (
        any(wording.first_heading in prompt for other, wording in _WORDINGS.items() if other != language)
        and _WORDINGS[language].first_heading not in prompt
    )
