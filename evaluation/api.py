"""`from evaluation import evaluate`: one run from a script or a notebook, with its items as a DataFrame.

All of it works in a thread of its own: a notebook has an event loop already, and Django's database is not for loops.
"""

import threading
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management import call_command
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor

from evaluation.benchmarks.eqbench_prompt import REVISION
from evaluation.command_line import command_line
from evaluation.models import Run, Status
from evaluation.runs import runner
from evaluation.runs.announcing import leave_to_workers
from evaluation.runs.opening import open_run
from evaluation.runs.private_runs import CannotOpen
from evaluation.runs.summaries import interval_of_run, strict_figures
from evaluation.runs.wanted import Refused, Wanted, whole_run

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = {
    "item__item_id": "item", "repeat": "repeat", "state": "state", "reading": "reading", "score": "score",
    "answer": "answer", "item__labels": "labels", "item__reference": "reference", "reason": "reason",
    "flags": "flags", "attempts": "attempts", "latency_ms": "latency_ms", "prompt_tokens": "prompt_tokens",
    "completion_tokens": "completion_tokens", "reply__text": "reply", "reply__reasoning": "reasoning",
}  # fmt: skip


class CannotEvaluate(ValueError):
    """Nothing was asked; the text says why and what to do."""


@dataclass(frozen=True)
class Evaluation:
    """A run as it stands after the call. Scores are in points, None where too few items were read.

    `interval` is the 95 % interval of `score`, of Student's t over the scored items; None where all items have the same
    score. Shares are 0 to 1. `reason` says why a run has no score, or waits.
    `items` is a DataFrame with a row for each item and repeat: what the first pass of each reply was read as, with the
    reply; its `score` is the benchmark's first measure of an item. `figures` holds the run's numbers by the keys of the
    benchmark's measures.
    """

    run_id: int
    status: str
    model: str
    benchmark: str
    bank: str
    score: float | None
    strict_score: float | None
    standard_error: float | None
    interval: tuple[float, float] | None
    parse_share: float | None
    strict_share: float | None
    n_items: int
    n_scored: int
    n_strict: int
    figures: Mapping[str, float | None]
    requests: int
    wall_seconds: float
    reason: str
    rows: list[tuple[Any, ...]] = field(repr=False, compare=False)

    @cached_property
    def items(self) -> "pd.DataFrame":
        # pandas takes 0.4 s and 70 MB to load, which a script that wants the score alone need not wait for.
        frame: pd.DataFrame = import_module("pandas").DataFrame.from_records(self.rows, columns=list(COLUMNS.values()))
        return frame


def evaluate(
    base_url: str,
    model: str,
    benchmark: str = "eq-bench-v2",
    *,
    bank: str | None = None,
    key: str | None = None,
    api_model: str | None = None,
    configuration: str = "",
    new_model: bool = False,
    repeats: int = 1,
    limit: int | None = None,
    concurrency: int = 8,
    max_tokens: int | None = None,
    timeout_seconds: float | None = None,
    revision: bool = False,
    switched: Collection[str] = (),
    variant: str | None = None,
    system_prompt: str = "",
    published: bool = True,
    judging: bool = False,
    now: bool = True,
) -> Evaluation:
    """Asks the endpoint all items, stores and scores the replies, and returns the run.

    A whole run is listed when it ends, unless `published=False`; one with a `limit` never ranks. The same call goes on
    with an interrupted run, else makes a new one. Ctrl-C, or a notebook's stop, raises KeyboardInterrupt.

    Args:
        base_url, model: the endpoint, and the model's name on the board and, without `api_model`, there.
        benchmark, key: one of `evaluation.benchmarks.BENCHMARKS`; what is sent with each request, and never stored.
        switched, variant: switches of the benchmark that are on (`revision=True` is the same as naming it here), and
            one of its variants; None is the first.
        judging: whether the LLM judges of this board may read the replies, of a benchmark that gathers them.
        now: whether a run that waits for its endpoint is asked again at once; else it comes back as it waits.
        configuration, new_model, repeats, others: as of `manage.py evaluate`; None takes the benchmark's or setting's.

    Raises:
        CannotEvaluate: a wrong option or name, a bank or database that is not ready, or an open run that is another's.
    """
    wanted = Wanted(
        base_url=base_url, model=model, configuration=configuration, new_model=new_model, api_model=api_model,
        benchmark=benchmark, bank=bank, repeats=repeats, limit=limit, concurrency=concurrency, max_tokens=max_tokens,
        timeout_seconds=timeout_seconds, switched={*switched, *((REVISION,) if revision else ())}, variant=variant,
        system_prompt=system_prompt, published=published, judging=judging,
    )  # fmt: skip
    return _stoppable(wanted, key or "", now=now)


def _stoppable(wanted: Wanted, key: str, *, now: bool) -> Evaluation:
    stop = threading.Event()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="evaluate") as pool:
        work = pool.submit(_in_thread, wanted, key, stop, now=now)
        try:
            return work.result()
        except KeyboardInterrupt:
            stop.set()
            raise


def _in_thread(wanted: Wanted, key: str, stop: threading.Event, *, now: bool) -> Evaluation:
    try:
        _ready_database()
        return _evaluated(wanted, key, stop, now=now)
    except (Refused, CannotOpen) as error:
        raise CannotEvaluate(str(error)) from None
    finally:
        connections.close_all()


def _ready_database() -> None:
    """Makes the tables where there are none. Raises CannotEvaluate where they are of an older release."""
    if connection.vendor == "sqlite":
        Path(connection.settings_dict["NAME"]).parent.mkdir(parents=True, exist_ok=True)
    executor = MigrationExecutor(connection)
    if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
        return
    if executor.loader.applied_migrations:
        raise CannotEvaluate(
            f"The database is of an older release. Bring it up to date first: {command_line('migrate')}"
        )
    call_command("migrate", verbosity=0)


def _evaluated(wanted: Wanted, key: str, stop: threading.Event, *, now: bool) -> Evaluation:
    run, _ = open_run(wanted.request())
    lease = runner.claim_by_hand(run.pk, now=now)
    if lease is None:
        run.refresh_from_db()
        if run.status == Status.WAITING:
            return result_of(run)
        raise CannotEvaluate(f"Run {run.pk} is being worked on by another process.")
    run = runner.carry(lease, stop=stop, api_key=key, limits=whole_run())
    leave_to_workers(run)
    return result_of(run)


def result_of(run: Run) -> Evaluation:
    interval = interval_of_run(run)
    return Evaluation(
        run_id=run.pk,
        status=run.status,
        model=run.model.name,
        benchmark=run.benchmark,
        bank=run.bank.slug,
        score=run.score,
        **strict_figures(run.figures),
        standard_error=run.standard_error,
        interval=(interval.low, interval.high) if interval else None,
        parse_share=run.parse_share,
        n_items=run.n_items,
        n_scored=run.n_scored,
        figures={key: figure["value"] for key, figure in run.figures.items()},
        requests=run.requests,
        wall_seconds=run.wall_seconds,
        reason=run.failure_message,
        rows=rows_of(run),
    )


def rows_of(run: Run) -> list[tuple[Any, ...]]:
    """A row a stored result, by item number and repeat, in the order of COLUMNS."""
    return list(run.results.order_by("item__number", "repeat").values_list(*COLUMNS))
