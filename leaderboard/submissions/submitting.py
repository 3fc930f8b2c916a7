"""Opening a submission: the rows, the sealed key, the quota, and whether the same one is open already.

No run exists before the approval (`moderating.py`), so nothing can be claimed before it.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.crypto import salted_hmac

from evaluation.benchmarks.base import JsonValue
from evaluation.importers.names import model_named
from evaluation.keys.endpoint_keys import store_key
from evaluation.models import OPEN_STATUSES, Endpoint, FaultKind, LanguageModel, Status
from leaderboard.models import Submission, new_token
from leaderboard.rounding import counted, moment
from leaderboard.submissions.doubts import doubts
from leaderboard.submissions.limits import counted_networks, ipv6_network, widest_network
from leaderboard.submissions.mailing import NEWS, post
from leaderboard.submissions.moderating import approve, say
from leaderboard.submissions.offers import Offer

DAY = timedelta(days=1)
CONSENT_VERSION = 3
"""Of the words of the form: 1 asked to publish; 2 asks by a tick of its own whether judges may read the replies; 3 asks
at the button, in fewer words, and nothing is chosen before."""
QUOTA_LOCK = 4_713_003  # any number: the name of the advisory locks under which the submissions of owners are counted
WITH_A_MODERATOR = "A moderator looks at it before it runs."
NOT_MINE = "If it was not you who sent it, you can withdraw it there."
ASKED_FIELDS = ("max_tokens", "system_prompt", "extra_body", "repeats")


@dataclass(frozen=True, slots=True)
class Facts:
    """What the submitter says of the model. A listed model keeps its own facts: see `taking_facts.py`."""

    name: str
    organisation: str = ""
    params_billion: float | None = None
    licence: str = ""
    open_weights: bool | None = None
    link: str = ""
    released_on: date | None = None

    def stored(self) -> dict[str, Any]:
        """As JSON can hold them."""
        return {**asdict(self), "released_on": self.released_on and self.released_on.isoformat()}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A form that is in order. `base_url` is checked; `key` is plain, and only ever in a local value. `max_tokens` None
    stands for each benchmark's own limit."""

    facts: Facts
    base_url: str
    api_model: str
    key: str = field(repr=False)
    kept_until: date | None
    offers: tuple[Offer, ...]
    repeats: int
    max_tokens: int | None
    concurrency: int
    system_prompt: str
    extra_body: Mapping[str, JsonValue]
    contact: str
    publish_consent: bool
    judging_consent: bool = False
    variants: Mapping[str, str] = field(default_factory=dict)  # key of an offer -> variant of its benchmark

    def request(self) -> dict[str, Any]:
        """What is stored of it: all but the key and the contact address."""
        return {
            "facts": self.facts.stored(),
            "base_url": self.base_url,
            "api_model": self.api_model,
            "banks": [offer.key for offer in self.offers],
            "repeats": self.repeats,
            "variants": dict(self.variants),
            "max_tokens": self.max_tokens,
            "concurrency": self.concurrency,
            "system_prompt": self.system_prompt,
            "extra_body": dict(self.extra_body),
        }

    def fingerprint(self) -> str:
        """A mark of all that a dry run depends on, the key among it; tells nothing without SECRET_KEY."""
        names = ("base_url", "api_model", "banks", "max_tokens", "system_prompt", "extra_body")
        stored = self.request()
        text = json.dumps([*(stored[name] for name in names), self.key], sort_keys=True)
        return salted_hmac("leaderboard.dry-run", text, algorithm="sha256").hexdigest()


class AlreadyOpen(Exception):
    """The same is asked for by a submission that has not ended."""

    def __init__(self, submission: Submission) -> None:
        super().__init__(f"submission {submission.pk} asks the same")
        self.submission = submission


class QuotaUsedUp(Exception):
    """The owner has sent as many as a day may have; the text says when there is room again."""

    def __init__(self, most: int, resets_at: datetime) -> None:
        super().__init__(
            f"{counted(most, 'submission')} came from your network in the last 24 hours, which is the limit. "
            f"The next one can be sent after {moment(resets_at)}."
        )
        self.resets_at = resets_at


@transaction.atomic
def submit(wanted: Wanted, *, owner: str, site: str, dry_run: dict[str, Any] | None, ticket: str = "") -> Submission:
    """The submission, approved at once where the settings, a passed dry run and its names allow that; or the one that
    this copy of the form has made already, as where its button is pressed twice.

    Args:
        owner: Whose quota and turns it uses: the network, since anybody can type any contact address.
        site: The address of this site as the submitter called it, for links in mail.
        dry_run: The report of a dry run with the same settings that was passed, or None.
        ticket: The random name of the copy of the form that was sent; "" for none.

    Raises:
        AlreadyOpen, QuotaUsedUp
    """
    one_at_a_time(owner)
    model = locked_model(wanted.facts.name)
    if twin := identical_open(wanted, model):
        if ticket and twin.token == token_for(ticket):
            return twin
        raise AlreadyOpen(twin)
    check_quota(owner)
    endpoint = _endpoint(wanted, model, owner)
    found = (doubts(endpoint, wanted.facts.organisation, wanted.facts.name), (dry_run or {}).get("doubt", ""))
    doubt = " ".join(filter(None, found))
    submission = Submission.objects.create(
        token=_free_token(ticket),
        model=model,
        endpoint=endpoint,
        request={**wanted.request(), "site": site},
        dry_run=dry_run,
        contact=wanted.contact,
        owner=owner,
        publish_consent=wanted.publish_consent,
        judging_consent=wanted.judging_consent,
        consent_version=CONSENT_VERSION,
        flagged=bool(doubt),
        note=doubt,
    )
    _decide_at_once(submission, has_doubt=bool(doubt))
    confirm(submission)
    return submission


def token_for(ticket: str) -> str:
    """The token of the submission that a copy of the form makes: the same each time, 128 bits to whoever has no
    SECRET_KEY."""
    digest = salted_hmac("leaderboard.ticket", ticket, algorithm="sha256").digest()
    return base64.urlsafe_b64encode(digest[:16]).decode().rstrip("=")


def _free_token(ticket: str) -> str:
    """That of the ticket, unless its form was sent before and then changed and sent again, as by "back"."""
    token = token_for(ticket) if ticket else ""
    return token if token and not Submission.objects.filter(token=token).exists() else new_token()


def locked_model(name: str) -> LanguageModel:
    """The model that the name means, made where there is none; two that send the same at once wait here."""
    rows = LanguageModel.objects.select_for_update()
    # A merge that ends between the two queries has deleted the row, and the name then means the model that stayed.
    return rows.filter(pk=model_named(name).pk).first() or rows.get(pk=model_named(name).pk)


def _decide_at_once(submission: Submission, *, has_doubt: bool) -> None:
    """Approves it where the settings and a passed dry run allow that, or leaves it to a moderator; says which."""
    if submission.dry_run is not None:
        say(submission, "Dry run passed.")
    say(submission, "Submitted.")
    if settings.SUBMISSIONS_AUTO_APPROVE and submission.dry_run is not None and not has_doubt:
        approve(submission, "Approved at once, since the dry run passed.")
    else:
        say(submission, WITH_A_MODERATOR)


def confirm(submission: Submission) -> None:
    """The address of the status page by mail. Not to a contact whose address was typed more often than a day's quota:
    somebody may be typing it who only means to fill a mailbox.
    """
    lately = Submission.objects.filter(contact__iexact=submission.contact, created_at__gt=timezone.now() - DAY)
    if lately.count() > settings.SUBMISSIONS_PER_DAY:
        return
    runs = submission.state == Submission.State.APPROVED
    more = ["Its runs are queued." if runs else WITH_A_MODERATOR, NOT_MINE]
    post(submission, "your submission", NEWS, news="this model was submitted with your contact address.", more=more)


def identical_open(wanted: Wanted, model: LanguageModel) -> Submission | None:
    """The newest submission that asks the same of the same address on one of the same banks and has not ended.

    Args:
        model: The one that the wanted name means, which may have another name by now.
    """
    running = Q(state=Submission.State.APPROVED, runs__status__in=OPEN_STATUSES)
    same = Submission.objects.filter(Q(state=Submission.State.PENDING) | running, model=model).filter(
        endpoint__base_url=wanted.base_url, endpoint__api_model=wanted.api_model
    )
    asked = wanted.request()
    return next((found for found in same.distinct() if _asks_the_same(found.request, asked)), None)


def one_at_a_time(owner: str) -> None:
    """Until this transaction is through, no other submission of the owner is counted: two at once could both be the
    last of the day. SQLite needs nothing, since its transactions begin with the only write lock.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [QUOTA_LOCK, widest_network(owner)])


def check_quota(owner: str) -> None:
    """Raises QuotaUsedUp, also where the wider networks of an IPv6 owner have sent their larger number.

    A submission that failed by our own fault does not count.
    """
    for network, times in counted_networks(owner):
        most = settings.SUBMISSIONS_PER_DAY * times
        sent = sent_lately(network)[:most]
        if len(sent) >= most:
            raise QuotaUsedUp(most, sent[-1] + DAY)


def sent_lately(network: str) -> list[datetime]:
    """When each submission of the network was sent that uses up quota of the last 24 hours, the newest first."""
    our_fault = Submission.runs.through.objects.filter(
        submission=OuterRef("pk"), run__status=Status.FAILED, run__failure_kind=FaultKind.PLATFORM
    )
    lately = Submission.objects.filter(created_at__gt=timezone.now() - DAY).exclude(Exists(our_fault))
    if ipv6_network(network) or ":" not in network:
        lately = lately.filter(owner=network)
    else:
        lately = lately.filter(
            owner__startswith=network.partition(":")[0] + ":"
        )  # narrows it down; what counts follows
    rows = lately.order_by("-created_at").values_list("owner", "created_at")
    return [sent for owner, sent in rows if network in {each for each, _ in counted_networks(owner)}]


def _asks_the_same(found: dict[str, Any], asked: dict[str, Any]) -> bool:
    same = all(found.get(name) == asked[name] for name in ASKED_FIELDS)
    same = same and (found.get("variants") or {}) == asked["variants"]  # older ones were stored without
    return same and not set(asked["banks"]).isdisjoint(found.get("banks", ()))


def _endpoint(wanted: Wanted, model: LanguageModel, owner: str) -> Endpoint:
    """A row of its own for each submission, so that no key ever serves another submitter's run."""
    endpoint = Endpoint.objects.create(
        model=model,
        base_url=wanted.base_url,
        api_model=wanted.api_model,
        extra_body=dict(wanted.extra_body),
        system_prompt=wanted.system_prompt,
        max_concurrency=wanted.concurrency,
        owner=owner,
    )
    if wanted.key:
        store_key(endpoint, wanted.key, kept_until=wanted.kept_until)
    return endpoint
