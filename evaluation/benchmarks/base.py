"""The vocabulary that every benchmark shares: what is asked, what is read, what is scored.

Pure: may not import Django, HTTP, Celery, a clock or unseeded chance. The runner drives any benchmark through
`Benchmark` and knows nothing of emotions; what an item holds beyond a prompt lives in `labels`, `reference` and
`extra`. docs/new-benchmark.md says what does not fit yet.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

JsonValue = None | bool | int | float | str | Sequence["JsonValue"] | Mapping[str, "JsonValue"]
ReadingName = Literal["official", "tolerant", "none"]
FIRST_PART = "first_pass"  # the first or only part of a reply
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
    under: str = ""  # below the head of its column, where that is not the unit

    def turned(self, value: float) -> float:
        """The value, turned where lower is better, so that the higher one is the better one behind this."""
        return -value if self.better == "lower" else value

    @property
    def is_plain(self) -> bool:
        """Whether a value is neither good nor bad."""
        return self.better == "neither"


Retry = Literal["hotter", "reshuffled", "same"]


class BankError(ValueError):
    """A question file that cannot be a bank; the text names the item and the reason."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question. `reference` has the order and length of `labels`, or is empty where nothing is right or wrong.

    Items of one `group` are resampled among themselves; "" where all are alike. An item that is not `public` is never
    shown, in a bank that is.
    """

    id: str
    prompt: str
    labels: tuple[str, ...]
    reference: tuple[float, ...] = ()
    extra: Mapping[str, JsonValue] = field(default_factory=dict)
    group: str = ""
    public: bool = True


@dataclass(frozen=True, slots=True)
class Bank:
    """The items of a benchmark in file order, and its norms: what the scoring needs that belongs to no single item.

    Norms are histograms, a human reference and the like. They are stored as `ItemBank.facts["norms"]`; None without.
    """

    items: tuple[Item, ...]
    norms: JsonValue = None


@dataclass(frozen=True, slots=True)
class Switch:
    """A yes-or-no option of a run that only some benchmarks have; `help` is one phrase for the form and the command."""

    name: str
    help: str


@dataclass(frozen=True, slots=True)
class Options:
    """What a run may choose about how a benchmark asks. `switched` holds the names of the switches that are on."""

    system_prompt: str = ""
    switched: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Generation:
    """How replies are asked for. `attempts` counts all tries at one item; each adds `temperature_step`.

    `extra` holds further fields of the request, such as top_p. `retry` says what sets another attempt at an item apart:
    a higher temperature, or a new order in its prompt. With "same" nothing does, so that there is one attempt only; so
    it is with "hotter" at an endpoint that takes no temperature.
    """

    temperature: float
    temperature_step: float
    max_tokens: int
    attempts: int
    extra: Mapping[str, JsonValue] = field(default_factory=dict)
    retry: Retry = "hotter"


@dataclass(frozen=True, slots=True)
class Ask:
    """One attempt at one item in one repeat. `attempt` and `repeat` count from 1.

    `seed` is the only chance that a prompt may use: the same for the same run, item, repeat and attempt.
    `subjects` are the replies to be judged: none, one, or two for a pair.
    """

    item: Item
    repeat: int
    attempt: int
    seed: int
    subjects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is sent. `shown` is what `read` must know of it, such as the order of the options; it is stored.

    `generation` is given where this prompt is not asked by the run's own.
    """

    messages: tuple[Message, ...]
    shown: JsonValue = None
    generation: Generation | None = None


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

    `values` has the order of the item's labels and is None when nothing was read, and then `reason` says why; single
    values are None where only some were read. `part` names the pass: FIRST_PART, and "revised" where a revision was
    asked for. `reading` is the reader that found it, in at most eight characters: "none" where nothing was read.
    """

    part: str
    reading: str
    values: tuple[float | None, ...] | None = None
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
    """The values of one answer, in the order of `Benchmark.item_measures`. None where there is none: never zero."""

    item_id: str
    repeat: int
    part: str
    reading: str
    values: tuple[float | None, ...]

    @property
    def score(self) -> float | None:
        """The first value: the one that items are compared by."""
        return self.values[0]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of a run, with its standard error and the number of items behind it, each None where there is none."""

    value: float | None
    error: float | None = None
    n: int | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """A run in numbers.

    `figures` are named by `Measure.key`. That of the first measure ranks the run: its value and error are the run's
    score and standard error. A figure without a measure is kept and not shown. `coverage` is the share of answers with
    a score, 0 to 1; `n_scored` counts items that have one. `repeat_scores` and `counted_parts` have one entry a repeat.
    `reason` says why a run has no score, and is empty where it has one or needs none. `detail` is a table of the
    benchmark's own, which only its own pages read.
    """

    figures: Mapping[str, Figure]
    coverage: float
    n_scored: int
    repeat_scores: tuple[float | None, ...]
    counted_parts: tuple[str, ...]
    detail: JsonValue = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Baseline:
    """One row without a model. `answers` has an entry an item, and is empty where nothing was answered but computed."""

    name: str
    settings: Mapping[str, JsonValue]
    scores: tuple[ItemScore, ...]
    answers: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


class Benchmark(Protocol):
    """One way of asking and scoring.

    `bank` names the item bank that it is bound to; others are refused. Figures of different `variants` are never
    ranked together; ("",) where there is but one. `measures[0]` ranks; a benchmark without measures never ranks.
    """

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def bank(self) -> str: ...
    @property
    def scorer_version(self) -> str: ...
    @property
    def generation(self) -> Generation: ...
    @property
    def switches(self) -> tuple[Switch, ...]: ...
    @property
    def variants(self) -> tuple[str, ...]: ...
    @property
    def item_measures(self) -> tuple[Measure, ...]: ...
    @property
    def measures(self) -> tuple[Measure, ...]: ...
    @property
    def answers_sum(self) -> float | None:
        """The sum to which the values of an answer are brought before they are scored; None: they count as given."""
        ...

    def load(self, files: Mapping[str, bytes], n_items: int | None = None) -> Bank:
        """The bank in these files, by file name; `n_items` is how many items it must have, None for any number.

        Raises BankError with item id and reason.
        """
        ...

    def repeats(self, item: Item, wanted: int, variant: str) -> int:
        """How often the item is asked in a run of that variant for which somebody wants so many repeats."""
        ...

    def prompt(self, ask: Ask, options: Options) -> Prompt:
        """Raises ValueError for a system prompt that cannot be sent beside the benchmark's own."""
        ...

    def read(self, ask: Ask, shown: JsonValue, reply: Reply, options: Options) -> Reading:
        """`shown` is that of the prompt which the reply answers.

        A stored reply is read again when scorers change. Of the ask, only the item and `shown` are known then: the
        attempt is 1, and the seed is that of the first attempt.
        """
        ...

    def score(self, item: Item, answer: Answer) -> tuple[float | None, ...]:
        """The values of one answer, one a measure of `item_measures`; each None where there is none."""
        ...

    def summarise(self, scores: Sequence[ItemScore], bank: Bank, *, repeats: int, variant: str) -> Summary:
        """`bank` holds the items that were asked, which may be fewer than the stored bank has, and the norms."""
        ...

    def baselines(self, bank: Bank, seed: str) -> Sequence[Baseline]:
        """Rows without a model, which say what a score is worth. `seed` differs from bank to bank."""
        ...


def ranking_figure(benchmark: Benchmark, summary: Summary) -> Figure:
    """The figure that ranks the run; one without a value where the benchmark ranks nothing."""
    return summary.figures.get(benchmark.measures[0].key, Figure(None)) if benchmark.measures else Figure(None)


@dataclass(frozen=True, kw_only=True)
class Plain:
    """What most benchmarks have in common: asked as often as somebody wants, without switches, variants and rows that
    are no model."""

    switches: tuple[Switch, ...] = ()
    variants: tuple[str, ...] = ("",)
    answers_sum: float | None = None

    def repeats(self, item: Item, wanted: int, variant: str) -> int:
        return wanted

    def baselines(self, bank: Bank, seed: str) -> Sequence[Baseline]:
        return ()


def ask_once(text: str, options: Options, shown: JsonValue = None) -> Prompt:
    """One message of the user, behind the system prompt of the run if it has one."""
    system = (Message("system", options.system_prompt),) if options.system_prompt else ()
    return Prompt((*system, Message("user", text)), shown)


def take_no_system_prompt(options: Options, who: str) -> None:
    """Raises ValueError for a system prompt, where `who` has its own."""
    if options.system_prompt:
        raise ValueError(f"{who} has its own system prompt and takes no other")


def one_answer(answer: Answer, thinking: str | None) -> Reading:
    """The reading of a reply that has one part; complete where this was read."""
    return Reading((answer,), complete=answer.values is not None, thinking=thinking or "")
