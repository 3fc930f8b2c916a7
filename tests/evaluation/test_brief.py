"""What others wait for is held by no process that is frozen. With a process that freezes: `tests/chaos/frozen.py`."""

import uuid

import pytest
from django.db import connection, transaction

from evaluation.models import Run, Status
from evaluation.runs.brief import FROZEN_SECONDS, brief_transaction
from evaluation.runs.manifest import sealed_columns
from evaluation.runs.recording import Lease, store
from tests.factories import make_endpoint, make_run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


@pytest.fixture
def postgresql(db: None) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no limit to set")


def limit() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        return str(cursor.fetchone()[0])


def test_a_claim_a_write_and_an_end_have_a_limit_to_their_silence_and_what_follows_has_none(postgresql: None) -> None:
    run, token = make_run(endpoint=make_endpoint(), status=Status.QUEUED, driver="worker"), uuid.uuid4()
    with transaction.atomic():
        assert limit() == "0"
        assert Run.objects.claim(run.pk, token, lease_seconds=45, driver="worker", most_idle_claims=9)
        assert limit() == f"{FROZEN_SECONDS}s"
    with transaction.atomic():
        store(Lease(run.pk, token, 45), [], {"requests": 1})
        assert limit() == f"{FROZEN_SECONDS}s"
    with transaction.atomic():
        assert Run.objects.end(run.pk, token, status=Status.FAILED, seal=sealed_columns)
        assert limit() == f"{FROZEN_SECONDS}s"
    assert limit() == "0"


def test_what_fails_within_is_undone() -> None:
    run = make_run(status=Status.QUEUED)

    def fail() -> None:
        with brief_transaction():
            Run.objects.filter(pk=run.pk).update(requests=7)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert Run.objects.get(pk=run.pk).requests == 0
