"""Runs of judges: which open, what they ask, how they wait, and what they leave behind."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from evaluation import tasks
from evaluation.benchmarks import BENCHMARKS
from evaluation.keys.endpoint_keys import key_for_call, store_key
from evaluation.keys.erasing import purge_keys
from evaluation.models import Endpoint, FaultKind, ItemResult, KeyEvent, Reply, Run, Status
from evaluation.runs.judging import judge_of, open_judge_runs, slug_of
from evaluation.runs.manifest import sealed_columns
from evaluation.runs.rescoring import rescore_run
from evaluation.runs.retention import purge_replies
from evaluation.runs.runner import open_asks
from tests.evaluation.judged import CURT, WARM, carried, gathered, judge_at, judging, make_judge, prompt_bank
from tests.factories import make_endpoint

# Results are written from a thread of their own, so each test needs real transactions.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

KEY = "sk-own-Judge/Key+0123456789="


def opened() -> list[Run]:
    return list(Run.objects.filter(pk__in=open_judge_runs()).order_by("pk"))


# Which runs open


def test_each_judge_gets_one_run_of_its_own_and_a_second_call_opens_none() -> None:
    subject, judges = gathered(), [make_judge("A"), make_judge("B")]
    runs = opened()
    assert [run.subject_id for run in runs] == [subject.pk] * 2
    assert [judge_of(run) for run in runs] == judges
    assert [run.variant for run in runs] == ["judge-a", "judge-b"]
    assert all(run.model_id == subject.model_id and run.ranks for run in runs)
    assert {(run.repeats, run.n_items, run.n_asks) for run in runs} == {(3, 6, 18)}
    assert opened() == []


def test_the_constraint_holds_where_two_open_at_once() -> None:
    gathered()
    make_judge()
    (run,) = opened()
    run.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        run.save(force_insert=True)


def test_several_subjects_wait_for_one_judge_at_once() -> None:
    make_judge()
    bank = prompt_bank()
    gathered(bank), gathered(bank)
    assert len(opened()) == 2


@pytest.mark.parametrize(
    "fields",
    [
        {"judging": False},
        {"status": Status.FAILED},
        {"status": Status.CANCELLED},
        {"limit": 6},
        {"replies_erased_at": timezone.now()},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_replies_without_consent_or_not_whole_go_to_no_judge(fields: dict[str, Any]) -> None:
    gathered(**fields)
    make_judge()
    assert opened() == []


@pytest.mark.parametrize("access", ["withheld", "private"])
def test_replies_on_a_bank_that_is_not_open_never_leave(access: str) -> None:
    gathered(prompt_bank(access=access))
    make_judge()
    assert opened() == []


def test_a_judge_that_is_disabled_or_of_another_prompt_opens_nothing() -> None:
    gathered()
    off, old = make_judge("off"), make_judge("old")
    off.enabled, old.prompt_version = False, "0"
    off.save()
    old.save()
    assert opened() == []


def test_a_judge_of_this_prompt_goes_on_whatever_rules_its_answers_are_read_by() -> None:
    gathered()
    judge = make_judge()
    assert BENCHMARKS["empathy-judged"].scorer_version == f"empathy-judged/{judge.prompt_version}.2"
    assert len(opened()) == 1


def test_a_cancelled_judgement_comes_again_only_where_a_person_asks_for_it() -> None:
    gathered()
    make_judge()
    (run,) = opened()
    Run.objects.cancel(run.pk, seal=sealed_columns)
    assert opened() == []
    assert len(open_judge_runs(cancelled_too=True)) == 1


def test_the_task_opens_runs_and_an_ended_judge_run_opens_no_further_ones() -> None:
    subject = gathered()
    with judging() as endpoint:
        judge_at(endpoint)
        tasks.open_judge_runs(subject.pk)
        run = carried(Run.objects.get(subject=subject))
        assert run.status == Status.FINISHED
        tasks.open_judge_runs(run.pk)
        tasks.open_judge_runs()
    assert Run.objects.filter(subject__isnull=False).count() == 1


def test_a_reply_that_never_came_is_not_judged() -> None:
    subject = gathered(texts=[WARM, None, "", WARM, WARM, WARM])
    make_judge()
    (run,) = opened()
    asks = list(open_asks(run))
    assert run.n_asks == len(asks) == 15
    missing = subject.results.get(state="fault").item_id
    assert missing not in {ask.item_pk for ask in asks}
    assert ("",) in {ask.subjects for ask in asks}


# What they ask and store


def test_a_judge_rates_every_reply_three_times_blind_and_at_temperature_0() -> None:
    subject = gathered(texts=[WARM, CURT, WARM, CURT, WARM, WARM])
    with judging() as endpoint:
        judge_at(endpoint, "Strict Judge")
        run = carried(opened()[0])
        log = endpoint.log()
    assert (run.status, run.n_scored, len(log)) == (Status.FINISHED, 6, 18)
    assert {entry["temperature"] for entry in log} == {0.0}
    assert {entry["model"] for entry in log} == {"as-the-server-says"}
    assert run.score == pytest.approx(100 * 4 / 6)
    assert run.figures["bad"]["value"] == pytest.approx(100 * 2 / 6)
    detail: Any = run.detail
    assert detail["scopes"]["all"] == {"asked": 6, "n": 6, "bad": 2, "okay": 0, "good": 4, "share": 4 / 6}
    assert run.parse_share == 1
    # Not the one that was stored first: four are asked at once, and any of them may be answered first.
    row = ItemResult.objects.filter(run=run).order_by("item__number", "repeat")[0]
    assert (row.shown, row.values) == ({"words": 18}, [1.0, 3.0, 18.0])
    manifest: Any = run.manifest
    frozen = (subject.manifest or {})["replies_sha256"]
    assert manifest["subject"] == {"run": subject.pk, "replies_sha256": frozen}
    assert manifest["judge"] == {"name": "Strict Judge", "maker": "Demo works", "prompt_version": "1"}


def test_a_judge_in_every_form_is_read_where_it_can_be_and_never_guessed() -> None:
    gathered(prompt_bank(40), [f"{WARM} {n}" for n in range(40)])
    with judging("judge-in-turn") as endpoint:
        judge_at(endpoint)
        run = carried(opened()[0])
        asked = len(endpoint.log())
    rows = ItemResult.objects.filter(run=run)
    unread = rows.filter(state="unread")
    assert rows.count() == 120
    assert 0 < unread.count() < 120
    assert set(unread.values_list("score", "attempts")) == {(None, 3)}
    assert set(rows.filter(state="read").values_list("score", flat=True)) == {1.0}
    assert asked == 120 + 2 * unread.count(), "two retries where nothing was read, none where something was"
    assert run.figures["bad"]["value"] == 0
    assert run.n_scored == rows.filter(state="read", repeat=1).count()
    assert (run.status, run.failure_kind) == (Status.FAILED, FaultKind.PARSE)


def test_two_judges_never_share_a_mean() -> None:
    gathered(texts=[WARM, WARM, CURT, CURT, WARM, WARM])
    with judging("judge") as kind, judging("judge-strict") as strict:
        judge_at(kind, "kind")
        judge_at(strict, "strict")
        first, second = (carried(run) for run in opened())
    assert (first.variant, second.variant) == ("judge-kind", "judge-strict")
    assert [slug_of(run.variant) for run in (first, second)] == ["kind", "strict"]
    assert first.score == pytest.approx(100 * 4 / 6)
    assert second.score == 0
    assert first.figures != second.figures


def test_a_judgement_read_anew_keeps_its_numbers() -> None:
    gathered(texts=[WARM, CURT, WARM, CURT, WARM, WARM])
    with judging() as endpoint:
        judge_at(endpoint)
        run = carried(opened()[0])
    assert not rescore_run(run.pk).changed


def test_a_run_taken_up_again_asks_only_what_is_missing() -> None:
    gathered()
    with judging() as endpoint:
        judge_at(endpoint)
        (run,) = opened()
        done = list(open_asks(run))[:7]
        for pair in done:
            ItemResult.objects.create(
                run=run, item_id=pair.item_pk, repeat=pair.repeat, state="read", answer=[1.0, 18.0], score=0.0,
                values=[0.0, 1.0, 18.0], shown={"words": 18}, reading="JSON",
            )  # fmt: skip
            Reply.objects.create(result=ItemResult.objects.latest("pk"), text='{"rating": "Bad"}')
        run = carried(run)
        assert len(endpoint.log()) == 18 - 7
    assert run.status == Status.FINISHED
    assert run.results.filter(score=0.0).count() == 7


def test_replies_that_changed_since_they_were_frozen_are_not_judged() -> None:
    subject = gathered()
    with judging() as endpoint:
        judge_at(endpoint)
        (run,) = opened()
        Reply.objects.filter(result=subject.results.first()).update(text="Another reply.")
        run = carried(run)
        assert endpoint.log() == []
    assert (run.status, run.failure_kind) == (Status.FAILED, FaultKind.PLATFORM)
    assert "not those that were frozen" in run.failure_message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda run: Run.objects.filter(pk=run.subject_id).update(judging=False), "no longer agrees"),
        (lambda run: type(run.bank).objects.filter(pk=run.bank_id).update(access="withheld"), "are closed"),
    ],
)
def test_nothing_is_sent_once_consent_or_bank_is_closed(change: Any, words: str) -> None:
    gathered()
    with judging() as endpoint:
        judge_at(endpoint)
        (run,) = opened()
        change(run)
        run = carried(run)
        assert endpoint.log() == []
    assert run.status == Status.FAILED
    assert words in run.failure_message


# How they wait


@pytest.mark.parametrize("fault", ["always-500:1", "unauthorised", "unknown-model", "always-429"])
def test_a_judge_that_is_down_is_waited_for_and_the_last_wait_repeats(fault: str, settings: Any) -> None:
    settings.RUN_BREAKER_WAITS_SECONDS = [300.0, 900.0]
    gathered()
    with judging("judge", fault) as endpoint:
        judge_at(endpoint)
        (run,) = opened()
        for _ in range(5):
            Run.objects.filter(pk=run.pk).update(not_before=None)
            before = timezone.now()
            run = carried(run)
            assert (run.status, run.failure_kind) == (Status.WAITING, FaultKind.ENDPOINT)
            assert run.failure_message
        assert run.waits == 2
        assert run.not_before
        assert timedelta(seconds=890) < run.not_before - before < timedelta(seconds=960)
    with judging() as well:
        Endpoint.objects.filter(runs=run).update(base_url=f"{well.address}/v1")
        Run.objects.filter(pk=run.pk).update(not_before=None)
        run = carried(run)
    assert (run.status, run.n_scored, run.failure_message) == (Status.FINISHED, 6, "")


def test_a_judge_whose_key_is_gone_is_waited_for() -> None:
    gathered()
    judge = make_judge(key=KEY)
    Endpoint.objects.filter(pk=judge.endpoint_id).update(sealed_key="", key_erased_at=timezone.now())
    run = carried(opened()[0])
    assert (run.status, run.failure_kind) == (Status.WAITING, FaultKind.ENDPOINT)


# Keys, retention, publishing


def test_the_key_of_a_judge_is_sealed_and_outlives_its_runs() -> None:
    gathered()
    with judging() as endpoint:
        judge = judge_at(endpoint, key=KEY)
        run = carried(opened()[0])
    kept = Endpoint.objects.get(pk=judge.endpoint_id)
    assert run.status == Status.FINISHED
    assert kept.sealed_key
    assert KEY not in kept.sealed_key
    assert key_for_call(run, kept) == KEY
    KeyEvent.objects.update(at=timezone.now() - timedelta(days=400))
    assert purge_keys(14) == 0
    assert Endpoint.objects.get(pk=kept.pk).sealed_key == kept.sealed_key


def test_the_keys_of_submitters_still_go() -> None:
    endpoint = make_endpoint()
    run = gathered(status=Status.RUNNING, endpoint=endpoint)
    store_key(endpoint, KEY)
    Run.objects.cancel(run.pk, seal=sealed_columns)
    assert not Endpoint.objects.get(pk=endpoint.pk).sealed_key


def test_replies_are_kept_while_a_judge_has_still_to_read_them() -> None:
    long_ago = timezone.now() - timedelta(days=100)
    subject = gathered(published=False, finished_at=long_ago)
    make_judge()
    (run,) = opened()
    assert purge_replies(30) == 0
    Run.objects.cancel(run.pk, seal=sealed_columns)
    assert purge_replies(30) == 6
    assert not Reply.objects.filter(result__run=subject).exists()


def test_what_judges_said_is_listed_and_taken_off_with_the_replies() -> None:
    subject = gathered(published=False)
    make_judge()
    (run,) = opened()
    listed = Run.objects.filter(pk=run.pk, published=True)
    assert not listed.exists()
    assert Run.objects.filter(pk=subject.pk).set_published(public=True) == 1
    assert listed.get().published_changed_at
    assert Run.objects.filter(pk=subject.pk).set_published(public=False) == 1
    assert not listed.exists()
