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
from evaluation.endpoints.negotiate import NEWER_LIMIT_FIELD
from evaluation.runs.slices import PROMPT_CUT, prompt_remarks
from leaderboard.kinds.base import ItemParts
from leaderboard.rounding import MISSING, counted, duration, figure, number
from leaderboard.submissions.dry_run import LONGEST_PAUSE_SECONDS, Heard, Outcome, Plan, latencies
from leaderboard.submissions.dry_run_cost import Cost, Scope, band, cost_of
from leaderboard.wording.advice import CUT_OFF, OF_UNREAD, commonest_reason
from leaderboard.wording.fault_fixes import FIXES

EXCERPT_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Check:
    """One line: `look` is "good", "warn" or "bad"; `remark` explains; `field` names what to change, or is ""."""

    look: str
    words: str
    detail: str = ""
    remark: str = ""
    field: str = ""


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
MARRED = ("invalid UTF-8", "NUL removed", "lone surrogate removed")  # of a completion's remarks
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
        _read(heard, scope), _scale(heard, scope), _negotiated(plan, outcome), _prompt(heard), _thinking(heard),
        _streamed(heard),
        _shape(heard, scope), _marred(heard), _removed(heard), _speed(heard),
    )  # fmt: skip
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


def _negotiated(plan: Plan, outcome: Outcome) -> Check:
    settled, generation = outcome.negotiated, plan.method.generation
    changes = []
    if settled.token_field == NEWER_LIMIT_FIELD:
        changes.append(f"the field max_tokens was refused, so the limit is sent as {NEWER_LIMIT_FIELD}")
    if not settled.sends_temperature:
        changes.append("temperature was refused, so the run uses the provider's own temperature")
    if settled.max_tokens:
        changes.append(f"the limit was lowered to {counted(settled.max_tokens, 'token')}")
    if changes:
        sentence = "; ".join(changes)
        return Check(
            "warn", "Some fields were changed", "", f"{sentence[0].upper()}{sentence[1:]}. Shown with the score."
        )
    tokens = counted(generation.max_tokens, "token")
    words = f"Temperature {generation.temperature:g} and {tokens} are accepted"
    return Check("good", words, "nothing had to be dropped")


def _prompt(heard: Sequence[Heard]) -> Check:
    if any(PROMPT_CUT in prompt_remarks(one.request, one.completion) for one in heard):
        remark = (
            "The endpoint counts far fewer tokens than were sent: it seems to cut long prompts silently. Serve "
            "the model with a longer context (in Ollama: num_ctx)."
        )
        return Check("warn", "The prompt seems to be cut", "", remark, "base_url")
    tokens = [one.completion.prompt_tokens for one in heard if one.completion.prompt_tokens]
    if not tokens:
        return Check("good", "The prompt was answered", "the endpoint counts no tokens")
    return Check(
        "good", "The whole prompt arrived", f"{counted(sum(tokens), 'token')} for {counted(len(heard), 'item')}"
    )


def _thinking(heard: Sequence[Heard]) -> Check | None:
    inside = any(one.reading.thinking for one in heard)
    apart = any(one.completion.reasoning for one in heard)
    if not inside and not apart:
        return None
    where = "apart from the answer" if apart else "before the answer"
    found = sum(bool(one.reading.thinking) for one in heard)
    taken_off = (
        f"Thinking was found in {found} of {len(heard)} replies and taken off before they were read. " if found else ""
    )
    return Check(
        "good", "The model reasons before it answers", where, f"{taken_off}The thinking is stored and never scored."
    )


def _streamed(heard: Sequence[Heard]) -> Check | None:
    if not any("event stream" in one.completion.remarks for one in heard):
        return None
    return Check(
        "warn", "The endpoint streams", "", "It was not asked to stream. The replies were reassembled; nothing to do."
    )


def _shape(heard: Sequence[Heard], scope: Scope) -> Check | None:
    """Three answers that hold the same ratings in any order."""
    values = [one.reading.answers[0].values for one in heard]
    shapes = {tuple(sorted(rating for rating in value if rating is not None)) for value in values if value is not None}
    if len(heard) < 3 or None in values or len(shapes) > 1:
        return None
    remark = f"That is allowed, but a model that does not read the {scope.kind.item_parts.text} looks like this."
    return Check("warn", "All three answers are alike", "", remark)


def _marred(heard: Sequence[Heard]) -> Check | None:
    """Bytes and signs that no text holds: they stand for a server or a model file that is damaged."""
    found = [mark for mark in MARRED if any(mark in one.completion.remarks for one in heard)]
    if not found:
        return None
    remark = "The replies were read without them. If that is new to you, look at the model's files and its tokenizer."
    return Check("warn", "The replies hold broken characters", ", ".join(found), remark)


def _removed(heard: Sequence[Heard]) -> Check | None:
    if not any("key removed" in one.completion.remarks for one in heard):
        return None
    remark = "It was taken out of the texts. Tell the operator of the server: a key does not belong there."
    return Check("warn", "The endpoint repeats the key in its reply", "", remark)


def _speed(heard: Sequence[Heard]) -> Check:
    low, high = latencies(heard)
    return Check("good", "A reply takes", f"{band(number(low, 1), number(high, 1), 's')}")


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
