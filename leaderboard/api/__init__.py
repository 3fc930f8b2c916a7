"""The read-only JSON API under /api/v1/. Fields are only added within a version, never renamed or removed."""

from leaderboard.api import banks, models, rankings, runs
from leaderboard.api.board import BoardApi

api = BoardApi(
    title="EQ Leaderboard API",
    version="1",
    description=(
        "Public results, read-only and without a key. Use limit and offset to page through a list. Each response "
        "carries an ETag; send it back as If-None-Match to get 304 while nothing "
        "changed. A missing figure is null, never zero."
    ),
    docs_url=None,
    openapi_url="/openapi.json",
    urls_namespace="api-1",
)
api.add_router("/", models.router)
api.add_router("/", rankings.router)
api.add_router("/", runs.router)
api.add_router("/", banks.router)
