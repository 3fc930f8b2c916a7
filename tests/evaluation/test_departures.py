"""How a run asked otherwise than its benchmark's standard: known when it ends, and of the runs of older schemas."""

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import Endpoint, Origin, Run, Status
from evaluation.runs.departures import Departures, departures
from tests.evaluation.test_runner import carry, demo
from tests.factories import make_bank, make_endpoint, make_run

BENCHMARK = BENCHMARKS["eq-bench-v2"]
STANDARD = {
    "temperature": 0.01, "temperature_step": 0.15, "attempts": 3, "max_tokens": 60, "revision": False,
    "system_prompt": "", "timeout_seconds": 120.0, "concurrency": 8,
}  # fmt: skip


def found(extra_body: Any = None, negotiated: Any = None, **changes: Any) -> Departures:
    settings = {**STANDARD, **changes}
    return departures(settings, BENCHMARK, extra_body=extra_body or {}, negotiated=negotiated or {})


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"concurrency": 1, "timeout_seconds": 5.0},
        {"negotiated": {"token_field": "max_completion_tokens", "sends_temperature": True, "max_tokens": None}},
        {"negotiated": {"max_tokens": 4096}},
        {"quant": "", "template": None},
    ],
)
def test_pace_a_renamed_field_and_what_is_empty_change_nothing_that_is_asked(changes: dict[str, Any]) -> None:
    assert found(**changes) == {}


def test_settings_that_are_not_stored_have_their_standard_value() -> None:
    assert departures({}, BENCHMARK, extra_body={}, negotiated={}) == {}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"max_tokens": 1024}, {"max_tokens": 1024}),
        ({"temperature": 0.7}, {"temperature": 0.7}),
        ({"attempts": 1}, {"attempts": 1}),
        ({"revision": True}, {"revision": True}),
        ({"template": "ChatML"}, {"template": "ChatML"}),
        ({"extra_body": {"top_p": 0.9}}, {"extra_body": {"top_p": 0.9}}),
        ({"negotiated": {"sends_temperature": False}}, {"temperature": None}),
        ({"max_tokens": 8192, "negotiated": {"max_tokens": 4096}}, {"max_tokens": 4096}),
        ({"max_tokens": 8192, "negotiated": {"max_tokens": 60}}, {}),
    ],
)
def test_each_change_of_what_is_asked_is_named(changes: dict[str, Any], expected: Departures) -> None:
    assert found(**changes) == expected


def test_two_system_prompts_are_two_askings_and_neither_is_stored_again() -> None:
    one, same, other = (found(system_prompt=text) for text in ("Feel with them.", "Feel with them.", "Be brief."))
    assert one == same != other
    assert "Feel" not in str(one)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_a_run_that_ends_says_how_it_asked() -> None:
    bank = make_bank(5)
    with demo() as endpoint:
        standard = carry(endpoint.run(bank, concurrency=2))
        longer = carry(endpoint.run(bank, max_tokens=1024))
        Endpoint.objects.update(extra_body={"top_p": 0.9})
        extra = carry(endpoint.run(bank))
    with demo("perfect", "no-temperature") as endpoint:
        own = carry(endpoint.run(bank))
    assert [run.departures for run in (standard, longer, extra, own)] == [
        {}, {"max_tokens": 1024}, {"extra_body": {"top_p": 0.9}}, {"temperature": None},
    ]  # fmt: skip


@pytest.mark.database
@pytest.mark.django_db
def test_an_upgrade_tells_it_of_runs_that_have_ended_before() -> None:
    endpoint = make_endpoint(extra_body={"top_k": 5})
    ended: dict[str, Any] = {"endpoint": endpoint, "status": Status.FINISHED}
    sealed = make_run(settings={"max_tokens": 60}, manifest={"endpoint": {"extra_body": {"top_p": 0.9}}}, **ended)
    plain = make_run(settings={"max_tokens": 60, "concurrency": 1}, manifest={"endpoint": {"extra_body": {}}}, **ended)
    unsealed = make_run(settings={"max_tokens": 100}, **ended)
    imported = make_run(origin=Origin.IMPORTED, status=Status.FINISHED, settings={"template": "ChatML"})
    waiting = make_run(status=Status.QUEUED, settings={"max_tokens": 100})
    own = make_run(status=Status.FINISHED, settings=STANDARD, observed={"negotiated": {"sends_temperature": False}})
    fill = import_module("evaluation.migrations.0008_how_runs_depart_from_the_standard").fill
    fill(apps, connection.schema_editor())
    assert dict(Run.objects.values_list("pk", "departures")) == {
        sealed.pk: {"extra_body": {"top_p": 0.9}},
        plain.pk: {},
        unsealed.pk: {"max_tokens": 100, "extra_body": {"top_k": 5}},
        imported.pk: {},
        waiting.pk: {},
        own.pk: {"temperature": None},
    }
