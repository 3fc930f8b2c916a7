"""The proof that a submitter controls a domain: a token of the submission in a file that the domain serves.

Only a worker reads the file: a web thread never waits for a stranger's host. What the proof is worth, and what it is
not, stands on the methodology page.
"""

from collections.abc import Callable

from django.utils import timezone
from django.utils.crypto import salted_hmac

from evaluation.endpoints.address import locate
from evaluation.endpoints.errors import EndpointError
from evaluation.endpoints.text_file import text_at
from evaluation.models import LanguageModel
from evaluation.outbound import guard_from_settings
from leaderboard.calling import call, call_refresh
from leaderboard.models import Submission
from leaderboard.standings import refresh_standings
from leaderboard.submissions.moderating import say

TASK = "leaderboard.tasks.prove_domain"
PATH = "/.well-known/eq-leaderboard.txt"
STANDING = (Submission.State.PENDING, Submission.State.APPROVED)


def address_of(domain: str) -> str:
    return f"https://{domain}{PATH}"


def token_of(submission: Submission) -> str:
    """What the file must hold as a line of its own. It may be public: the address of the submission's page, which is
    its only lock, cannot be computed from it."""
    digest = salted_hmac("leaderboard.proving", submission.token, algorithm="sha256").hexdigest()
    return f"eq-leaderboard={digest[:32]}"


def domains_of(submission: Submission) -> tuple[str, ...]:
    """Where a token counts: under the maker's domain as staff recorded it, and on the endpoint's own host."""
    host = locate(submission.endpoint.base_url)
    own = host.name if host.address is None and not host.is_number and "." in host.name else ""
    return tuple(dict.fromkeys(filter(None, (submission.model.maker_domain, own))))


def ask(submission: Submission, domain: str) -> None:
    """Calls a worker to look for the token."""
    call(TASK, submission.pk, domain)


def guarded_text(url: str) -> str:
    return text_at(url, guard_from_settings())


def prove(submission_id: int, domain: str, read: Callable[[str], str] = guarded_text) -> bool:
    """Whether the token is there now. The submission's timeline says what was found, and the standings follow.

    Args:
        read: Gives the text at an address. Raises EndpointError.
    """
    submission = Submission.objects.select_related("model", "endpoint").get(pk=submission_id)
    if submission.state not in STANDING or domain not in domains_of(submission):
        return False
    address = address_of(domain)
    try:
        lines = {line.strip() for line in read(address).splitlines()}
    except EndpointError as error:
        say(submission, f"No token was found at {address}: {why(error)}")
        return False
    if token_of(submission) not in lines:
        say(submission, f"No token was found at {address}: the file has no line with it.")
        return False
    say(submission, f"The token was found at {address}.")
    remember(submission, domain)
    return True


def why(error: EndpointError) -> str:
    if error.status is not None:
        return f"the host answered with status {error.status}."
    return error.message.replace("The endpoint", "the host")


def remember(submission: Submission, domain: str) -> None:
    """Stores the proof; one of the maker's domain is not replaced by one of another host."""
    makers = LanguageModel.objects.get(pk=submission.model_id).maker_domain
    if submission.proven_domain == makers != domain and makers:
        return
    Submission.objects.filter(pk=submission.pk).update(proven_domain=domain, proven_at=timezone.now())
    for run in submission.runs.filter(published=True):
        refresh_standings(run.pk)
        call_refresh(run.pk)
