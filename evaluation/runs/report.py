"""What `evaluate` says of a run: a line when it begins, a report when it ends, and the same as JSON."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.eqbench_numbers import SCALE_FLAGS
from evaluation.board_address import running_address
from evaluation.command_line import command_line
from evaluation.models import FaultKind, ItemState, Run, Status
from evaluation.runs.summaries import half_of_run, strict_figures
from evaluation.runs.unread import unread_reasons
from evaluation.statistics.score_interval import is_without_spread

MOST_REASONS = 3
TIMES = {1: "once", 2: "twice"}


def greeting(run: Run, *, new: bool, stored: int = 0) -> str:
    """For example "Run 7: 60 items of EQ Open v1 (eq-bench-v2 scoring), asked once, listed when it ends"."""
    items = _counted(run.n_items, "item")
    asked = f"asked {TIMES.get(run.repeats, f'{run.repeats} times')}"
    if run.variant:
        asked = f"plan {run.variant}, {_counted(run.n_asks, 'request')}"
    listed = "listed when it ends" if is_listed(run) else "not listed"
    kept = "" if new else f", {_counted(stored, 'result')} stored"
    begin = f"Run {run.pk}" if new else f"Going on with run {run.pk}"
    return f"{begin}: {items} of {run.bank.title} ({run.benchmark} scoring), {asked}, {listed}{kept}"


def is_listed(run: Run) -> bool:
    return run.published and run.limit is None


def left_to_ask(run: Run) -> int:
    """How many answers a run would ask for if it went on. After a failure it asks items again that got no reply."""
    if run.endpoint_id is None:
        return 0
    kept = run.results.exclude(state=ItemState.FAULT) if run.status == Status.FAILED else run.results
    return run.n_asks - kept.count()


def in_words(run: Run, *, key_variable: str | None, taken: bool) -> str:
    """How the run stands now and what to do. `taken` is False where this process could not take the run up.

    Args:
        key_variable: The variable with the key, which is stored nowhere: the printed command names it again.
    """
    go_on = _go_on(run, key_variable)
    if is_held_elsewhere(run, taken=taken):
        lines = [_held(run)]
    elif run.status == Status.FINISHED:
        lines = [_score(run), *_doubt(run), _page(run)]
    elif run.status == Status.CANCELLED:
        lines = [f"Run {run.pk} was cancelled. Its replies are kept."]
    elif run.status == Status.WAITING:
        lines = [_waits(run), *_advice(run), go_on]
    elif run.status == Status.FAILED:
        lines = [_failed(run), *_reasons(run), *_advice(run), _page(run), go_on]
    elif run.status == Status.RUNNING:
        lines = [f"Run {run.pk} was taken over by another process, which goes on with it. This one has stopped."]
    else:
        lines = ["Stopped. Nothing that is stored is asked again.", go_on]
    return "\n".join(lines)


def is_held_elsewhere(run: Run, *, taken: bool) -> bool:
    """Of a run that could not be taken up and does not wait either, another process holds the lease."""
    return run.is_open and not taken and run.status != Status.WAITING


def as_json(run: Run) -> dict[str, Any]:
    strict = strict_figures(run.figures)
    return {
        "run": run.pk,
        "status": run.status,
        "score": run.score,
        "figures": run.figures,
        "strict_score": strict["strict_score"],
        "standard_error": run.standard_error,
        "n_items": run.n_items,
        "n_scored": run.n_scored,
        "n_strict": strict["n_strict"],
        "requests": run.requests,
        "wall_seconds": round(run.wall_seconds, 3),
        "model": run.model.name,
        "benchmark": run.benchmark,
        "bank": run.bank.slug,
        "repeats": run.repeats,
        "partial": run.limit is not None,
        "listed": is_listed(run),
        "results": run.results.count(),
        "faults": run.fault_counts,
        "unread_items": [
            {"item": item, "repeat": repeat, "reason": reason}
            for item, repeat, reason in run.results.exclude(state=ItemState.READ)
            .order_by("item__number", "repeat")
            .values_list("item__item_id", "repeat", "reason")
        ],
        "reason": run.failure_message or None,
        "advice": _doubt(run) if run.status == Status.FINISHED else _advice_by_kind(run),
        "not_before": run.not_before and run.not_before.isoformat(),
        "page": page_of(run),
        "page_path": path_of(run),
    }


def page_of(run: Run) -> str | None:
    """The whole address of the run's page; None where the site's address is not set and no board runs here."""
    site = settings.SITE_URL or running_address()
    return f"{site}{path_of(run)}" if site else None


def path_of(run: Run) -> str:
    """Looking it up in the site's addresses would load every view."""
    return settings.RUN_PAGE.format(run.pk)


def _page(run: Run) -> str:
    address = page_of(run)
    where = "" if address else " on the board"
    readers = "" if run.published else ", for staff who are logged in"
    return f"Its page{where}{readers}: {address or path_of(run)}"


def _score(run: Run) -> str:
    listed = " and listed" if run.published else " and not listed"
    ending = " (partial: never ranks)" if run.limit is not None else listed
    tried = f"{run.requests} requests tried, {run.wall_seconds:.1f} s."
    return f"Run {run.pk} finished{ending}: {'; '.join(_figures(run))}. {tried}"


def _figures(run: Run) -> Iterator[str]:
    """The figure that ranks, with its error and the items behind it; then the others of the benchmark."""
    ranking, *others = BENCHMARKS[run.benchmark].measures or (None,)
    over = f"over {run.n_scored} of {run.n_items} items"
    if ranking is None or run.score is None:
        yield f"replies {over}"
    else:
        yield f"{ranking.title.lower()} {run.score:.{ranking.digits}f}{error_in_words(run, ranking.digits)} {over}"
    for measure in others:
        figure = run.figures.get(measure.key, {})
        value, n = figure.get("value"), figure.get("n")
        text = "none" if value is None else f"{value:.{measure.digits}f}"
        yield f"{measure.title.lower()} {text}" + ("" if n is None or n == run.n_scored else f" over {n}")


def error_in_words(run: Run, digits: int = 2) -> str:
    """ " ± 3.26"; "" where no error is known, and that none can be computed where all items score the same."""
    half = half_of_run(run)
    if half is not None:
        return f" ± {half:.{digits}f}"
    return " (no error can be computed: all items have the same score)" if is_without_spread(run.standard_error) else ""


def _held(run: Run) -> str:
    return (
        f"Run {run.pk} is being worked on by another process. If that one is dead, its lease ends within "
        f"{settings.RUN_LEASE_SECONDS:.0f} s; start again then."
    )


def _waits(run: Run) -> str:
    return f"Run {run.pk} waits until {run.not_before:%H:%M:%S} UTC. {run.failure_message}"


def _failed(run: Run) -> str:
    return f"Run {run.pk} failed ({run.failure_kind}): {run.failure_message}"


def _reasons(run: Run) -> Iterable[str]:
    """The commonest reasons why replies were not read, each with its number."""
    reasons = unread_reasons(run)
    if not reasons:
        return []
    named = [f"{number} × {reason}" for reason, number in reasons.most_common(MOST_REASONS)]
    rest = reasons.total() - sum(number for _, number in reasons.most_common(MOST_REASONS))
    more = [f"{rest} × other reasons"] if rest else []
    return [f"Replies that were not read: {', '.join([*named, *more])}."]


def _doubt(run: Run) -> list[str]:
    """That a score may mean nothing, since the replies rate on another scale."""
    flagged = (run.results.filter(flags__contains=flag).exists() for flag in SCALE_FLAGS)
    doubt: str = import_string(settings.RUN_DOUBT)(run) if any(flagged) else ""  # which loads much of the site
    return [doubt] if doubt else []


def _advice(run: Run) -> Iterable[str]:
    return [f"What to do: {sentence}" for sentence in _advice_by_kind(run)]


def _advice_by_kind(run: Run) -> list[str]:
    """What the run's page advises: a sentence for each kind of fault that the run had. The engine knows no page.

    Where each item got its reply, what was wrong with the endpoint on the way there needs no advice any more.
    """
    advice: dict[str, str] = import_string(settings.RUN_ADVICE)(run, unread_reasons(run))
    if run.failure_kind == FaultKind.PARSE and not left_to_ask(run):
        advice = {FaultKind.PARSE: advice[FaultKind.PARSE]}
    return [sentence for sentence in advice.values() if sentence]


def _go_on(run: Run, key_variable: str | None) -> str:
    """The command that goes on, or that there is nothing to go on with."""
    if run.endpoint_id is None:
        return "Everything is kept. Its endpoint was deleted, so this run cannot go on: start a new one."
    if run.status == Status.FAILED and not left_to_ask(run):
        return "Everything is kept. Each item has its reply, so this run has nothing left to ask."
    key = ("--api-key-env", key_variable) if key_variable else ()
    return f"Everything is kept. Go on with\n  {command_line('evaluate', '--run', run.pk, *key)}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
