"""Results in, `Standing` rows out: read and compute without a lock, then store if nothing has changed meanwhile."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from evaluation.models import ItemBank, Origin
from evaluation.statistics.arrays import Floats
from leaderboard.models import Standing
from leaderboard.standings.field import FIELDS
from leaderboard.standings.item_figures import mark_of, new_fields, store_fields
from leaderboard.standings.item_scores import item_score_matrix
from leaderboard.standings.private import is_shown, shown_rows
from leaderboard.standings.ranks import COMPETING, competing, published, resampled
from leaderboard.standings.results import Findings, Place, Source, findings_of, findings_of_all
from leaderboard.standings.rows import Row, rows_from

COLUMNS = tuple(name for name in Row.__dataclass_fields__ if name not in Place._fields)
RANK_COLUMNS = ("rank", "rank_low", "rank_high", "tie_group")
RESULT_COLUMNS = tuple(name for name in COLUMNS if name not in RANK_COLUMNS)


def refresh_standings(run_id: int | None = None) -> None:
    """Bring the stored rows to what the runs and figures say now; rows that did not change keep `computed_at`.

    With a run, only the ranking of this run is looked at. Safe to call at any time and twice at once. The scores of a
    large field take seconds to read, in which an SQLite writer would keep all others waiting: so ranks are computed
    before the lock is taken, and anew where the results behind them have changed by then.
    """
    while not refreshed(run_id):
        pass


def refreshed(run_id: int | None) -> bool:
    """One try; False where another result came in while the ranks were computed."""
    ranking, findings = found(run_id)
    stored = stored_rows(ranking)
    rows = ranked(rows_from(findings.results), findings.sources, stored)
    fields = new_fields(rows, findings.sources, settled_rankings(rows, stored))
    with transaction.atomic():
        take_turn()
        if found(run_id) != (ranking, findings):
            return False
        store(rows, ranking)
        store_fields(fields, ranking)
    return True


def take_turn() -> None:
    """Within a transaction: those who write standings follow each other. On PostgreSQL they do by this lock, which has
    to be the first that they take; SQLite's IMMEDIATE transactions do by themselves."""
    list(ItemBank.objects.select_for_update(no_key=True).order_by("pk").values_list("pk"))


def found(run_id: int | None) -> tuple[str | None, Findings]:
    """The ranking to refresh, None for all, and what stands behind it."""
    of_one = None if run_id is None else findings_of(run_id)
    return of_one or (None, findings_of_all())


def stored_rows(ranking: str | None) -> dict[Place, Standing]:
    rows = Standing.objects.all() if ranking is None else Standing.objects.filter(ranking=ranking)
    return {Place(row.ranking, row.model_id): row for row in rows}


def ranked(rows: Iterable[Row], sources: Mapping[str, Source], stored: Mapping[Place, Standing]) -> list[Row]:
    """The same rows with ranks, each ranking for itself."""
    return [
        row
        for ranking, own, before in by_ranking(rows, stored)
        for row in ranked_alone(ranking, own, sources.get(ranking), before)
    ]


def by_ranking(
    rows: Iterable[Row], stored: Mapping[Place, Standing]
) -> list[tuple[str, list[Row], dict[Place, Standing]]]:
    """Each ranking that has rows, with these and with what is stored of it."""
    own: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        own[row.ranking].append(row)
    before: defaultdict[str, dict[Place, Standing]] = defaultdict(dict)
    for place, old in stored.items():
        before[place.ranking][place] = old
    return [(ranking, group, before[ranking]) for ranking, group in own.items()]


def ranked_alone(
    ranking: str, rows: Sequence[Row], source: Source | None, stored: Mapping[Place, Standing]
) -> list[Row]:
    ahead = competing(rows)
    if source and source.private:
        return private_rows([row for row in ahead if is_shown(row)], source)
    figures = [row for row in rows if row.origin == Origin.PUBLISHED]
    apart = [row for row in rows if row.origin not in {*COMPETING, Origin.PUBLISHED}]
    return [
        *(resampled_rows(ahead, source, stored) if source and ahead else ()),
        *published(figures, FIELDS.get(ranking), ranked=not ahead),
        *apart,
    ]


def private_rows(rows: Sequence[Row], source: Source) -> list[Row]:
    """Ranked anew each time: the stored rows do not say which runs they are of. Baselines are left out: each would be
    one more equation about the references."""
    return shown_rows(resampled(rows, scores_of(rows, source))) if rows else []


def scores_of(rows: Sequence[Row], source: Source) -> Floats:
    """Rows x items."""
    models = {origin: [row.model_id for row in rows if row.origin == origin] for origin in COMPETING}
    return item_score_matrix(source, models, [pk for row in rows for pk in row.run_ids])


def resampled_rows(rows: Sequence[Row], source: Source, stored: Mapping[Place, Standing]) -> list[Row]:
    """The rows with ranks: those that are stored where no result has changed since they were ranked."""
    if all_settled(rows, stored):
        return [replace(row, **columns(stored[row.place], RANK_COLUMNS)) for row in rows]
    return resampled(rows, scores_of(rows, source))


def all_settled(rows: Sequence[Row], stored: Mapping[Place, Standing]) -> bool:
    """Whether the same rows with the same results stand in the table, ranked by the rule of now."""
    return len(rows) == sum(old.origin in COMPETING for old in stored.values()) and all(
        row.place in stored and is_settled(row, stored[row.place]) for row in rows
    )


def is_settled(row: Row, old: Standing) -> bool:
    return old.rank_low is not None and columns(row, RESULT_COLUMNS) == columns(old, RESULT_COLUMNS)


def settled_rankings(rows: Iterable[Row], stored: Mapping[Place, Standing]) -> dict[str, str]:
    """The rankings in which no result that competes has changed since it was ranked -> the mark of their rows."""
    return {
        ranking: mark_of(len(before), max(old.computed_at for old in before.values()))
        for ranking, own, before in by_ranking(rows, stored)
        if before and all_settled(competing(own), before)
    }


def store(rows: Iterable[Row], ranking: str | None) -> None:
    """Write what differs from the stored rows and delete those that no result stands behind any more."""
    stored, now = stored_rows(ranking), next_moment()
    wanted = {row.place: row for row in rows}
    gone = [old.pk for place, old in stored.items() if place not in wanted]
    if gone:
        Standing.objects.filter(pk__in=gone).delete()
    Standing.objects.bulk_create(
        [
            Standing(ranking=row.ranking, model_id=row.model_id, computed_at=now, **columns(row))
            for place, row in wanted.items()
            if place not in stored or columns(row) != columns(stored[place])
        ],
        batch_size=500,
        update_conflicts=True,
        unique_fields=["ranking", "model"],
        update_fields=[*COLUMNS, "computed_at"],
    )


def next_moment() -> datetime:
    """Now, but after every stored row, although another machine's clock were ahead: what pages and readers keep is told
    from what is new by the newest row's time."""
    newest = Standing.objects.aggregate(at=Max("computed_at"))["at"]
    return max(timezone.now(), newest + timedelta(microseconds=1)) if newest else timezone.now()


def columns(row: Row | Standing, names: Iterable[str] = COLUMNS) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}
