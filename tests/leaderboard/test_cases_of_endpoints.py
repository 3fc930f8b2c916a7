"""The public cases of odd endpoints (E01 to E25, P17) through the form and a real worker, as a submitter meets them.

| row | where it is held |
|---|---|
| E01 to E25 | the rows of `endpoint_cases.CASES`, whose ids begin with the id of the case |
| the dry-run part of each | `test_cases_of_dry_run.py`, over the same rows |
| E09, "slot free for others" | all other cases are carried by the one worker while that one waits |
| E12, "failed and resumable" | `comes_to_its_end`, after all others |
| E18, "only the mock is called" | a second endpoint, which the environment names, is never asked |
| E22, E23 on PostgreSQL | `tests/evaluation/test_runner.py` (`test_e22_e23...`), which CI runs on both databases |
| N01 to N09 | newer reports: replies that their server calls unfinished, empty errors, errors in lists, refusals |
| | filed apart, moments in place of waits, one refusal of the key, used-up quotas, wrong status, web pages |
| E26, T18 | `test_guard_after_approval.py`, `tests/evaluation/endpoints/test_guard_connections.py` |
| P17, 171 replies | `test_p17_replies_that_are_all_unreadable_give_no_score_no_rank_and_three_samples` |
| Q01 to Q09, Q12, Q19 | `test_cases_of_queue.py` |
"""

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.mail import EmailMessage, get_connection
from django.test import Client

from evaluation.demo.server import make_app
from evaluation.models import FaultKind, Run, Status
from leaderboard.models import Standing, Submission
from leaderboard.submissions.moderating import set_public
from tests.factories import make_bank
from tests.fakes import serve
from tests.leaderboard.carrying import act, shown, status_page, submitted, wait_until
from tests.leaderboard.endpoint_cases import CASES, LADDER_SECONDS, Carried, Case, log_of, offered_banks
from tests.leaderboard.pages import board
from tests.leaderboard.sending import CANARY, no_turns_taken
from tests.processes import redis_server, wait_for, worker

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.database,
    pytest.mark.processes,
    pytest.mark.thorough,
]
SETTLED = (Status.FINISHED, Status.FAILED, Status.WAITING)


@pytest.fixture(autouse=True)
def _turns(settings: Any) -> Iterator[None]:
    settings.DRY_RUNS_PER_ADDRESS = 1000
    no_turns_taken()
    yield
    no_turns_taken()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[str]:
    with redis_server(tmp_path / "redis") as address:
        yield address


def all_settled(n: int) -> bool:
    return Run.objects.filter(status__in=SETTLED).count() == n


def carried(client: Client, submission: Submission, address: str) -> Carried:
    run = submission.runs.get()
    here = f"/submissions/{submission.token}/"
    return Carried(
        run=run,
        log=log_of(address),
        status_page=shown(client, here),
        run_page=shown(client, f"{here}runs/{run.pk}/"),
        items_page=shown(client, f"{here}runs/{run.pk}/items/"),
        items_csv=b"".join(client.get(f"{here}runs/{run.pk}/items.csv")).decode(),
    )


def test_each_odd_endpoint_ends_in_a_named_state_with_a_sentence(client: Client, tmp_path: Path, broker: str) -> None:
    offered_banks()
    with ExitStack() as stack:
        decoy = stack.enter_context(serve(make_app()))
        addresses = {case.id: stack.enter_context(serve(case.endpoint())) for case in CASES}
        found = {
            case.id: submitted(client, f"{addresses[case.id]}{case.path}", f"case-{number}", **case.form)
            for number, case in enumerate(CASES)
        }
        elsewhere = worker(
            tmp_path, broker, RUNS_PER_HOST="0", OPENAI_BASE_URL=f"{decoy}/v1", OPENAI_API_BASE=f"{decoy}/v1",
            HTTP_PROXY=decoy, RUN_BREAKER_WAITS_SECONDS=str(LADDER_SECONDS),
            RUN_LEASE_SECONDS="60",  # none lapses on a busy machine, which would have items asked twice
        )  # fmt: skip
        log = stack.enter_context(elsewhere).log
        wait_for(partial(all_settled, len(CASES)), seconds=600, what="all settled")
        ends = [(case, carried(client, found[case.id], addresses[case.id])) for case in CASES]
        comes_to_its_end(client, found["E12"])
        assert log_of(decoy) == [], "E18: another endpoint than that of the form was called"
        text = log.read_text()
    assert [text[at : at + 3000] for at in (text.find("Traceback"),) if at >= 0] == []
    assert CANARY not in text
    wrong = [sentence for case, end in ends for sentence in what_is_wrong(case, end)]
    assert not wrong, "\n".join(wrong)


def what_is_wrong(case: Case, end: Carried) -> list[str]:
    run, found = end.run, []
    if run.status != case.status:
        found.append(f"{case.id}: {run.status}, {run.failure_message}")
    elif not case.holds(end):
        reasons = set(run.results.values_list("state", "reason"))
        log = [(row["prompt_sha256"][:4], row["time"], row["status"], row["max_tokens"]) for row in end.log]
        found.append(
            f"{case.id}: {run.observed} {run.fault_counts} {run.n_scored} {run.failure_message} {reasons} {log}"
        )
    found += [f"{case.id}: the page does not say {told!r}" for told in case.told if told not in end.status_page]
    if run.status == Status.FINISHED and (run.score, run.n_scored) != (100.0, run.n_items):
        found.append(f"{case.id}: {run.score} over {run.n_scored} items")
    if run.status == Status.FAILED and not run.failure_message:
        found.append(f"{case.id}: failed without a sentence")
    if run.status in {Status.FINISHED, Status.FAILED} and run.endpoint and run.endpoint.sealed_key:
        found.append(f"{case.id}: the key is still there")
    return found


def comes_to_its_end(client: Client, submission: Submission) -> None:
    """E12: the ladder of waits is climbed, here of one step, and the next try is asked for by the button."""
    run = submission.runs.get()
    assert act(client, submission, "try-now")
    wait_until(run, Status.FAILED)
    assert (run.waits, run.failure_kind, run.results.count()) == (1, FaultKind.ENDPOINT, 6)
    html = status_page(client, submission)
    assert "All answers so far are kept" in html
    assert "Resume from the last finished item" in html
    assert "1 run resumed" in act(client, submission, "resume")
    assert run.results.count() >= 6


def texts_in(folder: Path) -> list[str]:
    """The mails that are written to their end, behind which a line of dashes stands.

    One file may hold several: it is named by its second and by the memory address of what wrote it, which the next
    often gets as well.
    """
    files = [path.read_text() for path in folder.iterdir()] if folder.is_dir() else []
    return [mail for text in files for mail in text.split("-" * 79 + "\n")[:-1]]


def test_mails_sent_within_one_second_are_told_apart(tmp_path: Path) -> None:
    connection = get_connection("django.core.mail.backends.filebased.EmailBackend", file_path=str(tmp_path))
    sent = [EmailMessage("Subject", f"Text {n}", "board@models.example", ["a@models.example"]) for n in (1, 2)]
    connection.send_messages(sent)
    connection.close()
    assert len(list(tmp_path.iterdir())) == 1
    assert [n for n, text in enumerate(texts_in(tmp_path), 1) if f"Text {n}" in text] == [1, 2]


def test_p17_replies_that_are_all_unreadable_give_no_score_no_rank_and_three_samples(
    client: Client, tmp_path: Path, broker: str
) -> None:
    make_bank(171, slug="scenes", title="Own scenes")
    mails = tmp_path / "mails"
    with (
        serve(make_app(persona="refusing")) as address,
        worker(tmp_path, broker, EMAIL_URL=f"filemail:///{mails}"),
    ):
        found = submitted(client, address, "polite", concurrency="8")
        run = found.runs.get()
        wait_until(run, Status.FAILED)
        wait_for(lambda: len(texts_in(mails)) == 2, what="the mails of the submission and of its end")
    (mail,) = [text for text in texts_in(mails) if "your run has stopped" in text]
    assert (run.failure_kind, run.score, run.parse_share, run.n_scored) == (FaultKind.PARSE, None, 0.0, 0)
    assert "Parse rate 0.0 %: no score, no rank." in mail
    assert "To: polite@models.example" in mail
    html = shown(client, f"/submissions/{found.token}/")
    for sentence in (
        "No score: 0 of 171 replies could be read", "Parse rate 0.0 %: no score, no rank.",
        "171 replies not read: no scores found (171)", "The first replies that could not be read",
        "it takes no place in a ranking",
    ):  # fmt: skip
        assert sentence in html
    assert html.count("I'd rather not put a number on what somebody feels.") == 3
    set_public([run], public=True)
    assert "maker/polite" not in board(client)
    assert not Standing.objects.filter(model=found.model).exists()
