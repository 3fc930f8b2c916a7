"""A run that ends settles which part of its replies counts, once and in the rows; the upgrade does so for old runs."""

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Answer, Reading
from evaluation.models import ItemResult, ItemState, Run, Status
from evaluation.runs.parts import settle_parts, stored_parts
from evaluation.runs.rescoring import rescore_run
from evaluation.runs.summaries import as_item, item_scores, result_fields, summarise_run, summary_fields
from tests.factories import make_bank, make_result, make_run

pytestmark = pytest.mark.django_db
SETTLED = import_module("evaluation.migrations.0018_settled_parts")
COLUMNS = ("item__item_id", "repeat", "state", "part", "answer", "reading", "reason", "score", "other_parts")


FIVES = (5.0, 5.0, 5.0, 5.0)


def a_mixed_run() -> Run:
    """Two repeats of six items: the first pass counts in the first of them, the revision in the second."""
    run = make_run(bank=make_bank(6), status=Status.FINISHED, repeats=2, origin="imported", score=0.0)
    for row in run.bank.items.all():
        item = as_item(row)
        for repeat, (first, revised) in enumerate(((item.reference, FIVES), (FIVES, item.reference)), 1):
            answers = (Answer("first_pass", "official", first), Answer("revised", "tolerant", revised))
            fields = result_fields(Reading(answers, complete=True), BENCHMARKS[run.benchmark], item)
            ItemResult.objects.create(run=run, item=row, repeat=repeat, **fields)
    return run


def summed_up(run: Run) -> Run:
    Run.objects.filter(pk=run.pk).update(**summary_fields(summarise_run(run), BENCHMARKS[run.benchmark]))
    run.refresh_from_db()
    return run


def rows(run: Run) -> list[Any]:
    return list(run.results.order_by("item__number", "repeat").values_list(*COLUMNS))


def as_parts(run: Run) -> list[Any]:
    return [stored_parts(row) for row in run.results.order_by("item__number", "repeat")]


def test_the_part_that_counts_stands_in_the_columns_and_the_other_beside_it() -> None:
    run = a_mixed_run()
    settle_parts(run, summarise_run(run).counted_parts)
    first, second = run.results.filter(item__item_id="1").order_by("repeat")
    assert (first.part, first.score, list(first.other_parts or {})) == (None, 10.0, ["revised"])
    assert (second.part, second.score, second.reading) == ("revised", 10.0, "tolerant")
    assert (second.other_parts or {})["first_pass"]["answer"] == list(FIVES)


def test_settling_changes_no_score_and_loses_no_part() -> None:
    run = a_mixed_run()
    before, parts = summarise_run(run), as_parts(run)
    settle_parts(run, before.counted_parts)
    assert summarise_run(run) == before
    assert as_parts(run) == parts
    assert {score.part for score in item_scores(run)} == {"first_pass", "revised"}


def test_a_run_that_came_to_count_its_first_pass_again_is_settled_back() -> None:
    run = summed_up(a_mixed_run())
    unsettled = rows(run)
    settle_parts(run, ["revised", "revised"])
    assert rows(run) != unsettled
    settle_parts(run, ["first_pass", ""])
    assert rows(run) == unsettled


def test_an_item_whose_revision_never_came_has_no_score_where_revisions_count() -> None:
    run = a_mixed_run()
    run.results.filter(item__item_id="6", repeat=2).update(other_parts=None)
    settle_parts(run, ["first_pass", "revised"])
    row = run.results.get(item__item_id="6", repeat=2)
    assert (row.part, row.score, row.answer) == ("revised", None, None)
    assert list(stored_parts(row)) == ["first_pass"]


def test_an_item_without_a_reply_keeps_the_reason_for_it() -> None:
    run = a_mixed_run()
    none: dict[str, Any] = {"state": ItemState.FAULT, "answer": None, "reading": "none", "score": None}
    run.results.filter(item__item_id="6", repeat=2).update(**none, reason="timed out", other_parts=None)
    settle_parts(run, ["first_pass", "revised"])
    assert run.results.get(item__item_id="6", repeat=2).reason == "timed out"


def test_a_run_without_revisions_is_settled_without_a_query(django_assert_num_queries: Any) -> None:
    run = make_run()
    with django_assert_num_queries(0):
        settle_parts(run, ["first_pass", ""])


def test_a_settled_run_is_rescored_to_the_same_rows() -> None:
    run = a_mixed_run()
    rescore_run(run.pk)
    settled = rows(run)
    assert {row[3] for row in settled} == {None, "revised"}
    assert not rescore_run(run.pk).changed
    assert rows(run) == settled


# --- the upgrade ---------------------------------------------------------------------------------------------------


def upgrade(direction: str = "settle") -> None:
    getattr(SETTLED, direction)(apps, connection.schema_editor())


@pytest.mark.database
def test_the_upgrade_settles_old_runs_as_the_runner_settles_new_ones() -> None:
    old, new = summed_up(a_mixed_run()), summed_up(a_mixed_run())
    settle_parts(new, summarise_run(new).counted_parts)
    before, score = summarise_run(old), old.score
    upgrade()
    assert rows(old) == rows(new)
    assert summarise_run(old) == before
    assert not rescore_run(old.pk).changed
    old.refresh_from_db()
    assert old.score == score


@pytest.mark.database
def test_the_upgrade_can_be_started_again_and_taken_back() -> None:
    run = summed_up(a_mixed_run())
    unsettled = rows(run)
    upgrade()
    settled = rows(run)
    upgrade()
    assert rows(run) == settled != unsettled
    upgrade("unsettle")
    assert rows(run) == unsettled


@pytest.mark.database
def test_the_upgrade_leaves_runs_that_count_the_first_pass() -> None:
    run = make_run(bank=make_bank(6), counted_part="first_pass")
    make_result(run, "1", score=1.0, other_parts={"revised": {"score": 9.0}})
    upgrade()
    assert ItemResult.objects.get().score == 1.0
