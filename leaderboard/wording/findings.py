"""The sentences that open a page, each computed from the rows it speaks of. Pure: no query, no request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median, median_high
from typing import Protocol

from evaluation.baselines import is_constant
from evaluation.models import Origin
from evaluation.statistics.ranks import DRAWS
from leaderboard.rounding import count, counted, points


class ScoredModel(Protocol):
    @property
    def name(self) -> str: ...


class ScoredRow(Protocol):
    """What a finding needs of a row of the table."""

    @property
    def model(self) -> ScoredModel: ...
    @property
    def origin(self) -> str: ...
    @property
    def rank(self) -> int | None: ...
    @property
    def low(self) -> int | None: ...
    @property
    def high(self) -> int | None: ...
    @property
    def group(self) -> int | None: ...
    @property
    def score(self) -> float | None: ...


@dataclass(frozen=True, slots=True)
class Field:
    """A ranking in a few figures. Scores are those of the ranked rows and None where there are none.

    `n_apart` counts published rows beside the ranked ones; `best_baseline` is a name, or "" without baselines.
    `median_width` is how many ranks are left open for a typical model, None where no range is known.
    """

    n_ranked: int
    n_groups: int
    n_apart: int
    only_published: bool
    best_name: str
    best_score: float | None
    median_score: float | None
    best_baseline: str
    median_width: int | None = None


INTRODUCTIONS: Mapping[str, str] = {
    "eq-bench-v1": (
        "{title} asks for the relative strength of four emotions at the end of each of {items}; "
        "100 matches the reference answers."
    ),
    "eq-bench-v2": (
        "{title} asks how strongly four emotions are felt at the end of each of {items}; "
        "100 matches the reference answers."
    ),
}


def field(rows: Sequence[ScoredRow]) -> Field:
    ranked = [row for row in rows if row.rank is not None and row.score is not None]
    scores = [row.score for row in ranked if row.score is not None]
    baselines = [
        row for row in rows if row.origin == Origin.BASELINE and row.score is not None and is_constant(row.model.name)
    ]
    best = min(ranked, key=lambda row: row.rank or 0, default=None)
    widths = [row.high - row.low + 1 for row in ranked if row.low is not None and row.high is not None]
    return Field(
        n_ranked=len(ranked),
        n_groups=len({row.group for row in ranked if row.group is not None}),
        n_apart=sum(row.rank is None and row.origin == Origin.PUBLISHED for row in rows),
        only_published=bool(ranked) and all(row.origin == Origin.PUBLISHED for row in ranked),
        best_name=best.model.name if best else "",
        best_score=best.score if best else None,
        median_score=median(scores) if scores else None,
        best_baseline=max(baselines, key=lambda row: row.score or 0.0).model.name if baselines else "",
        median_width=median_high(widths) if widths else None,
    )


def headline(title: str, field: Field) -> str:
    """What the table shows, in one line."""
    models = counted(field.n_ranked, "model")
    if not field.n_ranked:
        return f"No model is ranked on {title} yet" if title else "No scores yet"
    if field.only_published:
        return f"{models}, published scores only"
    if field.n_groups and field.n_ranked > 1:
        return f"{models}{told_apart(field)}"
    return f"{models} ranked on {title}"


def told_apart(field: Field) -> str:
    """How many places there are for several models, as the end of a sentence on them."""
    if field.n_groups == field.n_ranked:
        return ", each at a place of its own"
    if field.n_groups == 1:
        return " that the items do not tell apart"
    return f", but only {counted(field.n_groups, 'place')} that the items tell apart"


def lede(title: str, benchmark: str, n_items: int | None, field: Field) -> str:
    """What was asked, as far as the benchmark is known, and where the scores lie."""
    items = f"{n_items} short dialogues (the items)" if n_items else "its short dialogues (the items)"
    introduction = next((text for name, text in INTRODUCTIONS.items() if benchmark.startswith(name)), "")
    return " ".join(
        part for part in (introduction.format(title=title, items=items), spread(field), ranks_note(field)) if part
    )


def spread(field: Field) -> str:
    """The best score and the median. "" where fewer than two models are ranked."""
    if field.n_ranked < 2:
        return ""
    best, middle = points(field.best_score), points(field.median_score)
    return f"The best score is {best}, by {field.best_name}; the median is {middle}."


def ranks_note(field: Field) -> str:
    """Why a row shows a range of ranks, and what the range rests on. "" where each row has one rank."""
    if field.n_ranked and field.only_published:
        origin = "so each stands as its source prints it"
        approximate = " and ranges are approximate, from the usual error of a score" if field.median_width else ""
        return f"None of these scores has replies behind it that could be tested, {origin}{approximate}."
    if not field.median_width or field.median_width < 2:
        return ""
    return (
        f"{count(DRAWS)} resamples of the items leave {field.median_width} ranks open for a typical model, "
        "so each row shows the ranks that it may hold, not only the one that it has."
    )
