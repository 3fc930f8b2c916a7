"""The sections over small fields: what they say of few models, of none, and of closed banks."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from leaderboard.kinds import scale_of
from leaderboard.pages.statistics import design as statistics_design
from leaderboard.pages.statistics import emotions as statistics_emotions
from leaderboard.pages.statistics import items as statistics_items
from leaderboard.pages.statistics import repeatability as statistics_repeatability
from leaderboard.pages.statistics import sensitivity as statistics_sensitivity
from leaderboard.standings.field import ErrorLine, PublishedField
from leaderboard.statistics import banks, design, emotions, items, repeatability, scores, sensitivity
from leaderboard.statistics.agreement import agreement
from leaderboard.statistics.families import family_of, large_families
from leaderboard.statistics.outcomes import stored
from tests.leaderboard.statistics_frames import BANK, frame, published_frame

FIELD = PublishedField(ErrorLine(2.0, 0.0), ErrorLine(1.5, 0.0), 2.0, 4.5, ())


def chance() -> np.random.Generator:
    """The same draws for each test, in whatever order they run."""
    return np.random.default_rng(3)


def test_published_scores_are_tied_as_in_the_ranking_by_their_own_errors() -> None:
    found: dict[str, Any] = scores.compute(published_frame([80.0, 77.0, 70.0], FIELD)).value
    assert (found["kind"], found["neighbours_tied"], found["neighbours"]) == ("published", 1, 2)
    # 1.959964 x sqrt(1.5² + 1.5²) = 4.158: 3 points are within it, 7 are not.
    assert found["gap"] == pytest.approx(4.1577, abs=1e-4)
    assert found["others_tied"] == {"mean": pytest.approx(2 / 3, abs=1e-6), "median": 1.0, "largest": 1}


def test_one_model_with_answers_among_published_scores_is_shown_in_the_order_of_all() -> None:
    whole = published_frame([80.0, 77.0, 70.0], FIELD)
    one = replace(whole, members=whole.everyone[1:2], scores=np.full((1, 4), 77.0))
    found: dict[str, Any] = scores.compute(one).value
    assert (found["kind"], found["neighbours_tied"], found["neighbours"]) == ("published", 1, 2)


def test_ties_of_models_with_answers_are_read_from_the_table_of_the_whole_ranking() -> None:
    whole = frame(chance().normal(60, 10, (3, 40)))
    table = np.zeros((3, 3), dtype=np.bool_)
    table[0, 2] = True
    found: dict[str, Any] = scores.compute(replace(whole, ahead=table)).value
    assert (found["pairs"], found["pairs_tied"], found["tied_with_first"], found["neighbours_tied"]) == (3, 2, 1, 2)


def test_published_scores_of_an_unknown_field_say_nothing() -> None:
    assert scores.compute(published_frame([80.0, 77.0], None)).value == {}


def test_one_model_alone_has_no_neighbours() -> None:
    found = scores.compute(frame(chance().normal(60, 10, (1, 9))))
    assert (found.n, found.value) == (1, {})


def test_passes_that_agree_have_no_spread_and_full_agreement() -> None:
    found = agreement(np.repeat(chance().normal(60, 20, (12, 1)), 3, axis=1))
    assert (found["n"], found["sd"], found["cv_percent"], found["sem"]) == (3, 0.0, 0.0, 0.0)
    assert found["icc"] == [1.0, 1.0, 1.0]
    assert (found["n_equal"], found["n_shared"], found["drift"]) == (12, 12, None)


def test_a_single_pass_agrees_with_nothing() -> None:
    assert agreement(chance().normal(60, 20, (12, 1))) == {}


def test_a_newer_run_that_is_better_on_every_item_has_drifted() -> None:
    earlier = chance().normal(60, 20, (40, 2))
    newer = earlier.mean(axis=1, keepdims=True) + chance().normal(8, 1, (40, 1))
    found: Any = agreement(np.hstack([earlier, newer]), n_newest=1)["drift"]
    assert found["drifted"]
    assert (found["n_earlier"], found["n_items"]) == (2, 40)
    assert found["low"] < 8 < found["high"]


def test_the_mean_cv_stands_over_models_with_two_passes_alone() -> None:
    two = agreement(np.array([[60.0, 62.0], [40.0, 42.0]]))
    three = agreement(np.array([[70.0, 70.0, 76.0], [50.0, 50.0, 56.0]]))
    found: dict[str, Any] = repeatability.compute(
        frame([[61.0, 41.0], [72.0, 52.0], [50.0, 40.0]], repeats=[two, three, {}])
    ).value
    cvs = [100 * 2**0.5 / 51, 100 * 12**0.5 / 62]
    assert found["cv"]["mean"] == pytest.approx(sum(cvs) / 2, abs=1e-5)
    assert (found["cv"]["n"], found["n_members"], found["n_passes"]) == (2, 3, 5)
    assert found["models"][0][4] > found["models"][1][4]


def test_a_mean_cv_has_an_interval_only_where_that_stays_above_zero() -> None:
    def spread(*cvs: float) -> dict[str, Any]:
        passes = [agreement(np.array([[100.0 - cv, 100.0 + cv], [100.0 - cv, 100.0 + cv]])) for cv in cvs]
        value: Any = repeatability.compute(frame([[60.0, 50.0 + at] for at in range(len(cvs))], repeats=passes)).value
        return {**value["cv"], "claim": statistics_repeatability.claims(value, len(cvs))[0]}

    few, more = spread(0.2, 0.8, 1.6), spread(0.8, 0.9, 1.0, 0.9)
    assert (few["low"], few["high"], few["claim"].interval) == (None, None, "none: too few models for one")
    assert few["claim"].figure == "1.2 %"
    assert 0 < more["low"] < more["mean"] < more["high"]
    # √2 × (0.9 ± 3.182 × 0.0816 / 2)
    assert more["claim"].interval == "1.1 to 1.5 %"


def test_two_models_agree_on_their_order_by_construction_so_that_no_r_is_given() -> None:
    assert banks.agreement([60.0, 50.0], [55.0, 52.0]) == {
        "pearson": None, "pearson_interval": None, "spearman": None, "spearman_interval": None,
    }  # fmt: skip
    assert banks.agreement([60.0, 50.0, 40.0], [55.0, 52.0, 41.0])["spearman"] == pytest.approx(1.0)
    two: Any = sensitivity.compute(frame([[70.0, 72.0], [60.0, 62.0]])).value["strict"]
    assert two["choice"]["rho"] is None


def test_without_a_second_pass_nothing_is_said_of_repeats() -> None:
    found = repeatability.compute(frame([[60.0, 50.0], [40.0, 30.0]]))
    assert (found.n, found.value) == (0, {"n_members": 2})


def test_words_and_families_of_a_closed_bank_are_not_stored() -> None:
    closed = BANK._replace(access="withheld")
    words = [["Anger", "Joy", "Anger", "Joy"]] * 5
    given = chance().uniform(0, 10, (3, 20))
    field: dict[str, Any] = {
        "answers": given, "words": words, "reference": chance().integers(0, 11, 20).astype(float),
    }  # fmt: skip
    open_one: dict[str, Any] = emotions.compute(frame(chance().normal(60, 10, (3, 5)), **field)).value
    closed_one: dict[str, Any] = emotions.compute(frame(chance().normal(60, 10, (3, 5)), bank=closed, **field)).value
    assert {row[0] for row in open_one["words"]} == {"Anger", "Joy"}
    assert (closed_one["words"], closed_one["families"]) == ([], [])
    assert "Anger" not in str(closed_one)
    assert len(closed_one["bands"]) > 0


def test_words_need_ten_feelings_and_groups_come_by_their_error_at_equal_reference() -> None:
    reference = np.tile([0.0, 5.0, 5.0, 8.0], 10)
    words = [["Joy", "Anger", "Calm", "Calm" if at else "Proud"] for at in range(10)]
    given = np.vstack([np.full(40, 3.0) + np.tile([0.0, 1.0, 0.0, 0.0], 10)] * 2)
    found: dict[str, Any] = emotions.compute(
        frame(chance().normal(60, 10, (2, 10)), answers=given, words=words, reference=reference)
    ).value
    rows = [dict(zip(emotions.GROUP_COLUMNS, row, strict=True)) for row in found["words"]]
    assert [(row["name"], row["mean_error"], row["adjusted"]) for row in rows] == [
        ("Anger", -1.0, 0.5), ("Joy", 3.0, 0.0), ("Calm", pytest.approx(-65 / 19), pytest.approx(-5 / 19))
    ]  # fmt: skip
    assert [row["is_clear"] for row in rows] == [True, False, True]
    assert {row[0] for row in found["families"]} >= {"anger", "joy"}


def test_a_model_that_always_repeats_the_reference_has_no_error_and_slope_one() -> None:
    reference = chance().integers(0, 11, 24).astype(float)
    given = np.vstack([reference, np.full(24, 5.0)])
    found: dict[str, Any] = emotions.compute(
        frame(chance().normal(60, 10, (2, 6)), names=["right", "flat"], answers=given, words=[["Joy"] * 4] * 6,
              reference=reference)
    ).value  # fmt: skip
    rows = {row[0]: row for row in found["models"]}
    by_name = {name: dict(zip(emotions.MODEL_COLUMNS, row, strict=True)) for name, row in rows.items()}
    assert set(by_name) == {"right", "flat"}
    exact = [row for row in by_name.values() if row["mean_absolute_error"] == 0]
    assert [(row["slope"], row["intercept"]) for row in exact] == [(1.0, 0.0)]
    assert sorted(row["slope"] for row in by_name.values()) == [0.0, 1.0]


def test_a_strict_reading_that_turns_two_models_round_is_two_moves() -> None:
    given = [[70.0, 72.0], [60.0, 62.0], [50.0, 52.0]]
    strict: Any = sensitivity.compute(frame(given, strict=[58.0, 61.0, 51.0])).value["strict"]
    found = strict["choice"]
    assert (found["moved"], found["largest_move"], found["n"]) == (2, 1, 3)
    assert found["rho"] == pytest.approx(0.5)


def strict_part_of(strict: list[float | None], origins: list[str]) -> Any:
    given = [[70.0 - 10 * at, 72.0 - 10 * at] for at in range(len(strict))]
    names = [f"m-{at}" for at in range(len(strict))]
    found = sensitivity.compute(frame(given, names=names, strict=strict, origins=origins))
    parts = {part.name: part for part in statistics_sensitivity.parts(found.value, found.n)}
    return parts.get("strict")


def test_the_readings_are_compared_over_measured_models_and_imports_cannot_tell() -> None:
    part = strict_part_of([71.0, 61.0, None, 41.0, 31.0, None], ["measured"] * 3 + ["imported"] * 2 + ["measured"])
    assert part.title == (
        "No rank of 2 measured models differs between the standard and the strict reading; "
        "2 of 4 measured models have no strict score"
    )
    assert "Of 4 measured models 2 have both scores. No strict score: m-2, m-5." in part.how
    assert "2 imported models cannot tell" in part.how
    assert [row[0] for row in part.table.rows] == ["m-0", "m-1"]


def test_a_measured_model_that_falls_behind_an_import_by_its_strict_score_has_moved() -> None:
    part = strict_part_of([71.0, 45.0, 51.0, 41.0], ["measured", "measured", "imported", "imported"])
    assert part.title == "1 of 2 measured models has a different rank under the standard and the strict reading"
    assert next(row[0] for row in part.table.rows) == "m-1"
    assert "largest difference 16.00 points" in part.source


def test_imports_alone_say_nothing_of_the_readings_and_nor_does_a_lone_measured_model() -> None:
    assert strict_part_of([71.0, 61.0, 51.0], ["imported"] * 3) is None
    given = frame([[70.0, 72.0], [60.0, 62.0]], strict=[None, 61.0], origins=["measured", "imported"])
    found = sensitivity.compute(given)
    (part,) = [part for part in statistics_sensitivity.parts(found.value, found.n) if part.name == "strict"]
    assert part.title == "1 of 1 measured model has no strict score"
    assert part.table.rows == ()


def test_an_item_that_decides_the_first_place_is_named() -> None:
    given = [[90.0, 50.0, 50.0], [60.0, 60.0, 60.0]]
    found: Any = sensitivity.compute(frame(given)).value["items"]
    named = [row[0] for row in found["items"] if row[-1]]
    assert (found["keeps_first"], named) == (2, [1])


def test_items_need_three_models() -> None:
    assert items.compute(frame(chance().normal(60, 10, (2, 9)))).value == {}


def test_a_near_copy_of_a_model_is_taken_once() -> None:
    given = chance().normal(60, 10, (4, 40))
    copy = given[1].copy()
    copy[:3] += 5
    assert items.distinct_rows(np.vstack([given, copy])) == [0, 1, 2, 3]


def copied_field() -> dict[str, Any]:
    """Twelve models on 40 items, the first of them under five names."""
    given = chance().integers(0, 11, (12, 160)).astype(float)[[0, 0, 0, 0, 0, *range(1, 12)]]
    points = 100 - 5 * np.abs(given - 5.0).reshape(16, 40, 4).sum(axis=2)
    points[:5] += 40  # the strongest model, so that its copies come first
    return {
        "scores": points, "answers": given, "words": [["Joy"] * 4] * 40, "reference": np.full(160, 5.0),
        "names": [*(f"copy-{at}" for at in range(5)), *(f"model-{at}" for at in range(11))],
    }  # fmt: skip


def test_five_names_of_one_model_change_nothing_in_the_item_analysis() -> None:
    field = copied_field()
    found: dict[str, Any] = items.compute(frame(**field)).value
    once = {key: value if key in {"words", "reference"} else value[4:] for key, value in field.items()}
    alone = items.compute(frame(**once))
    assert (alone.n, items.compute(frame(**field)).n) == (12, 12)
    assert found["copies"] == [[f"copy-{at}", "copy-0"] for at in range(1, 5)]
    assert alone.value["copies"] == []
    assert {**found, "copies": []} == alone.value


def test_five_names_of_one_model_change_nothing_in_the_number_of_items() -> None:
    field = copied_field()
    found = design.compute(frame(**field))
    once = {key: value if key in {"words", "reference"} else value[4:] for key, value in field.items()}
    alone = design.compute(frame(**once))
    assert (alone.n, found.n, found.value["n_copies"]) == (12, 12, 4)
    assert {**found.value, "n_copies": 0} == alone.value
    (claim,) = statistics_design.claims(found.value, found.n)
    assert claim.n == "12 models with all 40 items, 4 near copies left out"


def test_five_names_of_one_model_count_once_for_words_and_families() -> None:
    field = copied_field()
    found: dict[str, Any] = emotions.compute(frame(**field)).value
    once = {key: value if key in {"words", "reference"} else value[4:] for key, value in field.items()}
    alone = emotions.compute(frame(**once))
    assert (alone.n, emotions.compute(frame(**field)).n) == (12, 12)
    assert (found["n_copies"], alone.value["n_copies"]) == (4, 0)
    shared = ("words", "families", "bands", "calibration", "overall")
    assert {key: found[key] for key in shared} == {key: alone.value[key] for key in shared}
    assert len(found["models"]) == 16  # each copy still has its own line
    (claim,) = statistics_emotions.claims({**found, "bands": [["0", 5, 1.9, 1.5, 2.3]]}, 12)
    assert claim.n == "5 feelings, answers of 12 models, 4 near copies left out"
    assert (claim.figure, claim.interval) == ("1.9", "1.5 to 2.3")


def test_the_ends_of_the_scale_are_described_and_not_called_overrated() -> None:
    rows = [{"reference": 0.0, "mean_answer": 1.87}, {"reference": 10.0, "mean_answer": 7.1}]
    title = statistics_emotions.ends_title(rows)
    assert title == "The mean answer is 1.9 where the reference is 0, and 7.1 where it is 10"
    assert statistics_emotions.ends_title(rows[:1]) == "Mean answer against the reference"


def test_a_field_of_copies_alone_says_nothing_but_that() -> None:
    field = copied_field()
    same = {key: value if key in {"words", "reference"} else value[:5] for key, value in field.items()}
    found = items.compute(frame(**same))
    assert (found.n, list(found.value)) == (1, ["copies"])
    assert statistics_items.claims(found.value, found.n) == []
    assert statistics_items.parts(found.value, found.n) == []


def test_copies_are_named_and_alpha_is_said_for_the_field_and_for_the_top() -> None:
    found = items.compute(frame(**copied_field()))
    by_name = {part.name: part for part in statistics_items.parts(found.value, found.n)}
    left_out = "copy-1 (answers as copy-0); copy-2 (answers as copy-0)"
    assert left_out in by_name["reliability"].source
    assert left_out in by_name["discrimination"].source
    (claim,) = statistics_items.claims(found.value, found.n)
    assert claim.n == "12 models with all 40 items, 4 near copies left out"
    assert "Among the best half (6 models) it is " in claim.text
    assert "among the best half" in by_name["reliability"].title


@pytest.mark.parametrize(
    ("lengths", "text"),
    [((47, 52, 55, 9), "47 to 55 items"), ((52, 52, 52, 9), "52 items"), ((52, 52, 52, 1), "About 52 items")],
)
def test_the_length_of_a_short_form_is_no_finer_than_it_is_known(lengths: tuple[int, ...], text: str) -> None:
    shortest, length, longest, splits = lengths
    form = {"shortest": shortest, "longest": longest, "items": [0] * length, "splits": splits}
    assert statistics_items.length_text(form) == text


def test_families_that_are_not_found_unlike_are_not_said_to_be_alike() -> None:
    names = [f"gpt-4-{at}" if at % 3 == 0 else f"maker/model-{at}" for at in range(30)]
    found = items.compute(frame(chance().normal(60, 10, (30, 25)), names=names))
    (part,) = [part for part in statistics_items.parts(found.value, found.n) if part.name == "families"]
    assert part.title == "No item is found to favour or penalise a model family"
    assert "GPT (10 models)" in part.how


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("gpt-4-0613", "GPT"),
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", "Mistral"),
        ("meta-llama/Llama-2-7b-chat-hf", "Llama"),
        ("Qwen/Qwen1.5-4B-Chat", "Qwen"),
        ("maker/model-7", ""),
    ],
)
def test_the_family_of_a_model_is_read_from_its_name(name: str, family: str) -> None:
    assert family_of(name) == family


def test_a_family_that_is_nearly_the_whole_field_is_not_tested() -> None:
    names = [f"gpt-4-{at}" for at in range(9)] + ["claude-1", "claude-2"]
    assert large_families(names, least=3) == []
    assert large_families([*names, "claude-3"], least=3) == ["GPT", "Claude"]


def test_what_is_stored_is_json_without_nan() -> None:
    assert stored({"a": float("nan"), "b": (1, 2.0000000004, None), "c": True}) == {
        "a": None,
        "b": [1, 2.0, None],
        "c": True,
    }
    with pytest.raises(TypeError):
        stored(object())


@pytest.mark.parametrize("rule", ["eq-bench-v2", "seceu"])
def test_items_are_told_on_their_own_scale(rule: str) -> None:
    """Frames hold points of a run; SECEU's EQ falls as the distance of an item rises."""
    values = np.random.default_rng(5).uniform(1.0, 9.0, (12, 8))
    points = scale_of(rule).score(values)
    section = items.figures_of(frame(points, bank=BANK._replace(slug=rule, benchmark=rule)))
    told = [dict(zip(items.ITEM_COLUMNS, row, strict=True)) for row in section["items"]]  # type: ignore[attr-defined]
    assert [each["difficulty"] for each in told] == pytest.approx(values.mean(axis=0).tolist())
    assert [each["sd"] for each in told] == pytest.approx(values.std(axis=0, ddof=1).tolist())
    plain = items.figures_of(frame(points, bank=BANK))
    assert section["reliability"] == plain["reliability"]
