"""The rows of a ranking's table: what a stranger wrote is escaped, and what is not there leaves no trace."""

from dataclasses import dataclass, field

from leaderboard.drawings.shapes import Axis, ribbon, score_bar
from leaderboard.pages.rankings.cells import Part, ShownRow
from leaderboard.pages.rankings.row_markup import CELLS, rows_markup
from leaderboard.pages.rankings.rows import ModelCells
from leaderboard.pages.rankings.ties import Tie
from leaderboard.rounding import MISSING
from tests.leaderboard.pages import flat

PARTS = tuple(Part(template) for template in CELLS)


@dataclass
class Page:
    has_ranges: bool = True
    columns: frozenset[str] = field(default_factory=lambda: frozenset({"origin"}))


def row(**fields: object) -> ShownRow:
    defaults = {
        "model": ModelCells("<b>", 'x"y', "a-b", "A & B", "open"), "origin": "measured", "parts": PARTS, "rank": "2",
        "ranks": "1–3", "tied": True, "score": "61.00", "half": "±4.8", "is_without_error": False,
        "bar": score_bar(61.0, 56.0, 66.0, None, Axis(0.0, 100.0)), "ribbon": ribbon(2, 1, 3, 3, 5),
        "can_compare": True,
        "reason": "", "other_settings": "", "old_scorer": "", "approximate": False, "is_new": False, "marked": True,
        "pinned": False, "pin": "?a=1&pin=a-b", "note": "", "tied_with": 2, "tie": Tie(0, "c0"),
    }  # fmt: skip
    return ShownRow(**{**defaults, **fields})  # type: ignore[arg-type]


def test_a_row_holds_its_cells_and_escapes_what_others_wrote() -> None:
    html = rows_markup([row(note="it's <new>", other_settings="<i>", is_new=True)], Page())
    assert '<tr class="tied" data-place="0" data-ties="c0" data-tied="2">' in html
    assert '<td class="place">2</td><td class="range">1–3</td>' in html
    assert 'title="x&quot;y, it&#x27;s &lt;new&gt;"' in html
    assert '<a href="/models/a-b/"><bdi>&lt;b&gt;</bdi></a><span class="new">new</span>' in html
    assert "<bdi>A &amp; B</bdi> · open · it&#x27;s &lt;new&gt;</span>" in html
    assert 'href="?a=1&amp;pin=a-b"' in html
    assert 'aria-label="Mark &lt;b&gt; for comparison" checked>' in html
    assert '<span class="visually-hidden">measured</span>' in flat(html)
    assert "other settings: &lt;i&gt;" in html
    assert '<td class="score"><b>61.00</b><small>±4.8</small></td>' in html
    assert not {"<i>", "<new>", "<b>&lt;"} & {tag for tag in ("<i>", "<new>", "<b>&lt;") if tag in html}


def test_what_is_not_there_leaves_no_trace() -> None:
    bare = row(rank="", ranks="", ribbon=None, bar=None, can_compare=False, reason="12.0 % read", tie=None, tied=False)
    html = rows_markup([bare], Page(has_ranges=False, columns=frozenset()))
    assert '<tr class="outside">' in html
    assert f'<td class="range none">{MISSING}</td>' in html
    assert 'class="place"' not in html
    assert "<input" not in html
    assert "badge" not in html
    assert html.count("<small") == 2
    assert '<td class="bar"><small class="muted">12.0 % read</small></td>' in html
    assert '<td class="bar"></td>' in rows_markup([bare], Page())


def test_a_score_without_an_error_says_why() -> None:
    html = rows_markup([row(half="", is_without_error=True)], Page())
    assert "±?" in html
    assert "no error can be computed: all items have the same score" in html
    assert "±?" not in rows_markup([row(half="")], Page())
