"""Opening a run: the endpoint and the open run that are there are found, also after a merge and by two at once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connections

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import Driver, Endpoint, ItemBank, LanguageModel, Run
from evaluation.runs.judging import register_judge
from evaluation.runs.opening import OpenRunDiffers, RunRequest, open_run
from tests.factories import make_bank, make_endpoint, make_model

pytestmark = [pytest.mark.django_db, pytest.mark.database]
ADDRESS = "http://127.0.0.1:9/v1"


def request(bank: ItemBank, **changes: Any) -> RunRequest:
    usual: dict[str, Any] = {
        "model": "maker/one",
        "base_url": ADDRESS,
        "api_model": "one",
        "benchmark": BENCHMARKS["eq-bench-v2"],
        "bank": bank,
        "repeats": 1,
        "limit": None,
        "concurrency": 4,
        "max_tokens": 60,
        "timeout_seconds": 5.0,
        "driver": Driver.COMMAND,
        "published": True,
    }
    return RunRequest(**{**usual, **changes})


def twins() -> tuple[Endpoint, Endpoint]:
    """Two endpoints that are alike, as a merge of two models leaves them."""
    model = make_model("maker/one")
    first, second = (make_endpoint(model=model, base_url=ADDRESS, api_model="one") for _ in range(2))
    return first, second


def test_of_two_endpoints_that_are_alike_the_older_one_is_taken() -> None:
    older, _ = twins()
    run, new = open_run(request(make_bank(3)))
    assert (run.endpoint, new) == (older, True)


def test_an_open_run_on_the_younger_of_two_such_endpoints_is_gone_on_with() -> None:
    _, younger = twins()
    bank = make_bank(3)
    run, _ = open_run(request(bank))
    Run.objects.filter(pk=run.pk).update(endpoint=younger)
    again, new = open_run(request(bank))
    assert (again.pk, new) == (run.pk, False)


def test_the_endpoint_of_a_submitter_is_never_shared() -> None:
    """Its key would be sent for a run that is not theirs."""
    make_endpoint(model=make_model("maker/one"), base_url=ADDRESS, api_model="one", owner="team@a.example")
    run, _ = open_run(request(make_bank(3)))
    assert run.endpoint
    assert run.endpoint.owner == ""


def test_the_endpoint_of_a_judge_is_the_judges_alone() -> None:
    """What a judge sends along would be sent for a model that is evaluated, and its run would depart by it."""
    judge = register_judge(
        name="One", maker="maker", base_url=ADDRESS, api_model="one", extra_body={"reasoning_effort": "low"}
    )
    run, _ = open_run(request(make_bank(3), model="one"))
    assert run.endpoint
    assert run.endpoint != judge.endpoint
    assert (run.model, run.endpoint.extra_body) == (judge.endpoint.model, {})


def test_a_run_that_was_to_be_listed_is_not_gone_on_with_unlisted_or_the_other_way() -> None:
    bank = make_bank(3)
    run, _ = open_run(request(bank))
    with pytest.raises(OpenRunDiffers, match=r"published True \(now False\)"):
        open_run(request(bank, published=False))
    Run.objects.filter(pk=run.pk).update(published=False)
    with pytest.raises(OpenRunDiffers, match=r"published False \(now True\)"):
        open_run(request(bank))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("known", [False, True], ids=["a new model", "a known model"])
def test_processes_that_open_the_same_at_once_get_one_run(known: bool) -> None:
    bank, n = make_bank(3), 4
    if known:
        make_model("maker/one")
    start = Barrier(n)

    def opened(_: int) -> tuple[int, bool]:
        try:
            start.wait(timeout=30)
            run, new = open_run(request(bank))
            return run.pk, new
        finally:
            connections.close_all()

    with ThreadPoolExecutor(max_workers=n) as threads:
        found = list(threads.map(opened, range(n)))
    assert len({pk for pk, _ in found}) == 1
    assert sum(new for _, new in found) == 1
    assert (LanguageModel.objects.count(), Endpoint.objects.count(), Run.objects.count()) == (1, 1, 1)


def test_an_old_open_run_that_lacks_a_setting_has_its_standard_value() -> None:
    bank = make_bank(3)
    run, _ = open_run(request(bank))
    del run.settings["attempts"]
    Run.objects.filter(pk=run.pk).update(settings=run.settings)
    again, new = open_run(request(bank))
    assert (again.pk, new) == (run.pk, False)
    Run.objects.filter(pk=run.pk).update(settings={"max_tokens": 60, "concurrency": 4, "timeout_seconds": 5.0})
    with pytest.raises(OpenRunDiffers, match=r"system_prompt {2}\(now Be brief\.\)"):
        open_run(request(bank, system_prompt="Be brief."))
