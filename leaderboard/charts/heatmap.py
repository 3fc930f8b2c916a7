"""Models against items: who answers what well. Pure.

Where an item's value is neither good nor bad, no item is easy or hard: they go from the highest mean to the lowest.

No text of an item comes near it: an item is its number.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, isnan

import numpy as np

from evaluation.benchmarks.base import JsonValue, Measure
from evaluation.benchmarks.eqbench import ITEM_MEASURES
from evaluation.states import Origin
from evaluation.statistics.arrays import Floats, present_mean
from leaderboard.charts.axes import layout, within_fences
from leaderboard.charts.base import Chart, ChartRow, Column, Figure, Table, Trace, by_origin
from leaderboard.charts.labels import figure_name
from leaderboard.rounding import MISSING, counted, number

NAME = "items"
MOST_ROWS = 60
ROW_HEIGHT, FRAME = 15, 54  # px
# Without a gap Plotly scales one small picture up by a style attribute, which the policy of the site forbids.
GAPS: Trace = {"xgap": 0.01, "ygap": 1}
NARROW: Trace = {"yaxis.showticklabels": False, "margin.l": 12}
ITEM_SCORE = ITEM_MEASURES[0]
"""What item scores are where nobody says otherwise: those of EQ-Bench."""

# Most scores lie high, so most of the shades do too.
SHADES = [(0, "--paper"), (0.6, "--bar"), (1, "--accent")]
TO_COME = "Item scores of the models on this page"


@dataclass(frozen=True, slots=True)
class HeatRow:
    """The item scores of a model in the order of the items, on the items' own scale; None where not read."""

    row: ChartRow
    scores: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of models and columns of items, the easiest or highest first; `numbers` and `means` are those of columns."""

    rows: tuple[HeatRow, ...]
    numbers: tuple[int, ...]
    scores: Floats
    means: Floats


def heat_map(rows: Sequence[HeatRow], numbers: Sequence[int], *, n_models: int, measure: Measure = ITEM_SCORE) -> Chart:
    """Item scores of the models shown, best model above, the easiest or highest item left.

    Args:
        rows: In the order of the page; only the first `MOST_ROWS` are drawn.
        numbers: The number of each item, as many as each row has scores.
        n_models: How many rows of the ranking the filters leave, on all its pages, with and without item scores.
        measure: That of the item scores.

    Returns:
        The chart; without a figure where no shown model has item scores.
    """
    drawn = tuple(row for row in rows[:MOST_ROWS] if any(score is not None for score in row.scores))
    source = source_of(drawn, n_models)
    if not drawn:
        title = "None of these models has item scores: runs have them, published figures do not"
        return Chart(NAME, title, "", source, None, items_table(None))
    grid = grid_of(drawn, numbers, measure)
    far = highest(grid)
    return Chart(
        name=NAME,
        title=title_of(grid, measure),
        how=f"{how_of(measure)} {shades_of(far, measure)}",
        source=source,
        draw=partial(drawn_map, grid, far, measure),
        table=items_table(grid),
        csv=matrix_table(grid),
        height=height_of(len(drawn)),
    )


def drawn_map(grid: Grid, far: float, measure: Measure) -> Figure:
    return Figure((heat_trace(grid, far, measure), unread_trace(grid)), heat_layout(grid, measure), NARROW)


def how_of(measure: Measure) -> str:
    ends = ("the highest mean", "the lowest") if measure.is_plain else ("the easiest for these models", "the hardest")
    return f"Rows: models in the order of the table; columns: items, from {ends[0]} to {ends[1]}."


def shades_of(far: float, measure: Measure) -> str:
    """What the colours mean; `far` is the end of the scale."""
    if measure.better == "lower":
        return f"Colour: from {number(far, 0)} or more (pale) to 0 (full); amber: not read."
    return f"Colour: from 0 or less (pale) to {number(far, 0)} (full); amber: not read."


def heat_map_to_come(rows: Sequence[ChartRow], n_models: int, measure: Measure = ITEM_SCORE) -> Chart:
    """The same chart before its item scores are read: its place on a page, at its height, with an empty figure.

    Args:
        rows: The models of the page that have runs.
        n_models: As for `heat_map`.
        measure: As for `heat_map`.
    """
    if not rows:
        return heat_map((), (), n_models=n_models)
    return Chart(
        NAME,
        TO_COME,
        how_of(measure),
        "",
        partial(Figure, (), {}),
        items_table(None),
        height=height_of(min(len(rows), MOST_ROWS)),
    )


def height_of(n_rows: int) -> int:
    """In steps of ten rows, since the heights of pictures are classes of a sheet."""
    return FRAME + ROW_HEIGHT * 10 * ceil(n_rows / 10)


def highest(grid: Grid) -> float:
    """Where the shades end: the highest score in whole points, of those that are not far beyond the rest."""
    known = grid.scores[~np.isnan(grid.scores)]
    return max(1.0, float(ceil(known[within_fences(known)].max())))


def grid_of(rows: tuple[HeatRow, ...], numbers: Sequence[int], measure: Measure) -> Grid:
    """Columns sorted by their mean over these models, the best or highest first; items without a score come last."""
    matrix = np.array([row.scores for row in rows], dtype=np.float64)
    means = present_mean(matrix, axis=0)
    order = np.argsort(np.where(np.isnan(means), np.inf, -measure.turned(1.0) * means), kind="stable")
    return Grid(rows, tuple(numbers[at] for at in order), matrix[:, order], means[order])


def title_of(grid: Grid, measure: Measure) -> str:
    known = np.flatnonzero(~np.isnan(grid.means))
    easy, hard = int(known[0]), int(known[-1])
    low, high = number(float(grid.means[hard]), 1), number(float(grid.means[easy]), 1)
    only_models = all(row.row.origin != Origin.BASELINE for row in grid.rows)
    word = "model" if only_models else "row"
    models = counted(len(grid.rows), word)
    if measure.is_plain:
        asked = f"{measure.title} of {models} is lowest for item {grid.numbers[hard]}"
    else:
        these = f"this {word}" if len(grid.rows) == 1 else f"these {models}"
        asked = f"Item {grid.numbers[hard]} is the hardest for {these}"
    unit, averaged = unit_of(measure), "" if len(grid.rows) == 1 else " on average"
    return f"{asked}: {low}{unit}{averaged}, against {high} for item {grid.numbers[easy]}"


def unit_of(measure: Measure) -> str:
    """ " points" behind a number, without what the unit adds to it ("points, 10 at most"); "" without a unit."""
    unit = measure.unit.partition(",")[0]
    return f" {unit}" if unit else ""


def source_of(rows: Sequence[HeatRow], n_models: int) -> str:
    left_out = n_models - len(rows)
    beyond = f", or after the first {MOST_ROWS} of this one" if len(rows) == MOST_ROWS else ""
    words = f" Not shown: {counted(left_out, 'row')} without item scores or on other pages of the ranking{beyond}."
    counts = f"{by_origin([row.row for row in rows])}. Item scores, averaged over runs and repeats."
    return counts + (words if left_out > 0 else "")


def heat_trace(grid: Grid, far: float, measure: Measure) -> Trace:
    shades = SHADES if measure.better != "lower" else [(1 - at, colour) for at, colour in reversed(SHADES)]
    return {
        "type": "heatmap",
        "x": [f"item {number}" for number in grid.numbers],
        "y": row_names(grid),
        "z": [[round(float(value), 2) for value in values] for values in grid.scores],
        "hovertemplate": f"%{{y}}<br>%{{x}}: %{{z:.2f}}{unit_of(measure)}<extra></extra>",
        "hoverongaps": False,
        "zmin": 0,
        "zmax": far,
        "colorscale": [[at, colour] for at, colour in shades],
        "showscale": False,
        **GAPS,
    }


def unread_trace(grid: Grid) -> Trace:
    return {
        "type": "heatmap",
        "x": [f"item {number}" for number in grid.numbers],
        "y": row_names(grid),
        "z": [[1 if isnan(value) else None for value in values] for values in grid.scores],
        "hovertemplate": "%{y}<br>%{x}: not read<extra></extra>",
        "hoverongaps": False,
        "colorscale": [[0, "--amber"], [1, "--amber"]],
        "showscale": False,
        **GAPS,
    }


def row_names(grid: Grid) -> list[JsonValue]:
    """A name a row, each once: models of one display name are numbered, since a row is found by its name."""
    seen: Counter[str] = Counter()
    names: list[JsonValue] = []
    for row in grid.rows:
        name = figure_name(row.row.name)
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names


def heat_layout(grid: Grid, measure: Measure) -> Trace:
    """A category axis of n rows runs from -0.5 to n - 0.5; here from above to below."""
    rows: Trace = {
        "type": "category",
        "range": [len(grid.rows) - 0.5, -0.5],
        "showgrid": False,
        "automargin": True,
        "ticks": "",
    }
    items: Trace = {"type": "category", "showticklabels": False, "ticks": ""}
    rows |= {"showgrid": False, "ticks": "", "dtick": 1, "tickfont": {"size": 11}}
    margin: Trace = {"l": 40, "r": 12, "t": 6, "b": 40}
    order = "highest to lowest" if measure.is_plain else "easiest to hardest"
    return layout(f"items, {order}", "", x=items, y=rows, margin=margin)


def items_table(grid: Grid | None) -> Table:
    """One row an item: the mean, the lowest and the highest score of the models shown."""
    columns = (
        Column("item", "Item", 0),
        Column("mean", "Mean", 2),
        Column("lowest", "Lowest", 2),
        Column("highest", "Highest", 2),
        Column("models", "Models read", 0),
    )
    if grid is None:
        return Table(columns, ())
    return Table(columns, tuple(item_row(grid, at) for at in range(len(grid.numbers))))


def item_row(grid: Grid, at: int) -> tuple[int, float | None, float | None, float | None, int]:
    values = grid.scores[:, at]
    known = values[~np.isnan(values)]
    if not known.size:
        return grid.numbers[at], None, None, None, 0
    return grid.numbers[at], float(grid.means[at]), float(known.min()), float(known.max()), int(known.size)


def matrix_table(grid: Grid) -> Table:
    """All item scores drawn, one row a model and one column an item."""
    columns = (Column("model", "Model"), *(Column(f"item_{number}", MISSING, 2) for number in grid.numbers))
    rows = tuple(
        (row.row.name, *(None if np.isnan(value) else float(value) for value in values))
        for row, values in zip(grid.rows, grid.scores, strict=True)
    )
    return Table(columns, rows)
