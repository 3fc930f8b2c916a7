"""Results in, `Standing` rows out: read and compute without a lock, then store if nothing has changed meanwhile."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from evaluation.models import ItemBank
from leaderboard.models import AheadTable, Standing
from leaderboard.standings.field_scores import field_of
from leaderboard.standings.item_figures import mark_of, new_fields, store_fields
from leaderboard.standings.methods import Method, method_of
from leaderboard.standings.orders import store_orders
from leaderboard.standings.private import is_shown, shown_rows
from leaderboard.standings.ranks import COMPETING, Ahead, competing, in_one_order
from leaderboard.standings.results import Findings, Place, Source, findings_of, findings_of_all
from leaderboard.standings.rows import Row, rows_from, with_all_passes

COLUMNS = tuple(name for name in Row.__dataclass_fields__ if name not in Place._fields)
COMPUTED_COLUMNS = (
    "score", "standard_error", "interval_low", "interval_high", "n_scored", "approximate", "rank", "rank_low",
    "rank_high", "tie_group", "tied_with", "rank_low_all", "rank_high_all", "own_error",
)  # fmt: skip
"""Columns that follow from the results together; `evidence` and the others say whether they still hold."""
GIVEN_COLUMNS = tuple(name for name in COLUMNS if name not in COMPUTED_COLUMNS)


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
    rows, tables = ranked(rows_from(findings.results), findings, stored)
    fields = new_fields(rows, findings.sources, settled_rankings(rows, stored))
    with transaction.atomic():
        take_turn()
        if found(run_id) != (ranking, findings):
            return False
        private = {key for key, source in findings.sources.items() if source.private}
        store(rows, ranking, private)
        store_orders(ranking, private, findings.benchmarks, day_of(timezone.now()))
        store_tables(tables, rows, ranking)
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


def ranked(
    rows: Iterable[Row], findings: Findings, stored: Mapping[Place, Standing]
) -> tuple[list[Row], dict[str, Ahead | None]]:
    """The same rows with ranks, each ranking for itself; and the tables of the rankings that were computed again."""
    found: list[Row] = []
    tables: dict[str, Ahead | None] = {}
    for ranking, own, before in by_ranking(rows, stored):
        those, source = competing(own), findings.sources.get(ranking)
        method = method_of(ranking, findings.benchmarks.get(ranking, ranking))
        if source and source.private:
            found += private_rows(those, source, method)
            tables[ranking] = None
            continue
        found += [row for row in own if row.origin not in COMPETING]
        if all_settled(those, before):
            found += [replace(row, **columns(before[row.place], COMPUTED_COLUMNS)) for row in those]
        else:
            ordered, tables[ranking] = ranked_alone(those, source, method)
            found += ordered
    return found, tables


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


def private_rows(rows: Sequence[Row], source: Source, method: Method) -> list[Row]:
    """The rows of a private bank that are shown. They are ranked at each refresh: the stored rows do not say which runs
    they are of. Baselines are left out: each would be one more equation about the references."""
    ranked, _ = ranked_alone([row for row in rows if is_shown(row)], source, replace(method, usual=None))
    return shown_rows(ranked, method)


def ranked_alone(rows: Sequence[Row], source: Source | None, method: Method) -> tuple[list[Row], Ahead | None]:
    """The rows that compete, grouped by origin, with scores over all their passes and with ranks."""
    field = field_of(rows, source, method.rule)
    if method.rule and method.rule.pools:
        points, n_scored = method.rule.points(field), (field.counts > 0).sum(axis=1).tolist()
        rows = [with_all_passes(*own) for own in zip(rows, points, n_scored, strict=True)]
    return in_one_order(rows, field, method)


def all_settled(rows: Sequence[Row], stored: Mapping[Place, Standing]) -> bool:
    """Whether the same rows with the same results stand in the table, ranked by the rule of now."""
    return len(rows) == sum(old.origin in COMPETING for old in stored.values()) and all(
        row.place in stored and is_settled(row, stored[row.place]) for row in rows
    )


def is_settled(row: Row, old: Standing) -> bool:
    return old.rank_low is not None and columns(row, GIVEN_COLUMNS) == columns(old, GIVEN_COLUMNS)


def settled_rankings(rows: Iterable[Row], stored: Mapping[Place, Standing]) -> dict[str, str]:
    """The rankings in which no result that competes has changed since it was ranked -> the mark of their rows."""
    return {
        ranking: mark_of(len(before), max(old.computed_at for old in before.values()))
        for ranking, own, before in by_ranking(rows, stored)
        if before and all_settled(competing(own), before)
    }


def store(rows: Iterable[Row], ranking: str | None, private: Collection[str]) -> None:
    """Write what differs from the stored rows and delete those that no result stands behind any more."""
    stored, now = stored_rows(ranking), next_moment()
    wanted = {row.place: row for row in rows}
    gone = [old.pk for place, old in stored.items() if place not in wanted]
    if gone:
        Standing.objects.filter(pk__in=gone).delete()
    Standing.objects.bulk_create(
        [
            Standing(
                ranking=row.ranking,
                model_id=row.model_id,
                computed_at=now,
                added_on=added_on(row, stored.get(place), day_of(timezone.now()), private),
                **columns(row),
            )
            for place, row in wanted.items()
            if place not in stored or columns(row) != columns(stored[place])
        ],
        batch_size=500,
        update_conflicts=True,
        unique_fields=["ranking", "model"],
        update_fields=[*COLUMNS, "computed_at", "added_on"],
    )


def day_of(now: datetime) -> date:
    """In UTC."""
    return now.date()


def added_on(row: Row, old: Standing | None, today: date, private: Collection[str]) -> date:
    """The day on which a score of this origin came to the board; of a private bank the first of its month."""
    found = old.added_on if old is not None and old.origin == row.origin else today
    return found.replace(day=1) if row.ranking in private else found


def store_tables(tables: Mapping[str, Ahead | None], rows: Iterable[Row], ranking: str | None) -> None:
    """Write the tables that were computed, and delete those of rankings without a table or without rows."""
    known = AheadTable.objects.all() if ranking is None else AheadTable.objects.filter(ranking=ranking)
    held = {row.ranking for row in rows} - {key for key, table in tables.items() if table is None}
    known.exclude(ranking__in=held).delete()
    AheadTable.objects.bulk_create(
        [
            AheadTable(ranking=key, model_ids=list(ahead.models), packed=np.packbits(ahead.table).tobytes())
            for key, ahead in tables.items()
            if ahead is not None
        ],
        update_conflicts=True,
        unique_fields=["ranking"],
        update_fields=["model_ids", "packed"],
    )


def next_moment() -> datetime:
    """Now, but after every stored row, although another machine's clock were ahead: what pages and readers keep is told
    from what is new by the newest row's time."""
    newest = Standing.objects.aggregate(at=Max("computed_at"))["at"]
    return max(timezone.now(), newest + timedelta(microseconds=1)) if newest else timezone.now()


def columns(row: Row | Standing, names: Iterable[str] = COLUMNS) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}
