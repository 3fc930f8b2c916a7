"""Replies of our own in many shapes, and what the reader that reads every reply makes of them. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from evaluation.benchmarks.base import Answer, Options, Reply
from evaluation.benchmarks.eqbench import EQ_BENCH_V2
from evaluation.benchmarks.eqbench_numbers import HIGHEST_READ, MOST_DIGITS
from evaluation.benchmarks.eqbench_reading import LONGEST
from leaderboard.wording.worked_examples import ITEM

PLAIN = "Angry: 3\nHopeful: 6\nRelieved: 0\nAshamed: 8"
DRAFT = "Angry: 9\nHopeful: 1\nRelieved: 9\nAshamed: 2"
LONG_TAIL = LONGEST + 4_000


@dataclass(frozen=True, slots=True)
class Example:
    """A reply in a shape; `shown` stands for it on the page where the text itself is too long."""

    shape: str
    reply: Reply
    shown: str = ""


@dataclass(frozen=True, slots=True)
class ReadExample:
    """What became of an example. `strict` and `standard` are item points; None where nothing was read."""

    shape: str
    text: str
    note: str
    answer: tuple[float, ...] | None
    reading: str
    strict: float | None
    standard: float | None
    reason: str
    flags: tuple[str, ...]

    @property
    def answer_text(self) -> str:
        return ", ".join(f"{value:g}" for value in self.answer or ())


def text(shape: str, reply: str, shown: str = "") -> Example:
    return Example(shape, Reply(reply), shown)


EXAMPLES: tuple[Example, ...] = (
    text("As asked", PLAIN),
    text("Out of ten", "Angry: 3/10\nHopeful: 6/10\nRelieved: 0/10\nAshamed: 8/10"),
    text("In another order", "Ashamed: 8\nAngry: 3\nRelieved: 0\nHopeful: 6"),
    text("Glued together", "Angry: 3Hopeful: 6Relieved: 0Ashamed: 8"),
    text("A draft before", f"{DRAFT}\nOn second thoughts:\n{PLAIN}"),
    text("A draft after", f"{PLAIN}\nMy first idea was\n{DRAFT}"),
    text("Names in bold", "**Angry**: 3\n**Hopeful**: 6\n**Relieved**: 0\n**Ashamed**: 8"),
    text("Lower case", PLAIN.lower()),
    text("Dashes", "Angry - 3\nHopeful - 6\nRelieved - 0\nAshamed - 8"),
    text("A fifth line", f"{PLAIN}\nConfidence: 9"),
    text("A table", "| Angry | 3 |\n| Hopeful | 6 |\n| Relieved | 0 |\n| Ashamed | 8 |"),
    text("JSON", '{"Angry": 3, "Hopeful": 6, "Relieved": 0, "Ashamed": 8}'),
    text("An unseen sign in a name", PLAIN.replace("Angry", "An\u200bgry")),
    text("Decimals", "Angry: 3.9\nHopeful: 6.2\nRelieved: 0.4\nAshamed: 8.0"),
    text("Decimals after a dash", "Angry - 3.9\nHopeful - 6.2\nRelieved - 0.4\nAshamed - 8.0"),
    text("Ranges", "Angry: 2-4\nHopeful: 5-7\nRelieved: 0\nAshamed: 7-9"),
    text("Ranges after an equals sign", "Angry = 2-4\nHopeful = 5-7\nRelieved = 0\nAshamed = 7-9"),
    text("Per cent", "Angry: 30%\nHopeful: 60%\nRelieved: 0%\nAshamed: 80%"),
    text("Above the scale", "Angry: 3\nHopeful: 6\nRelieved: 0\nAshamed: 12"),
    text("Far above it", "Angry: 3\nHopeful: 6\nRelieved: 0\nAshamed: 9999"),
    text("A scale of 0 to 1", "Angry: 0.3\nHopeful: 0.6\nRelieved: 0.0\nAshamed: 1.0"),
    text("The same after a dash", "Angry - 0.3\nHopeful - 0.6\nRelieved - 0.0\nAshamed - 1.0"),
    text("Thinking first", f"<think>{DRAFT}</think>\n{PLAIN}"),
    text("Thinking alone", f"<think>{PLAIN}</think>"),
    text("Thinking without an end", f"<think>{PLAIN}"),
    text("A name left out", "Angry: 3\nHopeful: 6\nAshamed: 8"),
    text("A synonym", PLAIN.replace("Ashamed", "Shame")),
    text("Placeholders", "Angry: <score>\nHopeful: <score>\nRelieved: <score>\nAshamed: <score>"),
    text("Four zeros", "Angry: 0\nHopeful: 0\nRelieved: 0\nAshamed: 0"),
    text("A refusal", "I would rather not rate anybody's feelings."),
    text("An error sent as text", "[ERROR] 429: Angry: 3"),
    Example("Ended by the token limit", Reply("Let me look at Angry first. Angry: 3", finish_reason="length")),
    Example("A tool call", Reply("", tool_call=True)),
    text("A very long reply", f"{PLAIN}\n{'la ' * (LONG_TAIL // 3)}", f"{PLAIN}\n… and {LONG_TAIL:,} characters more"),
)

REASONS: Mapping[str, str] = {
    "no scores found": "None of the four names stands before a number.",
    "placeholder": "The names stand before a blank to fill in.",
    "NAME missing": "Some of the four names have no number, or one that is refused; other names that were seen stand "
    "behind it. No name is guessed.",
    "all zero": "The prompt wants a feeling above zero, and the official pipeline throws such answers away.",
    "out of range": f"A rating is above {HIGHEST_READ} or has more than {MOST_DIGITS} digits: one such reply could "
    "sink a run.",
    "looks like another scale": "No rating is above 1 and one has decimals. It is not multiplied by ten in silence.",
    "cut off": "The token limit ended the reply before its numbers.",
    "cut off in thinking": "The thinking never ended, so no answer came.",
    "no answer after thinking": "The reply ends with its thinking.",
    "tool call": "The model called a tool in place of an answer.",
    "endpoint fault": "The text is an error of the server, not a reply.",
}
FLAGS: Mapping[str, str] = {
    "thinking": "Thinking aloud was taken off before reading; it is stored apart.",
    "reply cut": f"The reply is longer than the {LONGEST:,} characters that are read.",
    "decimal cut": "The official reader stops at the decimal point: 3.9 counts as 3. The score keeps it so, since that "
    "reader gave an answer.",
    "range": "The official reader takes the first number of a range: 2-4 counts as 2.",
    "per cent": "The official reader takes the number and leaves the sign: 30 % counts as 30.",
    "other scale": "The ratings look like shares of 1 whose decimals the official reader cut.",
    "above 10": "A rating is above the scale. It is scored as it stands, and clipped nowhere.",
}


@cache
def read_examples() -> tuple[ReadExample, ...]:
    """Every example as the present code reads and scores it."""
    return tuple(read_example(example) for example in EXAMPLES)


def read_example(example: Example) -> ReadExample:
    answer = EQ_BENCH_V2.read(ITEM, example.reply, Options()).answers[0]
    score = EQ_BENCH_V2.score(ITEM, answer)
    return ReadExample(
        shape=example.shape,
        text=example.shown or example.reply.text,
        note=note_of(example.reply),
        answer=answer.values,
        reading=answer.reading,
        strict=EQ_BENCH_V2.score(ITEM, strict(answer)),
        standard=score,
        reason=answer.reason,
        flags=answer.flags,
    )


def strict(answer: Answer) -> Answer:
    """What the official reading alone leaves of an answer."""
    return answer if answer.reading == "official" else replace(answer, values=None)


def note_of(reply: Reply) -> str:
    """What the endpoint said beside the text."""
    if reply.tool_call:
        return "no text; the endpoint sent a tool call"
    return f"finish reason {reply.finish_reason}" if reply.finish_reason else ""


def general(reason: str) -> str:
    """The reason with its names left open, as REASONS lists it."""
    return "NAME missing" if " missing" in reason else reason.partition(" (saw")[0]
