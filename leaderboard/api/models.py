"""Models with their places, runs and published figures."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from evaluation.models import LanguageModel
from leaderboard.api.board import open_to_all
from leaderboard.api.paging import LARGEST_PAGE, Asked, page_fields, part
from leaderboard.api.rankings import place_fields
from leaderboard.api.runs import run_fields
from leaderboard.api.schemas import ModelDetail, ModelOut, ModelPage
from leaderboard.pages.api.public_rows import public_models, public_runs
from leaderboard.pages.models.former_slugs import moved

router = Router(tags=["Models"])


@router.get("/models", response=ModelPage, summary="All models, by name")
def list_models(request: HttpRequest, asked: Asked, q: str = "") -> dict[str, Any]:
    """With q: those that have this text in their name or organisation."""
    models = public_models(q[:120].replace("\0", ""))
    return {**page_fields(request, asked, models.count()), "results": part(models, asked)}


@router.get("/models/{slug}", response=ModelDetail, summary="One model with places, runs and published figures")
def get_model(request: HttpRequest, slug: str) -> dict[str, Any] | HttpResponse:
    """Under a slug that a model had before it was merged or renamed: 301 to its present one."""
    slug = slug.replace("\0", "")
    model = public_models().filter(slug=slug).first()
    if model is None:
        return open_to_all(moved(request, slug, "api-1:get_model", public_models()))
    return {
        **model_fields(model),
        "places": [place_fields(place) for place in model.standings.select_related("model").order_by("ranking")],
        "runs": [run_fields(run) for run in public_runs(model.slug)[:LARGEST_PAGE]],
        "figures": list(model.reference_scores.all()),
    }


def model_fields(model: LanguageModel) -> dict[str, Any]:
    return {name: getattr(model, name) for name in ModelOut.model_fields}
