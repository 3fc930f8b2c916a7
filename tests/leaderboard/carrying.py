"""Submissions that real workers carry: sent by the form, approved, and read on their page as their submitter does."""

from ipaddress import ip_address
from typing import Any
from zlib import crc32

from django.test import Client

from evaluation.models import Run, Status
from leaderboard.models import Submission
from leaderboard.submissions.moderating import approve
from tests.leaderboard.pages import page
from tests.leaderboard.sending import sent
from tests.processes import PATIENCE_SECONDS, wait_for


def submitted(client: Client, address: str, name: str, network: str = "", **form: Any) -> Submission:
    """Sent by the form of a submitter of its own, from a network of its own unless one is given, and approved."""
    usual = {"base_url": address, "name": f"maker/{name}", "contact": f"{name}@models.example"}
    own = str(ip_address(10 << 24 | crc32(name.encode()) & 0xFF_FFFF))
    found = sent(client, network or own, **{**usual, **form})
    assert approve(found)
    return found


def shown(client: Client, path: str) -> str:
    return page(client, path).replace("&#x27;", "'").replace("&quot;", '"')


def status_page(client: Client, submission: Submission) -> str:
    return shown(client, f"/submissions/{submission.token}/")


def act(client: Client, submission: Submission, name: str, **data: str) -> str:
    """The page after a button of the status page."""
    response = client.post(f"/submissions/{submission.token}/{name}/", data, follow=True)
    assert response.status_code == 200
    return response.content.decode().replace("&#x27;", "'")


def has_status(run: Run, status: Status) -> bool:
    return Run.objects.filter(pk=run.pk, status=status).exists()


def wait_until(run: Run, status: Status, *, seconds: float = PATIENCE_SECONDS) -> None:
    try:
        wait_for(lambda: has_status(run, status), seconds=seconds, what=f"run {run.pk} {status}")
    finally:
        run.refresh_from_db()


def wait_for_results(run: Run, at_least: int, *, seconds: float = PATIENCE_SECONDS) -> None:
    wait_for(lambda: run.results.count() >= at_least, seconds=seconds, what=f"{at_least} results of run {run.pk}")
