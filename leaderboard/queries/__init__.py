"""What a page shows, one function a page: frozen rows, and a number of queries that does not grow with them."""

from leaderboard.queries.rankings import RankingPage, RankingRequest, rankings_page
from leaderboard.queries.runs import ItemsPage, RunPage, items_page, manifest_of, run_page

__all__ = [
    "ItemsPage",
    "RankingPage",
    "RankingRequest",
    "RunPage",
    "items_page",
    "manifest_of",
    "rankings_page",
    "run_page",
]
