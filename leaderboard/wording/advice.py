"""What to do about the faults of a run, in one sentence a kind. Pure: no query, no request."""

from collections import Counter
from collections.abc import Mapping

from evaluation.endpoints.errors import FAULTS, code_told
from evaluation.models import FaultKind, Run, Status
from evaluation.runs.unread import NAMES_CHANGED, NUMBER_REFUSED, short_reason
from leaderboard.rounding import counted
from leaderboard.wording.fault_fixes import FIXES

RESUMED = "A resumed run asks only what has no reply yet."
# What a run was opened with is wrong: nobody can change it in the run.
OPENED_WITH = frozenset({"redirected", "not-a-chat-api", "not-a-chat-model", "unknown-model", "address-refused"})
KEEPS = "A run keeps its address and model name: changing one of them takes a new run."
CUT_OFF = "cut off"  # how the reasons of replies begin that the token limit ended

ADVICE = {
    FaultKind.ENDPOINT: (
        "Check that the server is up and takes this many requests at once; a lower concurrency helps where it limits "
        f"the rate, or where requests wait for their turn until their time is over. {RESUMED}"
    ),
    FaultKind.MODEL: "Serve the model with a longer context, or without a filter on its prompts, and run it again.",
    FaultKind.PARSE: (
        "Read the replies on the run's page. Models that chat before they answer may need a plain chat template or a "
        "higher token limit."
    ),
    FaultKind.PLATFORM: "Nothing: the run resumes by itself. If it does not move, tell the operator of this site.",
}
# What to do about replies that were not read, by the reason of most of them. More tokens help against none of these.
OF_UNREAD = {
    "all zero": (
        "Most replies rate all four feelings 0, which the prompt forbids. More tokens change nothing: check the chat "
        "template, or serve a larger or less compressed model."
    ),
    "placeholder": (
        "Most replies repeat the format and leave its blanks empty, as base models do. More tokens change nothing: "
        "serve an instruct model with its own chat template."
    ),
    NAMES_CHANGED: (
        "Most replies rate feelings under other names than the four that were asked, and no name is guessed. More "
        "tokens change nothing: serve a model that keeps to the names."
    ),
    "prompt repeated": (
        "Most replies repeat the prompt: the model does not see where it ends. More tokens change nothing: serve an "
        "instruct model with its own chat template."
    ),
    "repeats itself": (
        "Most replies repeat one piece until the limit. More tokens change nothing: check the chat template, the stop "
        "tokens and the quantisation."
    ),
    NUMBER_REFUSED: (
        "Most replies give ratings that are not one number from 0 to 10, such as a range, a part of five or two "
        "numbers. Ask for one whole number in the system prompt, if the model takes one."
    ),
    "looks like another scale": (
        "Most replies rate from 0 to 1. Ask for whole numbers from 0 to 10, for example in the system prompt."
    ),
    "out of range": "Most replies hold ratings above 100. Look at the replies: something else than ratings is written.",
    "no answer after thinking": (
        "Most replies end with their thinking. Switch thinking off, or have the server keep it apart from the answer."
    ),
    "tool call": "Most replies call a tool, though none was offered. Switch tool calling off on the server.",
}
# A run that has failed does not resume by itself, whatever failed it.
AFTER_A_PLATFORM_FAILURE = (
    "The run does not resume by itself: press “Resume from the last finished item” on the page of its submission, or "
    "call evaluate --run for a run of the command. If it stops again, tell the operator of this site."
)


def advice(kind: FaultKind, *, failed: bool, code: str = "") -> str:
    """What to do about a fault of this kind, after which the run goes on or has failed; about that very fault of the
    endpoint where its `code` in `FAULTS` is known."""
    if code and FAULTS[code].cause == kind.value:
        after = KEEPS if code in OPENED_WITH else RESUMED
        return f"{FIXES[code][1]} {after}" if failed else FIXES[code][1]
    return AFTER_A_PLATFORM_FAILURE if failed and kind is FaultKind.PLATFORM else ADVICE[kind]


def fault_advice(
    kind: FaultKind,
    count: int,
    reasons: Mapping[str, int],
    max_tokens: object,
    *,
    failed: bool = False,
    codes: Mapping[str, int] | None = None,
) -> str:
    """What a submitter can do about so many faults of a kind; "" without any.

    Args:
        codes: Of faults of the endpoint and the model, with how much each of them weighs.
        reasons: Of replies not read, with their numbers.
        max_tokens: The run's token limit as its settings have it.
        failed: Whether the run has failed.
    """
    if not count:
        return ""
    if kind is FaultKind.PARSE and (told := _of_unread(reasons, max_tokens)):
        return told
    of_kind = {code: n for code, n in (codes or {}).items() if FAULTS[code].cause == kind.value}
    return advice(kind, failed=failed, code=max(of_kind, key=lambda code: of_kind[code], default=""))


def fault_numbers(run: Run, unread: Mapping[str, int]) -> dict[FaultKind, int]:
    """How many faults of each kind a run had. `unread` holds the reasons of replies not read; the run counts others."""
    return {kind: int(run.fault_counts.get(kind, 0)) for kind in FaultKind} | {FaultKind.PARSE: sum(unread.values())}


def advice_of(
    run: Run, unread: Mapping[str, int], without_reply: Mapping[str, int] | None = None
) -> dict[FaultKind, str]:
    """What to do about each kind of fault that the run had; "" for the other kinds. For pages and for `evaluate`.

    Args:
        unread: The reasons of replies not read, with their numbers.
        without_reply: Those of items that never got one.
    """
    failed = run.status == Status.FAILED and run.failure_kind != FaultKind.PARSE  # after which it may go on
    numbers, limit = fault_numbers(run, unread), run.settings.get("max_tokens")
    codes = fault_codes(run, without_reply or {})
    return {kind: fault_advice(kind, numbers[kind], unread, limit, failed=failed, codes=codes) for kind in FaultKind}


def fault_codes(run: Run, without_reply: Mapping[str, int]) -> Counter[str]:
    """What kept items without a reply, by number; what stopped the run outweighs them all."""
    codes = Counter[str]()
    for reason, number in without_reply.items():
        codes[code_told(reason)] += number
    codes[code_told(run.failure_message)] += codes.total() + 1
    del codes[""]
    return codes


def _of_unread(reasons: Mapping[str, int], max_tokens: object) -> str:
    commonest = commonest_reason(reasons)
    if commonest != CUT_OFF:
        return OF_UNREAD.get(commonest, "")
    limit = f"the limit of {max_tokens} tokens" if max_tokens else "the token limit"
    cut = sum(n for reason, n in reasons.items() if reason.startswith(CUT_OFF))
    return f"{counted(cut, 'reply', 'replies')} ended at {limit}: run it again with a higher one."


def commonest_reason(reasons: Mapping[str, int]) -> str:
    """The reason of most replies, those that a cut explains counted together; "" without any."""
    weighed: Counter[str] = Counter()
    for reason, n in reasons.items():
        weighed[CUT_OFF if reason.startswith(CUT_OFF) else short_reason(reason)] += n
    return max(weighed, key=lambda reason: weighed[reason]) if weighed else ""
