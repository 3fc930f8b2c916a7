"""Near copies of a model are told by its answers, wherever they stand in the field."""

import numpy as np

from evaluation.statistics.arrays import Floats
from evaluation.statistics.copies import near_copies
from tests.statistics.official import OfficialRuns

NAN = np.nan
STARTS = list(range(0, 4 * 40 + 1, 4))


def _answers(models: int, seed: int = 1) -> Floats:
    return np.random.default_rng(seed).integers(0, 11, (models, 160)).astype(float)


def _scores(answers: Floats) -> Floats:
    """A score that follows from the answer, as on the board."""
    return np.asarray(answers.reshape(len(answers), 40, 4).sum(axis=2))


def test_two_items_of_forty_may_differ_and_three_may_not() -> None:
    answers = _answers(3)
    two, three = answers[1].copy(), answers[1].copy()
    two[[0, 159]] += 1
    three[[0, 80, 159]] += 1
    given = np.vstack([answers, two, three])
    assert near_copies(_scores(given), given, STARTS) == {3: 1}


def test_five_names_of_one_model_are_all_copies_of_the_first() -> None:
    answers = _answers(4)
    given = answers[[0, 1, 1, 1, 2, 1, 1, 3]]
    assert near_copies(_scores(given), given, STARTS) == {2: 1, 3: 1, 5: 1, 6: 1}


def test_a_copy_of_a_copy_names_the_first_and_is_dropped_only_if_near_to_it() -> None:
    first = _answers(1)[0]
    second, third = first.copy(), first.copy()
    second[:8] += 1
    third[:16] += 1  # two items from the second, four from the first
    given = np.vstack([first, second, third])
    assert near_copies(_scores(given), given, STARTS) == {1: 0}


def test_the_same_score_by_another_answer_is_no_copy_and_counts_only_without_answers() -> None:
    answers = _answers(1)
    turned = answers.reshape(1, 40, 4)[:, :, ::-1].reshape(1, 160)
    given = np.vstack([answers, turned])
    scores = _scores(given)
    assert (scores[0] == scores[1]).all()
    assert near_copies(scores, given, STARTS) == {}
    assert near_copies(scores, np.full(given.shape, NAN), STARTS) == {1: 0}
    assert near_copies(scores, np.empty((2, 0)), [0] * 41) == {1: 0}


def test_items_that_neither_has_prove_nothing() -> None:
    given = _answers(2)
    given[:, 20:] = NAN
    given[1, :4] = given[0, :4]
    scores = _scores(given)
    assert near_copies(scores, given, STARTS) == {}
    assert near_copies(np.full((2, 40), NAN), np.full((2, 160), NAN), STARTS) == {}


def test_on_few_items_nobody_is_a_copy() -> None:
    given = np.tile(_answers(1)[:, :76], (2, 1))
    assert near_copies(given.reshape(2, 19, 4).sum(axis=2), given, list(range(0, 77, 4))) == {}
    assert near_copies(np.empty((0, 40)), np.empty((0, 160)), STARTS) == {}


def test_no_official_run_is_a_near_copy_of_another(runs: OfficialRuns) -> None:
    # The nearest two, two snapshots of gpt-3.5-turbo, give equal answers to 156 of the 171 items (91 %).
    ratings = runs.ratings.reshape(60, -1)
    assert near_copies(runs.points, ratings, list(range(0, 685, 4))) == {}
    turbo = [runs.row("gpt-3.5-turbo-0613"), runs.row("gpt-3.5-turbo")]
    first, second = runs.ratings[turbo]
    assert int((first == second).all(axis=1).sum()) == 156
