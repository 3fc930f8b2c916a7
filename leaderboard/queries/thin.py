"""The order of a long ranking's rows from few of their columns, so that a page reads in full only what it shows.

The database leaves out what no filter lets pass; the search and the order are those of `filters` and `sorting`, since
no two databases fold the case of letters, or sort names, in the same way.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, NamedTuple

from leaderboard.models import Standing
from leaderboard.queries.asked import RankingRequest
from leaderboard.queries.filters import conditions, kept, matches, on_board
from leaderboard.queries.rows import REFERENCES, References, SortedRow, Unread, unread_row
from leaderboard.queries.sections import in_sections
from leaderboard.queries.sorting import DEFAULT, in_order, order_of

COLUMNS = (
    "model_id", "model__display_name", "model__name", "model__slug", "model__organisation", "model__params_billion",
    "origin", "score", "rank",
)  # fmt: skip
SORTED_BY = {"strict": "strict_score", "items": "n_scored", "cv": "cv_percent", "date": "measured_on"}


class ThinModel(NamedTuple):
    """A model of a thin row."""

    name: str
    full_name: str
    slug: str
    organisation: str
    size: float | None
    references: tuple[float | None, ...]


class ThinRow(NamedTuple):
    """What the search and the order look at; a tuple, which is made five times faster than a whole row."""

    model: ThinModel
    origin: str
    score: float | None
    rank: int | None
    strict_score: float | None = None
    n_scored: int | None = None
    cv_percent: float | None = None
    measured_on: date | None = None


NO_REFERENCES = (None,) * len(REFERENCES)


def ordered_slugs(ranking: str, asked: RankingRequest, unread: Iterable[Unread], figures: References) -> list[str]:
    """The models that the filters leave, in the order that is asked for; `figures` are those of all models where they
    sort. One query."""
    order = order_of(asked.sort)
    more = [SORTED_BY[order.column]] if order.column in SORTED_BY else []
    standings = Standing.objects.filter(conditions(asked), ranking=ranking).order_by()
    found = [thin_row(columns, more, figures) for columns in standings.values_list(*COLUMNS, *more)]
    rows: list[SortedRow] = [
        *(row for row in found if matches(row, asked.search)),
        *kept(on_board([unread_row(run, figures) for run in unread], asked), asked),
    ]
    return [row.model.slug for row in (in_sections(rows) if order == DEFAULT else in_order(rows, order))]


def thin_row(columns: Sequence[Any], more: Sequence[str], figures: References) -> ThinRow:
    model_id, display_name, name, slug, organisation, size, origin, score, rank, *rest = columns
    own = figures.get(model_id)
    references = tuple(map(own.get, REFERENCES)) if own else NO_REFERENCES
    model = ThinModel(display_name or name, name, slug, organisation, size, references)
    return ThinRow(model, origin, score, rank, **dict(zip(more, rest, strict=True)))
