"""How a run asked otherwise than its benchmark's standard: runs that asked differently never share a mean.

Pure: from what is stored of a run. A departure is a setting that changes what is asked, so not how fast it is asked and
not how often. `null` as a temperature stands for that of the endpoint, which took none from us.
"""

from collections.abc import Mapping
from hashlib import sha256

from evaluation.benchmarks.base import Benchmark, JsonValue

Departures = dict[str, JsonValue]
EXTRA_FIELDS = "extra_body"
# What may change when a run goes on: how fast it asks, not what it asks.
PACE_SETTINGS = frozenset({"concurrency", "timeout_seconds"})


def departures(
    settings: Mapping[str, JsonValue],
    benchmark: Benchmark,
    *,
    extra_body: Mapping[str, JsonValue],
    negotiated: Mapping[str, JsonValue],
) -> Departures:
    """Setting -> value, of the settings whose value is not the standard one; {} for the standard asking.

    Args:
        settings: Those of the run; one that is absent has its standard value.
        benchmark: What is asked by the standard, and which switches there are.
        extra_body: What was sent beside our fields.
        negotiated: What the endpoint was found to take, as `Negotiated.as_settings` has it; {} for nothing.

    Returns:
        A JSON object. A system prompt, which may be long, is in it as a mark of its text.
    """
    standard = standard_asking(benchmark)
    asked = {**standard, **settings, **settled(settings, standard, negotiated)}
    found = {
        name: value
        for name, value in asked.items()
        if name not in PACE_SETTINGS and value != standard.get(name) and (name in standard or value)
    }
    if "system_prompt" in found:
        found["system_prompt"] = mark_of(str(found["system_prompt"]))
    return {**found, EXTRA_FIELDS: dict(extra_body)} if extra_body else found


def standard_asking(benchmark: Benchmark) -> Departures:
    """The settings of a run that changes nothing: each switch of the benchmark is off."""
    generation = benchmark.generation
    return {
        "temperature": generation.temperature,
        "temperature_step": generation.temperature_step,
        "attempts": generation.attempts,
        "max_tokens": generation.max_tokens,
        **{switch.name: False for switch in benchmark.switches},
        "system_prompt": "",
        **({"extra": dict(generation.extra)} if generation.extra else {}),
    }


def settled(
    settings: Mapping[str, JsonValue], standard: Mapping[str, JsonValue], negotiated: Mapping[str, JsonValue]
) -> Departures:
    """What was sent in place of the settings, because the endpoint took nothing else."""
    own_temperature: Departures = {"temperature": None} if negotiated.get("sends_temperature") is False else {}
    asked, limit = settings.get("max_tokens", standard["max_tokens"]), negotiated.get("max_tokens")
    lowered = isinstance(asked, int) and isinstance(limit, int) and limit < asked
    return {**own_temperature, **({"max_tokens": limit} if lowered else {})}


def mark_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]
