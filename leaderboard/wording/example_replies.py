"""Replies of our own in many shapes, and what the reader that reads every reply makes of them. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from evaluation.benchmarks.base import Answer, Ask, Options, Reply
from evaluation.benchmarks.eqbench import EQ_BENCH_V2, ratings
from evaluation.benchmarks.eqbench_numbers import HIGHEST_READ, MOST_DIGITS
from evaluation.benchmarks.eqbench_reading import LONGEST
from leaderboard.wording.worked_examples import ITEM

PLAIN = "Angry: 3\nHopeful: 6\nRelieved: 0\nAshamed: 8"
DRAFT = "Angry: 9\nHopeful: 1\nRelieved: 9\nAshamed: 2"
ASKED = (
    "At the end of this dialogue, Angry, Hopeful, Relieved and Ashamed will be rated.\n"
    "Give each of these possible emotions a score from 0-10 for its intensity."
)
RATED = (("Angry", 3), ("Hopeful", 6), ("Relieved", 0), ("Ashamed", 8))
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
    text("The same in bold", "**Angry**: 0.3\n**Hopeful**: 0.6\n**Relieved**: 0.0\n**Ashamed**: 1.0"),
    text("Parts of five", "Angry: 2/5\nHopeful: 3/5\nRelieved: 0/5\nAshamed: 4/5"),
    text("A scale of 0 to 100", "Angry: 30\nHopeful: 60\nRelieved: 0\nAshamed: 80"),
    text("Thinking first", f"<think>{DRAFT}</think>\n{PLAIN}"),
    text("Thinking in another vendor's marks", f"[THINK]{DRAFT}[/THINK]\n{PLAIN}"),
    text("Thinking in a channel", f"<|channel|>analysis<|message|>{DRAFT}<|end|>\n{PLAIN}"),
    text("Thinking alone", f"<think>{PLAIN}</think>"),
    text("Thinking without an end", f"<think>{PLAIN}"),
    text("A name left out", "Angry: 3\nHopeful: 6\nAshamed: 8"),
    text("A synonym", PLAIN.replace("Ashamed", "Shame")),
    text("Placeholders", "Angry: <score>\nHopeful: <score>\nRelieved: <score>\nAshamed: <score>"),
    text("Four zeros", "Angry: 0\nHopeful: 0\nRelieved: 0\nAshamed: 0"),
    text("A refusal", "I would rather not rate anybody's feelings."),
    text("An error sent as text", "[ERROR] 429: Angry: 3"),
    Example("Ended by the token limit", Reply("Let me look at Angry first. Angry: 3", finish_reason="length")),
    Example("Cut within the last number", Reply(PLAIN, finish_reason="length")),
    Example("One piece again and again", Reply("Angry and sad, " * 5, finish_reason="length")),
    text("The prompt again", ASKED),
    Example("A tool call", Reply("", tool_call=True)),
    text("Four numbers alone", "3\n6\n0\n8"),
    text("Arrows", PLAIN.replace(":", " →")),
    text("A number that is changed", "**Angry**: 9 → 3\n**Hopeful**: 1 → 6\n**Relieved**: 9 → 0\n**Ashamed**: 2 → 8"),
    text("Two numbers", "Angry = 9 (3)\nHopeful = 1 (6)\nRelieved = 9 (0)\nAshamed = 2 (8)"),
    text("The same behind a colon", "Angry: 9 (3)\nHopeful: 1 (6)\nRelieved: 9 (0)\nAshamed: 2 (8)"),
    text(
        "An answer in bold behind the first", f"{DRAFT}\n\nRevised:\n" + PLAIN.replace("A", "**A").replace(":", "**:")
    ),
    text("Two people", f"Elena:\n{DRAFT}\n\nMarco:\n{PLAIN}"),
    text("A word between", "Angry is 3\nHopeful is 6\nRelieved is 0\nAshamed is 8"),
    text("A word and a number", "Angry: three (3)\nHopeful: six (6)\nRelieved: zero (0)\nAshamed: eight (8)"),
    text("Nothing between", PLAIN.replace(":", "")),
    text("Names above their numbers", PLAIN.replace(": ", "\n").replace("\nH", "\n\nH")),
    text("Footnotes", PLAIN.replace(":", "[1]:")),
    text("About", PLAIN.replace(": ", ": ≈")),
    text("Plus signs", PLAIN.replace(": ", ": +")),
    text("Emoji", PLAIN.replace(":", " 😐:")),
    text("LaTeX", "Angry: $\\boxed{3}$\nHopeful: $6$\nRelieved: $0$\nAshamed: $8$"),
    text("HTML", "<b>Angry</b>: 3<br><b>Hopeful</b>: 6<br><b>Relieved</b>: 0<br><b>Ashamed</b>: 8"),
    text("XML", "<Angry>3</Angry><Hopeful>6</Hopeful><Relieved>0</Relieved><Ashamed>8</Ashamed>"),
    text("JSON with reasons", "{" + ", ".join(f'"{name}": {{"why": "…", "score": {n}}}' for name, n in RATED) + "}"),
    text("YAML", "\n".join(f"{name}:\n  why: …\n  score: {n}" for name, n in RATED)),
    text("CSV", "\n".join(f"{name},{n}" for name, n in RATED)),
    text(
        "A table with a header",
        "| Emotion | Confidence | Score |\n|---|---|---|\n" + "\n".join(f"| {name} | 9 | {n} |" for name, n in RATED),
    ),
    text("Several forms at once", "Angry → 3\nHopeful is 6\nRelieved: ≈0\nAshamed: +8"),
    text("A very long reply", f"{PLAIN}\n{'la ' * (LONG_TAIL // 3)}", f"{PLAIN}\n… and {LONG_TAIL:,} characters more"),
)

REASONS: Mapping[str, str] = {
    "no scores found": "None of the four names is followed by a number.",
    "placeholder": "The names are followed by blanks to fill in.",
    "NAME missing": "Some of the four names have no number, or an invalid one. Other names that were found are "
    "listed. No name is guessed.",
    "all zero": "The prompt requires a feeling above zero. Today’s official software, too, throws such an answer "
    "away and asks again.",
    "out of range": f"A rating is above {HIGHEST_READ} or has more than {MOST_DIGITS} digits: one such reply could "
    "sink a run.",
    "looks like another scale": "Only the tolerant parser found ratings, none is above 1, and one has decimals. They "
    "are not multiplied by ten. An answer whose decimals are cut does not get this reason: 0.6 counts as 0 there.",
    "prompt repeated": "The reply only repeats lines of the prompt.",
    "repeats itself": "The reply repeats one passage until the token limit.",
    "cut off": "The token limit ended the reply before its numbers, and nothing else was wrong with it.",
    "cut off in thinking": "The thinking never ended, so no answer came.",
    "no answer after thinking": "The reply ends with its thinking.",
    "tool call": "The model called a tool instead of answering.",
    "endpoint fault": "The text is an error of the server, not a reply.",
}
_FORM = "Not the form that was asked for, but clear:  "
FLAGS: Mapping[str, str] = {
    "thinking": "Reasoning was removed before parsing; it is stored separately.",
    "reply cut": f"The reply is longer than {LONGEST:,} characters. Neither parser found an answer in the rest.",
    "cut off": "The reply ended at the token limit or by a filter. Its reason says what else was wrong.",
    "cut number": "The reply was cut right after its last number, which may be incomplete: 1 instead of 10.",
    "decimal cut": "The official parser stops at the decimal point: 3.9 counts as 3. The tolerant parser does the same "
    "if only marks such as bold distinguish the answer from the official form; in other forms it keeps the decimals.",
    "range": "The official parser takes the first number of a range: 2-4 counts as 2.",
    "per cent": "The official parser takes the number and ignores the sign: 30 % counts as 30.",
    "other scale": "The ratings look like fractions of 1, or like ratings out of 5 or 100, or the reply itself names "
    "such a scale. They are scored unchanged.",
    "above 10": "A rating is above the scale. It is scored unchanged and never clipped.",
    "second number": "Another number follows directly after one that the official parser took.",
    "later block differs": "After the official answer comes another one that only the tolerant parser can read, or "
    "the reply was cut when it had begun another one. The official one counts.",
    "several people": "The reply rates several people, each under a heading. The official parser takes the last one.",
    "bare numbers": f"{_FORM}four numbers and nothing else, in the order in which they were asked.",
    "number word": f"{_FORM}a number in words with the same number in brackets.",
    "score word": f"{_FORM}a word such as “score” or “is” stands between the name and the number.",
    "no separator": f"{_FORM}the number follows its name without a sign between.",
    "next line": f"{_FORM}the number stands below its name.",
    "arrow": f"{_FORM}an arrow leads from the name to the number.",
    "changed value": "An old number is struck out or stands before an arrow; the new one counts.",
    "footnote": f"{_FORM}the name has the number of a footnote.",
    "approximate": f"{_FORM}the number is given as approximate.",
    "dressed number": f"{_FORM}the number has a plus sign or stands in braces.",
    "emoji": f"{_FORM}an emoji stands beside the name or the number.",
    "LaTeX": f"{_FORM}names or numbers are set in LaTeX.",
    "HTML": f"{_FORM}names or numbers are marked in HTML.",
    "XML": f"{_FORM}elements or attributes hold the numbers.",
    "JSON": f"{_FORM}a JSON object holds each number beside other things.",
    "YAML": f"{_FORM}each number stands behind a key below its name.",
    "CSV": f"{_FORM}values are separated by commas, semicolons or tabs.",
    "table": f"{_FORM}the column of the ratings is found by its header, or is the only one with numbers.",
    "mixed forms": "The numbers stand in more than two such forms.",
}


@cache
def read_examples() -> tuple[ReadExample, ...]:
    """Every example as the present code reads and scores it."""
    return tuple(read_example(example) for example in EXAMPLES)


def read_example(example: Example) -> ReadExample:
    answer = EQ_BENCH_V2.read(Ask(replace(ITEM, prompt=ASKED), 1, 1, 0), None, example.reply, Options()).answers[0]
    score = EQ_BENCH_V2.score(ITEM, answer)[0]
    return ReadExample(
        shape=example.shape,
        text=example.shown or example.reply.text,
        note=note_of(example.reply),
        answer=None if answer.values is None else ratings(answer.values),
        reading=answer.reading,
        strict=EQ_BENCH_V2.score(ITEM, strict(answer))[0],
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
