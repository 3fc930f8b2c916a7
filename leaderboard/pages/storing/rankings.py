"""What pages say of all rows of a ranking, made and stored after its standings: then a page reads only what it shows.

It is made outside the transaction of the standings, since it takes a third of a second for 2,000 models. Until it is
stored, and where a fact of a model was corrected since, the marks differ, and pages make it anew by themselves.
"""

from leaderboard.models import ReadyPart, Standing
from leaderboard.pages.charts.page import new_parts
from leaderboard.pages.rankings.asked import RankingRequest
from leaderboard.pages.rankings.directory import described, loaded_banks
from leaderboard.pages.rankings.overview import to_json
from leaderboard.pages.rankings.ready import OVERVIEW, mark_now
from leaderboard.pages.rankings.selection import selected, unread_of


def refresh_ready() -> None:
    """Brings what is kept ready to what the standings say now. Four queries a ranking in which nothing changed,
    and one more where runs have no score."""
    rankings = list(Standing.objects.order_by("ranking").values_list("ranking", flat=True).distinct())
    ReadyPart.objects.exclude(ranking__in=rankings).delete()
    banks = loaded_banks()
    for ranking in rankings:
        # Read before the rows: what changes in between gives parts under an old mark, which no page takes.
        mark = mark_now(ranking, unread_of(described(ranking, banks)))
        marks = set(ReadyPart.objects.filter(ranking=ranking).values_list("mark", flat=True))
        if mark is not None and marks != {mark}:
            make_ready(ranking, mark)


def make_ready(ranking: str, mark: str) -> None:
    selection = selected(ranking, RankingRequest())
    if selection is None:
        return
    parts = {OVERVIEW: to_json(selection.overview), **new_parts(selection)}
    ReadyPart.objects.bulk_create(
        [ReadyPart(ranking=ranking, name=name, mark=mark, content=content) for name, content in parts.items()],
        update_conflicts=True,
        unique_fields=["ranking", "name"],
        update_fields=["mark", "content"],
    )
