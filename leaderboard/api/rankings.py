"""Rankings and their rows."""

from dataclasses import asdict
from typing import Any

from django.http import Http404, HttpRequest
from ninja import Router

from leaderboard.api.paging import Asked, page_fields, part
from leaderboard.api.schemas import RankingPage, RowPage
from leaderboard.models import Standing
from leaderboard.pages.api.public_rows import places, ranking_facts
from leaderboard.pages.rankings.columns import COMMON, fields_of, finite
from leaderboard.pages.rankings.lines import lines_of_key
from leaderboard.pages.rankings.rows import row_of
from leaderboard.pages.shared.measures import ranking_measure

router = Router(tags=["Rankings"])


@router.get("/rankings", response=RankingPage, summary="All rankings, the fullest first")
def list_rankings(request: HttpRequest, asked: Asked) -> dict[str, Any]:
    facts = ranking_facts()
    return {
        **page_fields(request, asked, len(facts)),
        "results": facts[asked.offset : asked.offset + asked.limit],
    }


@router.get("/rankings/{key}", response=RowPage, summary="The rows of one ranking")
def get_ranking(request: HttpRequest, key: str, asked: Asked, demo: bool = False) -> dict[str, Any]:
    """By rank; rows without a rank last, by score. With demo: scripted endpoints too, which are never ranked."""
    facts = next((facts for facts in ranking_facts(demo=demo) if facts.key == key), None)
    if facts is None:
        raise Http404("no such ranking")
    rows = places(key, ranking_measure(facts.benchmark).better, demo=demo)
    return {
        **page_fields(request, asked, rows.count()),
        "key": key,
        "title": facts.title,
        "bank_sha256": facts.bank_sha256,
        "computed_at": facts.computed_at,
        "lines": [asdict(line) for line in lines_of_key(key, facts.benchmark)],
        "results": [row_fields(row) for row in part(rows, asked)],
    }


def place_fields(place: Standing) -> dict[str, Any]:
    """A model's place: the fields of the columns that every ranking has, its figures, and what the API has in another
    form than the files."""
    row = row_of(place)
    return {
        **{field.name: field.read(row) for field in fields_of(COMMON)},
        "score": place.score,
        "strict_score": finite(place.figures.get("strict_score")),
        "figures": {key: finite(value) for key, value in place.figures.items()},
        "ranking": place.ranking,
        "runs_used": place.runs_used,
        "run_ids": place.run_ids,
        "other_settings": place.other_settings,
        "scorer_version": place.scorer_version,
        "needs_rescoring": bool(row.old_scorer),
    }


def row_fields(row: Standing) -> dict[str, Any]:
    model = row.model
    return {
        **place_fields(row),
        "model": model.slug,
        "model_name": model.name,
        "display_name": str(model),
        "organisation": model.organisation,
        "params_billion": model.params_billion,
        "open_weights": model.open_weights,
    }
