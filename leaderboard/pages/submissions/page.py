"""The page of one submission: how it stands, its runs, what has happened, what its owner can do."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.conf import settings
from django.utils import timezone

from evaluation.disclosure import failure_of
from evaluation.keys.endpoint_keys import needs_key
from evaluation.models import KeyEvent, Run, Status
from leaderboard.drawings.queue import QueueDrawing, queue_drawing
from leaderboard.drawings.shapes import StripBar, strip
from leaderboard.kinds import kind_of
from leaderboard.models import Submission
from leaderboard.pages.runs.answered import answered_results, unread_samples
from leaderboard.pages.runs.items import ItemRow, OfItems
from leaderboard.pages.runs.page import FaultRow, fault_rows, progress_of, strip_cells
from leaderboard.pages.shared.measures import item_measure
from leaderboard.pages.submissions.queueing import Place, QueueNow, place_of, queue_now, silence
from leaderboard.rounding import day
from leaderboard.submissions.closing import Closing, closings_of
from leaderboard.submissions.dry_run_cost import span_of_time
from leaderboard.submissions.moderating import WITHDRAWN_BY_STAFF, resumable
from leaderboard.submissions.offers import offers_named, run_title
from leaderboard.wording import sentences
from leaderboard.wording.form_words import KEY_USE
from leaderboard.wording.sentences import Progress, State, whether_listed

MOST_LINES = 200

STATES = {
    Submission.State.PENDING: State("With a moderator", "wait"),
    Submission.State.REJECTED: State("Rejected", "bad"),
    Submission.State.WITHDRAWN: State("Withdrawn", "queued"),
}
HEADLINES = {
    Submission.State.PENDING: "A moderator looks at your submission before it runs",
    Submission.State.REJECTED: "Your submission was rejected",
    Submission.State.WITHDRAWN: "You have withdrawn this submission",
}
KEY_LINES = {
    KeyEvent.Kind.SEALED: ("Key sealed", f"{KEY_USE}."),
    KeyEvent.Kind.USED: ("Key used", "A worker decrypted it to call your endpoint."),
    KeyEvent.Kind.ERASED: ("Key erased", ""),
}
# Runs that end the line: the first of these states among the newest runs is what the page opens with.
FIRST_SHOWN = (Status.RUNNING, Status.WAITING, Status.QUEUED, Status.FAILED, Status.FINISHED, Status.CANCELLED)
STATUS_WORDS = {
    Status.FINISHED: "finished",
    Status.RUNNING: "running",
    Status.WAITING: "waiting",
    Status.QUEUED: "in the queue",
    Status.FAILED: "failed",
    Status.CANCELLED: "cancelled",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the timeline. `day` is its date where the line before it has another one, else ""."""

    at: datetime
    words: str
    detail: str = ""
    day: str = ""


@dataclass(frozen=True, slots=True)
class RunPart(OfItems):
    """One run as its submitter sees it.

    `turns` says why another run has to end first, `estimate` how long the run takes by the dry run, `silence` that no
    worker takes it up, `listed` whether it is on the board and why not; each is "" where there is nothing to say.
    """

    run: Run
    bank: str
    state: State
    headline: str
    progress: Progress
    place: Place | None
    drawing: QueueDrawing | None
    turns: str
    estimate: str
    may_try_now: bool
    silence: str
    strip: tuple[StripBar, ...]
    faults: tuple[FaultRow, ...]
    samples: tuple[ItemRow, ...]
    listed: str
    failure: str

    @property
    def bar_height(self) -> str:
        """What the height of a bar of the strip stands for."""
        measure = item_measure(self.run.benchmark)
        has_scores = kind_of(self.run.benchmark).item_parts.score
        words = "item score" if has_scores else measure.title.lower()
        return f"{words}, and lower is better" if measure.better == "lower" else words


@dataclass(frozen=True, slots=True)
class StatusPage:
    """All that the page shows. `runs` are the newest of each benchmark, the earlier ones are lines in `earlier`."""

    submission: Submission
    model: str
    benchmarks: str
    state: State
    headline: str
    runs: tuple[RunPart, ...]
    earlier: tuple[Run, ...]
    timeline: tuple[Line, ...]
    is_open: bool
    n_open: int
    n_waiting: int
    can_withdraw: bool
    n_resumable: int
    wants_key: bool
    has_key: bool
    closings: tuple[Closing, ...]
    may_publish: bool
    may_stop_judging: bool


def status_page(submission: Submission, *, replies: bool = True) -> StatusPage:
    """The page, or without `replies` the part that renews itself; model and endpoint are at hand. The number of queries
    grows by at most three with each benchmark."""
    runs = list(submission.runs.shown().select_related("bank", "model").order_by("-pk"))
    newest = {(run.bank_id, run.benchmark): run for run in reversed(runs)}
    shown = sorted(newest.values(), key=lambda run: (FIRST_SHOWN.index(Status(run.status)), run.pk))
    queue = queue_now() if any(run.status == Status.QUEUED for run in shown) else None
    parts = tuple(run_part(run, submission, queue, replies=replies) for run in shown)
    standing = submission.state in {Submission.State.PENDING, Submission.State.APPROVED}
    n_open = sum(run.is_open for run in runs)
    return StatusPage(
        submission=submission,
        model=str(submission.model),
        benchmarks="; ".join([part.bank for part in parts] or asked_benchmarks(submission)),
        state=state_of(submission, parts),
        headline=headline_of(submission, parts),
        runs=parts,
        earlier=tuple(run for run in runs if run not in shown),
        timeline=timeline_of(submission),
        is_open=n_open > 0 or submission.state == Submission.State.PENDING,
        n_open=n_open,
        n_waiting=sum(part.may_try_now for part in parts),
        can_withdraw=standing,
        n_resumable=resumable(submission).count(),
        wants_key=standing and needs_key(submission.endpoint),
        has_key=bool(submission.endpoint.sealed_key),
        closings=() if submission.state != Submission.State.APPROVED or n_open else closings_of(submission),
        may_publish=may_publish(submission, runs),
        may_stop_judging=standing and submission.judging_consent,
    )


def may_publish(submission: Submission, runs: Sequence[Run]) -> bool:
    """Whether a result waits for its submitter's consent alone."""
    approved = submission.state == Submission.State.APPROVED
    return approved and not submission.publish_consent and any(run.status == Status.FINISHED for run in runs)


def asked_benchmarks(submission: Submission) -> list[str]:
    """What a submission without runs asks for: titles, or the stored keys where none of these is on offer now."""
    keys = submission.request.get("banks", [])
    return [offer.title for offer in offers_named(keys)] or list(keys)


def run_part(run: Run, submission: Submission, queue: QueueNow | None, *, replies: bool) -> RunPart:
    """One run; `queue` is at hand where any run of the submission is queued."""
    answered = answered_results(run)
    progress = progress_of(run, answered)
    place = place_of(run, queue) if queue else None
    return RunPart(
        run=run,
        bank=run_title(run.bank, run.benchmark),
        state=sentences.state(run),
        headline=queued_headline(place) if place else sentences.headline(run, progress),
        progress=progress,
        place=place,
        drawing=queue_drawing(place.ahead, place.start, place.end) if place else None,
        turns=turns_on(place) if place else "",
        estimate=estimate_of(submission, run_title(run.bank, run.benchmark)) if place else "",
        may_try_now=run.status == Status.WAITING and run.not_before is not None and run.not_before > timezone.now(),
        silence=silence(run),
        strip=strip(strip_cells(answered), run.n_items, item_measure(run.benchmark), is_open=run.is_open),
        faults=tuple(row for row in fault_rows(run, answered) if row.count),
        samples=unread_samples(run, answered) if replies and progress.unread else (),
        listed=whether_listed(run, submission),
        failure=failure_of(run),
    )


def queued_headline(place: Place) -> str:
    """ "One run is ahead of yours; it starts in 2–4 min"."""
    if place.more:
        return f"More than {place.ahead} runs are ahead of yours"
    if not place.ahead:
        return "Your run is next"
    ahead = "One run is ahead of yours" if place.ahead == 1 else f"{place.ahead} runs are ahead of yours"
    return f"{ahead}; it starts in {span_of_time(place.start.low, place.start.high)}" if place.start else ahead


def estimate_of(submission: Submission, title: str) -> str:
    """How long a run takes by the dry run, which had all benchmarks or, as earlier ones, tells of the first alone."""
    found = submission.dry_run or {}
    if found.get("durations"):
        return str(found["durations"].get(title, ""))
    is_only_one = len(submission.request.get("banks", ())) == 1
    return str((found.get("cost") or {}).get("duration", "")) if is_only_one else ""


def turns_on(place: Place) -> str:
    """Why a run waits although a worker may be free."""
    if not place.host:
        return ""
    n = settings.RUNS_PER_HOST
    limit = "One run" if n == 1 else f"{n} runs"
    return f"{limit} at a time for each endpoint, and {place.host} is running {'one' if n == 1 else 'that many'}."


def state_of(submission: Submission, parts: tuple[RunPart, ...]) -> State:
    fixed = STATES.get(Submission.State(submission.state))
    return fixed or (parts[0].state if parts else State("Approved", "good"))


def headline_of(submission: Submission, parts: tuple[RunPart, ...]) -> str:
    fixed = HEADLINES.get(Submission.State(submission.state))
    if submission.state == Submission.State.WITHDRAWN and submission.events.filter(text=WITHDRAWN_BY_STAFF).exists():
        fixed = "An administrator has withdrawn this submission"
    if fixed or not parts:
        return fixed or "Approved"
    return parts[0].headline if len(parts) == 1 else headline_of_several([part.run for part in parts])


def headline_of_several(runs: Sequence[Run]) -> str:
    """ "6 runs finished"; "6 runs: 2 finished, 1 running, 3 in the queue"."""
    found = Counter(Status(run.status) for run in runs)
    known = [f"{found[status]} {words}" for status, words in STATUS_WORDS.items() if found[status]]
    if len(known) == 1:
        return known[0].replace(" ", " runs ", 1)
    return f"{len(runs)} runs: {', '.join(known)}"


def timeline_of(submission: Submission) -> tuple[Line, ...]:
    """What happened to the submission and to its key, oldest first; of a very long history the newest lines."""
    events = [Line(event.at, event.text) for event in submission.events.order_by("-pk")[:MOST_LINES]]
    keys = [key_line(event) for event in submission.endpoint.key_events.order_by("-pk")[:MOST_LINES]]
    return tuple(with_days(sorted([*events, *keys], key=lambda line: line.at)[-MOST_LINES:]))


def with_days(lines: Sequence[Line]) -> list[Line]:
    """The lines, each with its day where that is a new one."""
    days = [day(line.at) for line in lines]
    return [
        line if today == before else replace(line, day=today)
        for line, today, before in zip(lines, days, ["", *days], strict=False)
    ]


def key_line(event: KeyEvent) -> Line:
    words, usual = KEY_LINES[KeyEvent.Kind(event.kind)]
    of_run = f"Run {event.run_id}. " if event.run_id else ""
    why = f"{event.detail[0].upper()}{event.detail[1:]}." if event.detail else usual
    return Line(event.at, words, f"{of_run}{why}")
