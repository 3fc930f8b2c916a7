"""The rows of a ranking's table as HTML: a template a cell would take nine tenths of the time of 2,000 rows.

A cell that is not in CELLS has a template of its own, which reads `row` and `page`.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from html import escape
from typing import Protocol

from django.template.loader import render_to_string
from django.urls import get_script_prefix, reverse
from django.utils.safestring import SafeString

from leaderboard.pages.rankings.cells import ShownRow
from leaderboard.rounding import MISSING

PIN = '<svg viewBox="0 0 12 12" aria-hidden="true"><path d="M4 1h4v4l2 2H2l2-2zM6 7v4"/></svg>'
NO_ERROR = (
    '<small title="All items have the same score, so no error can be computed">±?<span class="visually-hidden">, no '
    "error can be computed: all items have the same score</span></small>"
)
SOME_SLUG = "a-slug"


class Shown(Protocol):
    """What the rows read of their page."""

    @property
    def has_ranges(self) -> bool: ...
    @property
    def columns(self) -> frozenset[str]: ...


Cell = Callable[[ShownRow, Shown], str]


def rows_markup(rows: Iterable[ShownRow], page: Shown) -> SafeString:
    """The <tr> elements of these rows. Texts of others are escaped."""
    return SafeString("\n".join(row_markup(row, page) for row in rows))


def row_markup(row: ShownRow, page: Shown) -> str:
    cells = [part.html if part.html is not None else cell_of(part.template, row, page) for part in row.parts]
    return f'<tr{row_attributes(row)}>\n<td class="mark-cell">{mark(row)}</td>\n{"".join(cells)}</tr>'


def cell_of(template: str, row: ShownRow, page: Shown) -> str:
    cell = CELLS.get(template)
    return cell(row, page) if cell else render_to_string(template, {"row": row, "page": page, "c": page.columns})


def row_attributes(row: ShownRow) -> str:
    kinds = {"outside": row.outside, "line": row.is_line, "is-approximate": row.approximate, "tied": row.tied}
    # A baseline has no rank, so that "line" never stands alone.
    names = " ".join(name for name, holds in kinds.items() if holds)
    css = f' class="{names}"' if names else ""
    if row.tie is None:
        return css
    return f'{css} data-place="{row.tie.place}" data-ties="{row.tie.bits}" data-tied="{row.tied_with}"'


def mark(row: ShownRow) -> str:
    if not row.can_compare:
        return ""
    checked = " checked" if row.marked else ""
    return (
        f'<input type="checkbox" form="compare" name="m" value="{escape(row.model.slug)}" '
        f'aria-label="Mark {escape(row.model.name)} for comparison"{checked}>'
    )


def rank_cell(row: ShownRow, page: Shown) -> str:
    place = f'<td class="place">{row.rank}</td>' if page.has_ranges else ""
    return f'{place}<td class="range{" none" if row.outside else ""}">{row.ranks or MISSING}</td>'


def ribbon_cell(row: ShownRow, page: Shown) -> str:
    if row.ribbon is None:
        return f'<td class="ribbon muted"><small>{escape(row.reason)}</small></td>'
    return f'<td class="ribbon"><svg aria-hidden="true">{row.ribbon.markup}</svg></td>'


def model_cell(row: ShownRow, page: Shown) -> str:
    name, note = escape(row.model.name), escape(row.note)
    title = f"{escape(row.model.full_name)}, {note}" if note else escape(row.model.full_name)
    new = '<span class="new">new</span>' if row.is_new else ""
    act, css = ("Unpin", "pin pinned") if row.pinned else ("Pin", "pin")
    return (
        f'<th class="model" scope="row" title="{title}">{badges(row, page)}'
        f'<a href="{address(row.model.slug)}"><bdi>{name}</bdi></a>{new}<span class="by">{by(row, note)}</span>'
        f'<a class="{css}" href="{escape(row.pin)}" hx-boost="true" aria-label="{act} {name}">{PIN}</a></th>'
    )


def by(row: ShownRow, note: str) -> str:
    maker = f"<bdi>{escape(row.model.organisation)}</bdi>"
    between = " · " if row.model.organisation and row.model.weights else ""
    behind = " · " if note and (row.model.organisation or row.model.weights) else ""
    return f"{maker}{between}{row.model.weights}{behind}{note}"


def badges(row: ShownRow, page: Shown) -> str:
    found = []
    if "origin" in page.columns:
        found.append(badge("_badge", "origin", row.origin, "hide_word"))
    if row.other_settings:
        found.append(badge("_other_settings", "words", row.other_settings, "hide_words"))
    if row.old_scorer:
        found.append(badge("_old_scorer", "version", row.old_scorer, "only_glyph"))
    return "".join(found)


@lru_cache(maxsize=512)
def badge(template: str, name: str, value: str, hides: str) -> str:
    """A badge with its words in a tooltip alone."""
    return render_to_string(f"pages/shared/{template}.html", {name: value, hides: True, "only_glyph": True}).strip()


def address(slug: str) -> str:
    return pattern(get_script_prefix()).replace(SOME_SLUG, escape(slug))


@lru_cache(maxsize=8)
def pattern(prefix: str) -> str:
    """The address of a model's page under this prefix of all addresses."""
    return reverse("model", args=[SOME_SLUG])


def score_cell(row: ShownRow, page: Shown) -> str:
    if row.bar is None:
        reason = "" if page.has_ranges else f'<small class="muted">{escape(row.reason)}</small>'
        return f'<td class="score"><span class="muted">–</span></td><td class="bar">{reason}</td>'
    half = f"<small>{row.half}</small>" if row.half else NO_ERROR if row.is_without_error else ""
    return (
        f'<td class="score"><b>{row.score}</b>{half}</td>'
        f'<td class="bar"><svg aria-hidden="true">{row.bar.markup}</svg></td>'
    )


CELLS: Mapping[str, Cell] = {
    f"pages/rankings/cells/{name}.html": cell
    for name, cell in {
        "rank": rank_cell, "ribbon": ribbon_cell, "model": model_cell, "score": score_cell,
    }.items()
}  # fmt: skip
