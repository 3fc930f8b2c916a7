"""Baseline rows: what answers without a model score, by the benchmarks' own scorers."""

import io
from itertools import product
from math import isclose
from pathlib import Path
from statistics import fmean

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from evaluation.baselines import (
    EXPECTATIONS,
    NOISE_SD,
    baselines,
    best_constant,
    constant,
    noisy_reference,
    random_answers,
    run_score,
)
from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Answer, Bank, Item
from evaluation.models import ItemBank, Run
from evaluation.states import Origin, Status
from evaluation.summaries import summarise_run
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


@pytest.mark.parametrize("name", sorted(EXPECTATIONS))
def test_the_expected_score_is_the_mean_over_all_answers_that_can_be_read(name: str) -> None:
    benchmark, item = BENCHMARKS[name], SHARED_OUT[0] if name == "eq-bench-v1" else ITEMS[0]
    answers = [tuple(map(float, values)) for values in product(range(11), repeat=4) if any(values)]
    scores = [points_by(benchmark, item, Answer("first_pass", "official", answer)) for answer in answers]
    expected = fmean(score for score in scores if score is not None)
    found = random_answers(benchmark, [item]).scores[0].score
    assert found is not None
    assert isclose(found, expected, abs_tol=1e-9)
    assert len(answers) == 14_640


def test_the_best_constant_beats_every_other_and_zeros_do_not_count() -> None:
    best = best_constant(V2, ITEMS)
    scores = {level: run_score(V2, constant(V2, ITEMS, level)) for level in range(1, 11)}
    level = best.settings["level"]
    assert best.name == f"Always answers {level}"
    assert isinstance(level, int)
    assert scores[level] == max(scores.values())
    nothing_felt = [Item("1", "", LABELS, (0.0, 0.0, 0.0, 0.0))]
    assert best_constant(V2, nothing_felt).name == "Always answers 1"


def test_the_noise_is_the_same_each_time_and_as_large_as_it_says() -> None:
    many = [Item(str(number), "", LABELS, (5.0, 5.0, 5.0, 5.0)) for number in range(500)]
    noise, again, other = (noisy_reference(V2, many, seed) for seed in ("a", "a", "b"))
    assert noise == again
    assert noise.answers != other.answers
    errors = [value - 5 for answer in noise.answers.values() for value in answer]
    assert abs(fmean(errors)) < 0.15
    # Rounding adds 1/12 to the variance, the ends of the scale take a little off.
    assert abs(fmean(error**2 for error in errors) - (NOISE_SD**2 + 1 / 12)) < 0.4
    assert all(value in range(11) for answer in noise.answers.values() for value in answer)


def test_an_answer_of_zeros_is_drawn_again() -> None:
    nothing_felt = [Item(str(number), "", LABELS, (0.0, 0.0, 0.0, 0.0)) for number in range(200)]
    assert all(any(answer) for answer in noisy_reference(V2, nothing_felt, "a").answers.values())


def test_there_are_none_without_items_or_without_a_scale() -> None:
    assert baselines(V2, Bank(()), seed="a") == ()
    assert [each.name for each in baselines(V2, Bank(tuple(ITEMS)), seed="a")] == [
        "Random answers (expected)",
        best_constant(V2, ITEMS).name,
        "Reference with noise",
    ]


def test_the_official_bank_gives_the_known_figures(shared_data: Path) -> None:
    items = loaded(V2, (shared_data / "eqbench/eq_bench_v2_questions_171.json").read_bytes())
    best = best_constant(V2, items)
    assert (best.name, round(run_score(V2, best), 1)) == ("Always answers 3", 38.9)
    assert abs(run_score(V2, random_answers(V2, items))) < 2


@pytest.mark.django_db
@pytest.mark.database
def test_the_rows_are_finished_published_runs_whose_results_give_their_scores() -> None:
    bank = make_bank(12)
    said = load_baselines()
    runs = {run.settings["baseline"]: run for run in Run.objects.filter(bank=bank)}
    assert sorted(runs) == ["constant", "noise", "random"]
    for kind, run in runs.items():
        assert (run.origin, run.status, run.published) == (Origin.BASELINE, Status.FINISHED, True)
        assert run.results.count() == (0 if kind == "random" else 12)
        assert (run.n_items, run.n_scored) == (12, 12)
        assert run.standard_error is not None
        assert f"{run.model.name} {run.score:.2f}" in said
        if kind != "random":
            assert summarise_run(run).figures["score"].value == run.score
    assert "New baseline runs: 3." in said


@pytest.mark.django_db
@pytest.mark.database
def test_they_stand_in_the_ranking_without_a_rank() -> None:
    bank = make_bank(12)
    make_run(bank=bank, status=Status.FINISHED, score=70.0)
    load_baselines()
    ranks = {row.model.name: row.rank for row in Standing.objects.filter(ranking=bank.slug).select_related("model")}
    assert len(ranks) == 4
    assert [name for name, rank in ranks.items() if rank is not None] == [Run.objects.order_by("pk")[0].model.name]


@pytest.mark.django_db
@pytest.mark.database
def test_loading_again_changes_nothing_and_says_so() -> None:
    make_bank(12)
    load_baselines()
    before = list(Run.objects.order_by("pk").values())
    assert "Nothing to do: all baselines stand." in load_baselines()
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
    assert Run.objects.count() == 3


@pytest.mark.django_db
@pytest.mark.database
def test_each_bank_has_its_own_and_another_rule_gets_them_once_a_model_was_scored_by_it() -> None:
    first, second = make_bank(12), make_bank(13)
    load_baselines(first.slug)
    assert set(Run.objects.values_list("bank__slug", flat=True)) == {first.slug}
    load_baselines()
    assert Run.objects.filter(bank=second).count() == 3
    assert set(Run.objects.values_list("benchmark", flat=True)) == {"eq-bench-v2"}
    make_run(bank=second, benchmark="eq-bench-v2-code", model=make_model())
    load_baselines()
    assert Run.objects.filter(bank=second, benchmark="eq-bench-v2-code", origin=Origin.BASELINE).count() == 3
    assert not Run.objects.filter(bank=first, benchmark="eq-bench-v2-code").exists()


@pytest.mark.django_db
@pytest.mark.database
def test_a_private_bank_has_no_baselines_because_each_is_an_equation_about_its_references() -> None:
    bank = make_bank(12)
    load_baselines()
    assert Run.objects.filter(bank=bank).count() == 3
    ItemBank.objects.update(access="private")
    load_baselines()
    assert not Run.objects.filter(bank=bank).exists()


@pytest.mark.django_db
@pytest.mark.database
def test_a_bank_that_is_not_loaded_is_named() -> None:
    with pytest.raises(CommandError, match="The bank nowhere is not loaded"):
        load_baselines("nowhere")
    assert not ItemBank.objects.exists()
