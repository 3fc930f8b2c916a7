"""The vocabulary that every benchmark shares: what is asked, what is read, what is scored.

Pure: may not import Django, HTTP, Celery, a clock or unseeded chance. The runner drives any benchmark through
`Benchmark` and knows nothing of emotions; what an item holds beyond a prompt lives in `labels`, `reference` and
`extra`. It fits one reply an item and one score per item, higher is better, of which the run's score is ten times the
mean. docs/new-benchmark.md says what does not fit yet: orders shuffled by a seed, a second model as judge, answers with
some values missing, several numbers of repeats.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

JsonValue = None | bool | int | float | str | Sequence["JsonValue"] | Mapping[str, "JsonValue"]
ReadingName = Literal["official", "tolerant", "none"]
REFUSAL = "refusal"  # the finish reason of a reply whose text the endpoint filed as a refusal, beside an empty answer


Better = Literal["higher", "lower", "neither"]


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of a run or of an item: how it is named, written, drawn and compared."""

    key: str  # stable: column of files and API ("score", "strict_score", "eq", "pattern_r")
    title: str
    unit: str
    digits: int
    better: Better
    low: float | None = None  # ends of the axis it is drawn on; None: from the data
    high: float | None = None
    note: str = ""  # one sentence: legend, file notes, API docs
    shown: bool = True  # a column of the ranking unless unticked


class BankError(ValueError):
    """A question file that cannot be a bank; the text names the item and the reason."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question. `reference` has the order and length of `labels`, or is empty where nothing is right or wrong."""

    id: str
    prompt: str
    labels: tuple[str, ...]
    reference: tuple[float, ...] = ()
    extra: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Options:
    """What a run may choose about how a benchmark asks."""

    revision: bool = False
    system_prompt: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Generation:
    """How replies are asked for. `attempts` counts all tries at one item; each adds `temperature_step`."""

    temperature: float
    temperature_step: float
    max_tokens: int
    attempts: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, before any reading. `reasoning` is text the endpoint filed apart: kept, never scored."""

    text: str
    reasoning: str = ""
    finish_reason: str = ""
    tool_call: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What one part of a reply was read as.

    `values` has the order of the item's labels and is None when nothing was read, and then `reason` says why.
    `part` names the pass: "first_pass", and "revised" where a revision was asked for.
    """

    part: str
    reading: ReadingName
    values: tuple[float, ...] | None = None
    reason: str = ""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """All that was read from one reply. `complete` is False while the item should be asked again.

    `thinking` is what was taken off the reply's text before reading.
    """

    answers: tuple[Answer, ...]
    complete: bool
    thinking: str = ""


@dataclass(frozen=True, slots=True)
class ItemScore:
    """The score of one answer. None where there is none: never zero."""

    item_id: str
    repeat: int
    part: str
    reading: ReadingName
    score: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """A run in numbers, in points. Counts are of distinct items; shares are means over the repeats, 0 to 1.

    `score` (standard: official reading, else tolerant) and `strict_score` (official reading alone) are None when too
    few items were read, and `reason` then says so. `repeat_scores` and `counted_parts` have one entry a repeat.
    """

    score: float | None
    strict_score: float | None
    standard_error: float | None
    n_items: int
    n_scored: int
    n_strict: int
    parse_share: float
    strict_share: float
    repeat_scores: tuple[float | None, ...]
    counted_parts: tuple[str, ...]
    reason: str = ""


class Benchmark(Protocol):
    """One way of asking and scoring. `bank` names the item bank it is bound to; others are refused."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def bank(self) -> str: ...
    @property
    def scorer_version(self) -> str: ...
    @property
    def generation(self) -> Generation: ...
    @property
    def measures(self) -> tuple[Measure, ...]:
        """The figures of a run; the first one ranks."""
        ...

    @property
    def item_measures(self) -> tuple[Measure, ...]: ...

    def load(self, content: bytes) -> list[Item]:
        """The items of a question file, in file order. Raises BankError with item id and reason."""
        ...

    def messages(self, item: Item, options: Options) -> list[Message]: ...

    def read(self, item: Item, reply: Reply, options: Options) -> Reading: ...

    def score(self, item: Item, answer: Answer) -> float | None:
        """Points of one answer on the item's own scale; None without values."""
        ...

    def summarise(self, scores: Sequence[ItemScore], *, n_items: int, repeats: int) -> Summary: ...
