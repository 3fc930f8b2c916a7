"""The manifest of a run: all that is needed to make its number again. Sealed when the run ends."""

import platform
from collections.abc import Mapping
from typing import Any

from evaluation import __version__
from evaluation.benchmarks import BENCHMARKS
from evaluation.models import Run


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
        "repeats": run.repeats,
        "items_asked": run.n_items,
        "partial": run.limit is not None,
        "endpoint": endpoint
        and {
            "api_model": endpoint.api_model,
            "extra_body": endpoint.extra_body,
            "observed": _without_address(result["observed"]),
        },
        "result": {name: result[name] for name in ("score", "strict_score", "standard_error", "n_scored", "n_strict")},
        "requests": result["requests"],
        "faults": result["fault_counts"],
        "code_version": __version__,
        "python": platform.python_version(),
    }


def _without_address(observed: Mapping[str, Any]) -> dict[str, Any]:
    negotiated = {name: value for name, value in observed.get("negotiated", {}).items() if name != "base_url"}
    return {**observed, "negotiated": negotiated}
