"""What the drawings of a model's page show, as tables with all digits. Pure: from the page, without a query."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from leaderboard.cells import Cell, csv_text
from leaderboard.pages.models.items import BiasTable
from leaderboard.pages.models.page import ModelPage
from leaderboard.pages.models.runs import half_of

Rows = Iterator[tuple[Cell, ...]]


@dataclass(frozen=True, slots=True)
class Table:
    """The columns, and the rows of a page; none where the page has no such drawing."""

    columns: tuple[str, ...]
    rows: Callable[[ModelPage], Rows]


def runs(page: ModelPage) -> Rows:
    """The runs of the chosen ranking, newest first; half of the 95 % interval is that of the whisker."""
    for group in page.replicates:
        if page.ranking is not None and group.key == page.ranking.key:
            for row in group.runs:
                yield (
                    *(row.pk, row.at.isoformat(), row.score, half_of(row), row.counts, row.verdict),
                    *(row.n_scored, row.n_items, row.repeats, row.origin, row.other_settings),
                )


def items(page: ModelPage) -> Rows:
    """In the bank's order, on the items' own scale."""
    for line in page.profile.lines if page.profile else ():
        yield line.item_id, line.score, line.median, line.difference


def calibration(page: ModelPage) -> Rows:
    for point in page.leaning.points if page.leaning else ():
        half = point.interval.half_width if point.interval else None
        yield point.reference, point.mean_answer, half, point.n


def errors(page: ModelPage) -> Rows:
    """By the intensity of the reference, then by family and by word where the emotion words are public."""
    if page.leaning:
        yield from errors_by("intensity", page.leaning.bands)
        if page.leaning.families:
            yield from errors_by("family", page.leaning.families)
        if page.leaning.words:
            yield from errors_by("word", page.leaning.words)


def errors_by(what: str, table: BiasTable) -> Rows:
    for row in table.rows:
        yield what, row.name, row.mean, row.half, row.adjusted, row.adjusted_half, row.n


HALF = "half_of_95_interval"
TABLES: Mapping[str, Table] = {
    "runs": Table(
        ("run", "at", "score", HALF, "counts", "why_not", "n_scored", "n_items", "repeats", "origin", "other_settings"),
        runs,
    ),
    "items": Table(("item", "score", "field_median", "difference"), items),
    "calibration": Table(("reference", "mean_answer", HALF, "n"), calibration),
    "errors": Table(
        ("by", "group", "mean_error", HALF, "at_equal_reference", f"{HALF}_at_equal_reference", "n"), errors
    ),
}


def as_csv(table: Table, page: ModelPage) -> str:
    return csv_text(table.columns, table.rows(page))
