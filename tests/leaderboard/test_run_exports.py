"""A run's items as files, read back by parsers: the same score to the last digit, no closed text, no formula."""

import csv
import io
import json
import math
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from django.test import Client
from django.utils import timezone

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Answer, Item
from evaluation.models import ItemBank, ItemResult, ItemState, Reply, Run, Status
from evaluation.runs.parts import settle_parts
from evaluation.runs.summaries import summarise_run, summary_fields
from leaderboard.cells import cell, csv_text
from leaderboard.rounding import points
from leaderboard.sharing.run_exports import as_cell, json_text
from tests.evaluation.benchmarks.by_item import loaded, points_by
from tests.factories import make_bank, make_model, make_result, make_run, scene_labels, scene_reference
from tests.leaderboard.pages import content_of, page
from tests.leaderboard.staff import looker

pytestmark = [pytest.mark.django_db, pytest.mark.database]

UNREAD: dict[str, Any] = {"state": ItemState.UNREAD, "reading": "none", "answer": None, "score": None}


def scored(run: Run, number: int, answer: list[float], **fields: Any) -> ItemResult:
    """A result with the points that the run's benchmark gives this answer."""
    item = Item(str(number), "", scene_labels(number), tuple(map(float, scene_reference(number))))
    score = points_by(BENCHMARKS["eq-bench-v2"], item, Answer("first_pass", "official", tuple(answer)))
    return make_result(run, str(number), answer=answer, score=score, **fields)


def ended(run: Run) -> Run:
    """The run with its own summary, as its end writes it."""
    summary = summarise_run(run)
    settle_parts(run, summary.counted_parts)
    fields = {**summary_fields(summary, BENCHMARKS["eq-bench-v2"]), "scorer_version": "eq-bench-v2/1"}
    Run.objects.filter(pk=run.pk).update(**fields, status=Status.FINISHED, published=True, finished_at=timezone.now())
    run.refresh_from_db()
    return run


@pytest.fixture
def run() -> Run:
    """Two repeats of seven items: odd answers, one not read, tolerant and flagged ones."""
    run = make_run(bank=make_bank(7, slug="scenes"), repeats=2)
    for repeat in (1, 2):
        for number in range(1, 7):
            scored(run, number, [1.0, 3.7, number + 0.1, 9.0], repeat=repeat, latency_ms=812, completion_tokens=23)
        make_result(run, "7", repeat=repeat, reason="Angry missing (saw Anger)", **UNREAD)
    ItemResult.objects.filter(item__number=2, repeat=2).update(reading="tolerant", flags="thinking,above 10")
    return ended(run)


def records(client: Client, run: Run, kind: str) -> list[dict[str, Any]]:
    """The rows of a file, lists and numbers as such, whatever the format."""
    content = client.get(f"/runs/{run.pk}/items.{kind}").content
    if kind == "json":
        return list(json.loads(content, parse_constant=pytest.fail)["items"])
    if kind == "parquet":
        return list(pq.read_table(io.BytesIO(content)).to_pylist())
    return [from_csv(row) for row in csv.DictReader(io.StringIO(content.decode(), newline=""))]


def from_csv(row: dict[str, str]) -> dict[str, Any]:
    lists = {name: json.loads(row[name]) if row[name] else None for name in ("labels", "answer", "reference", "values")}
    numbers = {name: float(row[name]) if row[name] else None for name in ("score", "strict_score")}
    whole = ("number", "repeat", "attempts", "latency_ms", "prompt_tokens", "completion_tokens")
    counts = {name: int(row[name]) if row[name] else None for name in whole}
    flags = row["flags"].split(",") if row["flags"] else []
    return {
        **row,
        **lists,
        **numbers,
        **counts,
        "flags": flags,
        "counted": row["counted"] == "true",
        "shown": row["shown"] or None,
    }


def score_again(rows: list[dict[str, Any]]) -> float:
    """The recipe of the methodology page, without any code of ours."""
    repeats: dict[int, list[float]] = {}
    for row in rows:
        if row["counted"] and row["score"] is not None:
            repeats.setdefault(row["repeat"], []).append(row["score"])
    means = [10 * (math.fsum(scores) / len(scores)) for scores in repeats.values()]
    return math.fsum(means) / len(means)


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_the_score_made_again_from_a_file_is_the_stored_one_to_the_last_digit(
    client: Client, run: Run, kind: str
) -> None:
    assert run.score is not None
    assert run.score != round(run.score, 6)
    assert score_again(records(client, run, kind)) == run.score


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_the_file_holds_what_the_pages_show(client: Client, run: Run, kind: str) -> None:
    rows = records(client, run, kind)
    assert len(rows) == 14
    second = next(row for row in rows if (row["number"], row["repeat"]) == (2, 2))
    assert second["answer"] == [1.0, 3.7, 2.1, 9.0]
    assert second["labels"] == list(scene_labels(2))
    assert second["reference"] == [float(value) for value in scene_reference(2)]
    assert (second["reading"], second["flags"], second["strict_score"]) == ("tolerant", ["thinking", "above 10"], None)
    assert (second["latency_ms"], second["completion_tokens"], second["prompt_tokens"]) == (812, 23, None)
    html = page(client, f"/runs/{run.pk}/items/")
    assert f"score {points(second['score'])} · tolerant" in html
    last = rows[-1]
    assert (last["state"], last["answer"], last["score"]) == ("unread", None, None)
    assert last["reason"] == "Angry missing (saw Anger)"


def test_all_files_hold_the_same_rows(client: Client, run: Run) -> None:
    as_json = records(client, run, "json")
    assert records(client, run, "parquet") == as_json
    assert records(client, run, "csv") == as_json


def test_where_the_revision_counts_its_rows_are_the_counted_ones(client: Client) -> None:
    run = make_run(bank=make_bank(6, slug="revised"))
    for number in range(1, 7):
        revised = {"answer": [5.0, 5.0, 5.0, 5.0], "reading": "official", "reason": "", "flags": "", "score": 6.5}
        scored(run, number, [0.0, 9.0, 9.0, 9.0], other_parts={"revised": revised})
    run = ended(run)
    rows = records(client, run, "json")
    assert {row["part"] for row in rows if row["counted"]} == {"revised"}
    assert len(rows) == 12
    assert score_again(rows) == run.score == 65.0


def test_the_official_runs_give_their_stored_scores_again_from_the_file(client: Client, v2_questions: Any) -> None:
    """A run over the 171 official items with uneven answers, as text files print them."""
    bank = ItemBank.objects.create(
        slug="official", benchmark="eq-bench-v2", title="t", version="2", sha256="f" * 64, access="open"
    )
    benchmark = BENCHMARKS["eq-bench-v2"]
    items = loaded(benchmark, json.dumps(v2_questions).encode())
    run = Run.objects.create(model=make_model(), bank=bank, benchmark="eq-bench-v2", origin="imported", n_items=171)
    for number, item in enumerate(items, 1):
        values = tuple(float((number * step) % 11) for step in (1, 3, 5, 7))
        row = bank.items.create(
            number=number, item_id=item.id, prompt="p", labels=item.labels, reference=list(item.reference)
        )
        score = points_by(benchmark, item, Answer("first_pass", "official", values))
        run.results.create(item=row, state="read", reading="official", answer=list(values), score=score)
    run = ended(run)
    assert score_again(records(client, run, "csv")) == run.score


def test_a_text_cell_that_a_spreadsheet_would_run_is_quoted_and_numbers_stay_numbers() -> None:
    for start in "=+-@\t＝＋－＠":
        assert cell(f"{start}1+1") == f"'{start}1+1"
    assert cell("\r1+1") == "'[U+000D]1+1"
    assert cell(-8.32) == "-8.32"
    assert cell("a=1") == "a=1"
    assert cell(0.1 + 0.2) == "0.30000000000000004"
    assert (cell(None), cell(True), cell("")) == ("", "true", "")


def test_names_with_commas_quotes_and_line_ends_come_back_equal_and_what_hides_is_spelled_out() -> None:
    """A table is read in spreadsheets and terminals; JSON and Parquet hold the names as they are."""
    names = ['a,b "c"\nd', "x/y%z#", "ü"]
    text = csv_text(["name"], [[name] for name in [*names, "ü\u202e"]])
    assert [row[0] for row in csv.reader(io.StringIO(text, newline=""))] == ["name", *names, "ü[U+202E]"]


def test_a_reason_that_begins_like_a_formula_is_text_in_the_file(client: Client) -> None:
    run = make_run(bank=make_bank(1), published=True)
    make_result(run, "1", reason="=HYPERLINK(1)", **UNREAD)
    assert records(client, run, "csv")[0]["reason"] == "'=HYPERLINK(1)"
    assert records(client, run, "json")[0]["reason"] == "=HYPERLINK(1)"


def test_a_number_that_is_not_finite_becomes_null_in_json_and_an_empty_cell() -> None:
    assert json_text({"a": [math.inf, math.nan, 9.2e124], "b": "NaN"}) == '{"a":[null,null,9.2e+124],"b":"NaN"}'
    assert as_cell(math.nan, "score") is None


def test_no_text_of_a_withheld_bank_leaves_by_any_file(client: Client) -> None:
    run = make_run(bank=make_bank(2, access="withheld"), published=True)
    make_result(run, "1", reply="Disappointed: 7, as Mara would say")
    make_result(run, "2", reason="Touched missing (saw Postcard)", **UNREAD)
    for kind in ("csv", "json", "parquet"):
        content = client.get(f"/runs/{run.pk}/items.{kind}").content
        for word in (b"Disappointed", b"Touched", b"Postcard", b"Mara"):
            assert word not in content
    first, second = records(client, run, "json")
    assert (first["labels"], first["reference"], first["answer"]) == (None, [7.0, 1.0, 0.0, 3.0], [7.0, 1.0, 0.0, 3.0])
    assert second["reason"] == "a name missing"
    assert client.get(f"/runs/{run.pk}/replies/1.txt").status_code == 404
    assert client.get(f"/runs/{run.pk}/replies.jsonl").status_code == 404
    html = page(client, f"/runs/{run.pk}/") + page(client, f"/runs/{run.pk}/items/")
    assert "Disappointed" not in html
    assert "Mara" not in html


def test_a_reply_comes_whole_as_plain_text_that_no_browser_runs(client: Client) -> None:
    run = make_run(bank=make_bank(1), published=True, repeats=2)
    text = "<script>alert(1)</script>\u202e\ufffd " + "long " * 30_000
    make_result(run, "1", reply="first")
    make_result(run, "1", repeat=2, reply=text)
    response = client.get(f"/runs/{run.pk}/replies/1.txt?repeat=2")
    assert content_of(response) == text
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Disposition"] == f'attachment; filename="run-{run.pk}-item-1-repeat-2.txt"'
    assert client.get(f"/runs/{run.pk}/replies/1.txt").content == b"first"
    assert client.get(f"/runs/{run.pk}/replies/1.txt?repeat=x").content == b"first"
    assert client.get(f"/runs/{run.pk}/replies/1.txt?repeat=99999").status_code == 404
    assert client.get(f"/runs/{run.pk}/replies/2.txt").status_code == 404
    assert f"/runs/{run.pk}/replies/1.txt?repeat=2" in page(client, f"/runs/{run.pk}/items/")


def test_the_reasoning_of_a_reply_comes_by_its_own_address(client: Client) -> None:
    run = make_run(bank=make_bank(1), published=True)
    result = make_result(run, "1", reply="the answer")
    result.reply.reasoning = "the thinking"
    result.reply.save()
    assert client.get(f"/runs/{run.pk}/replies/1.txt?of=reasoning").content == b"the thinking"


def test_all_replies_of_a_run_come_as_json_lines_in_the_order_of_items_and_repeats(client: Client, run: Run) -> None:
    for number, repeat in ((2, 2), (1, 2), (1, 1)):
        result = run.results.get(item__number=number, repeat=repeat)
        Reply.objects.create(result=result, text=f"{number}.{repeat}\u202e\n", reasoning="why", finish_reason="stop")
    response = client.get(f"/runs/{run.pk}/replies.jsonl")
    assert response.streaming
    assert response["Content-Type"] == "application/jsonl; charset=utf-8"
    lines = response.getvalue().decode().splitlines()
    assert len(lines) == 3
    found = [json.loads(line) for line in lines]
    assert [(row["item"], row["repeat"]) for row in found] == [("1", 1), ("1", 2), ("2", 2)]
    assert found[2] == {
        "run": run.pk,
        "item": "2",
        "number": 2,
        "repeat": 2,
        "text": "2.2\u202e\n",
        "reasoning": "why",
        "finish_reason": "stop",
    }
    assert f'href="/runs/{run.pk}/replies.jsonl"' in page(client, f"/runs/{run.pk}/")


def test_where_no_reply_is_stored_the_page_offers_none_and_says_so(client: Client, run: Run) -> None:
    html = page(client, f"/runs/{run.pk}/")
    assert "replies.jsonl" not in html
    assert "no reply text of this run is stored" in html
    assert client.get(f"/runs/{run.pk}/replies.jsonl").getvalue() == b""


def test_a_file_of_replies_that_were_erased_is_not_taken_for_the_one_before(client: Client, run: Run) -> None:
    make_reply(run)
    address = f"/runs/{run.pk}/replies.jsonl"
    before = client.get(address)
    assert client.get(address, headers={"If-None-Match": before["ETag"]}).status_code == 304
    Run.objects.filter(pk=run.pk).update(replies_erased_at=timezone.now())
    assert client.get(address, headers={"If-None-Match": before["ETag"]}).status_code == 200


FILES = ("items.csv", "items.json", "items.parquet", "manifest.json", "replies/1.txt", "replies.jsonl")
PATHS = ("", "items/", "live/", *FILES)


@pytest.mark.parametrize("end", PATHS)
def test_a_run_that_is_not_public_is_not_found_by_guessing_its_id(client: Client, end: str) -> None:
    run = make_run(bank=make_bank(1))
    make_result(run, "1", reply="hidden")
    assert client.get(f"/runs/{run.pk}/{end}").status_code == 404
    client = looker()
    response = client.get(f"/runs/{run.pk}/{end}")
    assert response.status_code == 200
    if end != "live/":
        assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize("end", FILES)
def test_a_file_of_an_ended_run_may_be_kept_and_is_not_made_twice(client: Client, run: Run, end: str) -> None:
    make_reply(run)
    address = f"/runs/{run.pk}/{end}"
    first = client.get(address)
    assert "max-age=300" in first["Cache-Control"]
    assert "public" in first["Cache-Control"]
    assert client.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 304
    assert client.get(address, headers={"If-Modified-Since": first["Last-Modified"]}).status_code == 304
    Run.objects.filter(pk=run.pk).update(score=1.25)
    assert client.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 200


def make_reply(run: Run) -> None:
    Reply.objects.create(result=run.results.get(item__number=1, repeat=1), text="whole")


def test_the_page_of_an_ended_run_may_be_kept_and_that_of_an_open_one_may_not(client: Client, run: Run) -> None:
    response = client.get(f"/runs/{run.pk}/")
    assert "max-age=300" in response["Cache-Control"]
    assert client.get(f"/runs/{run.pk}/", headers={"If-None-Match": response["ETag"]}).status_code == 304
    Run.objects.filter(pk=run.pk).update(status=Status.QUEUED)
    response = client.get(f"/runs/{run.pk}/")
    assert response["Cache-Control"] == "no-cache"
    assert client.get(f"/runs/{run.pk}/items.csv")["Cache-Control"] == "no-cache"


def test_a_run_without_answers_gives_empty_files(client: Client) -> None:
    run = make_run(bank=make_bank(1), published=True)
    assert [records(client, run, kind) for kind in ("csv", "json", "parquet")] == [[], [], []]


def test_an_item_id_of_odd_signs_leads_to_its_reply_and_back(client: Client) -> None:
    run = make_run(bank=make_bank(1), published=True)
    run.bank.items.update(item_id="a/b%23#ü c")
    make_result(run, "a/b%23#ü c", reply="found")
    html = page(client, f"/runs/{run.pk}/items/")
    address = html.partition(f'href="/runs/{run.pk}/replies/')[2].partition('"')[0]
    assert client.get(f"/runs/{run.pk}/replies/{address}").content == b"found"


def test_replies_that_were_gathered_have_files_though_an_answer_lacks_a_value(client: Client) -> None:
    bank = make_bank(2, slug="gloves", benchmark="empathy-replies")
    run = make_run(bank=bank, benchmark="empathy-replies", status=Status.FINISHED, published=True)
    make_result(run, "1", answer=[None, 12.0], reading="text", score=12.0)
    assert [records(client, run, kind)[0]["answer"] for kind in ("csv", "json", "parquet")] == [[None, 12.0]] * 3
    assert client.get(f"/api/v1/runs/{run.pk}/items").json()["results"][0]["answer"] == [None, 12.0]
