"""Baseline rows: what answers without a model score, by the benchmarks' own scorers."""

import io
import random
from itertools import product
from math import isclose
from pathlib import Path
from statistics import fmean, pstdev

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from evaluation.baselines import (
    NOISE_SD,
    READER_NAME,
    baselines,
    best_by_position,
    best_constant,
    constant,
    line_of,
    noisy_reference,
    points_of,
    random_answers,
    run_score,
    words_alone,
)
from evaluation.baselines.chances import MOMENTS, moments_by_enumeration, moments_by_label, noise_chances
from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Answer, Bank, Item
from evaluation.models import ItemBank, Run
from evaluation.runs.summaries import summarise_run
from evaluation.states import Origin, Status
from evaluation.statistics.score_interval import half_of
from leaderboard.models import Standing
from tests.evaluation.benchmarks.by_item import loaded, points_by
from tests.factories import make_bank, make_model, make_run

V2, V1 = BENCHMARKS["eq-bench-v2"], BENCHMARKS["eq-bench-v1"]
LABELS = ("Calm", "Cross", "Glad", "Sorry")
ITEMS = [
    Item("1", "", LABELS, (7.0, 0.0, 3.0, 9.0)),
    Item("2", "", LABELS, (0.0, 8.0, 0.0, 2.0)),
    Item("3", "", LABELS, (1.0, 1.0, 10.0, 4.0)),
]
SHARED_OUT = [Item("1", "", LABELS, (4.0, 0.0, 1.0, 5.0))]


def load_baselines(*banks: str) -> str:
    out = io.StringIO()
    call_command("load_baselines", *banks, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize("name", sorted(MOMENTS))
def test_the_expected_score_is_the_mean_over_all_answers_that_can_be_read(name: str) -> None:
    benchmark, item = BENCHMARKS[name], SHARED_OUT[0] if name == "eq-bench-v1" else ITEMS[0]
    answers = [tuple(map(float, values)) for values in product(range(11), repeat=4) if any(values)]
    scores = [points_by(benchmark, item, Answer("first_pass", "official", answer)) for answer in answers]
    found = random_answers(benchmark, [item])
    (point,) = found.scores[0].values
    assert point is not None
    assert isclose(point, fmean(score for score in scores if score is not None), abs_tol=1e-9)
    # One item, so a run scatters as this item does: ten times the points.
    spread = 10 * pstdev(score for score in scores if score is not None)
    assert found.settings["sd_of_one_run"] == pytest.approx(spread, abs=1e-6)
    assert len(answers) == 14_640


@pytest.mark.parametrize("name", sorted(MOMENTS))
def test_the_noisy_reference_is_what_many_draws_give_on_average(name: str) -> None:
    """4,000 draws of one item: their mean has an error of their SD / 63, so five of these are no chance finding."""
    benchmark, item = BENCHMARKS[name], SHARED_OUT[0] if name == "eq-bench-v1" else ITEMS[0]
    chance = random.Random(5)

    def drawn() -> tuple[float, ...]:
        while True:
            found = tuple(float(min(10, max(0, round(value + chance.gauss(0, 2))))) for value in item.reference)
            if any(found):
                return found

    scores = [points_by(benchmark, item, Answer("first_pass", "official", drawn())) for _ in range(4_000)]
    points = [score for score in scores if score is not None]
    found = noisy_reference(benchmark, [item])
    expected = found.scores[0].values[0]
    assert expected is not None
    assert abs(fmean(points) - expected) < 5 * pstdev(points) / 4_000**0.5
    assert found.settings["sd_of_one_run"] == pytest.approx(10 * pstdev(points), rel=0.1)


def test_an_answer_of_zeros_takes_no_part_in_the_noise() -> None:
    """Where nothing is felt, most noisy answers have a zero in each place; that of zeros alone is not read."""
    nothing_felt = [Item("1", "", LABELS, (0.0, 0.0, 0.0, 0.0))]
    noise = noise_chances((0.0, 0.0, 0.0, 0.0), NOISE_SD)
    assert all(isclose(sum(own), 1.0) for own in noise)
    by_label, whole = (
        moments(points_of(V2, nothing_felt[0]), nothing_felt[0].reference, noise)
        for moments in (moments_by_label, moments_by_enumeration)
    )
    assert by_label == pytest.approx(whole)
    assert by_label.mean < 10


def test_the_best_constant_beats_every_other_and_zeros_do_not_count() -> None:
    best = best_constant(V2, ITEMS)
    scores = {level: run_score(V2, constant(V2, ITEMS, level)) for level in range(1, 11)}
    level = best.settings["level"]
    assert best.name == f"Always answers {level}"
    assert isinstance(level, int)
    assert scores[level] == max(scores.values())
    nothing_felt = [Item("1", "", LABELS, (0.0, 0.0, 0.0, 0.0))]
    assert best_constant(V2, nothing_felt).name == "Always answers 1"


@pytest.mark.parametrize("name", sorted(MOMENTS))
def test_the_best_by_position_beats_every_other_fixed_answer(name: str) -> None:
    benchmark, items = BENCHMARKS[name], SHARED_OUT if name == "eq-bench-v1" else ITEMS
    best = best_by_position(benchmark, items)
    fixed = [tuple(map(float, values)) for values in product(range(11), repeat=4) if any(values)]
    totals = [sum(points_of(benchmark, item)(answer) or 0.0 for item in items) for answer in fixed]
    assert run_score(benchmark, best) == pytest.approx(10 * max(totals) / len(items))
    assert best.name == f"Always answers {', '.join(map(str, best.settings['levels']))}"  # type: ignore[arg-type]


def test_zeros_are_no_answer_by_position_either() -> None:
    hardly_felt = [Item("1", "", LABELS, (0.0, 0.0, 0.4, 0.0)), Item("2", "", LABELS, (0.0, 0.0, 0.0, 0.0))]
    assert best_by_position(V2, hardly_felt).name == "Always answers 0, 0, 1, 0"


def test_words_alone_take_a_word_as_the_other_items_rate_it_and_never_as_their_own_item_does() -> None:
    first = Item("1", "", ("Calm", "Cross", "Glad", "Alone"), (9.0, 0.0, 3.0, 9.0))
    second = Item("2", "", ("calm", "Cross", "Glad", "Other"), (4.0, 8.0, 0.0, 2.0))
    third = Item("3", "", ("Calm", "Cross", "Keen", "Shy"), (1.0, 1.0, 10.0, 4.0))
    found = words_alone(V2, [first, second, third], 5)
    assert found.answers == {
        "1": (2.0, 4.0, 0.0, 5.0),  # (4 + 1) / 2 rounds to the even number, (8 + 1) / 2 as well
        "2": (5.0, 0.0, 3.0, 5.0),
        "3": (6.0, 4.0, 5.0, 5.0),
    }
    assert found.settings["words_in_no_other_item"] == 4


def test_a_second_reader_needs_a_rating_of_every_item() -> None:
    names = {item.id: item.reference for item in ITEMS}
    assert [each.name for each in baselines(V2, Bank(tuple(ITEMS)), names, seed="a")][-1] == READER_NAME
    assert run_score(V2, baselines(V2, Bank(tuple(ITEMS)), names, seed="a")[-1]) == 100
    assert READER_NAME not in [
        each.name for each in baselines(V2, Bank(tuple(ITEMS)), {"1": ITEMS[0].reference}, seed="a")
    ]


def test_there_are_none_without_items_or_without_a_scale() -> None:
    assert baselines(V2, Bank(()), seed="a") == ()
    assert [each.name for each in baselines(V2, Bank(tuple(ITEMS)), seed="a")] == [
        "Random answers (expected)",
        best_constant(V2, ITEMS).name,
        best_by_position(V2, ITEMS).name,
        "Words alone",
        "Reference with noise",
    ]


def test_each_baseline_that_is_a_line_says_what_it_knows() -> None:
    lines = {each.name: line_of(each.name) for each in baselines(V2, Bank(tuple(ITEMS)), seed="a")}
    assert [name for name, line in lines.items() if line is None] == ["Random answers (expected)"]
    assert [line.order for line in lines.values() if line] == [1, 1, 2, 3]
    assert "the best fixed answer" in lines[best_by_position(V2, ITEMS).name].words  # type: ignore[union-attr]
    assert "fixed answer" not in lines["Words alone"].words  # type: ignore[union-attr]


def figures(items: list[Item], second: dict[str, tuple[float, ...]] | None = None) -> dict[str, tuple[float, float]]:
    """Kind -> score and the scatter of one run, None where answers are fixed."""
    return {
        str(each.settings["baseline"]): (run_score(V2, each), each.settings.get("sd_of_one_run"))  # type: ignore[misc]
        for each in baselines(V2, Bank(tuple(items)), second, seed="a")
    }


def test_the_official_bank_gives_the_known_figures(shared_data: Path) -> None:
    """Recomputed outside this project, there by draws where these are exact: a run of random answers scatters by 3.5
    (here 3.39), and the mean of noisy references is 85.25 with an SD of 0.96 (here 85.31 and 0.99)."""
    items = loaded(V2, (shared_data / "eqbench/eq_bench_v2_questions_171.json").read_bytes())
    found = figures(items)
    assert best_constant(V2, items).name == "Always answers 3"
    assert best_by_position(V2, items).name == "Always answers 4, 5, 2, 3"
    assert f"{found['constant'][0]:.2f}" == "38.86"
    assert f"{found['position'][0]:.2f}" == "43.37"
    assert f"{found['words'][0]:.1f}" == "54.8"
    assert (round(found["random"][0], 2), round(found["random"][1], 2)) == (1.42, 3.39)
    assert (round(found["noise"][0], 2), round(found["noise"][1], 2)) == (85.31, 0.99)


def test_the_position_of_the_official_bank_is_the_best_of_all_fourteen_thousand_answers(shared_data: Path) -> None:
    """By numpy, without the rule that the labels' losses add up, which the product relies on."""
    items = loaded(V2, (shared_data / "eqbench/eq_bench_v2_questions_171.json").read_bytes())
    answers = np.array([values for values in product(range(11), repeat=4) if any(values)], dtype=np.float64)
    total = np.zeros(len(answers))
    for item in items:
        off = np.abs(answers - np.array(item.reference))
        curve = 6.5 / (1 + np.exp(-1.2 * (off - 4)))
        total += 10 - 0.7477 * np.where(off == 0, 0.0, np.where(off >= 5, off, curve)).sum(axis=1)
    assert answers[total.argmax()].tolist() == [4, 5, 2, 3]
    assert 10 * total.max() / len(items) == pytest.approx(run_score(V2, best_by_position(V2, items)))


@pytest.mark.django_db
@pytest.mark.database
def test_eq_open_has_its_own_figures_and_its_second_reader_is_a_ceiling() -> None:
    call_command("load_bank", "eq-open-v1", stdout=io.StringIO())
    load_baselines()
    runs = {run.settings["baseline"]: run for run in Run.objects.filter(bank__slug="eq-open-v1")}
    scores = {kind: f"{run.score:.2f}" for kind, run in runs.items()}
    assert scores == {
        "random": "4.51", "constant": "37.05", "position": "38.30", "words": "33.43", "noise": "85.00",
        "reader": "96.27",
    }  # fmt: skip
    assert runs["position"].model.name == "Always answers 4, 4, 3, 5"
    assert half_of(runs["reader"].standard_error, 60) == pytest.approx(0.66, abs=0.005)
    # The independent recomputation found 5.9 by draws.
    assert round(runs["random"].settings["sd_of_one_run"], 2) == 5.63
    assert runs["reader"].results.count() == 60


@pytest.mark.django_db
@pytest.mark.database
def test_another_bank_of_that_name_has_no_second_reader() -> None:
    make_bank(12, slug="eq-open-v1")
    load_baselines()
    assert "reader" not in {run.settings["baseline"] for run in Run.objects.all()}


@pytest.mark.django_db
@pytest.mark.database
def test_the_rows_are_finished_published_runs_whose_results_give_their_scores() -> None:
    bank = make_bank(12)
    said = load_baselines()
    runs = {run.settings["baseline"]: run for run in Run.objects.filter(bank=bank)}
    assert sorted(runs) == ["constant", "noise", "position", "random", "words"]
    for kind, run in runs.items():
        assert (run.origin, run.status, run.published) == (Origin.BASELINE, Status.FINISHED, True)
        assert run.results.count() == (0 if kind in {"random", "noise"} else 12)
        assert (run.n_items, run.n_scored) == (12, 12)
        assert run.standard_error is not None
        assert f"{run.model.name} {run.score:.2f}" in said
        if kind not in {"random", "noise"}:
            assert summarise_run(run).figures["score"].value == run.score
    assert "New baseline runs: 5." in said


@pytest.mark.django_db
@pytest.mark.database
def test_they_stand_in_the_ranking_without_a_rank() -> None:
    bank = make_bank(12)
    make_run(bank=bank, status=Status.FINISHED, score=70.0)
    load_baselines()
    ranks = {row.model.name: row.rank for row in Standing.objects.filter(ranking=bank.slug).select_related("model")}
    assert len(ranks) == 6
    assert [name for name, rank in ranks.items() if rank is not None] == [Run.objects.order_by("pk")[0].model.name]


@pytest.mark.django_db
@pytest.mark.database
def test_loading_again_changes_nothing_and_says_so() -> None:
    make_bank(12)
    load_baselines()
    before = list(Run.objects.order_by("pk").values())
    assert "Nothing to do: all baselines are up to date." in load_baselines()
    assert list(Run.objects.order_by("pk").values()) == before


@pytest.mark.django_db
@pytest.mark.database
def test_a_run_of_another_scorer_is_replaced_and_the_others_stay() -> None:
    make_bank(12)
    load_baselines()
    old = Run.objects.get(settings__baseline="random")
    Run.objects.filter(pk=old.pk).update(scorer_version="older/1", score=1.0)
    kept = set(Run.objects.exclude(pk=old.pk).values_list("pk", flat=True))
    assert "New baseline runs: 1." in load_baselines()
    assert not Run.objects.filter(pk=old.pk).exists()
    assert kept < set(Run.objects.values_list("pk", flat=True))
    assert Run.objects.count() == 5


@pytest.mark.django_db
@pytest.mark.database
def test_each_bank_has_its_own_and_another_rule_gets_them_once_a_model_was_scored_by_it() -> None:
    first, second = make_bank(12), make_bank(13)
    load_baselines(first.slug)
    assert set(Run.objects.values_list("bank__slug", flat=True)) == {first.slug}
    load_baselines()
    assert Run.objects.filter(bank=second).count() == 5
    assert set(Run.objects.values_list("benchmark", flat=True)) == {"eq-bench-v2"}
    make_run(bank=second, benchmark="eq-bench-v2-code", model=make_model())
    load_baselines()
    assert Run.objects.filter(bank=second, benchmark="eq-bench-v2-code", origin=Origin.BASELINE).count() == 5
    assert not Run.objects.filter(bank=first, benchmark="eq-bench-v2-code").exists()


@pytest.mark.django_db
@pytest.mark.database
def test_a_private_bank_has_no_baselines_because_each_is_an_equation_about_its_references() -> None:
    bank = make_bank(12)
    load_baselines()
    assert Run.objects.filter(bank=bank).count() == 5
    ItemBank.objects.update(access="private")
    load_baselines()
    assert not Run.objects.filter(bank=bank).exists()


@pytest.mark.django_db
@pytest.mark.database
def test_a_bank_that_is_not_loaded_is_named() -> None:
    with pytest.raises(CommandError, match="The bank nowhere is not loaded"):
        load_baselines("nowhere")
    assert not ItemBank.objects.exists()
