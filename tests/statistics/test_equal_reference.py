"""Words and families are compared at equal reference: wrong answers without any idea of feelings favour none.

Simulated on the words and references of the official items, and held to the official runs.
"""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import t as students

from evaluation.statistics.arrays import Floats
from evaluation.statistics.emotions import at_equal_reference, bias_by_family, bias_by_word, by_adjusted
from evaluation.statistics.families import family_of
from leaderboard.pages.statistics.emotions import clearest
from leaderboard.wording.model_findings import families_headline
from tests.statistics.official import OfficialRuns

HURT = "Among feelings with the same reference hurt is rated highest"
QUIET = "No family is clearly over- or underrated"
DRAWS = 200


def random_answers(generator: np.random.Generator, reference: Floats) -> Floats:
    return generator.integers(0, 11, reference.size).astype(float)


def noisy_reference(generator: np.random.Generator, reference: Floats) -> Floats:
    return np.clip(np.rint(reference + generator.normal(0, 2, reference.size)), 0, 10)


def words_of(runs: OfficialRuns) -> list[str]:
    return [word for labels in runs.labels for word in labels]


@pytest.mark.parametrize("constant", [0.0, 3.0, 3.2, 0.1 + 0.2, 10.0])
def test_a_constant_answer_favours_no_family_and_no_word(runs: OfficialRuns, constant: float) -> None:
    reference = runs.reference.ravel()
    given = np.full(reference.size, constant)
    families = bias_by_family(words_of(runs), given, reference)
    assert families_headline(families) == QUIET
    found = [bias.adjusted for bias in (*families, *bias_by_word(words_of(runs), given, reference)) if bias.adjusted]
    assert {adjusted.mean_error for adjusted in found} == {0.0}
    assert not any(adjusted.is_clear for adjusted in found)
    assert max(abs(bias.mean_error) for bias in families) > 0.5  # as they lean without it


@pytest.mark.parametrize("answers", [random_answers, noisy_reference])
def test_answers_without_an_idea_of_feelings_favour_a_family_as_rarely_as_stated(
    runs: OfficialRuns, answers: Callable[[np.random.Generator, Floats], Floats]
) -> None:
    generator, reference, words = np.random.default_rng(15), runs.reference.ravel(), words_of(runs)
    n_families = n_apart = n_loud = n_raw = 0
    for _ in range(DRAWS):
        families = bias_by_family(words, answers(generator, reference), reference)
        intervals = [bias.adjusted.interval for bias in families if bias.adjusted]
        n_families += len(intervals)
        n_apart += sum(interval is not None and not interval.holds(0.0) for interval in intervals)
        n_raw += sum(bias.interval is not None and not bias.interval.holds(0.0) for bias in families)
        n_loud += families_headline(families) != QUIET
    assert n_families == 14 * DRAWS
    assert n_apart <= 0.05 * n_families
    assert n_loud <= 0.05 * DRAWS
    assert n_raw > 0.3 * n_families


def test_a_family_that_is_answered_too_strongly_is_named(runs: OfficialRuns) -> None:
    generator, reference, words = np.random.default_rng(4), runs.reference.ravel(), words_of(runs)
    is_hurt = np.array([family_of(word) == "hurt" for word in words])
    given = np.clip(noisy_reference(generator, reference) + 2.0 * is_hurt, 0, 10)
    assert families_headline(bias_by_family(words, given, reference)) == HURT


def test_families_of_the_official_runs_at_equal_reference(runs: OfficialRuns) -> None:
    """Against a computation of its own: a mean for each reference, then means and Student's t for each family."""
    reference, means = runs.reference.ravel(), np.nanmean(runs.ratings, axis=0).ravel()
    errors = means - reference
    own_level = np.array([errors[reference == value].mean() for value in reference])
    found = {bias.name: bias for bias in bias_by_family(words_of(runs), means, reference)}
    names = np.array([family_of(word) for word in words_of(runs)])
    for name, bias in found.items():
        rest = (errors - own_level)[names == name]
        half = students.ppf(0.975, rest.size - 1) * rest.std(ddof=1) / np.sqrt(rest.size)
        assert bias.adjusted is not None
        assert bias.adjusted.interval is not None
        assert bias.adjusted.mean_error == pytest.approx(rest.mean(), abs=1e-9)
        assert bias.adjusted.interval.half_width == pytest.approx(half, abs=1e-9)
    shown = {
        name: (
            round(bias.mean_error, 2),
            round(bias.adjusted.mean_error, 2),
            round(bias.adjusted.interval.half_width, 2),
        )
        for name, bias in found.items()
        if bias.adjusted and bias.adjusted.interval
    }
    assert shown["goodwill"] == (1.54, -0.1, 0.41)
    assert shown["relief"] == (1.33, -0.46, 0.28)
    assert shown["indifference"] == (0.98, -0.88, 0.19)
    assert shown["joy"] == (0.63, -0.57, 0.39)
    assert shown["hurt"] == (0.74, 0.65, 0.32)
    assert shown["anger"] == (0.43, 0.52, 0.16)
    assert shown["defiance"] == (-0.14, 0.32, 0.28)
    ordered = [bias.name for bias in by_adjusted(found.values())]
    assert (ordered[0], ordered[-1]) == ("hurt", "indifference")
    headline = families_headline(list(found.values()))
    assert headline == "Among feelings with the same reference hurt is rated highest, indifference is rated lowest"


def test_level_of_the_reference_no_longer_orders_the_families(runs: OfficialRuns) -> None:
    reference, means = runs.reference.ravel(), np.nanmean(runs.ratings, axis=0).ravel()
    rest = at_equal_reference(means, reference)
    assert np.corrcoef(means - reference, reference)[0, 1] < -0.7
    assert abs(np.corrcoef(rest, reference)[0, 1]) < 1e-9


def test_a_reference_that_occurs_once_has_nothing_to_compare_with() -> None:
    rest = at_equal_reference([5.0, 3.0, 4.0, np.nan, 9.0], [2.0, 2.0, 7.0, 2.0, np.nan])
    assert rest[:2].tolist() == [1.0, -1.0]
    assert np.isnan(rest[2:]).all()
    alone = bias_by_word(["Angry"], [5.0], [3.0])
    assert alone[0].adjusted is None


def test_rare_words_are_left_out_and_are_not_counted_as_compared() -> None:
    generator = np.random.default_rng(2)
    reference = np.repeat([0.0, 5.0], 30)
    given = reference + generator.normal(0, 1, 60)
    words = ["Angry", "Calm"] * 25 + ["Proud"] * 9 + ["Sad"]
    assert {bias.name for bias in bias_by_word(words, given, reference, least=10)} == {"Angry", "Calm"}


@pytest.mark.parametrize(
    ("errors", "title"),
    [
        ({"hurt": (0.65, True), "joy": (0.1, False), "fear": (-0.88, True)},
         "Rated highest: words of hurt, +0.65; lowest: words of fear, −0.88 (at equal reference)"),
        ({"hurt": (0.65, True), "joy": (0.1, False)}, "Rated highest: words of hurt, +0.65 (at equal reference)"),
        ({"joy": (-0.3, True)}, "Rated lowest: words of joy, −0.30 (at equal reference)"),
        ({"joy": (0.1, False)}, "No family is clearly over- or underrated"),
        ({}, "No family is clearly over- or underrated"),
    ],
)  # fmt: skip
def test_a_title_names_the_groups_that_are_clear_of_zero(errors: dict[str, tuple[float, bool]], title: str) -> None:
    rows = [{"name": name, "adjusted": error, "is_clear": clear} for name, (error, clear) in errors.items()]
    assert clearest(rows, "family", "words of ") == title
