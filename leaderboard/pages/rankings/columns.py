"""The columns of a ranking: the one place where a column exists.

Heads, cells, tick boxes, the choice of an order, filters by a least value, the legend, the fields of files and of the
API, and what `c=` and `sort=` of an address may name are all made of what stands here. A new column is one Column below
(and a field of `rows.RankingRow` where its number is new); a new figure of a benchmark is one Measure there.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import isfinite

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Measure
from evaluation.published_tables import PUBLISHED, PublishedTable
from leaderboard import rounding
from leaderboard.kinds import kind_of
from leaderboard.pages.rankings.column import (
    INTERVAL_NOTE,
    SURE,
    USUAL,
    WIDE,
    Column,
    Field,
    Look,
    Ranked,
    Width,
)
from leaderboard.pages.rankings.rows import RankingRow, is_private
from leaderboard.pages.shared.measures import measures_of
from leaderboard.wording.vouching import LEVELS, word_of


def finite(value: float | None) -> float | None:
    """The value, or None in place of NaN and Infinity, which JSON cannot hold."""
    return value if value is not None and isfinite(value) else None


def ranks_text(row: RankingRow) -> str:
    """The range of ranks where it is known, else the plain rank; "" without one."""
    if row.rank is None:
        return ""
    known = row.low is not None and row.high is not None
    return about(row) + (rounding.ranks(row.low or 0, row.high or 0) if known else str(row.rank))


def about(row: RankingRow) -> str:
    return "≈" if row.approximate else ""


def half_text(row: RankingRow) -> str:
    """Half of the interval with its sign: "±4.8", "≈4.4"; "" where it is not known."""
    digits = 0 if is_private(row) or (row.half or 0.0) >= WIDE else 1
    return "" if row.half is None else f"{about(row) or '±'}{rounding.number(row.half, digits)}"


def passes_text(row: RankingRow) -> str:
    """The number of passes behind the score and their scatter: "3 · 0.2 %"; the number alone where there is none."""
    if not row.repeats:
        return rounding.MISSING
    scatter = "" if row.cv_percent is None else f" · {rounding.number(row.cv_percent, 1)} %"
    return f"{rounding.count(row.repeats)}{scatter}"


def day_text(row: RankingRow) -> str:
    return rounding.month(row.measured_on) if is_private(row) else rounding.day(row.measured_on)


def added_text(row: RankingRow) -> str:
    return rounding.month(row.added_on) if is_private(row) else rounding.day(row.added_on)


RANK = Column(
    key="rank", label="Rank", reads="rank", text=ranks_text, cell="rank", widths=("c-place", "c-range"),
    head_css="range-head", upwards_first=True,
    note="Possible ranks. Best: 1 + the number of models that are ahead in at least 97.5 % of 1,000 redraws of the "
    "items. Worst: the number of all models, less those that are behind as surely. The small number is the "
    "rank by score.",
    fields=(
        Field("rank", "int32", "1 is best; equal scores share a rank; null for what does not compete",
              lambda row: row.rank),
        Field("rank_low", "int32", f"the best possible rank: 1 + the models ahead of it in {SURE}",
              lambda row: row.low),
        Field("rank_high", "int32", f"the worst possible rank: the number of models minus those behind it in {SURE}",
              lambda row: row.high),
        Field("tie_group", "int32", "number of the tie group, from 1: a group is the best model that is in no group "
              "yet, and all lower ones tied with it", lambda row: row.group),
        Field("tied_with", "int32", "how many other models it is tied with: neither is ahead of the other",
              lambda row: row.tied_with),
        Field("rank_low_all", "int32", "rank_low when all models are compared at once: 5 % is the chance of any wrong "
              "claim in the field", lambda row: row.low_all),
        Field("rank_high_all", "int32", "rank_high when all models are compared at once", lambda row: row.high_all),
    ),
)  # fmt: skip
RIBBON = Column(
    key="ribbon", term="Shaded rows", cell="ribbon", widths=("c-ribbon",),
    note="The leader and the models statistically tied with it.",
)  # fmt: skip
MODEL = Column(
    key="model", label="Model", reads="model.name", text=lambda row: row.model.name, cell="model", widths=("",),
    upwards_first=True, note="Its name, its maker, and whether its weights are open.",
    fields=(
        Field("model", "string", "Hugging Face id or API name", lambda row: row.model.full_name),
        Field("display_name", "string", "name on the pages", lambda row: row.model.name),
        Field("slug", "string", "name in addresses: /models/<slug>/", lambda row: row.model.slug),
        Field("organisation", "string", "maker", lambda row: row.model.organisation or None),
        Field("open_weights", "bool", "null where not known",
              lambda row: {"open": True, "closed": False}.get(row.model.weights)),
    ),
)  # fmt: skip
SIZE = Column(
    key="size", label="Size", unit="billion", reads="model.size", text=lambda row: row.model.size_text, cell="number",
    widths=("c-params",), hidden_up_to="narrow", after=" billion", note="Parameters, in billions.",
    fields=(Field("params_billion", "double", "size, in billions of parameters", lambda row: finite(row.model.size)),),
)  # fmt: skip
ORIGIN = Column(
    key="origin", title="Origin", optional=True, text=lambda row: row.origin,
    note="Where the score comes from; the mark before a name shows it (see below).",
    fields=(Field("origin", "string", "measured, imported, published, baseline or demo", lambda row: row.origin),),
)  # fmt: skip
INTERVAL = Column(
    key="interval",
    fields=(
        Field("standard_error", "double", "of the score, in its unit", lambda row: finite(row.standard_error)),
        Field("interval_low", "double", "in the unit of the score; lower end of the 95 % interval of the score",
              lambda row: finite(row.interval_low)),
        Field("interval_high", "double", "in the unit of the score; upper end of the 95 % interval of the score",
              lambda row: finite(row.interval_high)),
        Field("approximate", "bool", "whether interval and ranks come from a score's typical error, not from items",
              lambda row: row.approximate),
    ),
)  # fmt: skip
ITEMS = Column(
    key="items", label="Items", title="Items scored", term="Items", order="items scored", reads="n_scored",
    text=lambda row: rounding.count(row.n_scored), cell="number", widths=("c-num",), hidden_up_to="mid",
    before="items ", optional=True,
    note="Items with an answer that could be read.",
    fields=(
        Field("n_items", "int32", "items of the newest run that counts", lambda row: row.n_items),
        Field("n_scored", "int32", "items of it that have a score", lambda row: row.n_scored),
    ),
)  # fmt: skip
REPEATS = Column(
    key="cv", label="Repeats", unit="and CV", title="Repeats and CV", order="scatter of repeats", reads="cv_percent",
    text=passes_text, cell="number", widths=("c-cv",), before="repeats ", optional=True, shown=False,
    upwards_first=True, note="How many times all items were asked, and the spread of the scores as a percentage of "
    "their mean (CV; only for scores with a true zero).",
    fields=(
        Field("runs", "int32", "runs behind the score", lambda row: row.runs_used),
        Field("repeats", "int32", "passes behind the score, over all runs", lambda row: row.repeats),
        Field("cv_percent", "double", "coefficient of variation over all passes, in per cent; null for a "
              "single one and for a score without a natural zero",
              lambda row: finite(row.cv_percent)),
    ),
)  # fmt: skip
DATE = Column(
    key="date", label="Run", title="Date of the run", reads="measured_on", text=day_text, cell="date",
    widths=("c-date",), hidden_up_to="wide", optional=True, note="When the newest run behind the score ended.",
    fields=(
        Field("measured_on", "date32", "day on which the newest run that counts ended", lambda row: row.measured_on),
        Field("run", "int64", "number of the newest run that counts: /runs/<run>/", lambda row: row.run_id),
    ),
)  # fmt: skip
ADDED = Column(
    key="added", label="Added", title="Added to the board", order="added to the board", reads="added_on",
    text=added_text, cell="date", widths=("c-date",), hidden_up_to="wide", before="added ", optional=True, shown=False,
    note="The day on which the score came to this board; its run may be older.",
    fields=(Field("added_on", "date32", "day on which the score came to this board", lambda row: row.added_on),),
)  # fmt: skip
VOUCHED = Column(
    key="vouched", label="Vouched", unit="for by", title="Who vouches", cell="number", widths=("c-word",),
    text=lambda row: word_of(row.vouched_by) or rounding.MISSING, hidden_up_to="mid", optional=True, shown=False,
    note="Who vouches for the score: staff of this board, the model’s maker, the endpoint’s host, an unverified "
    "submitter, or only a file or a published source. If a score comes from several runs, the weakest of these is "
    "shown.",
    fields=(
        Field("vouched_by", "string", f"who vouches for the score: {', '.join(LEVELS)}; null for what is not a model",
              lambda row: row.vouched_by or None),
    ),
)  # fmt: skip
SETTINGS = Column(
    key="settings",
    fields=(
        Field("other_settings", "string", "how its runs were asked otherwise than the benchmark's standard; null for "
              "not at all", lambda row: row.other_settings or None),
        Field("scorer_version", "string", "the scorer of the runs that count; several are joined by commas",
              lambda row: row.scorer_version or None),
        Field("needs_rescoring", "bool", "whether an older version of the scorer made the score, so that it may change "
              "when its stored answers are rescored", lambda row: bool(row.old_scorer)),
    ),
)  # fmt: skip

# Addresses and file notes that are older than the measures, and stay.
KEYS: Mapping[str, str] = {"strict_score": "strict"}
FILE_NOTES: Mapping[str, str] = {
    "score": "points; mean of the items over all passes of the runs that count, by the standard reading",
    "strict_score": "points; by the official reading alone",
}


def unit_of(measure: Measure) -> str:
    """What stands below the name of a measure in the head of its column."""
    own = "low is good" if measure.better == "lower" else measure.unit
    return measure.under or own


def width_of(measure: Measure) -> str:
    """Room for the head of its column."""
    return "c-cv" if max(len(measure.title.removesuffix(" score")), len(unit_of(measure))) > 8 else "c-num"


def of_band(band: Callable[[float], str]) -> Column:
    """The column with the word for a score."""

    def word(row: RankingRow) -> str | None:
        return None if row.score is None else band(row.score)

    return Column(
        key="band", label="Band", text=lambda row: word(row) or rounding.MISSING,
        cell="number", widths=("c-num",), hidden_up_to="mid", optional=True,
        note="A word for the score, as the authors of the benchmark use it.",
        fields=(Field("band", "string", "the word for the score", word),),
    )  # fmt: skip


def of_measure(
    measure: Measure, *, ranks: bool = False, word: Callable[[float], str] | None = None, heat: bool = False
) -> Column:
    """The column of a figure of a run. The one that `ranks` is the score: it has its interval beside it, and is drawn
    as a bar. `word` gives a value a word that stands behind it. One of a `heat` map is
    shaded by its place among the rows."""

    def value(row: RankingRow) -> float | None:
        return row.score if ranks else row.figures.get(measure.key)

    def text(row: RankingRow) -> str:
        found = value(row)
        number = rounding.number(found, 0 if ranks and is_private(row) else measure.digits)
        return number if word is None or found is None else f"{number} {word(found)}".rstrip()

    own = f"{measure.unit}; {measure.note}" if measure.unit else measure.note
    note = FILE_NOTES.get(measure.key, own) if measure.unit == "points" else own
    plain = Column(
        key=KEYS.get(measure.key, measure.key), label=measure.title.removesuffix(" score"), unit=unit_of(measure),
        title=measure.title, order=measure.title, text=text,
        reads="score" if ranks else f"figures.{measure.key}", note=measure.note,
        cell="number", widths=("c-word" if word else width_of(measure),),
        before=f"{measure.title.removesuffix(' score').lower()} ",
        optional=True, shown=measure.shown, upwards_first=measure.better == "lower",
        fields=(Field(measure.key, "double", note, lambda row: finite(value(row))),),
    )  # fmt: skip
    if heat:
        return replace(plain, cell="heat", widths=("c-trait",), head_css="trait slant", unit="", hidden_up_to="narrow")
    if not ranks:
        return plain
    return replace(plain, label=measure.title, cell="score", widths=("c-score", "c-bar"), head_css="score",
                   optional=False, shown=True)  # fmt: skip


def reference(
    benchmark: str, title: str, digits: int, note: str, file_note: str, *, head: tuple[str, str], hidden_up_to: Width,
    before: str,
) -> Column:  # fmt: skip
    """The column of a published figure of the models, on another benchmark."""
    return Column(
        key=benchmark, label=head[0], unit=head[1], title=title, order=title, reads=f"references.{benchmark}",
        text=lambda row: rounding.number(row.model.references.get(benchmark), digits), note=note, cell="number",
        widths=("c-num",), hidden_up_to=hidden_up_to, before=before, optional=True,
        fields=(Field(benchmark, "double", file_note, lambda row: finite(row.model.references.get(benchmark))),),
    )  # fmt: skip


REFERENCES: Mapping[str, Column] = {
    "mmlu": reference(
        "mmlu", "MMLU", 1, "Published: percentage of correct answers in a knowledge test.",
        "per cent; as published, with its source on the model's page",
        head=("MMLU", "%"), hidden_up_to="narrow", before="MMLU ",
    ),
    "arena_elo": reference(
        "arena_elo", "Arena Elo", 0, "Published: a rating from people who chose the better of two replies.",
        "Elo points; as published", head=("Arena", "Elo"), hidden_up_to="wide", before="Elo ",
    ),
    "magi_hard": reference(
        "magi_hard", "MAGI-Hard", 1,
        "Published with EQ-Bench: percentage of correct answers to hard questions of MMLU and AGIEval; chance is 25.",
        "per cent; as published", head=("MAGI", "Hard, %"), hidden_up_to="wide", before="MAGI ",
    ),
}  # fmt: skip
"""The published figures that stand beside the scores, by their benchmark."""


IN_FILES = replace(VOUCHED, label="", title="", note="", cell="", widths=(), optional=False)
"""Who vouches, for published tables: the same for all of their rows."""
BEFORE = (RANK, RIBBON, MODEL, SIZE, ORIGIN)
BEHIND = (INTERVAL, ITEMS, REPEATS, *REFERENCES.values(), DATE, ADDED, VOUCHED, SETTINGS)
COMMON = (*BEFORE, *BEHIND)
"""The columns of every ranking, before and behind those of its measures."""


def columns_of(ranking: Ranked, look: Look = USUAL) -> tuple[Column, ...]:
    """The columns of a ranking in their order, those among them that are in files alone."""
    return tuple(
        fitted(column, ranking, look)
        for column in _columns(
            measures_of(ranking.benchmark), kind_of(ranking.benchmark).family, PUBLISHED.get(ranking.benchmark)
        )
        if is_there(column, look) and is_named(column, ranking)
    )


@cache
def _columns(measures: tuple[Measure, ...], family: str, table: PublishedTable | None = None) -> tuple[Column, ...]:
    """The columns of rankings by these measures, of which the first ranks, with the words of their kind. A published
    table has no runs; where nothing ranks, there are the common columns."""
    if not measures:
        return COMMON
    first, *others = measures
    if table:
        own = [of_measure(each, heat=each.key in table.heat) for each in others]
        return (*BEFORE, of_measure(first, ranks=True), *(own if table.heat else with_room(own)), INTERVAL, IN_FILES)
    kind = kind_of(family)
    return (
        *BEFORE,
        of_measure(first, ranks=True),
        *([of_band(kind.band)] if kind.band else []),
        *with_room([of_measure(measure, word=kind.figure_words.get(measure.key)) for measure in others]),
        *BEHIND,
    )


def with_room(columns: Sequence[Column]) -> Sequence[Column]:
    """The columns of further figures. Of more than two of them the later ones give way on a screen of middle width."""
    if len(columns) <= 2:
        return columns
    return [replace(column, hidden_up_to="narrow" if at < 2 else "mid") for at, column in enumerate(columns)]


def is_named(column: Column, ranking: Ranked) -> bool:
    """Whether the kind of the ranking names this figure that others published; other columns are not asked for."""
    return column.key not in REFERENCES or column.key in kind_of(ranking.benchmark).references


def is_there(column: Column, look: Look) -> bool:
    return column is not RIBBON or look.has_ranges


def fitted(column: Column, ranking: Ranked, look: Look) -> Column:
    """The column with the words that are true of these rows."""
    if ranking.benchmark in PUBLISHED:
        return published_column(column, PUBLISHED[ranking.benchmark], look)
    if column is RANK and not look.has_ranges:
        return replace(column, widths=("c-range",), note="By score; equal scores share a rank.")
    if column is RANK and look.all_approximate:
        note = "Range of ranks, estimated from the typical error of a score. The small number is the rank by score."
        return replace(column, note=note)
    if column is ITEMS and ranking.n_items:
        return replace(column, unit=f"of {ranking.n_items}")
    if column.cell == "score" and look.has_intervals:
        return replace(column, unit="± 95 %", note=f"{column.note} {INTERVAL_NOTE}")
    return column


def published_column(column: Column, table: PublishedTable, look: Look) -> Column:
    """The column with the words that are true of a table of others."""
    if column is RANK:
        return replace(column, note=table.note, widths=column.widths if look.has_ranges else ("c-range",))
    if column.cell == "score" and table.has_intervals:
        return replace(column, unit="± 95 %", note=f"{column.note} ± is half of the 95 % interval, as published.")
    return column


def every_column() -> Mapping[str, Column]:
    """Key -> column, of the rankings of all benchmarks and published tables; of two under one key the first."""
    names = (*BENCHMARKS, *PUBLISHED)
    return _every_column(tuple((measures_of(name), kind_of(name).family, PUBLISHED.get(name)) for name in names))


@cache
def _every_column(
    rankings: tuple[tuple[tuple[Measure, ...], str, PublishedTable | None], ...],
) -> Mapping[str, Column]:
    found: dict[str, Column] = {}
    for own in dict.fromkeys(rankings):
        for column in _columns(*own):
            found.setdefault(column.key, column)
    return found


def fields_of(columns: Iterable[Column]) -> tuple[Field, ...]:
    """The fields of the files of a ranking with these columns."""
    return tuple(field for column in columns for field in column.fields)


def benchmarks_of(columns: Iterable[Column]) -> tuple[str, ...]:
    """The benchmarks whose published figures these columns show; all where they show none, since charts do."""
    return tuple(column.key for column in columns if column.reads.startswith("references.")) or tuple(REFERENCES)
