"""The made-up field for measurements: whole, ranked, and kept away from real results."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Avg
from django.test import Client

from evaluation.models import ItemResult, LanguageModel, Run
from leaderboard.models import Standing
from tests.factories import make_run
from tests.leaderboard.pages import models, page

pytestmark = [pytest.mark.django_db, pytest.mark.database]

SIZE = {"models": 6, "runs": 2, "items": 10}


def seed(**options: object) -> str:
    out = StringIO()
    call_command("seed_scale", **{**SIZE, **options}, stdout=out)
    return out.getvalue()


def test_the_field_is_as_large_as_asked_and_ranked(client: Client) -> None:
    assert "6 models with 2 runs of 10 items each" in seed()
    assert (LanguageModel.objects.count(), Run.objects.count(), ItemResult.objects.count()) == (6, 12, 120)
    assert list(Standing.objects.order_by("rank").values_list("rank", flat=True)) == [1, 2, 3, 4, 5, 6]
    assert not Standing.objects.filter(rank_low=None).exists()
    assert len(models(page(client, "/rankings/scale/"))) == 6


def test_the_scores_of_the_runs_are_those_of_their_items() -> None:
    seed()
    for run in Run.objects.all():
        mean = run.results.aggregate(mean=Avg("score"))["mean"]
        assert run.score == pytest.approx(10 * mean)


def test_a_database_with_measured_runs_is_refused_unless_it_is_meant() -> None:
    make_run()
    with pytest.raises(CommandError, match="holds measured runs"):
        seed()
    seed(yes=True)
    assert Run.objects.count() == 13


def test_a_second_field_and_an_impossible_one_are_refused() -> None:
    with pytest.raises(CommandError, match="At least one model"):
        seed(models=0)
    seed()
    with pytest.raises(CommandError, match="seeded already"):
        seed(yes=True)
