"""EmotionBench as runs: plans, orders, personas, the form, and a worker that is killed."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from evaluation.benchmarks.chance import order
from evaluation.benchmarks.emotionbench import EMOTION_BENCH, PLANS
from evaluation.demo.moods import NO_MOODS, moods_of, read_sheet, without_bank
from evaluation.demo.server import make_app
from evaluation.importers.private_banks import load_private_files
from evaluation.models import Access, ItemBank, Run, Status
from evaluation.runs.asking import seed_of
from evaluation.runs.rescoring import rescore_run
from evaluation.runs.summaries import as_bank
from evaluation.runs.wanted import Refused, Wanted
from leaderboard.models import Schedule, Submission
from leaderboard.schedules import open_due
from leaderboard.submissions.moderating import approve, replicate
from tests.evaluation.benchmarks.emotion_files import WORDS, emotion_files, full_size
from tests.fakes import serve
from tests.leaderboard.sending import filled, no_turns_taken, sent

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


def load(files: dict[str, bytes], slug: str = "emotionbench") -> ItemBank:
    """A bank of our own making, stored as the listed one is: withheld, under the family's name."""
    bank, _ = load_private_files(EMOTION_BENCH, files, "weather")
    ItemBank.objects.filter(pk=bank.pk).update(slug=slug, title="EmotionBench", access=Access.WITHHELD)
    bank.refresh_from_db()
    return bank


def evaluated(address: str, persona: str, plan: str = "quick", **options: Any) -> Run:
    with pytest.raises(SystemExit) as ended:
        call_command(
            "evaluate", model=f"maker/{persona}", base_url=f"{address}/v1", api_model=persona,
            benchmark="emotionbench", variant=plan, json=True, verbosity=0, **options,
        )  # fmt: skip
    assert ended.value.code in (0, 1)
    return Run.objects.get(model__name=f"maker/{persona}")


def orders_given(run: Run) -> None:
    """Each result has the order that the run's seed gives for its item, repeat and attempt."""
    for row in run.results.select_related("item"):
        assert row.shown is not None
        attempt = row.shown["attempt"]
        seed = seed_of(run.seed, row.item.item_id, row.repeat, attempt)
        assert row.shown == {"attempt": attempt, "order": list(order(seed, 20))}


# Plans and personas


@pytest.mark.parametrize(("plan", "n"), [("quick", 185), ("standard", 575), ("full", 1800)])
def test_a_plan_has_its_number_of_requests(plan: str, n: int) -> None:
    bank = as_bank(load(full_size()))
    assert len(bank.items) == 176
    assert sum(EMOTION_BENCH.repeats(item, 1, plan) for item in bank.items) == n


@pytest.mark.parametrize(("persona", "alignment"), [("feels-like-people", 94.0), ("feels-nothing", 44.3)])
def test_personas_get_the_alignment_that_is_said_of_them(
    shared_data: Path, persona: str, alignment: float, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("load_bank", "emotionbench", location=str(shared_data / "emotionbench"), verbosity=0)
    bank = ItemBank.objects.get()
    with serve(make_app(moods=moods_of(as_bank(bank)))) as address:
        run = evaluated(address, persona)
    assert (run.status, run.variant, run.n_asks, run.results.count()) == (Status.FINISHED, "quick", 185, 185)
    assert run.score == pytest.approx(alignment, abs=1.5)
    assert (run.standard_error is None) is (persona == "feels-nothing"), "no error can be known where nothing varies"
    assert run.figures["coverage_evoked"]["value"] == 100
    orders_given(run)
    assert len({json.dumps(row.shown) for row in run.results.all()}) == 185
    assert not rescore_run(run.pk).changed, "read again with the stored orders, all stays as it is"


def test_without_the_bank_the_persona_says_so() -> None:
    load(full_size())
    with serve(make_app(moods=NO_MOODS)) as address:
        run = evaluated(address, "feels-like-people")
    assert run.status == Status.FAILED
    assert set(run.results.values_list("reason", flat=True)) == {"unreadable"}
    first = run.results.first()
    assert first is not None
    assert first.reply.text == without_bank()
    assert run.requests == 3 * 185, "each item was asked again twice, in another order"
    assert "no answered questionnaire in 36 of 36 factors" in run.failure_message.casefold()


def test_a_questionnaire_is_told_from_other_prompts() -> None:
    assert read_sheet("1. Take a pan.\n2. Fry the egg.") is None
    sheet = read_sheet("How do you feel?\n" + "\n".join(f"{n}. {word}" for n, word in enumerate(WORDS, 1)))
    assert sheet is not None
    assert sheet.words == WORDS


def test_too_few_answers_give_no_score_and_the_reason_names_the_share() -> None:
    bank = load(full_size())
    with serve(make_app(moods=moods_of(as_bank(bank)), faults=["null:2"])) as address:
        run = evaluated(address, "constant-3")
    answered = run.figures["coverage_evoked"]["value"]
    if answered < 90 or run.figures["coverage_default"]["value"] < 80:
        assert (run.status, run.score) == (Status.FAILED, None)
        # Which rule comes first depends on which questionnaires stayed empty: the share, or a factor without any.
        assert re.search("are needed|No answered questionnaire in", run.failure_message)
    assert run.figures["evoked_p"]["value"] == 30.0
    orders_given(run)
    assert set(run.results.values_list("reason", flat=True)) <= {"", "unreadable"}


# What is asked for


def test_another_system_prompt_is_refused_by_the_command() -> None:
    load(emotion_files())
    with pytest.raises(CommandError, match=r"EmotionBench has its own system prompt and takes no other\."):
        call_command(
            "evaluate", model="maker/a", base_url="http://127.0.0.1:9/v1", benchmark="emotionbench",
            system_prompt="Be glad.",
        )  # fmt: skip


@pytest.mark.parametrize("plan", [None, *PLANS])
def test_python_takes_a_plan(plan: str | None) -> None:
    load(emotion_files())
    wanted = Wanted(model="maker/a", base_url="http://127.0.0.1:9/v1", benchmark="emotionbench", variant=plan)
    assert wanted.request().variant == (plan or "quick")
    with pytest.raises(Refused, match="Known: quick, standard, full"):
        replace(wanted, variant="huge").request()


@pytest.fixture
def on_offer() -> ItemBank:
    no_turns_taken()
    return load(emotion_files())


def test_the_form_offers_the_plans_with_what_they_cost(client: Client, on_offer: ItemBank) -> None:
    page = client.get("/submit/").content.decode()
    for words in ("Plan of EmotionBench", "Quick: 17 requests", "Standard: 71 requests", "Full: 120 requests"):
        assert words in page


def test_a_submission_runs_the_plan_that_it_chose_and_so_do_its_replicates(client: Client, on_offer: ItemBank) -> None:
    found = sent(client, banks=["emotionbench"], variant_emotionbench="standard")
    assert found.request["variants"] == {"emotionbench": "standard"}
    again = client.get(f"/submissions/{found.token}/again/").content.decode()
    assert '<option value="standard" selected>' in again
    approve(found, "Approved.")
    run = found.runs.get()
    assert (run.variant, run.n_asks) == ("standard", 50 + 3 * 7)
    Run.objects.filter(pk=run.pk).update(status=Status.CANCELLED)
    other = replicate(Run.objects.get(pk=run.pk))
    assert (other.variant, other.n_asks) == ("standard", 71)
    assert other.seed != run.seed


def test_a_schedule_repeats_the_plan_with_orders_of_its_own(client: Client, on_offer: ItemBank) -> None:
    found = sent(client, banks=["emotionbench"], variant_emotionbench="quick")
    approve(found, "Approved.")
    first = found.runs.get()
    Run.objects.filter(pk=first.pk).update(status=Status.FINISHED, score=80.0, finished_at=timezone.now())
    due = timezone.now() - timedelta(hours=1)
    Schedule.objects.create(endpoint=found.endpoint, bank=on_offer, every_days=7, next_at=due)
    assert open_due() == 1
    again = Run.objects.get(parent=first)
    assert (again.status, again.variant, again.n_asks) == (Status.QUEUED, "quick", first.n_asks)
    assert again.seed != first.seed, "so that the words stand in other orders"
    assert Schedule.objects.get().trouble == ""


def test_two_plans_of_one_model_are_two_submissions(client: Client, on_offer: ItemBank) -> None:
    sent(client, banks=["emotionbench"], variant_emotionbench="quick")
    assert client.post("/submit/", filled(banks=["emotionbench"])).status_code == 409, "the first plan is the default"
    sent(client, banks=["emotionbench"], variant_emotionbench="full")
    assert Submission.objects.count() == 2


def test_the_form_refuses_a_system_prompt_beside_the_questionnaires_own(client: Client, on_offer: ItemBank) -> None:
    response = client.post("/submit/", filled(banks=["emotionbench"], system_prompt="Be glad."))
    assert response.status_code == 422
    assert "EmotionBench has its own system prompt and takes no other." in response.content.decode()
