"""Published figures: the tables that we ship (or a folder of the same form) read into frozen rows. No database in here.

Columns and sources stand in evaluation/data/published/README.md.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path

from evaluation.importers.names import NAME_LENGTH
from evaluation.importers.tables import Row, read_table

SHIPPED_FOLDER = Path(__file__).resolve().parent.parent / "data" / "published"
PAGE_FILE = "eqbench_v2.csv"
REFERENCE_FILE = "reference_benchmarks.csv"
FURTHER_FILE = "further_models.csv"
OFFICIAL_RUNS_FILE = "official_runs.csv"
# What random answering gets on the official page: a figure of no model, so it makes no row.
RANDOM_BASELINE = "random-baseline"
PAGE_BENCHMARK = "eq-bench-v2"
PAGE_SETTING = "official page"

PAGE_COLUMNS = (
    "model", "display_name", "organisation", "params", "params_billion", "open_weights", "licence", "release_date",
    "eqbench_v2", "magi_hard", "n_parseable", "source",
)  # fmt: skip
REFERENCE_COLUMNS = (
    "model", "benchmark", "value", "setting", "as_of", "source", "match", "matched_name", "preferred",
)  # fmt: skip
FURTHER_COLUMNS = ("model", "organisation", "params", "params_billion", "open_weights", "release_date", "source")
OFFICIAL_RUNS_COLUMNS = (
    "file", "model_path", "page_model", "benchmark_score", "page_score", "counted_pass", "n_counted",
)  # fmt: skip

# Lowest and highest value that a figure can have: per cent, rating points, or points on EQ-Bench's scale.
_PER_CENT = (0.0, 100.0)
_EQ_POINTS = (-200.0, 100.0)
REFERENCE_RANGES: Mapping[str, tuple[float, float]] = {
    "arc": _PER_CENT,
    "arena_elo": (0.0, 4000.0),
    "eqbench_v1": _EQ_POINTS,
    "gsm8k": _PER_CENT,
    "hellaswag": _PER_CENT,
    "mmlu": _PER_CENT,
    "mmlu_pro": _PER_CENT,
    "mt_bench": (0.0, 10.0),
    "truthfulqa": _PER_CENT,
    "winogrande": _PER_CENT,
}
_OUR_NAMES = {"eqbench_v1": "eq-bench-v1"}


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is published of a model. Blank or None: not sourced."""

    name: str
    display_name: str = ""
    organisation: str = ""
    params: str = ""
    params_billion: float | None = None
    open_weights: bool | None = None
    licence: str = ""
    released_on: date | None = None
    released_month_only: bool = False


@dataclass(frozen=True, slots=True)
class FigureKey:
    """What makes a figure one and the same at the next loading."""

    model: str
    benchmark: str
    setting: str
    as_of: str
    source: str
    matched_name: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A published figure; `low`, `high` and `figures` as in `ReferenceScore`."""

    key: FigureKey
    value: float
    match: str
    preferred: bool
    low: float | None = None
    high: float | None = None
    figures: Mapping[str, float | None] | None = None


@dataclass(frozen=True, slots=True)
class TableName:
    """Which model a name in a published table means; `match` as in `PublishedName`."""

    table: str
    name: str
    model: str
    match: str


@dataclass(frozen=True, slots=True)
class Published:
    """All tables. Every figure's model is among `models`; one figure a model and benchmark is preferred at most."""

    models: tuple[ModelFacts, ...]
    figures: tuple[Figure, ...]
    names: tuple[TableName, ...] = ()


def read_published(folder: Path) -> Published:
    """The figures of a folder with eqbench_v2.csv and reference_benchmarks.csv.

    The facts of models that only the second has may stand in further_models.csv; a folder without it has none.

    Raises:
        TableError: with file, line and field, at the first cell that cannot be taken.
    """
    page = [row for row in read_table(folder / PAGE_FILE, PAGE_COLUMNS) if row.cells["model"] != RANDOM_BASELINE]
    further = read_table(folder / FURTHER_FILE, FURTHER_COLUMNS) if (folder / FURTHER_FILE).exists() else []
    references = read_table(folder / REFERENCE_FILE, REFERENCE_COLUMNS)
    models = _models([(row, _facts_of_page(row)) for row in page] + [(row, facts_of(row)) for row in further])
    for row in references:
        name = row.text("model", NAME_LENGTH, required=True)
        models.setdefault(name, ModelFacts(name))
    figures = [figure for row in page for figure in _figures_of_page(row)]
    figures += _reference_figures(references)
    return Published(tuple(models.values()), tuple(figures))


def _models(listed: Iterable[tuple[Row, ModelFacts]]) -> dict[str, ModelFacts]:
    found: dict[str, ModelFacts] = {}
    for row, facts in listed:
        if facts.name in found:
            raise row.error("model", f'"{facts.name}" has a row already')
        found[facts.name] = facts
    return found


def _facts_of_page(row: Row) -> ModelFacts:
    row.number_or_none("n_parseable", 0, 171)
    return replace(facts_of(row), display_name=row.text("display_name", 80), licence=row.text("licence", 120))


def facts_of(row: Row) -> ModelFacts:
    """The facts that every table of models has. Raises TableError."""
    released = row.partial_date("release_date")
    return ModelFacts(
        name=row.text("model", NAME_LENGTH, required=True),
        organisation=row.text("organisation", 80),
        params=row.text("params", 40),
        params_billion=row.number_or_none("params_billion", 0.001, 100_000),
        open_weights=row.flag_or_none("open_weights"),
        released_on=released.day if released else None,
        released_month_only=released.month_only if released else False,
    )


def _figures_of_page(row: Row) -> Iterable[Figure]:
    yield _page_figure(row, PAGE_BENCHMARK, row.number("eqbench_v2", *_EQ_POINTS))
    magi_hard = row.number_or_none("magi_hard", *_PER_CENT)
    if magi_hard is not None:
        yield _page_figure(row, "magi_hard", magi_hard)


def _page_figure(row: Row, benchmark: str, value: float) -> Figure:
    """A figure of the page. The source cell lists where each cell came from, the page itself first."""
    model = row.text("model", NAME_LENGTH)
    source = row.text("source", 2000, required=True).partition(";")[0]
    return Figure(FigureKey(model, benchmark, PAGE_SETTING, "", source, model), value, "exact", preferred=True)


def _reference_figures(rows: Iterable[Row]) -> list[Figure]:
    keys: set[FigureKey] = set()
    preferred: Counter[tuple[str, str]] = Counter()
    figures = []
    for row in rows:
        figure = _reference_figure(row)
        pair = (figure.key.model, figure.key.benchmark)
        preferred[pair] += figure.preferred
        if figure.key in keys:
            raise row.error("model", "the same model, benchmark, setting, date, source and name have a row already")
        if preferred[pair] > 1:
            raise row.error("preferred", f"{pair[0]} has a preferred value for {pair[1]} already")
        keys.add(figure.key)
        figures.append(figure)
    return figures


def _reference_figure(row: Row) -> Figure:
    benchmark = row.word("benchmark", REFERENCE_RANGES)
    row.partial_date("as_of")
    key = FigureKey(
        model=row.text("model", NAME_LENGTH, required=True),
        benchmark=_OUR_NAMES.get(benchmark, benchmark),
        setting=row.text("setting", 300),
        as_of=row.text("as_of", 10),
        source=row.text("source", 2000, required=True),
        matched_name=row.text("matched_name", 200),
    )
    value = row.number("value", *REFERENCE_RANGES[benchmark])
    return Figure(key, value, row.text("match", 200, required=True), row.flag("preferred"))


@cache
def page_models(folder: Path = SHIPPED_FOLDER) -> dict[tuple[str, str], str]:
    """Name and model_path of an official run file -> model of the official page; only for files that have a page row.

    Raises:
        TableError: the shipped table cannot be read.
    """
    rows = read_table(folder / OFFICIAL_RUNS_FILE, OFFICIAL_RUNS_COLUMNS)
    return {
        (row.cells["file"], row.cells["model_path"]): row.cells["page_model"] for row in rows if row.cells["page_model"]
    }
