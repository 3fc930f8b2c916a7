"""One run from claim to end: ask each pair that has no result, store, summarise, seal.

`carry` is the whole of it, for a worker and for the `evaluate` command alike. It takes a run that the caller has
claimed, works for at most one slice, and leaves the run finished, failed, waiting or queued. It may be killed at any
instant: what is stored stays, and the next claim asks the rest.
"""

import asyncio
import uuid
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Generation
from evaluation.benchmarks.base import Item as BenchmarkItem
from evaluation.endpoints.address import other_base_url
from evaluation.endpoints.client import ChatClient, Negotiated, Target
from evaluation.endpoints.errors import EndpointError
from evaluation.endpoints.passage import Guard
from evaluation.endpoints.retrying import BreakerOpen, LongWait, Patience
from evaluation.keys.endpoint_keys import KeyErased, key_for_call
from evaluation.keys.sealing import KeyUnreadable
from evaluation.models import Driver, Endpoint, FaultKind, Item, ItemResult, ItemState, Run, Status
from evaluation.outbound import guard_from_settings
from evaluation.runs import pulses
from evaluation.runs.asking import Method, Pair
from evaluation.runs.brief import brief_transaction
from evaluation.runs.current_run import working_on
from evaluation.runs.judge_waits import ask_again_later, is_silent, step_of, wait_for_a_person
from evaluation.runs.manifest import sealed_columns
from evaluation.runs.parts import save_results, settle_parts
from evaluation.runs.queueing import Shares
from evaluation.runs.recording import DatabaseThread, Lease, LeaseLost, Outcome
from evaluation.runs.rescoring import read_anew
from evaluation.runs.slices import Limits, Slice, Stop, Totals
from evaluation.runs.subjects import subject_texts, why_not_judged
from evaluation.runs.summaries import as_item, options_of, summarise_run, summary_fields, why_unscored


@dataclass(frozen=True, slots=True)
class SliceEnd:
    """How a slice ended: `reason` is None when it went through or was stopped in good order.

    `stored` counts new results; `over` says that its time was up, so that nobody stopped it.
    """

    reason: EndpointError | LongWait | BreakerOpen | LeaseLost | None
    stored: int
    totals: Totals
    over: bool = False


@dataclass(frozen=True, slots=True)
class Means:
    """What a slice works with: how long it may go on, and whom it may call."""

    limits: Limits
    guard: Guard


def limits_from_settings() -> Limits:
    return Limits(
        heartbeat=settings.RUN_HEARTBEAT_SECONDS,
        slice=settings.RUN_SLICE_SECONDS,
        drain=settings.RUN_DRAIN_SECONDS,
        patience=Patience(backoff_seconds=settings.ENDPOINT_BACKOFF_SECONDS),
        last_replies=settings.RUN_LAST_REPLIES_SECONDS,
    )


def claim(run_id: int, driver: str) -> Lease | None:
    """A lease on the run, or None where another holds it or it is not due."""
    token = uuid.uuid4()
    seconds, most = settings.RUN_LEASE_SECONDS, settings.RUN_MAX_IDLE_CLAIMS
    taken = Run.objects.claim(
        run_id, token, lease_seconds=seconds, driver=driver, most_idle_claims=most, shares=shares_from_settings()
    )
    return Lease(run_id, token, seconds) if taken else None


def claim_by_hand(run_id: int, *, now: bool) -> Lease | None:
    """As `claim`, for a run of the command. `now` asks a run again that waits: a person is the sign that its endpoint
    may be well again."""
    if now:
        Run.objects.wake(run_id)
    return claim(run_id, Driver.COMMAND)


def claim_next() -> Lease | None:
    """A lease on the run whose turn it is, or None where none may start now."""
    token = uuid.uuid4()
    seconds, most = settings.RUN_LEASE_SECONDS, settings.RUN_MAX_IDLE_CLAIMS
    run_id = Run.objects.claim_next(token, lease_seconds=seconds, most_idle_claims=most, shares=shares_from_settings())
    return None if run_id is None else Lease(run_id, token, seconds)


def shares_from_settings() -> Shares:
    return Shares(settings.RUNS_PER_HOST, settings.RUNS_PER_OWNER)


def carry(
    lease: Lease,
    *,
    stop: Stop,
    api_key: str = "",
    limits: Limits | None = None,
    guard: Guard | None = None,
    on_outcome: Callable[[Outcome], None] = lambda _: None,
) -> Run:
    """Works on a claimed run for one slice and returns it as it then stands. `api_key` is for runs of the command."""
    with working_on(lease.run_id):
        run = Run.objects.select_related("endpoint", "bank", "model", "subject").get(pk=lease.run_id)
        target = _target_or_end(run, lease, api_key)
        if target is not None:
            means = Means(limits or limits_from_settings(), guard or guard_from_settings())
            # A stop that came before the first request: nothing is asked, and the lease is given back.
            stopped = SliceEnd(None, 0, totals_of(run)) if stop.is_set() else None
            end = stopped or asyncio.run(_work(run, target, lease, means, stop, on_outcome))
            conclude(run, lease, end)
        run.refresh_from_db()
    return run


def _target_or_end(run: Run, lease: Lease, api_key: str) -> Target | None:
    """Whom to ask, with the key opened for this slice; None where that cannot be, and then the run has ended."""
    if run.endpoint is None:
        _end(lease, FaultKind.PLATFORM, "The endpoint of this run was deleted.")
        return None
    if sentence := why_not_judged(run):
        _end(lease, FaultKind.PLATFORM, sentence)
        return None
    try:
        return _target(run, run.endpoint, api_key or key_for_call(run, run.endpoint))
    except KeyUnreadable as reason:
        _end_or_wait(run, lease, FaultKind.PLATFORM, str(reason))
    except (KeyErased, ValueError) as reason:
        # ValueError: an address or a key that was changed by hand into what can be none.
        _end_or_wait(run, lease, FaultKind.ENDPOINT, str(reason))
    return None


def method_of(run: Run) -> Method:
    """How the run asks and scores, from its settings."""
    chosen, benchmark = run.settings, BENCHMARKS[run.benchmark]
    return Method(
        benchmark=benchmark,
        options=options_of(benchmark, chosen),
        generation=Generation(
            temperature=chosen["temperature"],
            temperature_step=chosen["temperature_step"],
            max_tokens=chosen["max_tokens"],
            attempts=chosen["attempts"],
            extra=chosen.get("extra", {}),
            retry=benchmark.generation.retry,
        ),
        seed=run.seed,
    )


def open_asks(run: Run) -> Iterable[Pair]:
    """The pairs without a final result, repeat by repeat in item order; each item has its own number of repeats.

    In a judge's run each has the reply that is judged, and an item without a reply is not asked.
    """
    benchmark, texts = BENCHMARKS[run.benchmark], subject_texts(run)
    done = set(ItemResult.objects.filter(run=run).values_list("item_id", "repeat"))
    rows = list(Item.objects.filter(bank=run.bank_id).order_by("number")[: run.n_items])
    rows = [row for row in rows if row.pk in texts] if run.subject_id else rows
    items = [(row.pk, item, benchmark.repeats(item, run.repeats, run.variant)) for row, item in _with_items(rows)]
    for repeat in range(1, max((repeats for _, _, repeats in items), default=0) + 1):
        yield from (
            Pair(pk, repeat, item, (texts[pk],) if run.subject_id else ())
            for pk, item, repeats in items
            if repeat <= repeats and (pk, repeat) not in done
        )


def _with_items(rows: Iterable[Item]) -> Iterable[tuple[Item, BenchmarkItem]]:
    return ((row, as_item(row)) for row in rows)


async def _work(
    run: Run, target: Target, lease: Lease, means: Means, stop: Stop, on_outcome: Callable[[Outcome], None]
) -> SliceEnd:
    database = DatabaseThread()
    concurrency = run.settings["concurrency"]
    try:
        pairs = list(await database.call(lambda: list(open_asks(run))))
        negotiated = negotiated_before(run, target)
        answered = bool(negotiated.base_url) and await database.call(has_replies, run)
        async with ChatClient(
            target, max_connections=concurrency, guard=means.guard, negotiated=negotiated, answered=answered
        ) as client:
            work = Slice(
                pairs=pairs,
                method=method_of(run),
                client=client,
                concurrency=concurrency,
                lease=lease,
                limits=means.limits,
                before=totals_of(run),
                stop=stop,
                database=database,
                on_outcome=on_outcome,
            )
            return await gone_through(work)
    finally:
        await database.close()


async def gone_through(work: Slice) -> SliceEnd:
    """How the slice ended."""
    reason: EndpointError | LongWait | BreakerOpen | LeaseLost | None = None
    try:
        await work.run()
    except (EndpointError, LongWait, BreakerOpen, LeaseLost) as error:
        reason = error
    return SliceEnd(reason, work.stored, work.totals(), work.over)


def _target(run: Run, endpoint: Endpoint, api_key: str) -> Target:
    return Target(
        base_url=endpoint.base_url,
        api_model=endpoint.api_model,
        api_key=api_key,
        timeout_seconds=run.settings["timeout_seconds"],
        extra_body=endpoint.extra_body,
    )


def negotiated_before(run: Run, target: Target) -> Negotiated:
    """What earlier slices settled on, if it was with the same address: an edited endpoint starts afresh."""
    before = Negotiated.from_settings(run.observed.get("negotiated", {}))
    same = before.base_url in (target.base_url, other_base_url(target.base_url))
    return before if same else Negotiated()


def has_replies(run: Run) -> bool:
    """Whether any item was answered, so that the address is right."""
    return run.results.exclude(state=ItemState.FAULT).exists()


def totals_of(run: Run) -> Totals:
    return Totals(
        requests=run.requests,
        prompt_tokens=run.prompt_tokens,
        completion_tokens=run.completion_tokens,
        wall_seconds=run.wall_seconds,
        fault_counts=run.fault_counts,
        observed=run.observed,
    )


def _end_or_wait(run: Run, lease: Lease, kind: FaultKind, sentence: str) -> None:
    """As `_end`; a judge's run waits instead, until somebody has put its endpoint right."""
    if run.subject_id:
        wait_for_a_person(run, lease, kind, sentence)
    else:
        _end(lease, kind, sentence)


def _end(lease: Lease, kind: FaultKind, sentence: str) -> None:
    """Failed before anything was asked."""
    fields = {"failure_kind": kind, "failure_message": sentence}
    Run.objects.end(lease.run_id, lease.token, status=Status.FAILED, seal=sealed_columns, **fields)


def conclude(run: Run, lease: Lease, end: SliceEnd) -> None:
    """Gives the run its next status. Writes nothing of it when the lease was lost."""
    if isinstance(end.reason, LeaseLost):
        pulses.note(pulses.LEASE_LOST)
        return
    counts: dict[str, Any] = asdict(end.totals)
    if isinstance(end.reason, LongWait):
        _wait_as_told(run, lease, end.reason, counts, anew=bool(end.stored))
    elif isinstance(end.reason, BreakerOpen):
        _rest(run, lease, end.reason.fault, counts, anew=bool(end.stored))
    elif isinstance(end.reason, EndpointError) and run.subject_id:
        _rest(run, lease, end.reason, counts, anew=bool(end.stored))
    elif isinstance(end.reason, EndpointError):
        _fail(lease, end.reason, counts)
    elif any(True for _ in open_asks(run)):
        _requeue(lease, end, counts)
    else:
        finish(run, lease, counts, just_read=end.stored)


def _requeue(lease: Lease, end: SliceEnd, counts: dict[str, Any]) -> None:
    """New results start the ladder of waits anew. A claim that brought none is forgiven where a stop cut it short."""
    if end.stored:
        counts |= {"waits": 0}
    if not end.over:
        counts |= {"idle_claims": 0}
    Run.objects.release(lease.run_id, lease.token, **counts)


def _wait_as_told(run: Run, lease: Lease, told: LongWait, counts: dict[str, Any], *, anew: bool) -> None:
    """Wait for Retry-After, though no longer than the breaker's longest wait.

    An endpoint that keeps postponing without ever answering climbs the breaker's ladder.
    """
    seconds = min(told.seconds, max(settings.RUN_BREAKER_WAITS_SECONDS, default=told.seconds))
    if anew or not run.waits:
        _wait(run, lease, told.fault, seconds, {**counts, "waits": 1})
    else:
        _rest(run, lease, told.fault, counts, anew=False, at_least=seconds)


def _wait(run: Run, lease: Lease, fault: EndpointError, seconds: float, counts: dict[str, Any]) -> None:
    fields = {"failure_kind": fault.cause, "failure_message": fault.message, **counts}
    Run.objects.wait(run.pk, lease.token, seconds=seconds, **fields)


def _rest(
    run: Run, lease: Lease, fault: EndpointError, counts: dict[str, Any], *, anew: bool, at_least: float = 0.0
) -> None:
    """The breaker's ladder: ever longer waits, then failed with everything kept. New results start it anew.

    A key or a model name that is refused again and again needs a person: then there is nothing to wait for. A judge's
    run waits all the same, and as often as it takes: nobody who submitted a model answers for the judge.
    """
    ladder = settings.RUN_BREAKER_WAITS_SECONDS
    step = 0 if anew else step_of(run)
    if step < len(ladder) and (run.subject_id or not fault.is_of_the_run):
        _wait(run, lease, fault, max(ladder[step], at_least), {**counts, "waits": step + 1})
    else:
        _fail(lease, fault, counts)


def _fail(lease: Lease, fault: EndpointError, counts: dict[str, Any]) -> None:
    fields = {"failure_kind": fault.cause, "failure_message": fault.message, **counts}
    Run.objects.end(lease.run_id, lease.token, status=Status.FAILED, seal=sealed_columns, **fields)


def finish(run: Run, lease: Lease, counts: dict[str, Any], *, just_read: int = 0) -> None:
    """Summarises and ends. Where the summary gives a reason for no score, the run has failed; its replies are kept.

    All stored replies are read and scored once more: earlier slices may have been the work of another release, and a
    run has one scorer version, that of its end. Only where the last slice stored all of them is there nothing to read.

    Args:
        just_read: How many results this process has read and stored.
    """
    otherwise = [] if run.results.count() == just_read else read_anew(run)
    with brief_transaction():
        # The lease comes first: who has lost it must not write over the results of who holds it now.
        if not Run.objects.renew(run.pk, lease.token, lease_seconds=lease.seconds):
            pulses.note(pulses.LEASE_LOST)
            return
        save_results(otherwise)
        _end_with_summary(run, lease, counts)


def _end_with_summary(run: Run, lease: Lease, counts: dict[str, Any]) -> None:
    summary, benchmark = summarise_run(run), BENCHMARKS[run.benchmark]
    fields, reason = {**counts, **summary_fields(summary, benchmark)}, why_unscored(summary, benchmark)
    if reason and run.subject_id and is_silent(run):
        ask_again_later(run, lease, counts)
        return
    if reason:
        fields |= _why_unread(run, reason)
    else:
        fields |= {"failure_kind": "", "failure_message": ""}
    settle_parts(run, summary.counted_parts)
    status = Status.FAILED if reason else Status.FINISHED
    Run.objects.end(run.pk, lease.token, status=status, seal=sealed_columns, **fields)


def _why_unread(run: Run, reason: str) -> dict[str, str]:
    """Whose it is that too few items were read: the endpoint's where most of the others got no reply at all.

    There may be no others: of replies in two parts neither may have enough, though each item has one.
    """
    others = run.results.exclude(state=ItemState.READ).values_list("state", "reason")
    unanswered = Counter(reason for state, reason in others if state == ItemState.FAULT)
    unread = Counter(reason for state, reason in others if state != ItemState.FAULT)
    silent = unanswered.total() > unread.total()
    kind, reasons = (FaultKind.ENDPOINT, unanswered) if silent else (FaultKind.PARSE, unread)
    commonest = [f"Most often: {_sentence(words)}" for words, _ in reasons.most_common(1) if words]
    return {"failure_kind": kind, "failure_message": " ".join([_sentence(reason), *commonest])}


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}".removesuffix(".") + "."
