"""What is read from the stored table of who is ahead of whom."""

import pytest

from evaluation.models import LanguageModel
from leaderboard.models import Standing
from leaderboard.pages.rankings.ties import ties_among
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


def test_the_bits_of_a_page_say_which_of_its_rows_are_tied() -> None:
    """More rows than one byte has bits; a model that is named twice, as a pinned one, has one place."""
    bank = make_bank(slug="scenes")
    for at in range(11):
        answered(bank, f"m{at}", [9.0 - at // 4 + 0.01 * (at % 4) * (-1) ** item for item in range(5)])
    refresh_standings()
    keys = list(Standing.objects.filter(ranking="scenes").order_by("-pk").values_list("model_id", flat=True))
    ties, ahead = ties_among("scenes", [keys[3], *keys]), ahead_among("scenes", keys)
    assert ahead is not None
    assert [ties[key].place for key in keys] == [1, 2, 3, 0, *range(4, 11)]
    for first, key in enumerate(keys):
        bits = f"{int(ties[key].bits, 16):016b}"
        expected = [not (ahead[first, second] or ahead[second, first]) for second in range(11)]
        assert [bits[ties[other].place] == "1" for other in keys] == expected
        assert bits[11:] == "00000"
    assert len({ties[key].bits for key in keys}) > 1, "else the field says nothing"


def test_there_are_no_bits_of_a_ranking_without_a_table() -> None:
    assert ties_among("nowhere", [1, 2]) == {}
    assert ties_among("nowhere", []) == {}
