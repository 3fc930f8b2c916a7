"""The model page: facts and standing, what is missing, hostile names, who may look, how often the database is asked."""

from collections.abc import Iterator
from datetime import UTC, date, datetime

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluation.models import Origin, Run, Status
from leaderboard.models import Standing
from leaderboard.pages.models.standing import companies, standing_rows
from leaderboard.pages.rankings.directory import described, loaded_banks
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_endpoint, make_model, make_result, make_run
from tests.leaderboard.pages import board, finished, page, publish
from tests.leaderboard.scored_runs import scored
from tests.leaderboard.staff import looker

pytestmark = [pytest.mark.django_db, pytest.mark.database]

HOSTILE = {
    '<a href="https://x.example">Best</a>': "&lt;a href=&quot;https://x.example&quot;&gt;Best&lt;/a&gt;",
    "=1+1": "=1+1",
    "safe\u202eevil": '<mark class="sign" title="right-to-left override">U+202E</mark>',
}


@pytest.fixture(autouse=True)
def _empty_cache() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def section(html: str, heading: str) -> str:
    """The part of a page under a heading."""
    return html.partition(f"<h2>{heading}</h2>")[2].partition("</section>")[0]


def test_a_model_without_date_size_or_runs_has_a_page(client: Client) -> None:
    make_model("maker/bare", slug="bare", display_name="Bare")
    html = page(client, "/models/bare/")
    assert "<h1><bdi>Bare</bdi></h1>" in html
    assert "<dt>Released</dt><dd>–</dd>" in html
    assert "not published" in html
    assert "This model has no run and no published score here yet." in html
    assert '<svg class="plot"' not in html


def test_the_facts_are_those_of_the_model(client: Client) -> None:
    facts = {
        "organisation": "Maker & Co", "params": "8x7B", "params_billion": 46.7, "open_weights": True,
        "licence": "Apache-2.0", "released_on": date(2024, 3, 1), "released_month_only": True,
        "link": "https://models.example/known",
    }  # fmt: skip
    make_model("maker/known", slug="known", **facts)
    html = page(client, "/models/known/")
    assert "Maker &amp; Co</bdi> · open weights" in html
    assert "<dt>Full name</dt><dd><bdi>maker/known</bdi>" in html
    assert "8x7B, 46.7 billion" in html
    assert "<dt>Licence</dt><dd><bdi>Apache-2.0</bdi></dd>" in html
    assert "<dt>Released</dt><dd>Mar 2024</dd>" in html
    assert '<a href="https://models.example/known" rel="nofollow noopener">' in html


def test_a_ranking_that_gets_its_first_row_while_the_page_is_made_does_not_break_it() -> None:
    model = make_model()
    publish(model, "eq-bench-v2", 70.0)
    refresh_standings()
    known = companies()
    publish(model, "eq-bench-v1", 40.0)
    refresh_standings()
    banks = loaded_banks()
    rows = standing_rows(model, known, {key: described(key, banks) for key in known})
    assert [row.key for row in rows] == ["eq-bench-v2"]
    assert companies().keys() == {"eq-bench-v1", "eq-bench-v2"}


def test_a_link_that_is_no_web_address_is_not_shown(client: Client) -> None:
    make_model("x", slug="x", link="javascript:alert(1)")
    assert "javascript:" not in page(client, "/models/x/")


def test_the_standing_says_ranks_score_interval_and_origin(client: Client) -> None:
    bank = make_bank(20, title="Own scenes")
    best = scored(bank, [9.0, 9.5] * 10, name="best", standard_error=1.0)
    scored(bank, [2.0, 2.5] * 10, name="worst", standard_error=1.0)
    html = board(client, f"/models/{best.model.slug}/")
    assert '<span class="figure-number">1</span>rank 1 of 2 by score, tied with none' in html
    assert '<span class="figure-number">92.50</span>95 % interval 90.41 to 94.59' in html
    assert "Compared pair by pair, it is tied with no other model." in html
    assert "</svg>measured</span>" in section(html, "Where it stands")


def test_models_that_no_test_tells_apart_are_tied(client: Client) -> None:
    bank = make_bank(10)
    runs = [scored(bank, [at, 10.0 - at] * 5, name=f"m{at}") for at in (2, 5, 6)]
    html = board(client, f"/models/{runs[1].model.slug}/")
    assert '<span class="figure-number">1–3</span>' in html
    assert "Compared pair by pair, it is statistically tied with 2 other models." in html
    assert 'aria-label="The scores of 3 ranked models; this model at 50.00.' in html


def test_a_published_score_stands_without_runs_and_is_marked_as_approximate(client: Client) -> None:
    models = [make_model(f"paper-{at}", slug=f"paper-{at}") for at in range(3)]
    for at, model in enumerate(models):
        publish(model, "eq-bench-v2", 80.0 - 2 * at, source="the paper, table 3")
    html = board(client, "/models/paper-1/")
    assert "the paper, table 3" in section(html, "Scores elsewhere")
    assert '<span class="figure-number">≈1–3</span>' in html
    assert "≈ 95 % interval 74.56 to 81.44" in html
    assert "No run of this model is stored here" in html
    assert "is-approximate" in html


def test_a_published_score_beside_runs_holds_its_rank_among_them(client: Client) -> None:
    bank = make_bank(slug="eq-bench-v2")
    finished(bank, 60.0)
    publish(make_model("paper", slug="paper"), "eq-bench-v2", 90.0)
    html = board(client, "/models/paper/")
    assert '<span class="figure-number">≈1</span>rank 1 of 2 by score, tied with none' in html


def test_a_baseline_says_why_it_has_no_rank(client: Client) -> None:
    bank = make_bank(slug="eq-bench-v2")
    finished(bank, 60.0)
    finished(bank, 30.0, model=make_model("always", slug="always"), origin=Origin.BASELINE)
    html = board(client, "/models/always/")
    assert '<span class="figure-number">–</span>no rank' in html
    assert "It has no rank: it is a baseline, not a model" in html


def test_each_ranking_of_a_model_is_listed_and_can_be_chosen(client: Client) -> None:
    first, second = make_bank(title="First scenes"), make_bank(title="Second scenes")
    model = make_model("both", slug="both")
    finished(first, 61.0, model=model)
    finished(first, 50.0)
    finished(second, 72.0, model=model)
    html = board(client, "/models/both/")
    assert "<dt>First scenes, score</dt>" in html
    assert f'<a href="?ranking={second.slug}">Second scenes</a>' in html
    assert "<dt>Second scenes, score</dt>" in page(client, f"/models/both/?ranking={second.slug}")


@pytest.mark.parametrize("query", ["ranking=nowhere", "ranking=%00", "run=x&page=y", "run=9e99&page=-1", "page=٣"])
def test_what_names_nothing_falls_back_to_the_default(client: Client, query: str) -> None:
    run = scored(make_bank(title="First scenes"), [9.0] * 5)
    assert "<dt>First scenes, score</dt>" in board(client, f"/models/{run.model.slug}/?{query}")


def test_missing_figures_are_dashes_and_digits_are_two(client: Client) -> None:
    run = finished(make_bank(), 61.10000000001)
    publish(run.model, "mmlu", 68.9000001, as_of="2024-08-29", setting="5-shot")
    html = board(client, f"/models/{run.model.slug}/")
    assert '<span class="figure-number">61.10</span>no interval' in html
    assert '<dt>MMLU</dt><dd><span class="figure-number">68.9</span>29 Aug 2024' in html
    assert "Arena Elo" not in html
    assert [word for word in ("nan", "None", "NaN", "inf ") if f">{word}" in html] == []


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_text_with_its_signs_marked(client: Client, name: str) -> None:
    model = make_model("x", slug="x", display_name=name, organisation=name, licence=name, params=name[:40])
    publish(model, "eq-bench-v2", 70.0, setting=name, source=name)
    html = board(client, "/models/x/")
    assert HOSTILE[name] in html.partition("<h1>")[2].partition("</h1>")[0]
    assert 'href="https://x.example"' not in html
    assert "\u202e" not in html
    title = html.partition("<title>")[2].partition("</title>")[0]
    assert title.startswith(("&lt;a href=", "=1+1 ·", "safe[U+202E]evil ·"))


def test_a_model_that_nobody_has_looked_at_is_known_to_the_staff_alone(client: Client) -> None:
    waiting = make_endpoint(model=make_model("waiting", slug="waiting")).model
    asked = make_run(model=make_model("asked", slug="asked"), status=Status.FINISHED, published=False).model
    paths = [f"/models/{model.slug}/{end}" for model in (waiting, asked) for end in ("", "badge.svg")]
    assert [client.get(path).status_code for path in paths] == [404] * 4
    client.force_login(User.objects.create_user("visitor"))
    assert [client.get(path).status_code for path in paths] == [404] * 4
    client = looker()
    assert [client.get(path).status_code for path in paths[::2]] == [200, 200]


def test_a_run_that_is_not_public_is_shown_to_the_staff_alone(client: Client) -> None:
    bank = make_bank()
    shown = finished(bank, 60.0)
    hidden = finished(bank, 95.25, model=shown.model, published=False)
    path = f"/models/{shown.model.slug}/"
    html = board(client, f"{path}?run={hidden.pk}")
    assert f"Run {hidden.pk}<" not in html
    assert "95.25" not in html
    client = looker()
    assert "no, not public" in page(client, path)


def test_a_model_that_does_not_exist_is_not_found(client: Client) -> None:
    assert client.get("/models/nobody/").status_code == 404


def test_an_unchanged_page_is_not_sent_again(client: Client) -> None:
    run = finished(make_bank(), 60.0)
    refresh_standings()
    path = f"/models/{run.model.slug}/"
    etag = client.get(path)["ETag"]
    assert client.get(path, headers={"if-none-match": etag}).status_code == 304
    Standing.objects.update(score=61.0, computed_at=datetime(2026, 1, 1, tzinfo=UTC))
    assert client.get(path, headers={"if-none-match": etag}).status_code == 200


def fill(n_models: int, n_runs: int) -> Run:
    """A field of models with so many runs each, and a reference score; the last run of all."""
    bank = make_bank(5)
    runs = [
        scored(bank, [float(at % 7), 5.0, 6.0, 7.0, 8.0], model=model)
        for at in range(n_models)
        for model in [make_model()]
        for _ in range(n_runs)
    ]
    publish(runs[-1].model, "mmlu", 70.0)
    refresh_standings()
    return runs[-1]


def queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        page(client, path)
    return len(captured)


def test_the_number_of_queries_does_not_grow_and_a_page_that_is_kept_needs_two(client: Client) -> None:
    counts = []
    for size in ((2, 1), (12, 4)):
        path = f"/models/{fill(*size).model.slug}/"
        cache.clear()
        counts.append([queries(client, path), queries(client, path)])
    assert counts[0] == counts[1]
    assert counts[0][0] <= 12
    assert counts[0][1] == 2


def test_a_run_with_many_repeats_asks_no_more(client: Client) -> None:
    bank = make_bank(5)
    one, three = scored(bank, [5.0] * 5), scored(bank, [5.0] * 5, [6.0] * 5, [7.0] * 5)
    refresh_standings()
    cache.clear()
    first = queries(client, f"/models/{one.model.slug}/")
    cache.clear()
    assert queries(client, f"/models/{three.model.slug}/") == first


def test_origins_other_than_runs_still_have_a_page(client: Client) -> None:
    bank = make_bank()
    runs = [finished(bank, 40.0, origin=origin) for origin in (Origin.BASELINE, Origin.DEMO)]
    for run in runs:
        make_result(run, "1")
    pages = [board(client, f"/models/{run.model.slug}/") for run in runs]
    assert "it is a baseline, not a model" in pages[0]
    assert "scripted endpoint" in pages[1]
