"""Results to columns and back: what a reading stores, and what a run's rows add up to."""

import pytest

from evaluation import models
from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Answer, Figure, Reading, Summary
from evaluation.runs.summaries import as_item, item_scores, result_fields, summarise_run, summary_fields
from evaluation.states import ItemState
from tests.factories import make_bank, make_result, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.database]
BENCHMARK = BENCHMARKS["eq-bench-v2"]


def first_item() -> models.Item:
    item: models.Item = make_bank().items.get(number=1)
    return item


def test_an_item_row_becomes_an_item_with_floats_in_label_order() -> None:
    item = as_item(first_item())
    assert (item.id, item.labels) == ("1", ("Disappointed", "Amused", "Relieved", "Guilty"))
    assert item.reference == (7.0, 1.0, 0.0, 3.0)


def test_a_read_reply_is_stored_with_answer_score_and_flags() -> None:
    item = as_item(first_item())
    answer = Answer("first_pass", "official", item.reference, flags=("thinking", "range"))
    fields = result_fields(Reading((answer,), complete=True), BENCHMARK, item)
    assert fields == {
        "state": ItemState.READ,
        "answer": [7.0, 1.0, 0.0, 3.0],
        "reading": "official",
        "reason": "",
        "flags": "thinking,range",
        "score": 10.0,
        "part": None,
        "values": None,
        "other_parts": None,
    }


def test_an_unreadable_reply_has_a_reason_and_no_score() -> None:
    item = as_item(first_item())
    answer = Answer("first_pass", "none", reason="no scores found")
    fields = result_fields(Reading((answer,), complete=False), BENCHMARK, item)
    assert (fields["state"], fields["answer"], fields["score"]) == (ItemState.UNREAD, None, None)
    assert fields["reason"] == "no scores found"


def test_a_revision_is_stored_beside_the_first_pass() -> None:
    item = as_item(first_item())
    first = Answer("first_pass", "none", reason="placeholder")
    revised = Answer("revised", "tolerant", (7.0, 1.0, 0.0, 4.0))
    fields = result_fields(Reading((first, revised), complete=True), BENCHMARK, item)
    assert (fields["state"], fields["score"]) == (ItemState.READ, None)
    assert fields["other_parts"] is not None
    assert fields["other_parts"]["revised"]["answer"] == [7.0, 1.0, 0.0, 4.0]
    assert fields["other_parts"]["revised"]["score"] == pytest.approx(10 - 0.7477 * 0.172880, abs=1e-5)


def test_reasons_and_flags_fit_their_columns() -> None:
    item = as_item(first_item())
    answer = Answer("first_pass", "none", reason="r" * 500, flags=("f" * 500,))
    fields = result_fields(Reading((answer,), complete=False), BENCHMARK, item)
    assert (fields["reason"], len(fields["flags"])) == ("r" * 118 + "…", 120)


def test_stored_parts_come_back_as_scores_by_item_and_repeat() -> None:
    run = make_run(repeats=2)
    make_result(run, "2", repeat=2, score=8.5, reading="tolerant")
    make_result(run, "2", repeat=1, score=None, answer=None, reading="none", state=ItemState.UNREAD)
    revised = {"answer": [1.0], "reading": "official", "reason": "", "flags": "", "score": 6.0}
    make_result(run, "1", other_parts={"revised": revised})
    scores = [(s.item_id, s.repeat, s.part, s.reading, s.score) for s in item_scores(run)]
    assert scores == [
        ("1", 1, "first_pass", "official", 10.0),
        ("1", 1, "revised", "official", 6.0),
        ("2", 1, "first_pass", "none", None),
        ("2", 2, "first_pass", "tolerant", 8.5),
    ]


def test_a_run_without_results_has_no_score_and_no_scores() -> None:
    run = make_run()
    assert item_scores(run) == []
    assert summarise_run(run).figures["score"] == Figure(None, n=0)


def test_a_run_is_summarised_from_its_rows() -> None:
    run = make_run()
    for item_id in ("1", "2", "3", "4"):
        make_result(run, item_id)
    make_result(run, "5", score=5.0, reading="tolerant")
    summary = summarise_run(run)
    assert summary.figures["score"].value == pytest.approx(90.0)
    assert (summary.figures["strict_score"].n, summary.figures["strict_share"].value) == (4, 0.8)
    assert (summary.n_scored, summary.coverage) == (5, 1.0)


def summary_of(*parts: str) -> Summary:
    figures = {"score": Figure(50.0, 1.5, 5), "strict_score": Figure(None, n=3), "strict_share": Figure(0.6)}
    return Summary(figures, coverage=1.0, n_scored=5, repeat_scores=(50.0,) * len(parts), counted_parts=parts)


@pytest.mark.parametrize(
    ("parts", "stored"),
    [(("revised",), "revised"), (("first_pass", "first_pass"), "first_pass"), (("first_pass", "revised"), "mixed"),
     (("", "revised"), "revised"), (("",), "")],
)  # fmt: skip
def test_the_counted_part_is_named_once_or_called_mixed(parts: tuple[str, ...], stored: str) -> None:
    assert summary_fields(summary_of(*parts), BENCHMARK)["counted_part"] == stored


def test_a_summary_fills_the_columns_of_a_run() -> None:
    run = make_run()
    models.Run.objects.filter(pk=run.pk).update(**summary_fields(summary_of("first_pass"), BENCHMARK))
    run.refresh_from_db()
    assert (run.score, run.standard_error, run.repeat_scores) == (50.0, 1.5, [50.0])
    assert (run.n_scored, run.scorer_version) == (5, "eq-bench-v2/5")
    assert run.figures == {
        "score": {"value": 50.0, "error": 1.5, "n": 5},
        "strict_score": {"value": None, "error": None, "n": 3},
        "strict_share": {"value": 0.6, "error": None, "n": None},
    }
