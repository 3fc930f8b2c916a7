"""What is read from the stored table of who is ahead of whom."""

import pytest

from evaluation.models import LanguageModel
from leaderboard.standings import refresh_standings
from leaderboard.standings.ahead import ahead_among
from tests.factories import make_bank, make_model
from tests.leaderboard.fields import answered
from tests.leaderboard.pages import publish

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_the_models_come_in_the_order_asked_for() -> None:
    bank = make_bank(slug="scenes")
    for name, score in (("weak", 2.0), ("strong", 9.0), ("middle", 5.0)):
        answered(bank, name, [score + at / 10 for at in range(5)])
    refresh_standings()
    keys = dict(LanguageModel.objects.values_list("slug", "pk"))
    found = ahead_among("scenes", [keys["middle"], keys["strong"], keys["weak"]])
    assert found is not None
    assert found.tolist() == [[False, False, True], [True, False, True], [False, False, False]]


def test_nothing_is_known_of_models_without_a_rank_or_rankings_without_errors() -> None:
    bank = make_bank(slug="scenes")
    run = answered(bank, "alone", [5.0] * 5)
    publish(make_model("maker/paper"), "eq-bench-v1", 70.0)
    refresh_standings()
    paper = LanguageModel.objects.get(name="maker/paper").pk
    assert ahead_among("scenes", [run.model_id, paper]) is None
    assert ahead_among("eq-bench-v1", [paper]) is None
