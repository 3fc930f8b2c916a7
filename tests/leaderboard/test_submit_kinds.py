"""The form with several kinds of benchmarks, and SECEU through the real runner: asked, read, summed up and ranked."""

import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from aiohttp import web
from django.test import Client, override_settings

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Ask, Options, Prompt
from evaluation.benchmarks.eqbench import EQ_BENCH_V2, EqBench
from evaluation.models import ItemBank, Run, Status
from leaderboard.forms import SubmissionForm
from leaderboard.models import Standing, Submission
from leaderboard.standings import refresh_standings
from leaderboard.submissions.dry_run_progress import progress_of
from leaderboard.submissions.moderating import approve
from tests.evaluation.benchmarks.seceu_files import OPTIONS, STANDARDS, reply_of
from tests.evaluation.judged import prompt_bank
from tests.factories import scene_reply
from tests.fakes import serve
from tests.kinds.test_toys import answering, carried, opened
from tests.leaderboard.seceu_board import seceu_bank
from tests.leaderboard.sending import filled, no_turns_taken, offered_bank, proof_in, sent
from tests.leaderboard.test_dry_run import panel

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture(autouse=True)
def scenes() -> Iterator[ItemBank]:
    no_turns_taken()
    yield offered_bank()
    no_turns_taken()


@pytest.fixture
def seceu() -> ItemBank:
    return seceu_bank(8)


def said(text: str) -> str:
    """Answers to both benchmarks: people's points under the names as they are shown, or a scene's reference."""
    story = re.search(r"Ann counted (\d+) birds", text)
    if story is None:
        found = re.search(r"Read scene (\d+)", text)
        return scene_reply(int(found[1]) if found else 1)
    number = int(story[1])
    labels = re.findall(r"\(\d\) ([A-Z][a-z]+(?: [a-z]+)?)", text)
    points = dict(zip(OPTIONS[number % 2], STANDARDS[number % 4], strict=True))
    return reply_of(labels, [points[label] for label in labels])


def test_the_form_ticks_the_first_benchmark_where_its_bank_is_loaded(seceu: ItemBank) -> None:
    assert SubmissionForm().initial["banks"] == ["scenes"], "the oldest bank, as long as none has its own name"
    offered_bank(slug="eq-bench-v2", title="EQ-Bench v2")
    assert SubmissionForm().initial["banks"] == ["eq-bench-v2"]


def test_each_benchmark_has_its_own_limit_of_tokens_and_its_costs(client: Client, seceu: ItemBank) -> None:
    form = SubmissionForm()
    assert form["max_tokens"].value() is None
    assert "60 for Own scenes; 2,048 for SECEU" in form.fields["max_tokens"].help_text
    html = client.get("/submit/").content.decode()
    assert "SECEU, 8 items" in html
    seceu.delete()
    assert SubmissionForm()["max_tokens"].value() == 60


def test_an_empty_limit_gives_each_run_that_of_its_benchmark(client: Client, seceu: ItemBank) -> None:
    found = sent(client, banks=["scenes", "seceu"], max_tokens="")
    assert found.request["max_tokens"] is None
    approve(found)
    limits = {run.benchmark: run.settings["max_tokens"] for run in found.runs.all()}
    assert limits == {"eq-bench-v2": 60, "seceu": 2048}
    assert Run.objects.get(benchmark="seceu").settings["extra"] == {"top_p": 0.9}


def test_one_dry_run_tells_of_each_chosen_benchmark(client: Client, seceu: ItemBank) -> None:
    with answering(said) as endpoint:
        form = {**filled(f"{endpoint.address}/v1", banks=["scenes", "seceu"], max_tokens=""), "watch": "ab" * 16}
        html = panel(client, form)
    assert progress_of("ab" * 16) == "SECEU: all 3 items are answered"
    assert re.findall(r"<h3>(.*?)</h3>", html) == ["Own scenes", "SECEU"]
    assert re.search(r"Dry run:\s+Own scenes:\s+Passed.*?; SECEU:\s+Passed", html), (
        "each verdict is heard with its name"
    )
    first, _, second = html.partition("<h3>SECEU</h3>")
    assert 'class="n">Item score</th>' in first
    assert 'class="n">Distance</th>' in second
    assert "official parser" in first
    assert "60 tokens are accepted" in first
    assert "as JSON" in second
    assert "2048 tokens are accepted" in second.replace(",", "")
    assert "birds on the roof" not in html
    assert "Torn" not in html
    assert {body["max_tokens"] for body in endpoint.bodies} == {60, 2048}


def test_a_dry_run_of_seceu_that_is_not_read_speaks_of_its_own_form(client: Client, seceu: ItemBank) -> None:
    with answering(lambda text: "I would rather not.") as endpoint:
        html = panel(client, filled(f"{endpoint.address}/v1", banks=["seceu"], max_tokens=""))
    assert "No reply could be read" in html
    assert "A run in which more than half of the items are not read gets no score." in html
    assert "The four numbers of an answer add up to 10 points" in html
    assert "83.33" not in html
    assert "emotion: score" not in html


def test_what_an_endpoint_calls_its_model_is_not_told_of_a_closed_bank(client: Client, seceu: ItemBank) -> None:
    async def echo(request: web.Request) -> web.Response:
        asked = (await request.json())["messages"][-1]["content"]
        message = {"role": "assistant", "content": said(asked)}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}], "model": asked})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", echo)
    with serve(app) as address:
        form = filled(f"{address}/v1", banks=["seceu"], max_tokens="")
        html = panel(client, form)
        found = sent(client, **{**form, "proof": proof_in(html)})
    assert "You asked for new-model, the reply says another name." in html
    assert found.note.endswith("was asked for 'new-model' and answers as another name.")
    assert "birds on the roof" not in f"{html}{found.note}{found.dry_run}"


def test_a_system_prompt_is_refused_for_a_benchmark_that_has_its_own(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    @dataclass(frozen=True)
    class Own(EqBench):
        def prompt(self, ask: Ask, options: Options) -> Prompt:
            if options.system_prompt:
                raise ValueError("This benchmark has its own system prompt and takes no other")
            return super().prompt(ask, options)

    fields = {name: getattr(EQ_BENCH_V2, name) for name in EQ_BENCH_V2.__dataclass_fields__}
    monkeypatch.setitem(BENCHMARKS, "eq-bench-v2", Own(**fields))
    response = client.post("/submit/", filled(system_prompt="Be brief."))
    assert response.status_code == 422
    assert "Own scenes: This benchmark has its own system prompt and takes no other." in response.content.decode()
    assert not Submission.objects.exists()
    sent(client)


def test_the_form_offers_all_benchmarks_of_its_banks(client: Client, seceu: ItemBank) -> None:
    form = SubmissionForm()
    ways = dict(form.fields["ways"].choices)  # type: ignore[attr-defined]  # of a MultipleChoiceField
    assert ways == {
        "scenes:eq-bench-v2-code": "Own scenes, code rule",
        "seceu:seceu-direct": "SECEU, direct prompt",
        "seceu:seceu-shuffled": "SECEU, shuffled options",
    }
    assert "60 for Own scenes; 2,048 for SECEU; 512 for SECEU, direct prompt" in form.fields["max_tokens"].help_text
    html = client.get("/submit/").content.decode()
    assert 'value="seceu:seceu-shuffled"' in html
    assert "judged" not in "".join(ways)


def test_one_dry_run_tells_of_each_way_of_asking(client: Client, seceu: ItemBank) -> None:
    with answering(said) as endpoint:
        form = filled(f"{endpoint.address}/v1", banks=["seceu"], ways=["seceu:seceu-direct"], max_tokens="")
        html = panel(client, form)
    assert re.findall(r"<h3>(.*?)</h3>", html) == ["SECEU", "SECEU, direct prompt"]
    assert {body["max_tokens"] for body in endpoint.bodies} == {
        BENCHMARKS[name].generation.max_tokens for name in ("seceu", "seceu-direct")
    }


def test_each_way_of_asking_is_a_run_of_its_own(client: Client, seceu: ItemBank) -> None:
    found = sent(client, banks=[], ways=["seceu:seceu-direct", "seceu:seceu-shuffled"], max_tokens="", repeats="3")
    html = client.get(f"/submissions/{found.token}/").content.decode()
    assert "SECEU, direct prompt; SECEU, shuffled options" in html
    approve(found)
    runs = {run.benchmark: run for run in found.runs.all()}
    assert set(runs) == {"seceu-direct", "seceu-shuffled"}
    for name, run in runs.items():
        assert run.settings["max_tokens"] == BENCHMARKS[name].generation.max_tokens
        assert (run.bank_id, run.n_asks) == (seceu.pk, 24)
    again = client.get(f"/submissions/{found.token}/again/").content.decode()
    assert len(re.findall(r'value="seceu:seceu-\w+"[^>]*checked', again)) == 2
    assert not re.findall(r'name="banks" value="\w+"[^>]*checked', again)


def test_the_same_way_of_asking_is_already_open_and_another_is_not(client: Client, seceu: ItemBank) -> None:
    sent(client, banks=[], ways=["seceu:seceu-direct"], max_tokens="")
    same = client.post("/submit/", filled(banks=[], ways=["seceu:seceu-direct"], max_tokens=""))
    assert same.status_code == 409
    sent(client, banks=["seceu"], max_tokens="")


@pytest.mark.parametrize("ways", [["seceu:eq-bench-v1"], ["seceu:empathy-judged"], ["nonsense"]])
def test_a_way_that_is_not_of_the_bank_is_refused(client: Client, seceu: ItemBank, ways: list[str]) -> None:
    response = client.post("/submit/", filled(ways=ways))
    assert response.status_code == 422
    assert 'id="id_ways_error"' in response.content.decode()


@pytest.mark.django_db(transaction=True)
def test_seceu_runs_from_the_prompt_to_the_ranking(seceu: ItemBank) -> None:
    with answering(said) as endpoint:
        run = carried(opened(endpoint, BENCHMARKS["seceu"], seceu, repeats=2, published=True, max_tokens=2048))
    assert (run.status, run.n_scored, run.figures["nulls"]["value"]) == (Status.FINISHED, 8, 0)
    assert run.score == pytest.approx(150.9, abs=0.05)
    assert {(body["top_p"], body["temperature"]) for body in endpoint.bodies} == {(0.9, 0.0)}
    assert set(run.results.values_list("shown", flat=True)) == {None}
    refresh_standings()
    standing = Standing.objects.get()
    assert (standing.ranking, standing.rank, standing.figures["distance"]) == ("seceu", 1, pytest.approx(0.0, abs=0.01))


@pytest.mark.django_db(transaction=True)
def test_shuffled_options_are_put_back_before_they_are_scored(seceu: ItemBank) -> None:
    with answering(said) as endpoint:
        run = carried(opened(endpoint, BENCHMARKS["seceu-shuffled"], seceu, published=True, max_tokens=2048))
    orders = [tuple(shown["order"]) for shown in run.results.values_list("shown", flat=True) if shown]
    assert len(orders) == 8
    assert len(set(orders)) > 1
    assert run.score == pytest.approx(150.9, abs=0.05)
    refresh_standings()
    assert Standing.objects.get().ranking == "seceu--seceu-shuffled"


@pytest.mark.django_db(transaction=True)
def test_one_that_gives_no_answers_fails_with_its_count(seceu: ItemBank) -> None:
    with answering(lambda text: "I would rather not.") as endpoint:
        run = carried(opened(endpoint, BENCHMARKS["seceu"], seceu, published=True, max_tokens=2048))
    assert (run.status, run.score, run.figures["nulls"]["value"]) == (Status.FAILED, None, 8)
    assert run.failure_message.startswith("FAILED: no answer to 8 of 8, more than half.")
    assert json.dumps(run.manifest)


def test_a_dry_run_of_replies_that_nobody_has_rated_shows_their_length(client: Client) -> None:
    """The rating is None until a judge gives one."""
    bank = prompt_bank()
    with answering(lambda text: "That sounds hard. I am here for you.") as endpoint:
        html = panel(client, filled(f"{endpoint.address}/v1", banks=["scenes", bank.slug], max_tokens=""))
    assert "All three replies were read" in html.partition("<h3>Own prompts</h3>")[2]
    assert html.count('<span class="mono">rating: – · words: 8</span>') == 3


@override_settings(DRY_RUN_SECONDS=3)
def test_a_slow_endpoint_is_not_blamed_where_several_benchmarks_share_the_time(client: Client, seceu: ItemBank) -> None:
    def slowly(text: str) -> str:
        time.sleep(1)
        return said(text)

    with answering(slowly) as endpoint:
        html = panel(client, filled(f"{endpoint.address}/v1", banks=["scenes", "seceu"], max_tokens=""))
        alone = panel(client, filled(f"{endpoint.address}/v1", banks=["scenes"]))
    assert html.count("The time of this dry run was up, since 2 benchmarks shared it") == 2
    assert "Try fewer at once." in html
    assert html.count("Not finished") == 4, "each once to be seen and once to be heard"
    assert "did not finish its answer" not in html
    assert "benchmarks shared" not in alone
