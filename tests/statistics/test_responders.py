"""The whole study: lines, pairs, letters, emotions, and what is left out for want of data."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.statistics.contingency import table_test
from evaluation.statistics.corrections import holm
from evaluation.statistics.emotion_labels import VALENCE
from evaluation.statistics.raters import raters_of
from evaluation.statistics.responders import gain, study_statistics
from evaluation.statistics.study_figures import Cell, Line, Pair, Scope, Study
from tests.statistics.study_data import cells_of, group_of, rows_of, vectors

MODELS = {"gpt-4": 32, "llama-2-70b-chat": 32, "mixtral-8x7b-instruct": 32, "gemini-1.0-pro": 32}


def counted(responder: str, bad: int, okay: int, good: int) -> Cell:
    return Cell(responder, bad + okay + good, good, bad, okay)


def rated(responder: str, *good: int, each: int = 10) -> Cell:
    """A responder whose raters gave `each` ratings, so many of them Good."""
    raters = raters_of(list(good), [each] * len(good))
    return Cell(responder, each * len(good), sum(good), raters=raters)


def studied(cells: Mapping[str, Sequence[Cell]], n_raters: Mapping[str, int] | None = None) -> Study:
    return study_statistics(cells, reference="human", n_raters=n_raters, draws=500, seed=1)


def scope_of(study: Study, name: str = "all") -> Scope:
    return next(scope for scope in study.scopes if scope.name == name)


def only(*cells: Cell, n_raters: Mapping[str, int] | None = None) -> Scope:
    return scope_of(studied({"all": cells}, n_raters))


def line_of(scope: Scope, responder: str) -> Line:
    return next(line for line in scope.lines if line.responder == responder)


def pair_of(scope: Scope, *responders: str) -> Pair:
    return next(pair for pair in scope.pairs if {pair.first, pair.second} == set(responders))


def letters_of(scope: Scope) -> dict[str, str]:
    return {line.responder: "".join(line.letters) for line in scope.lines}


def test_the_published_counts_have_the_letters_of_the_specification(shared_data: Path) -> None:
    study = studied(cells_of(shared_data))
    by_scope = {scope.name: list(letters_of(scope).values()) for scope in study.scopes}
    # Human first, then by share: GPT-4, LLaMA-2, Mixtral, Gemini.
    assert by_scope == {
        "all": ["d", "a", "b", "b", "c"],
        "positive": ["c", "a", "ab", "b", "c"],
        "negative": ["c", "a", "ab", "ab", "b"],
    }
    assert [line.responder for line in scope_of(study).lines] == ["human", *MODELS]
    assert [line.rank for line in scope_of(study).lines] == [5, 1, 2, 3, 4]


def test_the_published_table_comes_out(shared_data: Path) -> None:
    study = studied(cells_of(shared_data))
    for row in rows_of(shared_data, "results_by_responder.csv"):
        if row["responder"] in MODELS:
            scope = scope_of(study, row["scope"])
            line, pair = line_of(scope, row["responder"]), pair_of(scope, "human", row["responder"])
            assert (line.gain, line.points) == pytest.approx(
                (float(row["gain_pct"]), float(row["diff_points"])), abs=0.006
            )
            assert (pair.first, pair.second, pair.points) == (row["responder"], "human", line.points)
            assert pair.good is not None
            assert pair.good.chi_square_yates == pytest.approx(float(row["published_chi2"]), abs=0.006)
            assert line.basis == row["basis"]


def test_every_pair_of_the_published_table_has_its_adjusted_p(shared_data: Path) -> None:
    study = studied(cells_of(shared_data))
    for row in rows_of(shared_data, "pairwise_good.csv"):
        pair = pair_of(scope_of(study, row["scope"]), row["a"], row["b"])
        assert pair.p_adjusted == pytest.approx(float(row["p_holm_10"]), rel=1e-4)
        assert abs(pair.points) == pytest.approx(abs(float(row["diff_points_b_minus_a"])), abs=0.006)


def test_three_levels_are_tested_where_both_responders_have_them(shared_data: Path) -> None:
    scope = scope_of(studied(cells_of(shared_data)))
    known = pair_of(scope, "human", "gpt-4").three_levels
    assert known is not None
    assert known.chi_square == pytest.approx(134.124, rel=1e-4)
    assert pair_of(scope, "human", "gemini-1.0-pro").three_levels is None
    assert scope.omnibus.levels == "Good against the rest"
    assert scope.omnibus.test is not None
    assert scope.omnibus.test.df == 4
    assert scope.omnibus.test.chi_square == pytest.approx(121.097, rel=1e-4)


def test_the_emotions_of_the_published_study(shared_data: Path) -> None:
    study = studied(cells_of(shared_data))
    assert [emotion.name for emotion in study.emotions] == list(VALENCE)
    assert study.n_tests == MODELS
    own = [pair for emotion in study.emotions for pair in emotion.against_reference if pair.first == "gpt-4"]
    assert len(own) == 32
    assert [sum((p or 1) < 0.05 for p in (pair.p, pair.p_adjusted)) for pair in own].count(2) == 10
    assert sum((pair.p or 1) < 0.05 for pair in own) == 12
    apprehensive = next(emotion for emotion in study.emotions if emotion.name == "apprehensive")
    first = next(pair for pair in apprehensive.against_reference if pair.first == "gpt-4")
    assert first.stars == "***"
    assert first.by_rater is None


def test_of_a_model_with_single_cells_the_unpublished_emotions_count_as_tests(shared_data: Path) -> None:
    """Only cells that were significant by themselves were published, so the rest of the family is not left out."""
    study = studied(cells_of(shared_data))
    single = [
        pair for emotion in study.emotions for pair in emotion.against_reference if pair.first == "gemini-1.0-pro"
    ]
    assert len(single) == 2
    assert all(pair.p is not None and pair.p < 0.05 and not pair.stars for pair in single)


def test_emotions_have_the_valence_of_the_study(shared_data: Path) -> None:
    assert {row["emotion"]: row["valence"] for row in rows_of(shared_data, "emotions.csv")} == VALENCE


def test_means_and_gains_of_the_vectors(shared_data: Path) -> None:
    wanted = vectors(shared_data)["means_1_to_3"]
    scope = only(counted("human", 342, 672, 986), counted("gpt-4", 142, 563, 1295), counted("plain", 156, 576, 1268))
    means = [line_of(scope, responder).mean_level or 0 for responder in ("human", "plain", "gpt-4")]
    assert means == pytest.approx([wanted["human"], wanted["gpt-4-plain-prompt"], wanted["gpt-4"]])
    gains = [gain(mean, means[0]) for mean in means[1:]]
    assert gains == pytest.approx([wanted["gain_pct_plain"], wanted["gain_pct_defined"]], abs=0.006)
    assert scope.omnibus.test is not None
    assert scope.omnibus.levels == "Bad, Okay, Good"
    assert scope.omnibus.test.chi_square == pytest.approx(178.122, rel=1e-4)
    for case in vectors(shared_data)["gain"]:
        found = gain(case["model_good"] / case["n"], case["human_good"] / case["n"])
        assert found == pytest.approx(case["gain_pct"], abs=0.006)


def test_raters_give_the_interval_that_is_shown(shared_data: Path) -> None:
    human, model = (
        Cell(name, 2000, good, raters=group_of(shared_data, name)) for name, good in (("human", 986), ("gpt-4", 1295))
    )
    study = study_statistics({"all": [human, model]}, reference="human", seed=3)
    line = line_of(scope_of(study), "gpt-4")
    assert line.interval_method == "bootstrap over raters"
    assert (100 * line.interval.low, 100 * line.interval.high) == pytest.approx((61.85, 67.6), abs=0.3)
    assert line.wilson.half_width < line.interval.half_width
    assert line.points_interval is not None
    assert line.gain_interval is not None
    assert (line.points_interval.low, line.points_interval.high) == pytest.approx((11.7, 19.2), abs=0.2)
    by_rater = pair_of(scope_of(study), "human", "gpt-4").by_rater
    assert by_rater is not None
    assert by_rater.welch is not None
    assert by_rater.welch.t == pytest.approx(8.09751, rel=1e-5)
    assert by_rater.permutation_p == 1 / 10_001
    assert [group.design_effect for group in study.groups] == pytest.approx([1.163, 1.913], abs=1e-3)
    assert [group.is_preliminary for group in study.groups] == [False, False]


def test_counts_alone_have_wilson_intervals_and_nothing_by_rater() -> None:
    scope = only(counted("human", 20, 30, 50), counted("a", 10, 20, 70))
    line = line_of(scope, "a")
    assert (line.interval_method, line.interval) == ("Wilson", line.wilson)
    assert (line.gain_interval, line.points_interval) == (None, None)
    assert pair_of(scope, "human", "a").by_rater is None
    assert line.gain == pytest.approx(40)
    assert line.points == pytest.approx(20)


def test_a_group_without_spread_falls_back_to_wilson() -> None:
    scope = only(rated("human", 5, 5, 5, 5), rated("a", 4, 6, 5, 7))
    assert line_of(scope, "human").interval_method == "Wilson"
    assert line_of(scope, "a").interval_method == "bootstrap over raters"
    assert line_of(scope, "a").points_interval is None


def test_another_responder_changes_no_interval_and_no_p_of_the_others() -> None:
    """Chance is seeded by cell and by pair."""
    human, one = rated("human", *[3, 5, 6, 4] * 20), rated("one", *[5, 6, 8, 4] * 20)
    before, after = only(human, one), only(human, rated("another", *[1, 9] * 40), one)
    for responder in ("human", "one"):
        known, now = line_of(before, responder), line_of(after, responder)
        assert (known.interval, known.gain_interval) == (now.interval, now.gain_interval)
    assert pair_of(before, "human", "one").by_rater == pair_of(after, "human", "one").by_rater


def test_two_groups_are_drawn_apart() -> None:
    """Draws that were shared would give a difference without any width."""
    good = [3, 5, 6, 8] * 20
    interval = line_of(only(rated("human", *good), rated("twin", *good)), "twin").points_interval
    assert interval is not None
    # The standard error of a mean of 80 raters is 0.0203, that of a difference of two means 2.87 points.
    assert interval.half_width == pytest.approx(1.96 * 2.87, rel=0.15)


def test_without_good_replies_of_people_there_is_no_gain() -> None:
    line = line_of(only(counted("human", 50, 50, 0), counted("a", 20, 20, 60)), "a")
    assert (line.gain, line.points) == (None, 60)
    scope = only(rated("human", *[0] * 59, 1, each=1), rated("a", *[0, 1] * 30, each=1))
    assert line_of(scope, "a").gain_interval is None
    assert line_of(scope, "a").points_interval is not None


def test_below_30_ratings_there_is_a_share_but_no_test() -> None:
    scope = only(counted("human", 20, 30, 50), counted("few", 0, 0, 29), counted("a", 5, 5, 90))
    few = line_of(scope, "few")
    assert (few.share, few.has_too_little) == (1, True)
    pair = pair_of(scope, "human", "few")
    assert (pair.good, pair.three_levels, pair.p, pair.p_adjusted, pair.stars) == (None, None, None, None, "")
    assert pair.reason == "fewer than 30 ratings: few"
    assert set(few.letters) & set(line_of(scope, "human").letters), "an untested pair counts as not different"
    assert (scope.omnibus.responders, scope.omnibus.left_out) == (("human", "a"), ("few",))
    tested = pair_of(scope, "human", "a")
    assert tested.p_adjusted == tested.p, "a pair without a p value is no test of the family"


def test_30_ratings_are_enough() -> None:
    pair = pair_of(only(counted("human", 20, 30, 50), counted("a", 0, 2, 28)), "human", "a")
    assert pair.p is not None


def test_fishers_p_is_the_one_that_holm_and_letters_use() -> None:
    scope = only(counted("human", 1, 2, 37), counted("a", 0, 0, 40), counted("b", 0, 5, 35))
    pair = pair_of(scope, "human", "a")
    assert pair.good is not None
    assert pair.good.method == "Fisher's exact test"
    assert pair.p == pair.good.p != pair.good.p_yates
    assert [pair.p_adjusted for pair in scope.pairs] == list(holm([pair.p or 0 for pair in scope.pairs]))


def test_a_three_level_table_that_loses_a_level_is_two_by_two() -> None:
    found = pair_of(only(counted("human", 0, 20, 30), counted("a", 0, 10, 40)), "human", "a").three_levels
    assert found is not None
    assert (found.df, found.method) == (1, "chi-square with Yates correction")


def test_where_all_are_good_nothing_is_tested_and_all_share_a_letter() -> None:
    scope = only(counted("human", 0, 0, 50), counted("a", 0, 0, 60))
    pair = pair_of(scope, "human", "a")
    assert (pair.p, pair.p_adjusted, pair.reason) == (None, None, "all answers are of one level")
    assert letters_of(scope) == {"human": "a", "a": "a"}
    assert [line.rank for line in scope.lines] == [1, 1]


def test_below_51_raters_a_group_is_preliminary_and_off_the_ranking() -> None:
    human, one = counted("human", 200, 300, 500), counted("one", 100, 200, 700)
    new = counted("new", 50, 50, 400)
    before = only(human, one, n_raters={"human": 100, "one": 100})
    study = studied({"all": [human, one, new]}, {"human": 100, "one": 100, "new": 50})
    scope = scope_of(study)
    assert [group.is_preliminary for group in study.groups] == [False, False, True]
    assert (line_of(scope, "new").rank, line_of(scope, "new").letters) == (None, ())
    assert [(line.rank, line.letters) for line in scope.lines if line.responder != "new"] == [
        (line.rank, line.letters) for line in before.lines
    ]
    assert pair_of(scope, "human", "one") == pair_of(before, "human", "one"), "its family does not grow"
    own = [pair for pair in scope.pairs if pair.family == "preliminary"]
    assert len(own) == 2
    assert [pair.p_adjusted for pair in own] == list(holm([pair.p or 0 for pair in own]))
    assert not studied({"all": [human, new]}, {"human": 100, "new": 51}).groups[1].is_preliminary


def test_where_the_number_of_raters_is_unknown_nothing_is_called_preliminary() -> None:
    (human, model) = studied({"all": [counted("human", 20, 30, 50), counted("a", 10, 20, 70)]}).groups
    assert (human.n_raters, human.is_preliminary, model.icc, model.design_effect) == (None, None, None, None)


def test_emotions_without_people_are_named_and_not_compared() -> None:
    everyone = [counted("human", 20, 30, 50), counted("a", 10, 20, 70)]
    study = studied({"all": everyone, "joyful": [everyone[1]], "sad": everyone})
    assert study.without_reference == ("joyful",)
    assert [emotion.name for emotion in study.emotions] == ["sad"]


def test_an_emotion_with_too_few_ratings_is_no_test_of_the_family() -> None:
    everyone = [counted("human", 20, 30, 50), counted("a", 10, 20, 70)]
    few = [counted("human", 20, 30, 50), counted("a", 1, 1, 20)]
    study = studied({"all": everyone, "joyful": few, "sad": everyone})
    assert study.n_tests == {"a": 1}
    (joyful, sad) = (emotion.against_reference[0] for emotion in study.emotions)
    assert (joyful.p, joyful.p_adjusted) == (None, None)
    assert sad.p_adjusted == sad.p == table_test([[50, 50], [30, 70]]).p


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"everything": [counted("human", 1, 1, 1)]}, "neither a scope nor an emotion"),
        ({"all": [counted("human", 1, 1, 1)] * 2}, "two cells of one responder"),
        ({"all": [counted("a", 1, 1, 1)]}, "no cell of human"),
    ],
)
def test_cells_that_make_no_study_are_refused(cells: Mapping[str, Sequence[Cell]], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        studied(cells)


@pytest.mark.parametrize("change", [{"good": 4}, {"good": -1}, {"bad": None}, {"n": 0}, {"okay": 2}])
def test_counts_that_do_not_add_up_are_refused(change: dict[str, int | None]) -> None:
    with pytest.raises(ValueError):
        replace(counted("human", 1, 1, 1), **change)  # type: ignore[arg-type]
