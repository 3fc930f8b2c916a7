"""What a page needs of all rows of a ranking, whatever part of them it shows; and the same as JSON and back, since that
of the ranking in its own order is kept ready. No query in here."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from operator import itemgetter
from typing import Any

from leaderboard.drawings.knobs import KnobFigure, LineLabel
from leaderboard.drawings.shapes import Axis
from leaderboard.pages.rankings.asked import RankingRequest
from leaderboard.pages.rankings.board import Board
from leaderboard.pages.rankings.cells import Field
from leaderboard.pages.rankings.filters import shows_demo
from leaderboard.pages.rankings.rows import ModelCells, RankingRow, lightened
from leaderboard.wording import findings


@dataclass(frozen=True, slots=True)
class Overview:
    """`board` is of the table before any filter. `slugs`, `scores` and `ranks` are those of all rows that the filters
    leave, in the order that is asked for."""

    board: Board
    slugs: tuple[str, ...]
    scores: tuple[float | None, ...]
    ranks: tuple[int | None, ...]

    @property
    def ranked_scores(self) -> list[float]:
        """The scores of the ranked rows, best first."""
        ranked = [place for place in zip(self.ranks, self.scores, strict=True) if place[0] is not None]
        return [score for _, score in sorted(ranked, key=itemgetter(0)) if score is not None]


def overview_of(board: Board, ordered: Sequence[RankingRow]) -> Overview:
    return Overview(
        board,
        slugs=tuple(row.model.slug for row in ordered),
        scores=tuple(row.score for row in ordered),
        ranks=tuple(row.rank for row in ordered),
    )


def is_usual(asked: RankingRequest) -> bool:
    """Whether an address asks for the overview that is kept ready, whatever part of the rows it shows."""
    return not (asked.filters or asked.sort or asked.whole_axis or shows_demo(asked))


def to_json(overview: Overview) -> str:
    return json.dumps(asdict(overview), separators=(",", ":"))


def from_json(text: str) -> Overview:
    """What `to_json` wrote, of the same release."""
    stored = json.loads(text)
    columns = (tuple(stored[name]) for name in ("slugs", "scores", "ranks"))
    return Overview(board_from(stored["board"]), *columns)


def board_from(stored: dict[str, Any]) -> Board:
    field, figure = stored["field"], stored["figure"]
    nested = {
        "found": findings.Field(**stored["found"]),
        "field": Field(**{**field, "axis": Axis(**field["axis"]), "lead": pair(field["lead"])}),
        "figure": figure and figure_from(figure),
        "leader": row_from(stored["leader"]),
        "best_with_answers": row_from(stored["best_with_answers"]),
    }
    return Board(**{**stored, **nested, **{name: tuple(stored[name]) for name in ("origins", "makers")}})


def figure_from(stored: dict[str, Any]) -> KnobFigure:
    lines = tuple(LineLabel(*line) for line in stored["lines"])
    grid = tuple((y, value) for y, value in stored["grid"])
    return KnobFigure(**{**stored, "lead": pair(stored["lead"]), "grid": grid, "lines": lines})


def row_from(stored: list[Any] | None) -> RankingRow | None:
    if stored is None:
        return None
    model, *own = stored
    return lightened(RankingRow(ModelCells(*model), *own))


def pair(stored: list[Any] | None) -> tuple[Any, Any] | None:
    return None if stored is None else (stored[0], stored[1])
