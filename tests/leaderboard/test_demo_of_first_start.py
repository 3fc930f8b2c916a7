"""The demonstrations that a first start sends through the queue, and those that an update with another bank adds."""

import io

import pytest
from django.core.management import call_command

from evaluation.models import Origin, Run, Status
from leaderboard.starting import first_start
from tests.factories import make_run

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_an_update_adds_the_demonstrations_of_the_present_bank_beside_the_older_ones() -> None:
    call_command("load_bank", first_start.OWN_BANK, stdout=io.StringIO())
    older = make_run(origin=Origin.DEMO, status=Status.FINISHED, score=50.0)
    assert first_start.needs_demo()
    added = first_start.queue_demo("http://127.0.0.1:8090/v1")
    assert len(added) == len(first_start.PERSONAS)
    assert older.pk not in added
    assert set(Run.objects.filter(pk__in=added).values_list("bank__slug", flat=True)) == {first_start.OWN_BANK}
    Run.objects.filter(pk__in=added).update(status=Status.FINISHED, score=50.0)
    assert not first_start.needs_demo()
