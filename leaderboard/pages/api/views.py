"""The API and the page that explains it."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import conditional_page, require_safe
from django.views.generic import RedirectView

from leaderboard.api import api
from leaderboard.api.docs import operations, shapes
from leaderboard.pages.rankings.columns import every_column, fields_of
from leaderboard.sharing import export_notes, exports, run_exports
from leaderboard.sharing.export_notes import columns
from leaderboard.statistics.files import PAIR_SCHEMA, score_schema


@conditional_page
@require_safe
def api_docs(request: HttpRequest) -> HttpResponse:
    schema: dict[str, Any] = api.get_openapi_schema()
    ranking_schema = exports.schema_of(fields_of(every_column().values()))
    page = {
        "description": schema["info"]["description"],
        "example": request.build_absolute_uri(reverse("api-1:list_rankings")),
        "operations": operations(schema),
        "shapes": shapes(schema),
        "files": (
            ("A ranking", columns(ranking_schema, export_notes.RANKING)),
            ("The items of a run", columns(run_exports.SCHEMA, export_notes.RUN)),
            ("Item scores of a ranking, Parquet", columns(score_schema([1]), export_notes.ITEM_SCORES)),
            ("Pairs of models, Parquet", columns(PAIR_SCHEMA, export_notes.PAIRS)),
        ),
    }
    return render(request, "pages/api/api.html", {"page": page})


urlpatterns = [
    path("api/", api_docs, name="api-docs"),
    path("api/v1/", RedirectView.as_view(pattern_name="api-docs"), name="api-root-docs"),
    path("api/v1/docs", RedirectView.as_view(pattern_name="api-docs"), name="api-v1-docs"),
    path("api/v1/", api.urls),
]
