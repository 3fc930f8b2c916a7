"""Whole tables that others published, with several figures a model, read into the figures of `published`. No database.

A name in such a table often is no name of the board: table_names.csv says which model each of them means, how sure that
is, and what is known of the models that no other table has.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation.importers.names import NAME_LENGTH
from evaluation.importers.published import Figure, FigureKey, ModelFacts, Published, TableName, facts_of, read_published
from evaluation.importers.tables import Row, read_table

NAMES_FILE = "table_names.csv"
NAMES_COLUMNS = (
    "table", "name", "model", "match", "organisation", "params", "params_billion", "open_weights", "release_date",
)  # fmt: skip
_PER_CENT = (0.0, 100.0)
_EQ = (-40.0, 151.0)
_AFFECT = (10.0, 50.0)
_TRAIT = (0.0, 20.0)


@dataclass(frozen=True, slots=True)
class TableFile:
    """How one file is read: `ranks` is the column that ranks, `interval` the columns of its ends where there are any.

    `figures` are further columns, each with its lowest and highest value; `condition` is the column that says which of
    CONDITIONS a row was the best of. Of a row without the ranking figure nothing is taken: the source names the model,
    and gives it no score.
    """

    key: str
    file: str
    source: str
    as_of: str
    setting: str
    ranks: tuple[str, float, float]
    figures: Mapping[str, tuple[float, float]]
    interval: tuple[str, str] | None = None
    condition: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        condition = (self.condition,) if self.condition else ()
        return ("model", self.ranks[0], *(self.interval or ()), *condition, *self.figures)


TRAITS = (
    "humanlike", "safe", "assertive", "social_iq", "warm", "analytical", "insightful", "empathy", "compliant", "moral",
    "pragmatic",
)  # fmt: skip
CONDITIONS = {
    "direct": "direct prompt",
    "zero_shot": "zero-shot",
    "zero_shot_step": "zero-shot, step by step",
    "two_shot": "two-shot",
    "two_shot_step": "two-shot, step by step",
}

TABLE_FILES = (
    TableFile(
        key="eq-bench-3",
        file="eqbench3.csv",
        source="github:EQ-bench/EQ-bench-site eqbench3.js @ 04a8066b048a7730a830bec131523a12fc875e10",
        as_of="2026",
        setting="Elo of the authors' page",
        ranks=("elo", 0.0, 4000.0),
        interval=("elo_low", "elo_high"),
        figures={"rubric": _PER_CENT, **dict.fromkeys(TRAITS, _TRAIT)},
    ),
    TableFile(
        key="seceu-table-1",
        file="seceu_table_1.csv",
        source="Wang, Li, Yin, Wu and Liu, Emotional intelligence of Large Language Models, 2023, Tables 1, S1 and S2; "
        "github:emotional-intelligence/emotional-intelligence.github.io @ 22e029ef1248af9ee112eda1d5a48c82f8c8f760",
        as_of="2023-12-10",
        setting="best of its conditions",
        ranks=("eq", *_EQ),
        condition="condition",
        figures={
            "distance": (0.0, 14.2),
            "percent_worse": _PER_CENT,
            "pattern_r": (-1.0, 1.0),
            "pattern_percent": _PER_CENT,
            "nulls_direct": (0.0, 40.0),
            **{f"eq_{name}": _EQ for name in CONDITIONS},
        },
    ),
    TableFile(
        key="emotionbench-2026",
        file="emotionbench_2026.csv",
        source="github:CUHK-ARISE/EmotionBench public/data.json @ f03bd40, LLaMA-3.1-8B from results/PANAS Test "
        "@ 48f6e1b; alignment and its parts computed by this board from these means",
        as_of="2026-01-09",
        setting="prompt, plan and runs are not known",
        ranks=("alignment", *_PER_CENT),
        figures={
            "level": _PER_CENT,
            "change": _PER_CENT,
            "pattern": _PER_CENT,
            "gap": (0.0, 40.0),
            "gap_change": (0.0, 80.0),
            "default_p": _AFFECT,
            "default_n": _AFFECT,
            "evoked_p": _AFFECT,
            "evoked_n": _AFFECT,
        },
    ),
)


@dataclass(frozen=True, slots=True)
class Tables:
    """What all tables of a folder hold. `models` are those that the names mean, with facts where the file has some."""

    models: tuple[ModelFacts, ...] = ()
    figures: tuple[Figure, ...] = ()
    names: tuple[TableName, ...] = ()


def read_all(folder: Path) -> Published:
    """The figures of `read_published` and those of the tables in the same folder. Raises TableError."""
    published, tables = read_published(folder), read_tables(folder)
    known = {facts.name for facts in published.models}
    new = tuple(facts for facts in tables.models if facts.name not in known)
    return Published((*published.models, *new), (*published.figures, *tables.figures), tables.names)


def read_tables(folder: Path) -> Tables:
    """The tables that the folder has; a folder without table_names.csv has none.

    Raises:
        TableError: a cell cannot be taken, a table is missing, or a name in it is not in table_names.csv.
    """
    if not (folder / NAMES_FILE).exists():
        return Tables()
    listed = read_table(folder / NAMES_FILE, NAMES_COLUMNS)
    names = dict(_name(row) for row in listed)
    figures = [figure for each in TABLE_FILES for figure in _figures(folder, each, names)]
    return Tables(tuple(_models(listed)), tuple(figures), tuple(names.values()))


def _name(row: Row) -> tuple[tuple[str, str], TableName]:
    found = TableName(
        table=row.word("table", [each.key for each in TABLE_FILES]),
        name=row.text("name", 200, required=True),
        model=row.text("model", NAME_LENGTH, required=True),
        match=row.text("match", 200, required=True),
    )
    return (found.table, found.name), found


def _models(rows: Iterable[Row]) -> Iterable[ModelFacts]:
    """One a model: of several rows the first has its facts."""
    found: dict[str, ModelFacts] = {}
    for row in rows:
        facts = facts_of(row)
        found.setdefault(facts.name, facts)
    return found.values()


def _figures(folder: Path, table: TableFile, names: Mapping[tuple[str, str], TableName]) -> Iterable[Figure]:
    seen: set[str] = set()
    for row in read_table(folder / table.file, table.columns):
        name = row.text("model", 200, required=True)
        if name in seen:
            raise row.error("model", f'"{name}" has a row already')
        seen.add(name)
        value = row.number_or_none(*table.ranks)
        if value is not None:
            if (table.key, name) not in names:
                raise row.error("model", f'"{name}" is not in {NAMES_FILE}')
            yield _figure(row, table, names[table.key, name], value)


def _figure(row: Row, table: TableFile, name: TableName, value: float) -> Figure:
    setting = table.setting
    if table.condition and row.cells[table.condition]:
        setting = f"{setting}: {CONDITIONS[row.word(table.condition, CONDITIONS)]}"
    low, high = _interval(row, table, value)
    return Figure(
        key=FigureKey(name.model, table.key, setting, table.as_of, table.source, name.name),
        value=value,
        match=name.match,
        preferred=True,
        low=low,
        high=high,
        figures={column: row.number_or_none(column, *ends) for column, ends in table.figures.items()},
    )


def _interval(row: Row, table: TableFile, value: float) -> tuple[float | None, float | None]:
    if table.interval is None:
        return None, None
    low, high = (row.number(column, *table.ranks[1:]) for column in table.interval)
    if not low <= value <= high:
        raise row.error(table.interval[0], f"{value:g} is not between {low:g} and {high:g}")
    return low, high
