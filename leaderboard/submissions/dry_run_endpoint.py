"""What an endpoint did with the requests of a dry run, in sentences: settings that were changed, prompts that were cut,
thinking, streams, broken characters and time. Pure; `dry_run_report.py` puts them together with what was read.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.endpoints.negotiate import NEWER_LIMIT_FIELD
from evaluation.runs.slices import PROMPT_CUT, prompt_remarks
from leaderboard.rounding import counted, number
from leaderboard.submissions.dry_run import Heard, Outcome, Plan, latencies
from leaderboard.submissions.dry_run_cost import band

MARRED = ("invalid UTF-8", "NUL removed", "lone surrogate removed")  # of a completion's remarks


@dataclass(frozen=True, slots=True)
class Check:
    """One line: `look` is "good", "warn" or "bad"; `remark` explains; `field` names what to change, or is ""."""

    look: str
    words: str
    detail: str = ""
    remark: str = ""
    field: str = ""


def negotiated(plan: Plan, outcome: Outcome) -> Check:
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


def prompt(heard: Sequence[Heard]) -> Check:
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


def thinking(heard: Sequence[Heard]) -> Check | None:
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


def streamed(heard: Sequence[Heard]) -> Check | None:
    if not any("event stream" in one.completion.remarks for one in heard):
        return None
    return Check(
        "warn", "The endpoint streams", "", "It was not asked to stream. The replies were reassembled; nothing to do."
    )


def marred(heard: Sequence[Heard]) -> Check | None:
    """Bytes and signs that no text holds: they stand for a server or a model file that is damaged."""
    found = [mark for mark in MARRED if any(mark in one.completion.remarks for one in heard)]
    if not found:
        return None
    remark = "The replies were read without them. If that is new to you, look at the model's files and its tokenizer."
    return Check("warn", "The replies hold broken characters", ", ".join(found), remark)


def removed(heard: Sequence[Heard]) -> Check | None:
    if not any("key removed" in one.completion.remarks for one in heard):
        return None
    remark = "It was taken out of the texts. Tell the operator of the server: a key does not belong there."
    return Check("warn", "The endpoint repeats the key in its reply", "", remark)


def speed(heard: Sequence[Heard]) -> Check:
    low, high = latencies(heard)
    return Check("good", "A reply takes", f"{band(number(low, 1), number(high, 1), 's')}")
