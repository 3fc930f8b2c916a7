"""The runs of a model as replicates: the mean of those that count, their spread, and why the others do not count."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from evaluation.models import FaultKind, ItemBank, LanguageModel, Origin, Status
from tests.evaluation.judged import gathered, prompt_bank
from tests.factories import make_bank, make_model, make_run
from tests.leaderboard.pages import board, finished, page, publish, table
from tests.leaderboard.scored_runs import scored

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture(autouse=True)
def _empty_cache() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def bank() -> ItemBank:
    return make_bank(title="Own scenes")


@pytest.fixture
def model() -> LanguageModel:
    return make_model("maker/m", slug="m")


def runs_section(html: str) -> str:
    return html.partition("<h2>Runs</h2>")[2].partition("</section>")[0]


def rows(html: str) -> list[list[str]]:
    """The rows of the table of runs, without its head."""
    return table(runs_section(html))[1:]


def verdicts(html: str) -> dict[str, str]:
    """Score -> what the table says of its counting."""
    return {row[1]: row[5].removeprefix("counts: ") for row in rows(html)}


def test_three_runs_count_as_their_mean_with_their_spread_and_never_as_the_best(
    client: Client, bank: ItemBank, model: LanguageModel
) -> None:
    for score in (60.0, 70.0, 80.0):
        finished(bank, score, model=model, repeat_scores=[score], standard_error=2.0)
    html = board(client, "/models/m/")
    assert '<span class="figure-number">70.00</span>95 % interval 64.45 to 75.55' in html
    assert "Own scenes: 3 runs count, mean 70.00" in html
    assert "Spread over 3 passes: SD 10.00, CV 14.3 %, from 60.00 to 80.00." in html
    assert '<span class="figure-number">80.00</span>' not in html
    assert set(verdicts(html).values()) == {"yes"}


def test_the_mean_of_runs_is_the_score_of_the_ranking_whatever_their_repeats(
    client: Client, bank: ItemBank, model: LanguageModel
) -> None:
    """All passes weigh alike there, and two means of one model would contradict each other."""
    scored(bank, [6.0] * 5, model=model)
    scored(bank, [9.0] * 5, [9.0] * 5, [9.0] * 5, model=model)
    html = board(client, "/models/m/")
    assert '<span class="figure-number">82.50</span>' in html
    assert "Own scenes: 2 runs count, mean 82.50" in html


def test_the_repeats_of_a_single_run_give_the_spread(client: Client, bank: ItemBank, model: LanguageModel) -> None:
    finished(bank, 70.0, model=model, repeats=3, repeat_scores=[60.0, 70.0, 80.0])
    html = board(client, "/models/m/")
    assert "Own scenes: one run counts, 70.00" in html
    assert "Spread over 3 passes: SD 10.00, CV 14.3 %" in html


def test_a_single_pass_has_no_spread(client: Client, bank: ItemBank, model: LanguageModel) -> None:
    finished(bank, 70.0, model=model, repeat_scores=[70.0])
    html = board(client, "/models/m/")
    assert "one run counts" in html
    assert "Spread over" not in html


def test_a_spread_around_zero_has_no_coefficient_of_variation(
    client: Client, bank: ItemBank, model: LanguageModel
) -> None:
    for score in (-1.0, 1.0):
        finished(bank, score, model=model)
    html = board(client, "/models/m/")
    assert "SD 1.41, from −1.00 to 1.00." in html
    assert "CV" not in runs_section(html).partition('class="replicates"')[2]


def test_the_table_says_why_a_run_does_not_count(client: Client, bank: ItemBank, model: LanguageModel) -> None:
    finished(bank, 61.0, model=model)
    finished(bank, 62.0, model=model, limit=3, n_items=3)
    finished(bank, 63.0, model=model, origin=Origin.IMPORTED)
    finished(bank, 64.0, model=model, origin=Origin.PUBLISHED)
    assert verdicts(board(client, "/models/m/")) == {
        "61.00": "yes",
        "62.00": "no, partial: 3 items only",
        "63.00": "no, measured runs count before imported ones",
        "64.00": "no, a published figure",
    }


def test_gathered_replies_never_count_and_the_table_says_so(client: Client, model: LanguageModel) -> None:
    run = gathered(prompt_bank(), model=model)
    html = board(client, "/models/m/")
    assert "no, its replies are rated by judges or people" in html
    assert "being recomputed" not in html
    assert f'href="/runs/{run.pk}/"' in html


@pytest.mark.parametrize(
    ("of_standing", "verdict"),
    [
        ({"origin": Origin.PUBLISHED}, "no, run with other settings: the published score comes first"),
        ({"origin": Origin.IMPORTED}, "no, run with other settings"),
    ],
)
def test_a_run_by_other_settings_yields_to_a_standard_score_of_any_origin(
    client: Client, bank: ItemBank, model: LanguageModel, of_standing: dict[str, Any], verdict: str
) -> None:
    finished(bank, 61.0, model=model, departures={"system_prompt": "b4c1"})
    if of_standing["origin"] == Origin.PUBLISHED:
        publish(model, bank.slug, 64.0)
    else:
        finished(bank, 64.0, model=model, **of_standing)
    assert verdicts(board(client, "/models/m/"))["61.00"] == verdict


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ({"status": Status.QUEUED}, "not yet, in the queue"),
        ({"status": Status.RUNNING}, "not yet, still running"),
        ({"status": Status.WAITING}, "not yet, waiting for the endpoint"),
        ({"status": Status.CANCELLED}, "no, cancelled"),
        ({"status": Status.FAILED}, "no, ended without a score"),
        (
            {"status": Status.FAILED, "failure_kind": FaultKind.ENDPOINT},
            "no, stopped by a fault of the endpoint",
        ),
        ({"status": Status.FAILED, "failure_kind": FaultKind.PARSE}, "no, too few replies could be read"),
    ],
)
def test_a_run_without_a_score_says_how_it_stands(
    client: Client, bank: ItemBank, model: LanguageModel, fields: dict[str, Any], verdict: str
) -> None:
    make_run(bank=bank, model=model, published=True, **fields)
    html = board(client, "/models/m/")
    assert verdicts(html) == {"–": verdict}
    assert "Own scenes: no run counts" in html


def test_a_run_that_ended_after_the_last_computation_counts_soon(
    client: Client, bank: ItemBank, model: LanguageModel
) -> None:
    finished(bank, 60.0, model=model)
    board(client, "/models/m/")
    finished(bank, 66.0, model=model)
    html = page(client, "/models/m/")
    assert verdicts(html) == {"66.00": "not yet, the ranking is being recomputed", "60.00": "yes"}
    assert "one run counts, 60.00" in html


def test_the_table_gives_date_error_and_items_of_each_run(client: Client, bank: ItemBank, model: LanguageModel) -> None:
    run = finished(
        bank, 61.0, model=model, standard_error=2.125, n_scored=4, finished_at=datetime(2024, 1, 14, tzinfo=UTC)
    )
    [row] = rows(board(client, "/models/m/"))
    assert row[:5] == [f"Run {run.pk} 14 Jan 2024", "61.00", "standard error 2.12", "4 of 5", "measured Staff"]


def test_each_run_links_to_its_manifest_and_its_items(client: Client, bank: ItemBank, model: LanguageModel) -> None:
    run = finished(bank, 61.0, model=model)
    html = runs_section(board(client, "/models/m/"))
    ends = ("", "manifest.json", "items.csv", "items.json", "items.parquet")
    paths = [f"/runs/{run.pk}/{end}" for end in ends]
    assert [path for path in paths if f'href="{path}"' not in html] == []
    assert [client.get(path).status_code for path in paths] == [200] * 5


def test_the_history_is_drawn_from_two_scores_on_oldest_first(
    client: Client, bank: ItemBank, model: LanguageModel
) -> None:
    finished(bank, 60.0, model=model, finished_at=datetime(2024, 3, 1, tzinfo=UTC))
    assert "<title>" not in runs_section(board(client, "/models/m/"))
    finished(bank, 80.0, model=model, finished_at=datetime(2024, 1, 1, tzinfo=UTC), limit=2)
    html = runs_section(board(client, "/models/m/"))
    titles = [piece.partition("</title>")[0] for piece in html.split("<title>")[1:]]
    assert titles == ["1 Jan 2024: 80.00, does not count", "1 Mar 2024: 60.00"]


def test_scores_that_another_scorer_replaced_are_told(client: Client, bank: ItemBank, model: LanguageModel) -> None:
    old = {"score": 58.5, "strict_score": 58.0, "scorer_version": "eq-bench-v2/1"}
    history = [{**old, "replaced_at": "2026-03-04T10:00:00+00:00"}]
    run = finished(bank, 60.0, model=model, score_history=history, scorer_version="eq-bench-v2/2")
    html = board(client, "/models/m/")
    assert (
        f"Run {run.pk} scored 58.50 under scorer eq-bench-v2/1 until 4 Mar 2026, when its stored answers were "
        "rescored. It now scores 60.00 under eq-bench-v2/2."
    ) in html


def test_runs_of_another_ranking_stand_under_its_name(client: Client, bank: ItemBank, model: LanguageModel) -> None:
    finished(bank, 60.0, model=model)
    finished(make_bank(title="Other scenes"), 70.0, model=model)
    html = runs_section(board(client, "/models/m/"))
    assert "Own scenes: one run counts, 60.00" in html
    assert "Other scenes: one run counts, 70.00" in html
