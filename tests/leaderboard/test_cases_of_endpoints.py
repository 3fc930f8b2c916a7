"""The public cases of odd endpoints (E01 to E25, P17) through the form and a real worker, as a submitter meets them."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from evaluation.demo.server import make_app
from evaluation.models import FaultKind, ItemState, Run, Status
from leaderboard.models import Submission
from leaderboard.submissions.moderating import approve
from tests.factories import make_bank
from tests.fakes import serve
from tests.leaderboard.pages import page
from tests.leaderboard.sending import CANARY, filled, no_turns_taken, sent
from tests.processes import redis_server, wait_for, worker

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.database,
    pytest.mark.processes,
    pytest.mark.thorough,
    pytest.mark.xdist_group("processes"),
]
N_ITEMS = 12
SETTLED = (Status.FINISHED, Status.FAILED, Status.WAITING)


@dataclass(frozen=True)
class Case:
    """An endpoint with its faults, and what must hold of its run; `told` stands on the submitter's page."""

    id: str
    faults: tuple[str, ...] = ()
    status: Status = Status.FINISHED
    told: str = ""
    holds: Callable[[Run], bool] = lambda _: True
    persona: str = "random"
    path: str = ""
    form: dict[str, Any] = field(default_factory=dict)


def remark(name: str) -> Callable[[Run], bool]:
    return lambda run: run.observed["remarks"].get(name, 0) > 0


def negotiated(name: str, value: object) -> Callable[[Run], bool]:
    return lambda run: bool(run.observed["negotiated"][name] == value)


def unread(reason: str) -> Callable[[Run], bool]:
    """Every item was left without a score, for that reason, and none was filed as a fault of the endpoint."""
    return lambda run: (
        run.failure_kind == FaultKind.PARSE
        and run.results.filter(state=ItemState.UNREAD, score=None, reason__contains=reason).count() == N_ITEMS
    )


def met_faults(run: Run) -> bool:
    return run.fault_counts.get("endpoint", 0) > 0 and run.n_scored == N_ITEMS


def some_without_a_reply(run: Run) -> bool:
    """Items that never got a reply have no score and name the fault; all others are scored."""
    faults = run.results.filter(state=ItemState.FAULT, score=None, reason__startswith="endpoint fault")
    return 0 < faults.count() == N_ITEMS - run.n_scored


def waits_a_day(run: Run) -> bool:
    left = run.not_before - timezone.now() if run.not_before else timedelta(0)
    return timedelta(hours=23) < left < timedelta(hours=25) and run.lease_token is None


CASES = (
    Case("E01", ("null:1",), Status.FAILED, "No scores found", unread("no scores found")),
    Case("E03", ("all-reasoning",), Status.FAILED, "could be read", unread("thinking")),
    Case("E04", ("tool-call:1",), Status.FAILED, "tool call", unread("tool call")),
    Case("E05", ("context-limit:100",), holds=negotiated("max_tokens", 100), form={"max_tokens": "400"}),
    Case("E06", ("short-prompt:5",), holds=remark("prompt cut suspected")),
    Case("E08", ("error-in-200",), holds=met_faults),
    Case("E09", ("retry-after",), Status.WAITING, "Nothing is needed from you", waits_a_day),
    Case("E10", ("retry-after-ms",), holds=met_faults),
    Case("E11", ("first-429",), holds=met_faults),
    Case("E12", ("always-429",), Status.WAITING, "the next try is at", lambda run: run.waits == 1),
    Case("E13", ("parts",)),
    Case("E15", ("event-stream",), holds=remark("event stream")),
    Case("E16", ("html",), Status.FAILED, "no chat completions API"),
    Case("E16 string", ("bare-string",), Status.FAILED, "no chat completions API"),
    Case("E17 with", path="/v1"),
    Case("E17 slash", path="/v1/"),
    Case("E19", ("max-completion-tokens",), holds=negotiated("token_field", "max_completion_tokens")),
    Case("E20", ("no-temperature",), holds=remark("provider's own temperature")),
    Case("E21", ("cut:1",), Status.WAITING, "the next try is at"),
    Case("E22", ("empty-body",), holds=met_faults),
    Case("E24", ("bare", "no-usage")),
    Case("E25", ("empty-choices:6",), Status.FAILED, "holds no message", some_without_a_reply),
    Case("Q08", ("unauthorised",), Status.FAILED, "refused the key", form={"key": CANARY}),
    Case("P17", (), Status.FAILED, "The first replies that could not be read", persona="refusing"),
)


@pytest.fixture
def submissions(client: Client, tmp_path: Path, settings: Any) -> dict[str, Submission]:
    """Each case sent by the form of its own submitter, and carried by one worker until its run ends or waits."""
    settings.DRY_RUNS_PER_ADDRESS = 1000
    no_turns_taken()
    make_bank(N_ITEMS, slug="scenes", title="Own scenes")
    with ExitStack() as stack:
        found = {}
        for number, case in enumerate(CASES):
            address = stack.enter_context(serve(make_app(persona=case.persona, faults=case.faults)))
            own = {"name": f"maker/case-{number}", "contact": f"team-{number}@models.example", **case.form}
            found[case.id] = sent(client, base_url=f"{address}{case.path}", **own)
            assert approve(found[case.id])
        broker = stack.enter_context(redis_server(tmp_path / "redis"))
        log = stack.enter_context(worker(tmp_path, broker, RUNS_PER_HOST="0")).log
        wait_for(lambda: Run.objects.filter(status__in=SETTLED).count() == len(CASES), seconds=200, what="all settled")
        text = log.read_text()
        assert [text[at : at + 3000] for at in (text.find("Traceback"),) if at >= 0] == []
        assert CANARY not in text
    return found


def test_each_odd_endpoint_ends_in_a_named_state_with_a_sentence(
    client: Client, submissions: dict[str, Submission]
) -> None:
    wrong = [sentence for case in CASES for sentence in what_is_wrong(case, submissions[case.id], client)]
    assert not wrong, "\n".join(wrong)
    again = filled(name="maker/case-again", key="sk-right", contact="team-22@models.example")
    assert client.post("/submit/", {**again, "name": submissions["Q08"].model.name}).status_code == 302, "Q08"
    no_turns_taken()


def what_is_wrong(case: Case, submission: Submission, client: Client) -> list[str]:
    run = submission.runs.get()
    html = page(client, f"/submissions/{submission.token}/").replace("&#x27;", "'")
    found = []
    if run.status != case.status:
        found.append(f"{case.id}: {run.status}, {run.failure_message}")
    elif not case.holds(run):
        reasons = set(run.results.values_list("state", "reason"))
        found.append(f"{case.id}: {run.observed} {run.fault_counts} {run.n_scored} {run.failure_message} {reasons}")
    if case.told not in html:
        found.append(f"{case.id}: the page does not say {case.told!r}")
    if run.status == Status.FAILED and not run.failure_message:
        found.append(f"{case.id}: failed without a sentence")
    if run.status in {Status.FINISHED, Status.FAILED} and run.endpoint and run.endpoint.sealed_key:
        found.append(f"{case.id}: the key is still there")
    return found
