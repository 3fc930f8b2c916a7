"""The API: every answer fits the published schema, agrees with the pages, and shows nothing that is not public."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluation.models import ItemState, Origin, Run, Status
from leaderboard.pages.rankings.columns import every_column, fields_of
from leaderboard.sharing import exports, run_exports
from leaderboard.standings import refresh_standings
from leaderboard.statistics.files import PAIR_SCHEMA, score_schema
from tests.factories import make_bank, make_model, make_result, make_run
from tests.leaderboard.openapi import faults
from tests.leaderboard.pages import content_of, finished, models, page, publish

pytestmark = [pytest.mark.django_db, pytest.mark.database]

HOSTILE = '<a href="https://x.example">Best</a>'


@pytest.fixture
def run() -> Run:
    """A board of a hostile name, a published figure, a demo and a baseline; the run has two answers and a history."""
    bank = make_bank(2, slug="scenes", title="Own scenes", citation="Own", source="https://example.org/x")
    history = [
        {"score": 51.0, "strict_score": None, "scorer_version": "old/1", "replaced_at": "2026-01-02T03:04:05+00:00"}
    ]
    run = finished(
        bank, 60.123456789012, name="maker/first", facts={"slug": "first", "display_name": HOSTILE},
        standard_error=2.0, finished_at=timezone.now(), score_history=history, manifest={"file": "x"},
    )  # fmt: skip
    make_result(run, "1", answer=[1.0, 2.0, 3.0, 4.5], score=6.25, flags="decimal cut")
    make_result(run, "2", state=ItemState.UNREAD, reading="none", answer=None, score=None, reason="cut off")
    finished(bank, 50.0, name="maker/second", facts={"slug": "second"})
    finished(bank, 99.0, name="demo/one", origin=Origin.DEMO)
    finished(bank, 30.0, name="constant", origin=Origin.BASELINE)
    publish(make_model("paper", slug="paper"), "scenes", 90.0)
    refresh_standings()
    return run


def strict(text: str) -> Any:
    return json.loads(text, parse_constant=pytest.fail)


def get(client: Client, path: str) -> Any:
    response = client.get(f"/api/v1/{path}")
    assert response.status_code == 200, response.content
    assert response["Content-Type"].startswith("application/json")
    return strict(content_of(response))


def dated(answer: Any) -> str:
    """When a ranking was computed, to the millisecond that the API gives."""
    return datetime.fromisoformat(answer["computed_at"]).isoformat(timespec="milliseconds")


def file_of(client: Client, name: str) -> Any:
    return strict(content_of(client.get(f"/rankings/{name}")))


ADDRESSES = {
    "/api/v1/models": "models",
    "/api/v1/models/{slug}": "models/first",
    "/api/v1/rankings": "rankings",
    "/api/v1/rankings/{key}": "rankings/scenes",
    "/api/v1/runs": "runs",
    "/api/v1/runs/{run_id}": "runs/{run}",
    "/api/v1/runs/{run_id}/items": "runs/{run}/items",
    "/api/v1/banks": "banks",
    "/api/v1/banks/{slug}": "banks/scenes",
}


def test_every_address_is_in_the_schema_and_every_answer_fits_it(client: Client, run: Run) -> None:
    schema = get(client, "openapi.json")
    assert schema["openapi"].startswith("3.")
    assert set(schema["paths"]) == set(ADDRESSES)
    for path, address in ADDRESSES.items():
        answer = get(client, address.format(run=run.pk))
        shape = schema["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        assert list(faults(answer, shape, schema, path)) == []
        assert answer.get("results", [1])


def test_the_check_against_the_schema_can_fail(client: Client, run: Run) -> None:
    schema = get(client, "openapi.json")
    answer = get(client, f"runs/{run.pk}")
    wrong = {**answer, "score": "60", "more": 1, "repeats": True}
    del wrong["model"]
    found = list(faults(wrong, {"$ref": "#/components/schemas/RunDetail"}, schema))
    assert len(found) == 4


def test_the_fields_of_version_1_keep_their_names(client: Client, run: Run) -> None:
    """Fields may be added here, never taken out."""
    row = get(client, "rankings/scenes")["results"][0]
    assert {"rank", "rank_low", "rank_high", "model", "score", "strict_score", "interval_low", "origin"} <= set(row)
    answer = get(client, f"runs/{run.pk}/items")["results"][0]
    assert {"item", "repeat", "part", "counted", "reading", "answer", "reference", "score", "flags"} <= set(answer)


def test_a_ranking_has_the_rows_of_its_page_in_the_same_order(client: Client, run: Run) -> None:
    answer = get(client, "rankings/scenes")
    rows = answer["results"]
    html = page(client, "/rankings/scenes/")
    ranked = [row for row in rows if row["rank"] is not None]
    shown = [" ".join(row) for row in models(html) if " measured " in f" {' '.join(row)} "]
    assert [row["display_name"] for row in ranked] == ["paper", HOSTILE, "second"]
    assert HOSTILE in shown[0]
    assert "second" in shown[1]
    assert rows[1]["score"] == 60.123456789012
    assert "60.12" in shown[0]
    assert {row["origin"] for row in rows} == {"measured", "baseline", "published"}
    assert answer["count"] == 4
    assert get(client, "rankings/scenes?demo=true")["count"] == 5


def test_a_ranking_of_demonstrations_alone_is_there_for_who_asks_for_them(client: Client, run: Run) -> None:
    finished(make_bank(2, slug="tried", title="Tried scenes"), 40.0, name="demo/two", origin=Origin.DEMO)
    refresh_standings()
    answer = get(client, "rankings/tried?demo=true")
    assert (answer["count"], answer["title"]) == (1, "Tried scenes")
    assert dated(answer) == dated(file_of(client, "tried.json?demo=1"))
    assert client.get("/api/v1/rankings/tried").status_code == 404
    assert [each["key"] for each in get(client, "rankings")["results"]] == ["scenes"]


@pytest.mark.parametrize("demo", ["", "?demo=true"])
def test_the_api_and_the_file_date_a_ranking_alike(client: Client, run: Run, demo: str) -> None:
    finished(run.bank, 98.0, name="demo/later", origin=Origin.DEMO)
    refresh_standings()
    when = dated(file_of(client, f"scenes.json{demo.replace('true', '1')}"))
    assert dated(get(client, f"rankings/scenes{demo}")) == when
    assert dated(get(client, "rankings")["results"][0]) == when


def test_a_run_and_its_items_say_what_the_pages_say(client: Client, run: Run) -> None:
    answer = get(client, f"runs/{run.pk}")
    assert (answer["model"], answer["ranking"], answer["partial"], answer["parent"]) == ("first", "scenes", False, None)
    assert (answer["manifest"]["file"], answer["manifest"]["current"]["score"]) == ("x", 60.123456789012)
    correction = answer["corrections"][0]
    assert (correction["old_score"], correction["new_score"]) == (51.0, 60.123456789012)
    first, second = get(client, f"runs/{run.pk}/items")["results"]
    assert (first["answer"], first["score"], first["flags"]) == ([1.0, 2.0, 3.0, 4.5], 6.25, ["decimal cut"])
    assert (second["score"], second["reason"]) == (None, "cut off")


def test_a_model_comes_with_places_runs_and_figures(client: Client, run: Run) -> None:
    answer = get(client, "models/first")
    assert [place["ranking"] for place in answer["places"]] == ["scenes"]
    assert [entry["id"] for entry in answer["runs"]] == [run.pk]
    assert get(client, "models/paper")["figures"][0]["value"] == 90.0
    assert [model["name"] for model in get(client, "models?q=MAKER/f")["results"]] == ["maker/first"]


@pytest.mark.parametrize("search", ["maker first", "MAKER-FIRST", "makerfirst", "first maker", " maker/first "])
def test_models_are_found_as_the_page_finds_them(client: Client, run: Run, search: str) -> None:
    assert [model["name"] for model in get(client, f"models?q={search}")["results"]] == ["maker/first"]


@pytest.mark.parametrize("path", ["models", "models/first", "rankings/scenes", "banks", "openapi.json"])
def test_head_is_answered_as_get_is(client: Client, run: Run, path: str) -> None:
    got, head = client.get(f"/api/v1/{path}"), client.head(f"/api/v1/{path}")
    assert (head.status_code, head.content) == (200, b"")
    assert {**head.headers} == {**got.headers}


def test_a_method_that_writes_is_refused(client: Client, run: Run) -> None:
    assert client.post("/api/v1/models").status_code == 405


def test_pages_follow_each_other_and_hold_every_entry_once(client: Client, run: Run) -> None:
    seen, address = [], "models?limit=2"
    while address:
        answer = get(client, address)
        seen += [model["slug"] for model in answer["results"]]
        address = (answer["next"] or "").partition("/api/v1/")[2]
    assert len(seen) == len(set(seen)) == answer["count"] == 5
    assert "limit=2" in answer["previous"]
    assert get(client, "models?offset=1000")["results"] == []


@pytest.mark.parametrize(
    "query", ["limit=201", "limit=0", "limit=x", "limit=9e99", "offset=-1", "offset=99999999999999999999"]
)
def test_a_slice_out_of_bounds_is_refused_and_not_a_fault(client: Client, query: str) -> None:
    response = client.get(f"/api/v1/models?{query}")
    assert response.status_code == 422
    assert strict(content_of(response))["detail"]


@pytest.mark.parametrize(
    "path",
    [
        "models/nobody",
        "rankings/nothing",
        "runs/999999",
        "runs/999999/items",
        "banks/none",
        "runs/99999999999999999999",
        "x",
    ],
)
def test_what_does_not_exist_is_not_found(client: Client, run: Run, path: str) -> None:
    assert client.get(f"/api/v1/{path}").status_code == 404


def test_a_run_that_is_not_public_and_its_model_are_nowhere_even_for_staff(client: Client, run: Run) -> None:
    hidden = make_run(
        bank=run.bank, model=make_model("hidden/model", slug="hidden"), status=Status.FINISHED, published=False
    )
    make_result(hidden, "1")
    client.force_login(User.objects.create(username="staff", is_staff=True))
    assert client.get(f"/api/v1/runs/{hidden.pk}").status_code == 404
    assert client.get(f"/api/v1/runs/{hidden.pk}/items").status_code == 404
    assert client.get("/api/v1/models/hidden").status_code == 404
    for path in ("models", "runs", "rankings/scenes"):
        assert "hidden" not in json.dumps(get(client, path))


def test_no_text_of_a_withheld_bank_is_in_any_answer(client: Client) -> None:
    run = finished(make_bank(2, slug="closed", source="where it is kept", access="withheld"), 60.0, name="m")
    make_result(run, "1", reply="Disappointed: 7, says Mara")
    make_result(
        run, "2", state="unread", reading="none", answer=None, score=None, reason="Touched missing (saw Postcard)"
    )
    texts = [
        client.get(f"/api/v1/{path}").content for path in (f"runs/{run.pk}/items", f"runs/{run.pk}", "banks/closed")
    ]
    for word in (b"Disappointed", b"Touched", b"Postcard", b"Mara", b"ferry"):
        assert not any(word in text for text in texts)
    answer = get(client, f"runs/{run.pk}/items")["results"][0]
    assert (answer["labels"], answer["reference"], answer["score"]) == (None, [7.0, 1.0, 0.0, 3.0], 10.0)
    bank = get(client, "banks/closed")
    assert (bank["texts_public"], bank["n_items"]) == (False, 2)
    assert bank["source"] == "where it is kept"


def test_of_a_private_bank_there_is_one_row_a_model_in_whole_points(client: Client) -> None:
    bank = make_bank(50, slug="closed", source="a folder of mine", access="private")
    run = finished(bank, 61.4, name="m", standard_error=2.2, repeats=2, repeat_scores=[60.2, 62.6], strict_score=55.0)
    make_result(run, "1")
    refresh_standings()
    (row,) = get(client, "rankings/closed")["results"]
    assert (row["score"], row["interval_low"], row["interval_high"], row["n_items"]) == (61.0, 57.0, 66.0, 50)
    hidden = ("strict_score", "standard_error", "cv_percent", "n_scored", "run", "tie_group")
    assert {name: row[name] for name in hidden} == dict.fromkeys(hidden)
    assert (row["repeats"], row["runs_used"], row["run_ids"], row["scorer_version"]) == (0, 0, [], "")
    assert row["measured_on"] is None or row["measured_on"].endswith("-01")
    assert get(client, "runs")["results"] == []
    assert get(client, f"models/{run.model.slug}")["runs"] == []
    for path in (f"runs/{run.pk}", f"runs/{run.pk}/items"):
        assert client.get(f"/api/v1/{path}").status_code == 404
    html = content_of(client.get("/rankings/closed/?column=date"))
    assert "<b>61</b>" in html
    assert "61.4" not in html
    shown = get(client, "banks/closed")
    assert (shown["source"], shown["sha256"], shown["version"], shown["texts_public"]) == ("", "", "", False)


def test_an_answer_that_did_not_change_is_not_sent_again(client: Client, run: Run) -> None:
    first = client.get("/api/v1/runs")
    assert "max-age=60" in first["Cache-Control"]
    again = client.get("/api/v1/runs", headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    Run.objects.filter(pk=run.pk).update(score=1.0)
    changed = client.get("/api/v1/runs", headers={"If-None-Match": first["ETag"]})
    assert changed.status_code == 200
    assert changed["ETag"] != first["ETag"]


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
def test_nothing_can_be_written(client: Client, run: Run, method: str) -> None:
    assert getattr(client, method)("/api/v1/runs").status_code == 405


def test_a_nul_byte_in_a_search_finds_nothing_and_breaks_nothing(client: Client, run: Run) -> None:
    assert get(client, "models?q=%00")["count"] == 5
    assert get(client, "runs?model=%00x")["count"] == 0


@pytest.mark.parametrize(
    "path", ["models", "models/first", "rankings", "rankings/scenes", "runs", "banks", "runs/{run}/items"]
)
def test_the_number_of_queries_does_not_grow_with_the_rows(client: Client, run: Run, path: str) -> None:
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as captured:
            get(client, path.format(run=run.pk))
        counts.append(len(captured))
        for number in range(4):
            finished(run.bank, 10.0 + number, model=run.model, finished_at=datetime(2026, 1, 1, tzinfo=UTC))
            finished(run.bank, 20.0 + number)
        refresh_standings()
    assert counts[0] == counts[1] <= 8


def test_the_page_of_the_api_names_every_address_and_shape_without_a_foreign_script(client: Client) -> None:
    html = page(client, "/api/")
    for path in ADDRESSES:
        assert f"<code>{path}</code>" in html
    for shape in ("ModelOut", "RowPage", "RunDetail", "AnswerOut", "BankOut"):
        assert f'id="{shape}"' in html
    assert "integer, 1 to 200" in html
    assert "cdn" not in html
    assert client.get("/api/v1/docs")["Location"] == "/api/"


def test_the_page_claims_no_more_than_the_api_has_and_names_what_stands_beside_it(client: Client) -> None:
    html = page(client, "/api/")
    assert "Everything" not in html
    assert "curl 'http://testserver/api/v1/rankings'" in html
    assert client.get("/api/v1/rankings").status_code == 200
    for path in ("replies.jsonl", "/statistics/<i>section</i>.json", "/charts/<i>ranking</i>/<i>chart</i>.csv"):
        assert path in html


@pytest.mark.parametrize(
    ("shape", "field"),
    [
        ("RunOut", "counted_part"), ("RunOut", "strict_share"), ("RunOut", "parse_share"), ("RunOut", "fault_counts"),
        ("RunOut", "n_strict"), ("AnswerOut", "state"), ("AnswerOut", "reading"), ("AnswerOut", "counted"),
        ("PlaceOut", "interval_low"), ("PlaceOut", "approximate"), ("PlaceOut", "runs_used"),
    ],
)  # fmt: skip
def test_fields_that_no_name_explains_have_words(client: Client, shape: str, field: str) -> None:
    rows = page(client, "/api/").partition(f'id="{shape}"')[2].partition("</details>")[0]
    note = rows.partition(f"<code>{field}</code>")[2].partition('class="x-narrow">')[2].partition("</td>")[0]
    assert len(note.split()) > 2


def test_the_columns_of_every_file_are_named_with_type_and_unit(client: Client) -> None:
    html = page(client, "/api/").partition('id="files"')[2]
    ranking_fields = exports.schema_of(fields_of(every_column().values()))
    for schema in (ranking_fields, run_exports.SCHEMA, PAIR_SCHEMA, score_schema([1])):
        for name in schema.names:
            assert f'<th scope="row"><code>{name}</code></th>' in html
    assert "<td>in the unit of the score; upper end of the 95 % interval of the score</td>" in html
    assert "<code>measured_on</code></th><td>date, ISO 8601</td>" in html
