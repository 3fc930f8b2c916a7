"""The API and the page that explains it."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import conditional_page, require_safe
from django.views.generic import RedirectView

from leaderboard.api import api
from leaderboard.api.docs import operations, shapes


@conditional_page
@require_safe
def api_docs(request: HttpRequest) -> HttpResponse:
    schema: dict[str, Any] = api.get_openapi_schema()
    page = {"description": schema["info"]["description"], "operations": operations(schema), "shapes": shapes(schema)}
    return render(request, "leaderboard/api.html", {"page": page})


urlpatterns = [
    path("api/", api_docs, name="api-docs"),
    path("api/v1/", RedirectView.as_view(pattern_name="api-docs"), name="api-root-docs"),
    path("api/v1/docs", RedirectView.as_view(pattern_name="api-docs"), name="api-v1-docs"),
    path("api/v1/", api.urls),
]
