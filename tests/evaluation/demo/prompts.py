"""Prompts of our own in the form of EQ-Bench, with and without the revision part."""

from collections.abc import Sequence

NAMES = ("Angry", "Hopeful", "Relieved", "Ashamed")
GERMAN_NAMES = ("Wütend", "Hoffnungsvoll", "Erleichtert", "Beschämt")


def english(story: str = "Ann missed her train.", names: Sequence[str] = NAMES, *, revision: bool = False) -> str:
    request = "Give each of these possible emotions a score from 0-10."
    first = _lines(names, "<score>")
    if not revision:
        return f"{story}\n" + "\n".join(names) + f"\n\n{request}\n\n{first}\n\n[End of answer]\n\nYour answer:\n"
    revised = _lines(names, "<revised score>")
    form = f"First pass scores:\n{first}\n\nCritique: <your critique here>\n\nRevised scores:\n{revised}"
    return f"{story}\n" + "\n".join(names) + f"\n\n{request} Then revise.\n\n{form}\n\n[End of answer]\n"


def german(story: str = "Ann hat den Zug verpasst.", *, revision: bool = False) -> str:
    request = "Geben Sie jeder dieser möglichen Emotionen eine Punktzahl von 0-10."
    first = _lines(GERMAN_NAMES, "<Punktzahl>")
    if not revision:
        return f"{story}\n{request}\n\n{first}\n\nIhre Antwort:\n"
    revised = _lines(GERMAN_NAMES, "<überarbeitete Punktzahl>")
    return f"{story}\n{request}\n\nErste Bewertung:\n{first}\n\nÜberarbeitete Punktzahlen:\n{revised}\n"


def _lines(names: Sequence[str], placeholder: str) -> str:
    return "\n".join(f"{name}: {placeholder}" for name in names)
