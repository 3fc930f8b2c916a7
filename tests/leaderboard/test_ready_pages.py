"""What is kept ready of a ranking: the same pages as from all rows, and never those of before a change."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluation.models import FaultKind, ItemBank, ItemResult, LanguageModel, ReferenceScore, Run
from leaderboard.models import FieldFigures, ItemAnswers, ReadyPart, Standing
from leaderboard.pages.rankings.asked import RankingRequest
from leaderboard.pages.rankings.overview import from_json, to_json
from leaderboard.pages.rankings.ready import CHARTS
from leaderboard.pages.rankings.selection import selected, shown
from leaderboard.pages.storing.rankings import refresh_ready
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_model, make_run
from tests.leaderboard.fields import answered
from tests.leaderboard.pages import finished, page

pytestmark = [pytest.mark.django_db, pytest.mark.database]

VIEWS = (
    "", "?page=2", "?sort=model", "?sort=-mmlu", "?sort=-size&page=2", "?sort=date", "?sort=cv", "?q=MODEL-000",
    "?weights=open", "?org=Maker+3", "?size=8-40&sort=-items", "?items=5", "?since=2100-01-01", "?origin=baseline",
    "?answers=1", "?pin=scale-0003&m=scale-0004", "?demo=1", "?rows=all",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    cache.clear()


def stale() -> None:
    """From here on nothing that is ready holds."""
    ReadyPart.objects.update(mark="of other rows")
    FieldFigures.objects.update(mark="of other rows")
    cache.clear()


def unread(bank: ItemBank, name: str) -> None:
    run = make_run(bank=bank, model=make_model(f"m/{name}", display_name=name), status="failed")
    Run.objects.filter(pk=run.pk).update(
        failure_kind=FaultKind.PARSE, parse_share=0.3, n_items=5, n_scored=1, published=True
    )


def field() -> None:
    """Five pages of models, a baseline, a run without a score and one demonstration."""
    call_command("seed_scale", models=205, runs=1, items=5, verbosity=0)
    bank = ItemBank.objects.get(slug="scale")
    finished(bank, 20.0, name="constant-3", origin="baseline")
    finished(bank, 21.0, name="shown", origin="demo")
    unread(bank, "mute")
    refresh_standings()
    refresh_ready()


@pytest.mark.thorough
def test_every_view_of_a_ranking_is_the_same_whether_it_is_ready_or_made_anew(client: Client) -> None:
    field()
    paths = [f"/rankings/scale/{view}" for view in VIEWS]
    paths += ["/charts/scale/", "/charts/scale/?page=2", "/charts/scale/scores.json", "/charts/scale/items.json"]
    ready = {path: page(client, path) for path in paths}
    stale()
    for path, text in ready.items():
        assert page(client, path) == text, path


def test_what_is_ready_of_all_rows_is_what_is_made_of_them() -> None:
    field()
    whole, ready = selected("scale", RankingRequest()), shown("scale", RankingRequest(page="2"), ())
    assert whole is not None
    assert ready is not None
    assert ready.overview == whole.overview
    assert ready.overview.board.figure is not None
    assert from_json(to_json(whole.overview)) == whole.overview


@pytest.mark.parametrize("view", ["", "page=2", "pin=scale-0003&m=scale-0004", "c=none", "rows=all"])
def test_a_usual_address_reads_no_rows_but_those_that_it_shows(view: str) -> None:
    field()
    with CaptureQueriesContext(connection) as captured:
        selection = shown("scale", RankingRequest.of(QueryDict(view)), (CHARTS,))
    assert selection is not None
    assert (selection.n_found, selection.rows) == (207, None)
    of_rows = [query["sql"] for query in captured if '"tie_group"' in query["sql"]]
    assert len(of_rows) == 1
    assert " IN (" in of_rows[0]


def test_a_model_without_a_score_that_is_renamed_is_found_under_its_new_name() -> None:
    field()
    LanguageModel.objects.filter(name="m/mute").update(display_name="Zoe", slug="zoe")
    selection = shown("scale", RankingRequest(page="5"), ())
    assert selection is not None
    assert [each.row.model.name for each in selection.page][-1] == "Zoe"


def test_a_page_of_a_ranking_reads_its_own_rows_alone_in_full() -> None:
    field()
    selection = shown("scale", RankingRequest(sort="model"), ())
    assert selection is not None
    assert selection.rows is None
    assert (len(selection.page), selection.n_found) == (50, 207)


@pytest.mark.parametrize(
    "change",
    [
        lambda model: LanguageModel.objects.get(pk=model.pk).save(),
        lambda model: ReferenceScore.objects.create(
            model=model, benchmark="mmlu", value=1.5, source="made up", preferred=True
        ),
        lambda model: model.delete(),
        lambda model: unread(ItemBank.objects.get(), "silent"),
    ],
)
def test_what_is_ready_gives_way_to_a_changed_fact_a_new_figure_and_a_row_more_or_less(
    change: Callable[[LanguageModel], object],
) -> None:
    bank = make_bank(1, slug="scenes")
    run = finished(bank, 50.0)
    finished(bank, 60.0)
    refresh_standings()
    refresh_ready()
    assert (ready := shown("scenes", RankingRequest(), (CHARTS,))) is not None
    assert ready.parts
    change(run.model)
    assert (changed := shown("scenes", RankingRequest(), (CHARTS,))) is not None
    assert not changed.parts
    refresh_ready()
    assert (again := shown("scenes", RankingRequest(), (CHARTS,))) is not None
    assert again.parts


def test_nothing_is_made_twice_and_what_is_ready_goes_with_its_ranking() -> None:
    finished(make_bank(1, slug="scenes"), 50.0)
    refresh_standings()
    refresh_ready()
    with CaptureQueriesContext(connection) as captured:
        refresh_ready()
    assert not any("INSERT" in query["sql"] for query in captured)
    Run.objects.update(published=False)
    refresh_standings()
    refresh_ready()
    assert not ReadyPart.objects.exists()


def test_a_ranking_that_empties_while_parts_are_made_is_passed_over() -> None:
    finished(make_bank(1, slug="scenes"), 50.0)
    other = finished(make_bank(1, slug="others"), 50.0)
    refresh_standings()

    def empties(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        found = execute(sql, *rest)
        if "DISTINCT" in sql:
            Standing.objects.filter(run=other).delete()
        return found

    with connection.execute_wrapper(empties):
        refresh_ready()
    assert set(ReadyPart.objects.values_list("ranking", flat=True)) == {"scenes"}


def test_a_filter_that_leaves_very_many_rows_sends_to_the_page_of_their_charts(client: Client) -> None:
    call_command("seed_scale", models=510, runs=1, items=6, verbosity=0)
    few, many = page(client, "/rankings/scale/?weights=closed"), page(client, "/rankings/scale/?items=1")
    assert 'id="chart-scores"' in few
    assert 'id="chart-scores"' not in many
    assert '<a href="/charts/scale/?items=1">on the charts page</a>' in many


def counts() -> dict[int, object]:
    return {row.item_id: row.counts for row in ItemAnswers.objects.all()}


def test_counts_that_followed_the_field_are_those_of_counting_anew() -> None:
    bank = make_bank(3, slug="scenes")
    for at in range(6):
        answered(bank, f"model-{at}", [2.0 + at, 4.0, 8.0 - at])
    refresh_standings()
    leaving = answered(bank, "model-7", [1.0, 2.0, 3.0])
    refresh_standings(leaving.pk)
    answered(bank, "", [9.0, 9.0, 9.0], model=LanguageModel.objects.get(slug="model-1"))
    Run.objects.filter(pk=leaving.pk).update(published=False)
    refresh_standings(leaving.pk)
    followed = counts()
    FieldFigures.objects.update(mark="of other rows", runs={})
    refresh_standings()
    assert counts() == followed
    assert followed.keys() == set(bank.items.values_list("pk", flat=True))


def test_a_run_that_is_scored_anew_is_counted_anew() -> None:
    bank = make_bank(1, slug="scenes")
    runs = [answered(bank, f"model-{at}", [4.0]) for at in range(4)]
    refresh_standings()
    ItemResult.objects.filter(run=runs[0]).update(answer=[0.0, 0.0, 0.0, 1.0])
    Run.objects.filter(pk=runs[0].pk).update(score=11.0, scorer_version=99)
    refresh_standings()
    (stored,) = ItemAnswers.objects.values_list("counts", flat=True)
    assert [0.0, 1] in stored["labels"][0]
    assert sum(n for _, n in stored["labels"][0]) == stored["n"] == 4


def test_an_item_page_is_the_same_from_stored_counts_and_from_the_answers(client: Client) -> None:
    bank = make_bank(2, slug="scenes")
    for at in range(13):
        answered(bank, f"model-{at}", [float(at % 7), 10.0 - at])
    refresh_standings()
    ready = page(client, "/items/scenes/2/")
    assert len(counts()) == 2
    stale()
    assert page(client, "/items/scenes/2/") == ready
