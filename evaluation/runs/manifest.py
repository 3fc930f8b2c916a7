"""The manifest of a run: all that is needed to make its number again. Sealed when the run ends."""

import platform
from collections.abc import Mapping
from typing import Any

from evaluation.benchmarks import BENCHMARKS, JUDGES_OF
from evaluation.code_version import CODE_VERSION
from evaluation.models import Run
from evaluation.runs.departures import Departures, departures
from evaluation.runs.subjects import replies_sha256
from evaluation.runs.summaries import strict_figures

RESULT = ("score", "strict_score", "standard_error", "n_scored", "n_strict")


def sealed_columns(run: Run) -> dict[str, Any]:
    """The columns that every ending of a run stores: its manifest, and how it asked otherwise than the standard.

    Args:
        run: As it is stored once it has ended, with model, bank and endpoint.

    Returns:
        Column -> value. Empty for a run whose benchmark is gone.
    """
    if run.benchmark not in BENCHMARKS:
        return {}
    manifest = {**manifest_of(run, vars(run)), **_frozen(run)}
    return {"manifest": manifest, "departures": _departures_of(run)}


def _frozen(run: Run) -> dict[str, Any]:
    """The hash of the replies that judges will read; in a judge's run whose replies it read, and who judged."""
    if run.benchmark in JUDGES_OF.values():
        return {"replies_sha256": replies_sha256(run)}
    if run.subject is None:
        return {}
    judge = getattr(run.endpoint, "judge", None)
    return {
        "subject": {"run": run.subject.pk, "replies_sha256": (run.subject.manifest or {}).get("replies_sha256")},
        "judge": judge and {"name": judge.name, "maker": judge.maker, "prompt_version": judge.prompt_version},
    }


def manifest_of(run: Run, result: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON object. `result` holds the Run columns that the run's end writes.

    It is public, so it holds no key, no item text, and not the endpoint's address, which its owner may keep private.
    """
    benchmark = BENCHMARKS[run.benchmark]
    endpoint = run.endpoint
    return {
        "run": run.pk,
        "model": run.model.name,
        "benchmark": {"name": benchmark.name, "title": benchmark.title, "scorer_version": benchmark.scorer_version},
        "bank": {"slug": run.bank.slug, "version": run.bank.version, "sha256": run.bank.sha256},
        "settings": run.settings,
        "variant": run.variant,
        "seed": run.seed,
        "repeats": run.repeats,
        "items_asked": run.n_items,
        "asks": run.n_asks,
        "partial": run.limit is not None,
        "endpoint": endpoint
        and {
            "api_model": endpoint.api_model,
            "extra_body": endpoint.extra_body,
            "observed": _without_address(result["observed"]),
        },
        "result": result_of(result),
        "figures": result["figures"],
        "requests": result["requests"],
        "faults": result["fault_counts"],
        "code_version": CODE_VERSION,
        "python": platform.python_version(),
    }


def with_corrections(sealed: Mapping[str, Any], run: Run) -> dict[str, Any]:
    """The sealed manifest as it is; after a correction also what each replaced, and the result that counts now."""
    if not run.score_history:
        return dict(sealed)
    current = {**result_of(vars(run)), "scorer_version": run.scorer_version}
    return {**sealed, "corrections": run.score_history, "current": current}


def result_of(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The run's main numbers, from its columns."""
    numbers = {**columns, **strict_figures(columns["figures"])}
    return {name: numbers[name] for name in RESULT}


def _without_address(observed: Mapping[str, Any]) -> dict[str, Any]:
    """Nor what a run remembers for its next slice."""
    negotiated = {name: value for name, value in observed.get("negotiated", {}).items() if name != "base_url"}
    return {name: value for name, value in observed.items() if name != "put_off"} | {"negotiated": negotiated}


def _departures_of(run: Run) -> Departures:
    return departures(
        run.settings,
        BENCHMARKS[run.benchmark],
        extra_body=run.endpoint.extra_body if run.endpoint else {},
        negotiated=run.observed.get("negotiated", {}),
    )
