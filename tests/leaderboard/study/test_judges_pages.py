"""The pages of judges: runs that judges made beside ratings of closed groups; nothing invented where one is missing."""

import re
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client

from evaluation.models import Judge, Run, Status
from evaluation.runs.rescoring import rescore_run
from evaluation.runs.summaries import summarise_run, summary_fields
from leaderboard.models import Standing
from leaderboard.standings import refresh_standings
from leaderboard.study.judges.beside import beside
from leaderboard.study.judges.page import Agreed, judge_page, judges_page
from leaderboard.study.models import Group, Response, Study
from leaderboard.study.states import GroupState, ParticipationState
from tests.evaluation.judged import JUDGED, gathered, make_judge, prompt_bank
from tests.factories import make_model, make_result
from tests.leaderboard.pages import flat, table
from tests.leaderboard.staff import root
from tests.leaderboard.study.making import make_participation, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.database]
N = 40


def judged(judge: Judge, subject: Run, good: int, *, okay: int = 0, **fields: Any) -> Run:
    """A finished run of the judge: Good for the first so many prompts, then Okay, then Bad; each time alike."""
    run = Run.objects.create(
        **{
            "model": subject.model, "endpoint": judge.endpoint, "bank": subject.bank, "subject": subject,
            "benchmark": JUDGED.name, "variant": f"judge-{judge.slug}", "origin": subject.origin, "repeats": 3,
            "n_items": N, "n_asks": 3 * N, "published": True, "status": Status.QUEUED, **fields,
        }
    )  # fmt: skip
    for number in range(N):
        rating = 3 if number < good else 2 if number < good + okay else 1
        for repeat in (1, 2, 3):
            make_result(
                run, f"p{number}", reply=f'{{"rating": "{("Bad", "Okay", "Good")[rating - 1]}"}}', repeat=repeat,
                answer=[rating, 18], score=float(rating == 3), values=[float(rating == 3), rating, 18],
                reading="JSON", shown={"words": 18},
            )  # fmt: skip
    numbers = summary_fields(summarise_run(run), JUDGED)
    Run.objects.filter(pk=run.pk).update(**numbers, **({"status": Status.FINISHED} | fields))
    run.refresh_from_db()
    return run


def rated_by_people(study: Study, subject: Run, key: str, good: int, state: GroupState = GroupState.CLOSED) -> None:
    """People rate the replies of the run Good for the first so many prompts, else Bad."""
    responder = study.responders.get(key=key)
    results = {result.item.item_id: result for result in subject.results.select_related("item")}
    group = Group.objects.create(study=study, responder=responder, target=1, state=state)
    part = make_participation(group, state=ParticipationState.DONE)
    for number, response in enumerate(Response.objects.filter(responder=responder).order_by("pk")):
        Response.objects.filter(pk=response.pk).update(result=results[f"p{number}"])
        part.ratings.create(response=response, value=3 if number < good else 1)


def of(organisation: str, name: str, **fields: Any) -> Run:
    return gathered(fields.pop("bank"), model=make_model(name, organisation=organisation), **fields)


@pytest.fixture
def bank() -> Any:
    return prompt_bank(N)


def html(path: str) -> str:
    response = Client().get(path)
    assert response.status_code == 200
    return flat(response.content.decode())


def test_without_a_judge_the_list_says_who_registers_one() -> None:
    assert judges_page().headline == "No judge is registered yet"
    assert "Once the operator of this board registers a judge" in html("/judges/")


def test_each_column_of_the_list_has_one_head_of_its_own(bank: Any) -> None:
    judged(make_judge("Strict"), gathered(bank, model=make_model("maker/model")), 30)
    text = html("/judges/")
    head, row = table(text)[:2]
    assert len(head) == len(row) == 9
    assert head[6:8] == ["Own-side lean", "In points"]
    assert "colspan" not in text.partition("<table")[2].partition("</table>")[0]


def test_a_judge_without_runs_says_so() -> None:
    judge = make_judge("Quiet")
    page = judge_page(judge)
    assert page.headline == "Quiet has rated no replies yet"
    assert "No listed run has been judged yet" in html("/judges/quiet/")


def test_shares_are_those_of_medians_and_the_own_makers_models_are_marked(bank: Any) -> None:
    judge = make_judge("Judge A", maker="Own Works")
    judged(judge, of("own works", "own/model", bank=bank), 30)
    judged(judge, of("Other", "other/other", bank=bank), 10, okay=10)
    page = judge_page(judge)
    assert page.headline == "Judge A calls 75 % of model’s replies Good, and 25 % of other’s"
    rows = [(row.judge, row.people, row.is_own, row.n) for row in page.responders]
    assert rows == [("75.0 %", "–", True, "40"), ("25.0 %", "–", False, "40")]
    assert (page.gap, page.own, page.lean, page.agreed.same, page.agreed.kappa) == ("+50.0", "–", "–", "–", "–")
    (pair,) = page.pairs
    assert (pair.difference, pair.only_first, pair.only_second, pair.is_clear) == ("+50.0", "20", "0", True)
    text = html("/judges/judge-a/")
    assert "That alone is no bias" in text
    assert "No people have rated these replies yet" in text


def test_people_and_their_own_replies_give_the_table_and_the_lean(bank: Any) -> None:
    judge = make_judge("Judge B", maker="Elsewhere")
    study = make_study(batches=1, items=N, responders=("human", "model"))
    model = of("Maker", "maker/model", bank=bank)
    people = of("", "Human", bank=bank, settings={"responder": "people"})
    judged(judge, model, 36)
    judged(judge, people, 16)
    rated_by_people(study, model, "model", 24)
    rated_by_people(study, people, "human", 20)
    page = judge_page(judge)
    assert page.lean == "+40.0"
    assert page.headline == "Judge B prefers models more than people do"
    assert page.figures.agreement.table == ((24, 0, 12), (0, 0, 0), (4, 0, 40))
    assert (page.agreed.same, page.agreed.n) == ("80 %", "80")
    assert page.figures.agreement.kappa == pytest.approx((64 / 80 - 3296 / 6400) / (1 - 3296 / 6400))
    assert [(row.label, row.is_people, row.difference) for row in page.responders] == [
        ("Human", True, "−10.0"), ("model", False, "+30.0"),
    ]  # fmt: skip
    text = html("/judges/judge-b/")
    assert "Own-side lean +40.0 points" in text
    own = {row.label: row.agreed for row in page.responders}
    # By hand: the judge calls 36 Good and people 24, so that 0.58 is by chance; with two labels weights change nothing.
    assert own["model"] == Agreed("40", "70 %", "0.29", "0.29", "0.29")
    assert own["Human"] == Agreed("40", "90 %", "0.80", "0.80", "0.80")
    by_responder = " ".join(text.partition("By responder</h3>")[2].partition("</table>")[0].split())
    assert f'<bdi>model</bdi></th><td class="n">40</td><td class="n">{own["model"].same}</td>' in by_responder
    assert ">+40.0<" in html("/judges/")
    refresh_standings()
    assert "The replies of <bdi>Human</bdi> were written by people." in html(f"/rankings/{page.ranking}/")


def test_a_studys_results_show_people_beside_each_judge(bank: Any) -> None:
    judge = make_judge("Judge I", maker="Maker")
    study = make_study(batches=1, items=N, responders=("human", "model"))
    model = of("Maker", "maker/model", bank=bank)
    study.responders.filter(key="model").update(run=model, model=model.model)
    assert beside(study) is None
    judged(judge, model, 30)
    rated_by_people(study, model, "model", 24)
    found = beside(study)
    assert found is not None
    (row,) = found.rows
    assert (row.label, row.people, row.n) == ("MODEL", "60.0 %", "40")
    assert [(cell.share, cell.is_own) for cell in row.cells] == [("75.0 %", True)]
    text = flat(render_to_string("study/judges/_beside.html", {"beside": found}))
    assert 'href="/judges/judge-i/"' in text
    assert "own maker" in text


def test_ratings_of_an_open_group_are_not_told(bank: Any) -> None:
    judge = make_judge("Judge C")
    study = make_study(batches=1, items=N, responders=("model",))
    model = of("Maker", "maker/model", bank=bank)
    judged(judge, model, 36)
    rated_by_people(study, model, "model", 24, GroupState.OPEN)
    assert judge_page(judge).agreed.same == "–"


def test_two_judges_have_rankings_of_their_own_and_neither_holds_the_others_numbers(bank: Any) -> None:
    first, second = make_judge("One", maker="Maker"), make_judge("Two")
    subject = of("Maker", "maker/model", bank=bank)
    judged(first, subject, 30)
    judged(second, subject, 12)
    refresh_standings()
    keys = [judge_page(judge).ranking for judge in (first, second)]
    assert keys == [f"{bank.slug}--empathy-judged--judge-one", f"{bank.slug}--empathy-judged--judge-two"]
    pages = [html(f"/rankings/{key}/") for key in keys]
    assert "75.00" in pages[0]
    assert "30.00" in pages[1]
    assert "30.00" not in pages[0]
    assert "75.00" not in pages[1]
    assert 'href="/judges/one/"' in pages[0]
    assert "Models by its own maker" in pages[0]
    assert "No model by its own maker" in pages[1]
    # The rankings of all judges share one tab, which leads to the judge that is open.
    for key, other, page in zip(keys, reversed(keys), pages, strict=True):
        tabs = page.partition('aria-label="Benchmark"')[2].partition("</nav>")[0]
        assert f'href="/rankings/{key}/" aria-current="page"' in tabs
        assert f'href="/rankings/{other}/"' not in tabs


def test_the_interval_of_a_share_of_good_ends_at_100_per_cent(client: Client, bank: Any) -> None:
    run = judged(make_judge("Arbiter"), of("Maker", "nearly", bank=bank), 39)
    refresh_standings()
    standing = Standing.objects.get(model=run.model)
    assert run.score == 97.5
    assert standing.interval_high == pytest.approx(99.56, abs=0.01)
    assert standing.interval_low == pytest.approx(87.12, abs=0.01)
    found = client.get(f"/api/v1/runs/{run.pk}").json()
    assert (found["interval_low"], found["interval_high"]) == (standing.interval_low, standing.interval_high)


def test_a_ranking_is_titled_by_the_name_of_its_judge_and_not_by_its_slug(bank: Any) -> None:
    judge = make_judge("Maker’s Judge 4.1")
    assert judge.slug != judge.name
    run = judged(judge, of("Maker", "maker/model", bank=bank), 30)
    refresh_standings()
    own = f"/models/{run.model.slug}/"
    title = f"{bank.title}, judged by Maker’s Judge 4.1"
    address = f"/rankings/{judge_page(judge).ranking}/"
    assert f"<title>Rankings, {title} · EQ Leaderboard</title>" in html(address)
    assert title in html(own)
    staff = flat(root().get("/admin/leaderboard/standing/").content.decode())
    assert title in staff
    assert f"judged by {judge.slug}" not in html(address) + html(own) + staff


def test_the_pages_of_both_runs_say_what_they_are(bank: Any) -> None:
    judge = make_judge("Judge D")
    subject = of("Maker", "maker/model", bank=bank)
    run = judged(judge, subject, 30)
    of_replies = html(f"/runs/{subject.pk}/")
    assert "75.0 % Good" in of_replies
    assert f"<h1>{N} of {N} replies gathered</h1>" in of_replies
    assert 'href="/judges/judge-d/"' in html(f"/runs/{run.pk}/")
    assert not rescore_run(run.pk).changed


def test_the_page_of_an_item_says_how_each_judge_rated_each_reply(bank: Any) -> None:
    judge = make_judge("Judge J")
    judged(judge, of("Maker", "maker/model", bank=bank), 1, okay=1)
    items = [html(f"/items/{bank.slug}/p{number}/") for number in range(3)]
    assert all("judges or people rate the replies</h1>" in item for item in items)
    assert [f"<td>{word}</td>" in item for word, item in zip(("Good", "Okay", "Bad"), items, strict=True)] == [True] * 3
    assert f"{N} prompts; judges or people rate the replies" in html(f"/items/{bank.slug}/")


def test_models_of_one_name_on_pages_each_have_their_row_on_the_page_of_an_item(bank: Any) -> None:
    judge, other = make_judge("Judge L"), make_judge("Judge M")
    good, bad = of("One", "one/model", bank=bank), of("Two", "two/model", bank=bank)
    judged(judge, good, N)
    judged(judge, bad, 0)
    judged(other, good, N)
    text = html(f"/items/{bank.slug}/p0/").partition("What judges say")[2]
    found = re.findall(r'href="/runs/(\d+)/">(.*?)</tr>', text)
    rows = {int(run): re.findall(r"<td>(.*?)</td>", cells) for run, cells in found}
    assert rows == {good.pk: ["Good", "Good"], bad.pk: ["Bad", "–"]}


def test_a_finished_judgement_counts_until_that_of_a_newer_run_has_finished(bank: Any) -> None:
    judge, model = make_judge("Judge K"), make_model("maker/model", organisation="Maker")
    judged(judge, gathered(bank, model=model), 30)
    judged(judge, gathered(bank, model=model), 10, status=Status.QUEUED)
    assert [row.judge for row in judge_page(judge).responders] == ["75.0 %"]
    judged(judge, gathered(bank, model=model), 20)
    assert [row.judge for row in judge_page(judge).responders] == ["50.0 %"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"status": Status.WAITING}, "waits: its endpoint gives no answers"),
        ({"status": Status.QUEUED}, "judging, 100 %"),
        ({"status": Status.FAILED, "failure_kind": "parse"}, "cannot be read"),
        ({"status": Status.FAILED, "failure_kind": "platform"}, "stopped by a fault"),
        ({}, "done"),
    ],
)
def test_the_state_of_a_judge_is_said_in_words(bank: Any, fields: dict[str, Any], words: str) -> None:
    judge = make_judge("Judge E")
    judged(judge, of("Maker", "maker/model", bank=bank), 30, **fields)
    assert judges_page().rows[0].state_words == words
    assert words in html("/judges/judge-e/")


@pytest.mark.parametrize("changes", [{"published": False}, {"access": "private"}, {"access": "withheld"}])
def test_nothing_is_shown_of_runs_that_are_not_listed_or_of_closed_banks(bank: Any, changes: dict[str, Any]) -> None:
    judge = make_judge("Judge F")
    run = judged(judge, of("Maker", "maker/model", bank=bank), 30)
    if "access" in changes:
        type(bank).objects.filter(pk=bank.pk).update(**changes)
    else:
        Run.objects.filter(pk=run.pk).update(**changes)
    assert judge_page(judge).responders == ()
    assert judges_page().rows[0].replies == "0"


def test_no_page_or_file_holds_the_judges_address_or_key(bank: Any) -> None:
    judge = make_judge("Judge G", base_url="https://secret-host.example/v1", key="sk-secret-of-the-judge")
    judged(judge, of("Maker", "maker/model", bank=bank), 30)
    for path in ("/judges/", "/judges/judge-g/", "/judges/judge-g/judgements.csv"):
        assert "secret" not in html(path)


def test_the_file_has_a_line_a_reply_with_the_median_and_no_text(bank: Any) -> None:
    judge = make_judge("Judge H")
    run = judged(judge, of("Maker", "maker/model", bank=bank), 1)
    lines = Client().get("/judges/judge-h/judgements.csv").content.decode().replace('"', "").splitlines()
    assert lines[0] == "judge,prompt_version,bank,item_id,responder,run,rating,people"
    assert lines[1] == f"Judge H,1,{bank.slug},p0,model,{run.pk},Good,"
    assert len(lines) == N + 1
    assert lines[2].endswith(",Bad,")
