"""What a run page says in words: the run's state, its headline, its faults. Pure: no query, no request."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.benchmarks.eqbench_summary import NEEDED_SHARE
from evaluation.models import FaultKind, Run, Status
from leaderboard.models import Submission
from leaderboard.rounding import counted, duration, moment, number, score

NEEDED_IN_WORDS = f"{100 * NEEDED_SHARE:.4g} %"
"""The share of the items that EQ-Bench needs for a score."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Counts of (item, repeat) pairs; `faults` are those that ended without a reply. `pace` is in results a minute;
    None where it is not known or nothing runs."""

    done: int
    total: int
    read: int
    unread: int
    faults: int
    pace: float | None
    seconds_left: float | None

    @property
    def answered(self) -> int:
        return self.done - self.faults

    @property
    def read_share(self) -> float | None:
        return self.read / self.done if self.done else None

    @property
    def words(self) -> str:
        without = f", {self.faults} without a reply" if self.faults else ""
        return f"{self.answered} of {self.total} answered{without}"


@dataclass(frozen=True, slots=True)
class State:
    """A state in a word, with the class that colours it and draws its glyph."""

    word: str
    look: str


STATES = {
    Status.QUEUED: State("In the queue", "queued"),
    Status.RUNNING: State("Running", "live"),
    Status.WAITING: State("Waiting for the endpoint", "wait"),
    Status.FINISHED: State("Finished", "good"),
    Status.FAILED: State("Ended without a score", "bad"),
    Status.CANCELLED: State("Cancelled", "queued"),
}

NO_ANSWER = "The file has no answer to this number of items and gives no reason."
LEFT_OUT = "Left out of the mean."
NOTHING = {
    FaultKind.ENDPOINT: "No refusal, time-out or broken answer.",
    FaultKind.MODEL: "No prompt was too long or filtered.",
    FaultKind.PARSE: "Every reply could be read.",
    FaultKind.PLATFORM: "Nothing went wrong on our side.",
}
SOMETHING = {
    FaultKind.ENDPOINT: "Requests that were refused, timed out or came back broken or unfinished.",
    FaultKind.MODEL: "Prompts that did not fit the model's context, or that a filter refused.",
    FaultKind.PLATFORM: "Work that was interrupted on our side.",
}
CONSEQUENCES = {
    FaultKind.ENDPOINT: "Retried if that may help; an item without any reply has no score.",
    FaultKind.MODEL: "The item has no score.",
    FaultKind.PARSE: "Asked again by the benchmark’s rule, then left out of the mean.",
    FaultKind.PLATFORM: "The run goes on by itself, and no answer is lost.",
}
WOULD_BE = {
    FaultKind.ENDPOINT: "Retried if that may help.",
    FaultKind.MODEL: "The item would have no score.",
    FaultKind.PARSE: "Would be asked again by the benchmark's rule.",
    FaultKind.PLATFORM: "The run would go on by itself, and no answer would be lost.",
}
KINDS = {
    FaultKind.ENDPOINT: "the endpoint",
    FaultKind.MODEL: "the model",
    FaultKind.PARSE: "reading the replies",
    FaultKind.PLATFORM: "our platform",
}
# Published or not -> what a run that ended without a score is told.
WITHOUT_SCORE = {
    True: "Its page is public. Without a score it takes no place in a ranking.",
    False: "Without a score it takes no place in a ranking, and only this page leads to it.",
}
REPLIES_ALONE = "Its page is public. Replies have no score of their own, so it takes no place in a ranking."


def state(run: Run) -> State:
    return STATES[Status(run.status)]


def headline(run: Run, progress: Progress) -> str:
    """The run in one line: what it came to, or how far it is."""
    if run.status == Status.FINISHED:
        return came_to(run)
    if run.status == Status.FAILED:
        return failed(run, progress)
    if run.status == Status.CANCELLED:
        return f"Cancelled with {progress.words}"
    return f"{progress.words}{outlook(run, progress)}"


def came_to(run: Run) -> str:
    """What a finished run came to: its score, or how many replies it gathered where its benchmark gives none."""
    if run.score is None:
        return f"{run.n_scored} of {run.n_items} replies gathered"
    return f"{score(run.score, run.benchmark)}, {run.n_scored} of {run.n_items} items scored"


def failed(run: Run, progress: Progress) -> str:
    if run.failure_kind == FaultKind.PARSE:
        return f"No score: {progress.read} of {progress.total} replies could be read"
    where = KINDS.get(FaultKind(run.failure_kind), "") if run.failure_kind else ""
    return f"Stopped with {progress.words}" + (f": a fault of {where}" if where else "")


def outlook(run: Run, progress: Progress) -> str:
    """What comes next for an open run; begins with a comma."""
    if run.status == Status.WAITING:
        return f", next try {moment(run.not_before)}" if run.not_before else ", waiting for the endpoint"
    if run.status == Status.QUEUED:
        return ", in the queue"
    if progress.seconds_left is None:
        return ""
    minutes = progress.seconds_left / 60
    return (
        f", about {number(minutes, 1)} minutes to go"
        if minutes >= 1
        else f", about {duration(progress.seconds_left)} to go"
    )


def fault_meaning(kind: FaultKind, count: int, reasons: Sequence[tuple[str, int]]) -> str:
    """What so many faults of a kind are. `reasons` are those of replies not read, with their numbers."""
    if not count:
        return NOTHING[kind]
    if kind is FaultKind.PARSE:
        listed = ", ".join(f"{reason} ({n})" for reason, n in reasons)
        return f"{counted(count, 'reply', 'replies')} not read: {listed}."
    return SOMETHING[kind]


def fault_consequence(kind: FaultKind, count: int, *, asked: bool, unread_as: str = "") -> str:
    """What happens to such a fault, or would. `asked` is False for runs that nobody here asked, as imports; `unread_as`
    is what an item without an answer counts as, where it is not left out of the mean."""
    if kind is FaultKind.PARSE and unread_as and count:
        return f"Asked again by the benchmark’s rule, then counted as {unread_as}."
    if not asked:
        return LEFT_OUT if count else "Unreadable items would not count."
    return CONSEQUENCES[kind] if count else WOULD_BE[kind]


def whether_listed(run: Run, submission: Submission) -> str:
    """Whether an ended run is on the board, and if not, why; "" for one that is open or was cancelled."""
    if run.status == Status.FAILED:
        return WITHOUT_SCORE[run.published]
    if run.status != Status.FINISHED:
        return ""
    if run.published:
        return "It is on the board." if run.ranks else REPLIES_ALONE
    if not submission.publish_consent:
        return "It stays unlisted, since you did not agree to publish it."
    if submission.state == Submission.State.WITHDRAWN:
        return "It is not listed, since the submission was withdrawn."
    return "It is not on the board yet: a moderator has to list it."


def samples(n_unread: int, *, has_ends: bool, by: str = "") -> str:
    """Which transcripts the page of a run shows: as `samples_of` chooses them. `by` names the value of an item where
    it is neither good nor bad."""
    ends = f"the ones with the lowest and the highest {by}" if by else "the worst and the best"
    if not has_ends:
        which = "The first replies that could not be read" if n_unread else "The newest replies"
    else:
        alone = f"The replies with the lowest and the highest {by}" if by else "The worst replies, then the best"
        which = f"The first replies that could not be read, then {ends}" if n_unread else alone
    return f"{which}, unedited, with whatever answers could be parsed from them."
