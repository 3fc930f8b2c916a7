"""A merge while the standings are being written: one waits for the other, and neither for what the other waits for."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections, transaction

from leaderboard.administration.merging import Merged, merge
from leaderboard.models import Standing
from leaderboard.standings import refresh_standings, take_turn
from tests.factories import make_bank
from tests.leaderboard.pages import finished
from tests.processes import wait_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


def somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid()")
        return bool(cursor.fetchone()[0])


def test_a_merge_waits_for_a_refresh_at_work_before_it_holds_a_row_that_this_one_writes() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one lock alone, so that nobody waits while holding one")
    bank = make_bank(5)
    kept, double = (finished(bank, score, name=name).model for name, score in (("kept", 60.0), ("double", 67.0)))
    refresh_standings()

    def merged() -> Merged:
        try:
            return merge(kept, [double])
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            take_turn()
            beside = pool.submit(merged)
            wait_for(somebody_waits, what="the merge to wait")
            Standing.objects.filter(model=double).update(score=66.0)
        assert beside.result(timeout=30).model == kept
    assert Standing.objects.get().score == 63.5
