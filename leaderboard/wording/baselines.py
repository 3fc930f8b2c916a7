"""What baselines are, in words, from the settings of their runs: those of a benchmark's own bring words along. Pure."""

from collections.abc import Callable, Mapping
from typing import Any

from evaluation.baselines import CONSTANT, NOISE, POSITION, RANDOM, READER, SD_OF_ONE_RUN, WORDS
from leaderboard.rounding import count, number

Settings = Mapping[str, Any]
NOTES: Mapping[str, str] = {
    RANDOM: "ignores the dialogue",
    CONSTANT: "ignores the dialogue",
    POSITION: "ignores the dialogue",
    WORDS: "reads no dialogue",
    NOISE: "right answers plus random errors",
    READER: "an AI assistant",
}
MEANINGS: Mapping[str, Callable[[Settings], str]] = {
    RANDOM: lambda _: (
        "Each rating is a whole number from 0 to 10, all equally likely. It ignores the dialogue; the score is "
        "the expected value."
    ),
    CONSTANT: lambda _: "The best answer that gives every emotion the same whole number. It ignores the dialogue.",
    POSITION: lambda _: (
        "The best four whole numbers to give, in this order, to the four words of every item. It sees neither "
        "dialogue nor words."
    ),
    WORDS: lambda settings: (
        "Each word gets its mean reference in the other items, rounded. It ignores the dialogue, so this "
        f"is what the words alone give. {count(settings['words_in_no_other_item'])} ratings are of words that "
        f"occur in no other item; they get {settings['else']}."
    ),
    NOISE: lambda settings: (
        f"The references plus a Gaussian error on each rating, SD {number(settings['sd'], 0)}, rounded and kept "
        f"within 0 "
        "to 10. The score is the one expected of a rater who knows the answers and errs by that much."
    ),
    READER: lambda _: (
        "An AI assistant that rated the items a second time, without seeing the references. If two models "
        "both score above it, the difference between them means nothing."
    ),
}


def note_of(settings: Settings) -> str:
    """A few words beside the name of a baseline."""
    known = NOTES.get(settings.get("baseline", "")) or settings.get("note")
    scatter = scatter_of(settings)
    note = f"baseline: {known}" if known else "baseline"
    return note if scatter is None else f"{note}; SD of one run {number(scatter, 1)}"


def meaning_of(settings: Settings) -> str:
    """What it is, in full sentences; "" for an unknown baseline, and for one of an older release."""
    try:
        return MEANINGS[settings["baseline"]](settings)
    except KeyError:
        return str(settings.get("meaning", ""))


def scatter_of(settings: Settings) -> float | None:
    """The SD in points of single runs around an expected score; None for answers that are always the same."""
    found = settings.get(SD_OF_ONE_RUN)
    return float(found) if isinstance(found, int | float) else None
