"""The order of each public ranking as it was at the end of a day: one compressed row a ranking and day with a change.

Names are not stored. A page that shows an old order looks each model up, so a score that was taken off the board since
then shows no name.
"""

import json
import zlib
from collections.abc import Collection, Iterable, Mapping
from datetime import date
from typing import NamedTuple

from django.db.models import Count, Max

from evaluation.benchmarks.base import Better
from evaluation.models import Origin
from leaderboard.models import RankingDay, Standing
from leaderboard.standings.item_figures import mark_of
from leaderboard.standings.methods import method_of

COLUMNS = (
    "model_id", "origin", "rank", "rank_low", "rank_high", "score", "interval_low", "interval_high", "approximate",
)  # fmt: skip
DIGITS = 4
"""Of stored scores: more than any page shows."""


class PastRow(NamedTuple):
    """A row of a stored order, in the order of COLUMNS. Scores and interval are in points."""

    model_id: int
    origin: str
    rank: int | None
    low: int | None
    high: int | None
    score: float
    interval_low: float | None
    interval_high: float | None
    approximate: bool


def store_orders(ranking: str | None, private: Collection[str], benchmarks: Mapping[str, str], today: date) -> None:
    """Stores the order of each ranking that has changed since it was last stored; None: of all rankings. `benchmarks`
    has the benchmark of each ranking with a bank: it says which end of the scores is the best.

    Call it in the transaction that wrote the standings. Two queries where nothing has changed. The orders of `private`
    rankings are not kept: from one day to the next they would tell what whole points and months hide.
    """
    rows, days = Standing.objects.order_by("ranking"), RankingDay.objects.order_by("ranking", "day")
    if ranking is not None:
        rows, days = rows.filter(ranking=ranking), days.filter(ranking=ranking)
    marks = {
        key: mark_of(n, newest)
        for key, n, newest in rows.values_list("ranking").annotate(n=Count("pk"), newest=Max("computed_at"))
    }
    stored = dict(days.values_list("ranking", "mark"))  # the last day of each ranking wins
    for key in marks.keys() | stored.keys():
        if key not in private and marks.get(key, "") != stored.get(key):
            better = method_of(key, benchmarks.get(key, key)).better
            store_order(key, marks.get(key, ""), better, today)


def store_order(ranking: str, mark: str, better: Better, today: date) -> None:
    rows = rows_now(ranking, better)
    content, days = packed(rows), RankingDay.objects.filter(ranking=ranking).order_by("-day")
    newest = list(days[:2])
    if newest and bytes(newest[0].content) == content:
        days.filter(pk=newest[0].pk).update(mark=mark)
        return
    before = next((each for each in newest if each.day < today), None)
    n_moved = len(moves(unpacked(bytes(before.content)), rows)) if before else 0
    RankingDay.objects.bulk_create(
        [RankingDay(ranking=ranking, day=today, mark=mark, n_moved=n_moved, content=content)],
        update_conflicts=True,
        unique_fields=["ranking", "day"],
        update_fields=["mark", "n_moved", "content"],
    )


def hand_over(ranking: str, old: int, new: int) -> None:
    """The rows of one model become those of another, as after a merge. A ranking in which both ever stood stays as it
    is: two rows of one model in an order would have no name of their own. Call it under the lock of the standings."""
    days = [(day, unpacked(bytes(day.content))) for day in RankingDay.objects.filter(ranking=ranking)]
    if any(row.model_id == new for _, rows in days for row in rows):
        return
    for day, rows in days:
        if any(row.model_id == old for row in rows):
            day.content = packed([row._replace(model_id=new) if row.model_id == old else row for row in rows])
            day.save(update_fields=["content"])


def moves(old: Iterable[PastRow], new: Iterable[PastRow]) -> list[tuple[PastRow, PastRow]]:
    """The rows of each model whose rank changed, as they were and as they are; models without a rank are left out."""
    before = {row.model_id: row for row in old if row.rank}
    pairs = [(before[row.model_id], row) for row in new if row.rank and row.model_id in before]
    return [(was, now) for was, now in pairs if was.rank != now.rank]


def rows_now(ranking: str, better: Better) -> list[PastRow]:
    """What competes, and the baselines; best first."""
    found = Standing.objects.filter(ranking=ranking).exclude(origin=Origin.DEMO).order_by("-score", "model_id")
    rows = [PastRow(*columns) for columns in found.values_list(*COLUMNS)]
    return rows[::-1] if better == "lower" else rows


def packed(rows: Collection[PastRow]) -> bytes:
    """The same rows give the same bytes."""
    lines = [[rounded(value) for value in row] for row in rows]
    return zlib.compress(json.dumps(lines, separators=(",", ":")).encode(), 9)


def rounded(value: object) -> object:
    return round(value, DIGITS) if isinstance(value, float) else value


def unpacked(content: bytes) -> list[PastRow]:
    return [PastRow(*row) for row in json.loads(zlib.decompress(content))]
