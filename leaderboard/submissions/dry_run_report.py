"""A dry run in sentences: what was found, what it means for the whole run, and for each failure the field and the fix.

Pure: no query, no request. Of a reply only the parsed text is ever shown, cut.
"""

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace

from evaluation.benchmarks.base import REFUSAL
from evaluation.benchmarks.eqbench_numbers import SCALE_FLAGS
from evaluation.disclosure import own_words, plain_reason
from evaluation.endpoints.address import normalise_base_url
from evaluation.endpoints.errors import EndpointError
from leaderboard.kinds.base import ItemParts
from leaderboard.rounding import MISSING, counted, duration, figure, number
from leaderboard.submissions import dry_run_endpoint as endpoint
from leaderboard.submissions.dry_run import LONGEST_PAUSE_SECONDS, Heard, Outcome, Plan
from leaderboard.submissions.dry_run_cost import Cost, Scope, cost_of
from leaderboard.submissions.dry_run_endpoint import Check
from leaderboard.wording.advice import CUT_OFF, OF_UNREAD, commonest_reason
from leaderboard.wording.fault_fixes import FIXES

EXCERPT_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Sample:
    """One item as it was answered; `excerpt` is of a reply that could not be read."""

    number: int
    read: str
    score: str
    seconds: str
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """The whole of it for one benchmark, whose bank is `title`. `doubt` is what a moderator should know before the runs
    are queued, or ""; `told_from` says which items were asked; `durations` has for each benchmark's title how long its
    run will take, once the reports of all are put together. `value_name` heads the column of what each item got."""

    passed: bool
    verdict: str
    checks: tuple[Check, ...]
    samples: tuple[Sample, ...] = ()
    cost: Cost | None = None
    doubt: str = ""
    told_from: str = ""
    title: str = ""
    value_name: str = ""
    durations: dict[str, str] = field(default_factory=dict)


ONLY_REASONING = (
    "Only reasoning text came, which is never scored. Raise the max tokens per reply, so that the answer fits in "
    "after the thinking; if that changes nothing, switch thinking off or change the server's reasoning parser."
)
CALLED_A_TOOL = (
    "The model called a tool, though none was offered. Switch tool calling off on the server, or serve the model with "
    "a chat template without tools."
)
REFUSED = (
    "The model refused to answer, in words that its endpoint filed apart. Another system prompt may help, and is named "
    "beside the score."
)
SCALE_MEANINGS = {
    "decimal cut": "The official parser cuts decimals: 3.9 counts as 3.",
    "per cent": "The official parser leaves the sign out: 30 % counts as 30, which costs far more than a wrong rating.",
    "other scale": "Ratings from 0 to 1, of 5 or of 100 count as they stand, and are not turned into 0 to 10.",
}
SCALE_FIX = (
    "Have the model give whole numbers from 0 to 10, for example by the system prompt, and try again. A run that is "
    "sent like this is not listed before a moderator has looked at it."
)
HALF = 0.5
ANOTHER_NAME = "another name"  # where the endpoint's own words may be those of a closed bank
_BEFORE_THE_KEY = frozenset({"unreachable", "disconnected", "timeout", "bad-http", "cut-short", "redirected"}) | {
    "address-refused", "not-a-chat-api", "bad-certificate", "empty-body", "unreadable-json", "unknown-encoding",
    "blocked",
}  # fmt: skip


def report(plan: Plan, outcome: Outcome, scope: Scope) -> Report:
    """The report of a dry run."""
    checks = [*_reached(plan, outcome, scope), *_understood(plan, outcome, scope)] if outcome.heard else []
    shared_out = outcome.time_is_up and plan.sharing > 1
    if shared_out:
        checks.append(_shared_out(plan.sharing))
    elif outcome.fault is not None:
        checks = checks or _before(plan, outcome.fault)
        checks.append(_failed(outcome.fault, has_key=bool(plan.target.api_key), texts=scope.texts))
    passed = outcome.fault is None and _enough(outcome.heard, scope)
    return Report(
        passed=passed,
        verdict="Not finished" if shared_out else _verdict(passed, checks),
        checks=tuple(checks),
        samples=tuple(_sample(plan.items.index(one.item) + 1, one, scope) for one in outcome.heard),
        cost=cost_of(outcome.heard, scope) if outcome.heard else None,
        doubt=_doubt(plan, outcome.heard, scope),
        told_from=_told_from(outcome.heard, scope),
        title=scope.asked,
        value_name=scope.measure.title,
    )


def _enough(heard: Sequence[Heard], scope: Scope) -> bool:
    """Whether a run that is read as these replies were would get a score. Of three, that takes all three."""
    return bool(heard) and sum(map(_is_read, heard)) >= (scope.kind.needed_share or HALF) * len(heard)


def _told_from(heard: Sequence[Heard], scope: Scope) -> str:
    if not heard:
        return f"No reply came to the first item of {scope.asked}."
    return f"Estimated from {counted(len(heard), 'reply', 'replies')} to items of {scope.asked}, asked a moment ago."


def _verdict(passed: bool, checks: Sequence[Check]) -> str:
    if not passed:
        return "Not passed"
    remarks = sum(check.look == "warn" for check in checks)
    if not remarks:
        return "Passed"
    return "Passed, with one remark" if remarks == 1 else f"Passed, with {remarks} remarks"


def _failed(error: EndpointError, *, has_key: bool, texts: bool) -> Check:
    field, fix = FIXES[error.code]
    if error.code == "unauthorised" and not has_key:
        fix = "Enter a key: this endpoint wants one."
    if error.code == "rate-limited" and (error.retry_after_seconds or 0) > LONGEST_PAUSE_SECONDS:
        fix = f"Ask fewer at once, or run it again in {duration(error.retry_after_seconds)}, as it asks for."
    status = f"status {error.status}" if error.status else ""
    return Check("bad", error.message if texts else own_words(error.message), status, fix, field)


def _shared_out(sharing: int) -> Check:
    """The endpoint may be fast enough for a run: each benchmark has only a part of the time of a dry run."""
    sentence = f"The time of this dry run was up, since {sharing} benchmarks shared it"
    return Check("warn", sentence, "", "Try fewer at once.", "banks")


def _before(plan: Plan, error: EndpointError) -> list[Check]:
    """What is known to be right when the first request already failed."""
    known = []
    if error.code not in _BEFORE_THE_KEY:
        known.append(Check("good", "The address answers", _shown(plan.target.base_url)))
        if error.code == "unknown-model" and plan.target.api_key:
            known.append(Check("good", "The key is accepted"))
    return known


def _reached(plan: Plan, outcome: Outcome, scope: Scope) -> list[Check]:
    used = outcome.negotiated.base_url
    remark = ""
    if used != plan.given_url.strip().rstrip("/"):
        remark = f"You gave {plan.given_url.strip()}; the chat answered under {used}, which is what the run will call."
    key = Check("good", "The key is accepted") if plan.target.api_key else Check("good", "No key is asked for")
    return [Check("good", "The address answers", _shown(used), remark), key, _model_found(plan, outcome.heard, scope)]


def _model_found(plan: Plan, heard: Sequence[Heard], scope: Scope) -> Check:
    if other := _other_model(plan, heard):
        said = other if scope.texts else ANOTHER_NAME
        remark = f"You asked for {plan.target.api_model}, the reply says {said}. A moderator will look at it first."
        return Check("warn", "The reply names another model", "", remark, "api_model")
    if not any(one.completion.model for one in heard):
        return Check("good", "The model answers", "the reply names no model")
    return Check("good", "The model was found", "the name comes back unchanged")


def _other_model(plan: Plan, heard: Sequence[Heard]) -> str:
    echoed = {one.completion.model for one in heard}
    return min(echoed - {"", plan.target.api_model}, default="")


def _doubt(plan: Plan, heard: Sequence[Heard], scope: Scope) -> str:
    other = _other_model(plan, heard)
    said = repr(other) if scope.texts else ANOTHER_NAME
    model = f"The endpoint was asked for {plan.target.api_model!r} and answers as {said}." if other else ""
    flags = _scale_flags(heard, scope)
    scale = f"In the dry run it rated on another scale than 0 to 10 ({', '.join(flags)})." if flags else ""
    return " ".join(filter(None, (model, scale)))


def _scale_flags(heard: Sequence[Heard], scope: Scope) -> list[str]:
    """Signs of another scale than 0 to 10; none for a kind whose answers are no such ratings."""
    if not scope.kind.item_parts.are_whole:
        return []
    given = {flag for one in heard for flag in one.reading.answers[0].flags}
    return [flag for flag in SCALE_FLAGS if flag in given]


def _scale(heard: Sequence[Heard], scope: Scope) -> Check | None:
    flags = _scale_flags(heard, scope)
    if not flags:
        return None
    words = "The ratings have decimals" if flags == ["decimal cut"] else "The ratings are on another scale than 0 to 10"
    told = " ".join(SCALE_MEANINGS[flag] for flag in flags)
    return Check("warn", words, ", ".join(flags), f"{told} {SCALE_FIX}", "system_prompt")


def _understood(plan: Plan, outcome: Outcome, scope: Scope) -> list[Check]:
    heard = outcome.heard
    found = (
        _read(heard, scope),
        _scale(heard, scope),
        endpoint.negotiated(plan, outcome),
        endpoint.prompt(heard),
        endpoint.thinking(heard),
        endpoint.streamed(heard),
        _shape(heard, scope),
        endpoint.marred(heard),
        endpoint.removed(heard),
        endpoint.speed(heard),
    )
    return [check for check in found if check is not None]


def _is_read(one: Heard) -> bool:
    return one.reading.answers[0].values is not None


def _read(heard: Sequence[Heard], scope: Scope) -> Check:
    read, n = sum(map(_is_read, heard)), len(heard)
    words = {n: "The reply was read" if n == 1 else f"All {_spelled(n)} replies were read", 0: "No reply could be read"}
    sentence = words.get(read, f"{read} of {n} replies were read")
    if read == n:
        readers = {one.reading.answers[0].reading for one in heard}
        return Check("good", sentence, _read_by(readers))
    field, fix = _reading_fix(heard, scope)
    reasons = sorted({_reason(one, scope.texts) for one in heard if not _is_read(one)})
    return Check("bad", sentence, "; ".join(reasons), f"{_too_few(scope)} {fix}", field)


def _read_by(readers: Set[str]) -> str:
    """Who read the replies: the official parser or the tolerant one; of other kinds, the forms that were read."""
    if readers == {"official"}:
        return "official parser"
    return "by the tolerant parser" if readers & {"official", "tolerant"} else f"as {' and '.join(sorted(readers))}"


def _too_few(scope: Scope) -> str:
    if scope.kind.needed_share is None:
        return "A run in which more than half of the items are not read gets no score."
    return f"A run gets a score where at least {100 * scope.kind.needed_share:.4g} % of its items are read."


def _reason(one: Heard, texts: bool) -> str:
    reason = one.reading.answers[0].reason
    return reason if texts else plain_reason(reason)


def _reading_fix(heard: Sequence[Heard], scope: Scope) -> tuple[str, str]:
    unread = [one for one in heard if not _is_read(one)]
    if any(one.completion.finish_reason == REFUSAL for one in unread):
        return "system_prompt", REFUSED
    if any(one.completion.reasoning and not one.completion.text.strip() for one in unread):
        return "max_tokens", ONLY_REASONING
    if any(one.completion.tool_call for one in unread):
        return "api_model", CALLED_A_TOOL
    return _fix_of_reason(
        commonest_reason(Counter(one.reading.answers[0].reason for one in unread)), scope.kind.item_parts
    )


def _fix_of_reason(reason: str, words: ItemParts) -> tuple[str, str]:
    if reason == CUT_OFF:
        return (
            "max_tokens",
            "The limit cut the reply off. Raise the max tokens per reply: a model that thinks needs thousands.",
        )
    if not words.are_whole:
        return "api_model", f"The model must answer in the form that the prompt asks for. {words.words}"
    if reason in OF_UNREAD:
        return "api_model", OF_UNREAD[reason]
    return "api_model", "See the replies below: the model must answer with one line “emotion: score” for each emotion."


def _shape(heard: Sequence[Heard], scope: Scope) -> Check | None:
    """Three answers that hold the same ratings in any order."""
    values = [one.reading.answers[0].values for one in heard]
    shapes = {tuple(sorted(rating for rating in value if rating is not None)) for value in values if value is not None}
    if len(heard) < 3 or None in values or len(shapes) > 1:
        return None
    remark = f"That is allowed, but a model that does not read the {scope.kind.item_parts.text} looks like this."
    return Check("warn", "All three answers are alike", "", remark)


def _sample(at: int, one: Heard, scope: Scope) -> Sample:
    answer, texts = one.reading.answers[0], scope.texts
    if answer.values is None:
        read = f"not read: {_reason(one, texts) or 'no reason known'}"
    elif texts:
        read = " · ".join(
            f"{label}: {_given(value)}" for label, value in zip(one.item.labels, answer.values, strict=True)
        )
    else:
        read = counted(sum(value is not None for value in answer.values), "score")
    excerpt = one.completion.text[:EXCERPT_CHARACTERS] if texts and answer.values is None else ""
    return Sample(
        at, read, figure(one.score, scope.measure), f"{number(one.completion.latency_ms / 1000, 1)} s", excerpt
    )


def _given(value: float | None) -> str:
    """A value as it was given. None stands for one that was not read, or that only a judge gives."""
    return MISSING if value is None else f"{value:g}"


def _shown(base_url: str) -> str:
    return normalise_base_url(base_url).partition("://")[2]


def _spelled(n: int) -> str:
    return {2: "two", 3: "three"}.get(n, str(n))


def together(reports: Sequence[Report]) -> Report:
    """What is kept of a dry run of several benchmarks: that of the first, passed where all are, with all doubts and
    with the time that each takes."""
    doubts = dict.fromkeys(report.doubt for report in reports if report.doubt)
    return replace(
        reports[0],
        passed=all(report.passed for report in reports),
        doubt=" ".join(doubts),
        durations={report.title: report.cost.duration for report in reports if report.cost},
    )
