"""Personas that reply to somebody's message, and personas that judge such replies. Deterministic by seed and text.

All words are our own. A responder's replies are warm, fair or curt, how often depends on the persona; a judge goes by
the same marks that the grammar leaves, so that its verdicts are worth something on the demo and nowhere else.
"""

import json
import random
import re
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

from evaluation.demo.personas import Says

PROMPTS = Path(__file__).resolve().parent.parent / "data" / "empathy_prompts_v1.json"
_GATHERING = re.compile(r"\nSituation: (?P<situation>.*)\nMessage: (?P<message>.*)\nReply:\s*\Z", re.DOTALL)
_JUDGING = re.compile(
    r"\AA person feeling (?P<emotion>[^\n]{1,60}?) describes .*\n-----\n(?P<reply>.*)\n-----\n\nAnswer with ", re.DOTALL
)

OPENERS: Mapping[str, Sequence[str]] = {
    "positive": ("Oh, that is lovely to hear.", "How good for you!", "That makes me smile.", "What a fine moment."),
    "negative": ("I am so sorry.", "Oh no, that must be hard.", "That sounds really heavy.", "I feel for you."),
    "": ("Thank you for telling me.", "I hear you.", "I am glad that you said it."),
}
FEELINGS: Mapping[str, Sequence[str]] = {
    "positive": ("You have every reason to feel {}.", "I can tell how {} you are, and I share it."),
    "negative": ("Anybody would feel {} in your place.", "It makes sense that you feel {}."),
    "": ("It makes sense that this is on your mind.", "I can see why this matters to you."),
}
CARING = (
    "Would you like to tell me more?",
    "How are you holding up today?",
    "What would help you most right now?",
    "I am here if you want to talk about it.",
)
FAIR = ("I can understand that.", "That is quite something.", "I see what you mean.")
CURT = ("Okay.", "These things happen.", "Noted.", "Well, that is how it goes.")
REFUSAL = "I would rather not talk about feelings."

SHARES: Mapping[str, tuple[float, float]] = {
    "perfect": (0.9, 0.1),
    "careful": (0.75, 0.2),
    "thinking": (0.7, 0.25),
    "thinking-apart": (0.7, 0.25),
    "noisy": (0.5, 0.3),
    "hasty": (0.15, 0.4),
    "random": (0.34, 0.33),
    "constant-3": (0.0, 1.0),
}
"""Persona -> share of warm replies and of fair ones; the rest is curt. Others reply like "noisy"."""

STRICTNESS: Mapping[str, int] = {"judge": 0, "judge-strict": 1, "judge-lenient": -1}
"""Judges by how many more marks of warmth they want."""

LABELS = ("Bad", "Okay", "Good")
OTHER_LABELS = ("Poor", "Fair", "Excellent")


def said_of_feelings(persona: str, prompt: str, seed: int) -> Says | None:
    """The persona's reply or verdict; None for a prompt that asks for neither."""
    if asked := _JUDGING.search(prompt):
        return _verdict(persona, asked["reply"])
    if asked := _GATHERING.search(prompt):
        return _reply(persona, asked["message"].strip(), seed)
    return None


def _reply(persona: str, message: str, seed: int) -> Says:
    chance = random.Random(_number(f"{seed}|{persona}|{message}"))
    if persona == "refusing":
        return Says(REFUSAL)
    if persona == "all-zero":
        return Says("")
    emotion, valence = known_messages().get(message, ("", ""))
    text = _worded(SHARES.get(persona, SHARES["noisy"]), emotion, valence, chance)
    if persona == "thinking":
        return Says(f"<think>\nThis person seems {emotion or 'moved'}.\n</think>\n\n{text}")
    if persona == "thinking-apart":
        return Says(text, reasoning=f"This person seems {emotion or 'moved'}.")
    if persona == "slow-thinker":
        return Says("<think>\nLet me weigh what this person may need. On the one hand", "", "length")
    return Says(text)


def _worded(shares: tuple[float, float], emotion: str, valence: str, chance: random.Random) -> str:
    warm, fair = shares
    drawn = chance.random()
    if drawn >= warm + fair:
        return chance.choice(CURT)
    opener = chance.choice(OPENERS[valence])
    if drawn >= warm:
        return f"{opener} {chance.choice(FAIR)}"
    return f"{opener} {chance.choice(FEELINGS[valence]).format(emotion)} {chance.choice(CARING)}"


def _verdict(persona: str, reply: str) -> Says:
    """As JSON; some personas answer as real judges do that cannot be read, or can be all the same."""
    place = _place(reply, STRICTNESS.get(persona, 0))
    label, verdict = LABELS[place], json.dumps({"rating": LABELS[place]})
    forms = {
        "judge-in-fences": f"```json\n{verdict}\n```",
        "judge-with-reasons": f"The reply notices the feeling, more or less. {verdict}",
        "judge-in-prose": f"I would call this reply {label.lower()}.",
        "judge-in-other-words": json.dumps({"rating": OTHER_LABELS[place]}),
        "judge-in-numbers": json.dumps({"rating": place + 1}),
        "judge-refusing": "I am sorry, but I cannot rate what people feel.",
    }
    if persona == "judge-in-turn":  # one form after another, by the reply
        in_turn = (*forms.values(), verdict)
        return Says(in_turn[_number(reply) % len(in_turn)])
    return Says(forms.get(persona, verdict))


def _place(reply: str, strictness: int) -> int:
    """0 for Bad to 2 for Good, by the marks that the grammar leaves."""
    marks = [any(phrase in reply for phrase in phrases) for phrases in _MARKS]
    return min(2, max(0, sum(marks) - strictness))


_STEMS = tuple(pattern.format("\0").split("\0")[0].rstrip() for each in FEELINGS.values() for pattern in each)
_MARKS = ((*(opener for each in OPENERS.values() for opener in each),), (*_STEMS, *CARING))


@cache
def known_messages() -> Mapping[str, tuple[str, str]]:
    """Message -> its emotion word and valence, of the shipped prompts. The prompt that is sent does not name them."""
    prompts = json.loads(PROMPTS.read_text(encoding="utf-8"))["prompts"]
    return {entry["utterance"]: (entry["emotion"], entry["valence"]) for entry in prompts}


def _number(text: str) -> int:
    return int.from_bytes(sha256(text.encode("utf-8", "replace")).digest()[:8])
