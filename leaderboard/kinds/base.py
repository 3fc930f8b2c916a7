"""What the site says about a kind of benchmark beyond its measures: words, drawings, and parts of pages of its own.

A kind is a family of benchmarks. A family without a `Kind` has the generic one, whose words are true of any. Units,
digits, directions and axes of scores come from the benchmark's measures, never from here.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from importlib import import_module
from typing import Any, Generic, TypeVar

from evaluation.models import Item, ItemBank, LanguageModel, Run
from leaderboard.drawings.shapes import Axis

Context = Mapping[str, object]
Subject = TypeVar("Subject")
Mean = TypeVar("Mean")

GENERAL_SECTIONS = frozenset({"scores", "correlation", "repeatability", "banks", "files"})
"""The sections of the statistics that ask no more of a benchmark than scores by item."""


@dataclass(frozen=True, slots=True)
class ScorerChange:
    """One version of one benchmark's scorer: since when it counts, and what differs from the version before."""

    version: str
    since: date
    text: str


@dataclass(frozen=True, slots=True)
class ItemParts:
    """How an answer to an item is drawn: a track from `low` to `high` for each label, with a dot and a ring.

    None for an end takes it from the values. `label` is one of what is rated ("emotion"), `unnamed`
    what stands before its number where its name is not shown; `words` says in one sentence
    what the numbers of an answer are. `score` names an item's score ("" for the title of its measure), `best` says of
    it in a few words which end is good, and `full` does so in a sentence. `text` is what an item is ("dialogue"),
    `closed` the sentence where texts are not shown; "" for that of EQ-Bench. `has_prompt_frame`: the prompt is a frame
    around the text, in the form of EQ-Bench.
    """

    low: float | None = None
    high: float | None = None
    digits: int = 2
    label: str = "option"
    unnamed: str = "Option"
    words: str = "The numbers of an answer have the order of the item's options."
    score: str = ""
    best: str = ""
    full: str = ""
    text: str = "text"
    closed: str = "The texts of this item bank are not public."
    has_prompt_frame: bool = False

    @property
    def are_whole(self) -> bool:
        """Whether answers are whole numbers, which can be counted one by one."""
        return self.digits == 0

    def axis(self, values: Iterable[float] = ()) -> Axis:
        """The axis of a track; ends that are left open are those of the values."""
        known = list(values)
        low = min(known, default=0.0) if self.low is None else self.low
        high = max(known, default=low + 1.0) if self.high is None else self.high
        return Axis(low, max(high, low + 1e-9))

    @property
    def tracks(self) -> str:
        """What the tracks of an answer are: "One track per emotion, 0 at the bottom, 10 at the top"."""
        known = self.low is not None and self.high is not None
        ends = f", {self.low:g} at the bottom, {self.high:g} at the top" if known else ""
        return f"One track per {self.label}{ends}"

    @property
    def range(self) -> str:
        """The ends of the scale of an answer: "0 to 10"; "" where they are open."""
        return "" if self.low is None or self.high is None else f"{self.low:g} to {self.high:g}"


@dataclass(frozen=True, slots=True)
class ItemScale:
    """How the score of a run follows from the mean of its items' scores: intercept + slope x mean."""

    slope: float
    intercept: float = 0.0

    def score(self, mean: Mean) -> Mean:
        """Of a number, or of an array of them."""
        found: Any = mean
        scored: Mean = self.slope * found + self.intercept
        return scored

    def item(self, score: Mean) -> Mean:
        """The item score, on the items' own scale, that gives this score."""
        found: Any = score
        item: Mean = (found - self.intercept) / self.slope
        return item


@dataclass(frozen=True, slots=True)
class OfRanking:
    """The ranking that a part of a page is made for. `bank_id` is None where no bank is loaded."""

    key: str
    title: str
    benchmark: str
    bank_id: int | None = None
    n_items: int | None = None
    variant: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """What scores of a ranking are read by and is no model, such as people. `figures` are by the keys of measures."""

    name: str
    figures: Mapping[str, float]
    note: str = ""


@dataclass(frozen=True, slots=True)
class OfModel:
    """A model in one ranking. `run` is its newest run that counts there; None where its score is published."""

    model: LanguageModel
    ranking: OfRanking
    run: Run | None = None


@dataclass(frozen=True, slots=True)
class KindPart(Generic[Subject]):
    """A part of a page: a template, and the function that makes its context. None for the context leaves it out.

    The template finds the context as `part`, and nothing else.
    """

    template: str
    context: Callable[[Subject], Context | None]


@dataclass(frozen=True, slots=True)
class ShownPart:
    """A part with its context, ready to be included."""

    template: str
    context: Context


@dataclass(frozen=True, slots=True)
class Kind:
    """All that pages know about a family of benchmarks; the defaults are true of any.

    Words: `title` heads what the methodology says of it; `lede` opens a ranking and may hold {title} and {items};
    `ledes` has another one for a benchmark, by the beginning of its name; `needs` says what a run needs for a score,
    and `needed_share` is the share of its items that do, where it is one; `unread_as` is what an item without an answer
    counts as, "" where it is left out of the mean.

    Figures: `scale` turns a mean of items into a score, None where both axes say it; `zero` is where the bars of the
    score begin, None for 0; `zooms`: scores are drawn on the part of their axis where most of them lie, since its zero
    means nothing; `band` gives a score a word, `figure_words` give one to a further figure by its measure;
    `references` are the published figures that stand beside the scores; `sections` are the statistics that apply.

    Lines: `lines` are stated in the files and the API of a ranking, beside its rows.

    Banks: `has_item_pages` is False where an item's value is neither good nor bad. Then `why_not_by_item` says in one
    sentence why models are not compared by item, and `comparison` is the name of the address of their own comparison
    and the words of a link to it. The curve of EQ-Bench v2 scores `full_scale` ones.
    """

    family: str = ""
    title: str = ""
    zooms: bool = False
    lede: str = "{title} has {items}."
    ledes: Mapping[str, str] = field(default_factory=dict)
    items: str = "items"
    references: tuple[str, ...] = ("mmlu", "arena_elo", "magi_hard")
    sections: frozenset[str] = GENERAL_SECTIONS
    item_parts: ItemParts = ItemParts()
    scale: ItemScale | None = None
    zero: float | None = None
    band: Callable[[float], str] | None = None
    figure_words: Mapping[str, Callable[[float], str]] = field(default_factory=dict)
    needs: str = ""
    needed_share: float | None = None
    methodology: tuple[KindPart[Sequence[ItemBank]], ...] = ()
    ranking_part: KindPart[OfRanking] | None = None
    ranking_below: KindPart[OfRanking] | None = None
    model_part: KindPart[OfModel] | None = None
    run_part: KindPart[Run] | None = None
    item_part: KindPart[Item] | None = None
    lines: Callable[[OfRanking], Sequence[Line]] | None = None
    why_not_by_item: str = ""
    comparison: tuple[str, str] = ("", "")
    changes: tuple[ScorerChange, ...] = ()
    has_item_pages: bool = True
    unread_as: str = ""
    full_scale: frozenset[str] = frozenset()

    def introduction(self, benchmark: str, title: str, n_items: int | None) -> str:
        """The sentence that opens a ranking of the benchmark."""
        items = f"{n_items} {self.items}" if n_items else self.items
        text = next((text for name, text in self.ledes.items() if benchmark.startswith(name)), self.lede)
        return text.format(title=title, items=items)


def later(module: str, name: str) -> Callable[[Any], Any]:
    """The function of a module that is imported when a page first needs it: standings and workers import the kinds,
    and need neither drawings nor statistics.
    """

    def context(subject: Any) -> Any:
        return getattr(import_module(module), name)(subject)

    return context


def shown(part: KindPart[Subject] | None, subject: Subject) -> ShownPart | None:
    """The part for this subject; None where the kind has none, or nothing to show here."""
    context = part.context(subject) if part else None
    return ShownPart(part.template, context) if part and context is not None else None
