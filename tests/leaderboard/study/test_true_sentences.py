"""What a result page says is true of its data, also with few raters, with answers that are all alike, and with none."""

import html
import re

import pytest
from django.test import Client

from leaderboard.study.models import Group, Participation, Rating
from leaderboard.study.results import refresh_results
from tests.leaderboard.study.making import make_study
from tests.leaderboard.study.test_results import group

pytestmark = [pytest.mark.django_db, pytest.mark.database]
NO_P = "There is no p by rater: it takes 30 ratings on both sides, from raters who are known and not all alike."
NO_EMOTION = (
    "No model can be compared with HUMAN by emotion yet: a test takes 30 ratings on both sides that are not all alike."
)
NO_PAIR = "No pair is in the ranking yet: a test takes 30 ratings on both sides that are not all alike"


def page(board: dict[str, list[int]], *, items: int = 4, query: str = "") -> str:
    """The text of a study's page; `board` has the number of Good of each rater, by responder."""
    study = make_study(batches=60, items=items, responders=tuple(board))
    for key, good in board.items():
        group(study, key, good)
    refresh_results(study)
    content = Client().get(f"/studies/{study.slug}/{query}").content.decode()
    main = content[content.index("<main") : content.index("</main")]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", main)).split())


@pytest.mark.parametrize(
    ("board", "says", "never"),
    [
        pytest.param(
            {"human": [4] * 60, "gpt-4": [4] * 60},
            ["No model has a test against HUMAN in the ranking yet", NO_PAIR, NO_P, NO_EMOTION,
             "By rater: not available, since raters are not known or do not differ."],
            ["Raters are not known", "only counts are known", "too few to compare"],
            id="all Good",
        ),
        pytest.param(
            {"human": [2], "gpt-4": [3]},
            ["Too few people have rated replies to say who is ahead", NO_PAIR, NO_P, NO_EMOTION],
            ["Raters are not known"],
            id="one rater",
        ),
        pytest.param(
            {"human": [2, 3, 1] * 20}, ["So far only HUMAN was rated", NO_P, NO_EMOTION], [], id="only people"
        ),
        pytest.param(
            {"human": [3, 2, 4] * 20, "gpt-4": [4] * 60},
            ["Other intervals are Wilson’s. The p by rater is from Welch’s test on the raters’ shares of Good."],
            ["there is no p by rater"],
            id="all Good beside people who differ",
        ),
        pytest.param(
            {"human": [1, 2, 1] * 5, "gpt-4": [4, 3] * 30},
            ["Too few people have rated replies", "pairs with a preliminary group are corrected apart"],
            ["holds by rater"],
            id="few raters of people’s replies",
        ),
    ],
)  # fmt: skip
def test_every_sentence_fits_a_board_with_few_data(
    board: dict[str, list[int]], says: list[str], never: list[str]
) -> None:
    text = page(board)
    assert [each for each in says if each not in text] == []
    assert [each for each in never if each in text] == []


def test_a_preliminary_model_is_counted_and_hides_no_emotions_of_another() -> None:
    """It has the highest share, and too few ratings of each emotion for a test."""
    text = page({"human": [1, 2, 1] * 20, "gpt-4": [3, 4, 3] * 20, "new": [4] * 20})
    assert "GPT-4’s replies are rated “Good” more often than people’s" in text
    assert "1 of 2 models are ahead of HUMAN; NEW has no test in the ranking yet" in text
    assert "Share of Good. About 60 ratings a cell: where HUMAN is near 50 %" in text
    assert "Sorted by the share of GPT-4 minus that of HUMAN" in text


def test_a_headline_about_all_models_leaves_out_in_words_those_with_few_raters() -> None:
    tied, best = [2, 3, 1] * 20, [4] * 20
    assert page({"human": tied, "gpt-4": tied, "new": best}).startswith(
        "Of models that enough people have rated, no replies are clearly called Good more often than people’s: "
        "GPT-4 has 50 against 50 %"
    )
    assert page({"human": [4, 3] * 30, "gpt-4": [1, 0] * 30, "new": best}).startswith(
        "Of models that enough people have rated, no replies are called Good as often as people’s"
    )


def test_the_emotions_name_the_ratings_of_both_sides_and_what_their_intervals_are() -> None:
    text = page({"human": [1, 2, 3] * 20, "gpt-4": [3, 4] * 26})
    assert "About 60 ratings a cell of HUMAN and 52 of GPT-4" in text
    assert "proud 60 and 52" in text, "the table has both numbers of ratings"
    assert "Pale bars: 95 %, from resampling raters where they are known and differ." in text


def test_a_group_smaller_than_the_number_of_batches_leaves_replies_unrated() -> None:
    assert "Each reply is rated at most once." in page({"human": [2, 3, 1] * 18, "gpt-4": [2, 3, 1] * 18})


def test_with_one_item_a_rater_no_ratings_are_of_one_rater() -> None:
    text = page({"human": [0, 1] * 30, "gpt-4": [1] * 60}, items=1)
    assert "They are not independent" not in text
    assert Rating.objects.count() == Participation.objects.count() == sum(each.target for each in Group.objects.all())
