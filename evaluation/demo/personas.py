"""Models that do not exist: each answers EQ-Bench prompts in a way that real models were seen to answer.

Deterministic by seed and question. A persona that needs the reference and has none rates around a hash of the question.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from evaluation.demo.questions import Question, Ratings, References

NEEDS_REFERENCES = (
    "perfect",
    "careful",
    "noisy",
    "hasty",
    "markdown",
    "thinking",
    "thinking-apart",
    "prose",
    "revised",
)

JUDGES = (
    "judge",
    "judge-strict",
    "judge-lenient",
    "judge-in-fences",
    "judge-with-reasons",
    "judge-in-prose",
    "judge-in-other-words",
    "judge-in-numbers",
    "judge-refusing",
    "judge-in-turn",
)
"""Personas that judge replies (`demo.empathy`) and answer nothing else."""

_SPREAD = {"perfect": 0.0, "careful": 0.7, "hasty": 3.0}
_USUAL_SPREAD = 1.5
_HEADINGS = {
    False: ("First pass scores:", "Critique: I would keep these.", "Revised scores:", "[End of answer]"),
    True: ("Erste Bewertung:", "Kritik: Ich bleibe dabei.", "Überarbeitete Bewertung:", "[Ende der Antwort]"),
}
_NOT_A_QUESTION = "I can rate how strongly somebody feels. Ask me in the form of EQ-Bench."


@dataclass(frozen=True, slots=True)
class Says:
    """What a persona answers. `reasoning` is filed apart; `finish_reason` as the server will give it."""

    text: str
    reasoning: str = ""
    finish_reason: str = "stop"


@dataclass(frozen=True, slots=True)
class Mind:
    """What a persona has to go by: the question, good ratings of it, and chance of its own."""

    question: Question
    ratings: Ratings
    chance: random.Random

    def others(self) -> Ratings:
        """Ratings that are not the answer, for drafts."""
        return {name: (rating + 5) % 11 for name, rating in self.ratings.items()}


Persona = Callable[[Mind], Says]


def answer(persona: str, question: Question, references: References, seed: int) -> Says:
    """What the persona says. Raises KeyError for a name that is not in `PERSONAS`."""
    speak = PERSONAS[persona]
    if not question.names:
        return Says(_NOT_A_QUESTION)
    chance = random.Random(_number(f"{seed}|{question.key}"))
    known = references(question) or {name: float(chance.randint(0, 10)) for name in question.names}
    ratings = _noisy(known, _SPREAD.get(persona, _USUAL_SPREAD), chance)
    return speak(Mind(question, ratings, chance))


def block(ratings: Ratings, line: str = "{}: {:g}") -> str:
    return "\n".join(line.format(name, rating) for name, rating in ratings.items())


def _number(text: str) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:8])


def _noisy(known: Ratings, spread: float, chance: random.Random) -> Ratings:
    """Whole numbers 0 to 10 around the known ones, not all zero; the known ones themselves for a spread of 0."""
    if not spread:
        return known
    noisy = {name: float(min(10, max(0, round(chance.gauss(rating, spread))))) for name, rating in known.items()}
    return noisy if any(noisy.values()) else dict.fromkeys(noisy, 1.0)


def _both_passes(question: Question, first: str, revised: str) -> str:
    first_heading, critique, revised_heading, end = _HEADINGS[question.german]
    return f"{first_heading}\n{first}\n\n{critique}\n\n{revised_heading}\n{revised}\n\n{end}"


def _in_form(question: Question, scores: str) -> str:
    return _both_passes(question, scores, scores) if question.revision else scores


def _plain(mind: Mind) -> Says:
    return Says(_in_form(mind.question, block(mind.ratings)))


def _random(mind: Mind) -> Says:
    ratings = {name: mind.chance.randint(0, 10) for name in mind.question.names}
    return Says(_in_form(mind.question, block(ratings if any(ratings.values()) else dict.fromkeys(ratings, 1))))


def _constant(rating: int) -> Persona:
    return lambda mind: Says(_in_form(mind.question, block(dict.fromkeys(mind.question.names, rating))))


def _markdown(mind: Mind) -> Says:
    return Says(_in_form(mind.question, block(mind.ratings, "**{}**: {:g}")))


def _thinking(mind: Mind) -> Says:
    return Says(f"<think>\nA first guess.\n{block(mind.others())}\n</think>\n\n{_plain(mind).text}")


def _thinking_apart(mind: Mind) -> Says:
    return Says(_plain(mind).text, reasoning=f"A first guess.\n{block(mind.others())}")


def _refusing(_: Mind) -> Says:
    return Says("I'd rather not put a number on what somebody feels.")


def _prose(mind: Mind) -> Says:
    return Says(f"This is a tense moment, and here is how I read it.\n\n{_plain(mind).text}")


def _lower_case(mind: Mind) -> Says:
    return Says(_in_form(mind.question, block({name.lower(): rating for name, rating in mind.ratings.items()})))


def _decimal(mind: Mind) -> Says:
    return Says(_in_form(mind.question, block({name: min(rating + 0.5, 9.5) for name, rating in mind.ratings.items()})))


def _revised(mind: Mind) -> Says:
    return Says(_both_passes(mind.question, block(mind.others()), block(mind.ratings)))


def _slow_thinker(mind: Mind) -> Says:
    return Says(f"<think>\nLet me weigh each of them.\n{block(mind.others())}\nOn the other hand", "", "length")


PERSONAS: Mapping[str, Persona] = {
    "perfect": _plain,
    "careful": _plain,
    "noisy": _plain,
    "hasty": _plain,
    "random": _random,
    "constant-3": _constant(3),
    "all-zero": _constant(0),
    "markdown": _markdown,
    "thinking": _thinking,
    "thinking-apart": _thinking_apart,
    "refusing": _refusing,
    "prose": _prose,
    "lower-case": _lower_case,
    "decimal": _decimal,
    "revised": _revised,
    "slow-thinker": _slow_thinker,
    **dict.fromkeys(JUDGES, _refusing),
}
