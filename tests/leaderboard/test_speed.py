"""What the pages cost over a made-up field: few queries, as many for a large field as for a small one."""

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext, override_settings

from evaluation.models import Run
from leaderboard.models import FieldFigures, Standing
from leaderboard.pages.storing.rankings import refresh_ready
from leaderboard.standings import refresh_standings
from leaderboard.standings.counted import RUN_COLUMNS, CountedRun
from leaderboard.standings.item_figures import field_of, item_field
from tests.factories import make_bank
from tests.leaderboard.fields import answered
from tests.leaderboard.pages import page
from tests.leaderboard.scored_runs import scored

pytestmark = [pytest.mark.django_db, pytest.mark.database]

# The rows of a ranking are read twice: all of them light, the fifty of the page in full. Three queries are for the
# line with the news, one for the best small model.
MOST = 18
PAGES = {
    "rankings": "/rankings/scale/",
    "model": "/models/scale-0001/",
    "compare": "/compare/?m=scale-0000&m=scale-0001&m=scale-0002&m=scale-0003",
    "items": "/items/scale/",
    "item": "/items/scale/3/",
    "charts": "/charts/scale/",
    **{
        name: f"/charts/scale/{name}.json"
        for name in ("scores", "mmlu", "arena_elo", "magi_hard", "size", "release", "distribution")
    },
    "heat map": "/charts/scale/items.json",
}


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    cache.clear()


def seeded(models: int, runs: int, items: int) -> None:
    call_command("seed_scale", models=models, runs=runs, items=items, verbosity=0)


def queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        page(client, path)
    return len(captured)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_at_most_eighteen_times_however_large_the_field_is(client: Client, name: str) -> None:
    seeded(30, 3, 20)
    large = queries(client, PAGES[name])
    Standing.objects.filter(model__slug__gt="scale-0005").delete()
    Run.objects.filter(model__slug__gt="scale-0005").delete()
    refresh_standings()
    cache.clear()
    assert queries(client, PAGES[name]) <= MOST, "before anything is ready"
    refresh_ready()
    cache.clear()
    assert queries(client, PAGES[name]) == large <= MOST


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_is_kept_reads_no_result_and_is_made_anew_after_one(client: Client, name: str) -> None:
    seeded(6, 1, 5)
    before = client.get(PAGES[name])
    # The marks of the rankings, of runs without a score, of the gaps and of the people who answered.
    assert queries(client, PAGES[name]) <= 4
    Run.objects.filter(model__slug="scale-0001").update(score=-1.0)
    refresh_standings()
    assert client.get(PAGES[name])["ETag"] != before["ETag"]
    assert client.get(PAGES[name], headers={"If-None-Match": before["ETag"]}).status_code == 200


def test_the_figures_of_the_field_are_stored_with_the_ranks_and_are_those_of_the_results() -> None:
    seeded(8, 2, 6)
    bank = Run.objects.first().bank  # type: ignore[union-attr]
    items = list(bank.items.order_by("number").values_list("pk", flat=True))
    newest = Standing.objects.order_by("run_id").values_list(*(f"run__{name}" for name in RUN_COLUMNS))
    with CaptureQueriesContext(connection) as captured:
        stored = item_field("scale", items)
    assert stored == field_of([CountedRun(*row) for row in newest], items)
    assert (stored.n_models, len(stored.figures), len(captured)) == (8, 6, 2)


def test_figures_that_do_not_belong_to_the_standings_are_made_anew() -> None:
    bank = make_bank(1, slug="scenes")
    first, second = scored(bank, [2.0]), scored(bank, [6.0])
    refresh_standings()
    items = [bank.items.get().pk]
    assert item_field("scenes", items).medians == (4.0,)
    Standing.objects.filter(run=first).delete()
    assert item_field("scenes", items).medians == (6.0,)
    Run.objects.filter(pk=first.pk).update(published=False)
    refresh_standings(second.pk)
    assert FieldFigures.objects.get().figures["medians"] == [6.0]


def test_figures_of_another_form_are_made_anew() -> None:
    bank = make_bank(1, slug="scenes")
    scored(bank, [2.0])
    refresh_standings()
    FieldFigures.objects.update(figures={"of": "an older release"})
    assert item_field("scenes", [bank.items.get().pk]).medians == (2.0,)


def test_figures_go_with_their_ranking_and_outlive_what_only_moves_beside_them() -> None:
    bank = make_bank(1, slug="scenes")
    run = scored(bank, [2.0])
    refresh_standings()
    mark = FieldFigures.objects.get().mark
    answered(bank, "constant", [1.0], origin="baseline")
    refresh_standings()
    assert FieldFigures.objects.get().mark != mark
    assert FieldFigures.objects.get().figures["n_models"] == 1
    Run.objects.update(published=False)
    refresh_standings(run.pk)
    assert not FieldFigures.objects.exists()


def test_a_bank_that_is_closed_takes_its_texts_off_the_kept_pages_at_once(client: Client) -> None:
    bank = make_bank(5, slug="scenes")
    runs = [scored(bank, [5.0, 6.0, 7.0, 8.0, 9.0]), scored(bank, [4.0, 6.0, 7.0, 8.0, 9.5])]
    refresh_standings()
    words = "The ferry left without us."
    slugs = "&".join(f"m={run.model.slug}" for run in runs)
    paths = ("/items/scenes/", "/items/scenes/1/", f"/compare/?{slugs}", f"/models/{runs[0].model.slug}/")
    shown = [words in page(client, path) for path in paths]
    assert any(shown)
    type(bank).objects.update(access="withheld")
    assert not any(words in page(client, path) for path in paths)
    with_labels = [label for path in paths for label in bank.items.first().labels if label in page(client, path)]  # type: ignore[union-attr]
    assert with_labels == []


@pytest.mark.parametrize("name", ["rankings", "items", "item", "compare", "charts"])
def test_within_the_time_set_a_kept_page_asks_nothing_at_all(client: Client, name: str) -> None:
    seeded(6, 1, 5)
    with override_settings(STAMP_SECONDS=60.0):
        page(client, PAGES[name])
        assert queries(client, PAGES[name]) == 0
